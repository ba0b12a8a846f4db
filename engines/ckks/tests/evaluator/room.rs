// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values for which a level has no room are errors, never other values modulo its primes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use crate::setting::Setting;
use halimede_ckks::circuit::Input;
use halimede_ckks::encoding::EncodingError;
use halimede_ckks::params::Scale;
use halimede_ckks::{
    Bound, Ciphertext, CircuitError, Complex, Diagonals, EvaluationError, Expression,
    LinearTransform, Plan, Polynomial, Sharing, SharingError, Values,
};

/// The preset in which 1,000 is squared: levels of 40 bits above 60.
const PRESET: &str = "n14";

fn setting() -> Setting {
    Setting::new(PRESET, &[1])
}

/// Returns an encryption of values that are declared to lie within a magnitude.
fn encrypted(setting: &mut Setting, values: &[f64], magnitude: f64, level: usize) -> Ciphertext {
    setting.client.encrypt_at(Values::from(values).within(magnitude), level).unwrap()
}

/// Checks that the outcome is the error for too little room, which names the operation.
fn check_room<T>(outcome: Result<T, impl Into<CircuitError>>, what: &str) {
    let error = outcome.err().expect(what).into();
    let text = error.to_string();
    let Some(EvaluationError::Room { got, limit, .. }) = error.evaluation() else {
        panic!("{what}: {text}")
    };
    assert!(got > limit, "{what}: {text}");
    assert!(text.contains("room for") && text.contains("declare a smaller bound"), "{text}");
}

#[test]
fn the_square_of_a_thousand_does_not_wrap_around() {
    let mut setting = setting();
    let x = encrypted(&mut setting, &[1000.0, -999.0, 3.0], 1000.0, 1);
    check_room(setting.server.mul(&x, &x), "1,000² at level 0");
    // One level higher has room for it, but it cannot be brought down.
    let x = encrypted(&mut setting, &[1000.0, -999.0, 3.0], 1000.0, 2);
    let square = setting.server.mul(&x, &x).unwrap();
    let expected = [1e6, 999.0 * 999.0, 9.0].map(Complex::from);
    setting.check(&square, &expected, "at level 1");
    check_room(setting.server.at_level(&square, 0), "1,000² brought to level 0");
    check_room(setting.server.mul_number(&square, 0.75.into()), "a part of it at level 0");
    let low = encrypted(&mut setting, &[1.0; 3], 1.0, 0);
    check_room(setting.server.add(&square, &low), "a sum with a value at level 0");
    check_room(setting.server.sub(&low, &square), "a difference with a value at level 0");
    // A caller who knows that values are smaller declares it.
    let small = square.bounded(Bound::real(1000.0));
    check_room(setting.server.at_level(&square, 0), "nothing is known of the first");
    let lower = setting.server.at_level(&small, 0).unwrap();
    assert_eq!(lower.bound(), Bound::real(1000.0));
    let of_ten =
        encrypted(&mut setting, &[10.0, -9.0, 3.0], 1000.0, 1).bounded(Bound::between(-10.0, 10.0));
    let square = setting.server.mul(&of_ten, &of_ten).unwrap();
    setting.check(&square, &[100.0, 81.0, 9.0].map(Complex::from), "bounded by ten");
}

#[test]
fn sums_and_multiples_grow_until_there_is_no_room() {
    let mut setting = setting();
    let mut x = encrypted(&mut setting, &[0.75, -1.0], 1.0, 0);
    let mut plain = [0.75, -1.0].map(Complex::from);
    let mut doublings = 0;
    // 60 bits, minus 40 of the scale and one of the sign.
    while let Ok(double) = setting.server.add(&x, &x) {
        (x, plain) = (double, plain.map(|value| value * 2.0));
        doublings += 1;
        setting.check(&x, &plain, "a multiple");
    }
    assert!((18..=19).contains(&doublings), "{doublings}");
    let server = &setting.server;
    check_room(server.add(&x, &x), "a sum with itself");
    check_room(server.add(&x, &x.clone()), "a sum");
    check_room(server.sub(&x, &server.neg(&x).unwrap()), "a difference");
    check_room(server.sum(&x), "the sum of all");
    check_room(server.inner_sum(&x, 2, 1), "a sum of batches");
    for integer in [2, -2, 1 << 40, i64::MAX, i64::MIN] {
        check_room(server.mul_integer(&x, integer), "a multiple");
    }
    for number in [6e5, -6e5] {
        let error = server.add_number(&x, number.into()).unwrap_err();
        assert!(
            matches!(error, EvaluationError::Encoding(EncodingError::TooLarge { .. })),
            "{error}"
        );
        let vector = [number, 0.0];
        let vector = Values::from(&vector).within(6e5);
        let error = server.add_plain(&x, vector).unwrap_err();
        assert!(
            matches!(error, EvaluationError::Encoding(EncodingError::TooLarge { .. })),
            "{error}"
        );
        // Values that fit separately, but not together.
        let half = number / 2.0;
        check_room(server.add_number(&x, half.into()), "a sum with a number");
        let vector = [half, 0.0];
        check_room(server.add_plain(&x, Values::from(&vector).within(3e5)), "a sum with a vector");
    }
    assert!(server.mul_integer(&x, -1).is_ok() && server.mul_integer(&x, 0).is_ok());
}

#[test]
fn products_of_every_kind_need_room() {
    let mut setting = setting();
    let x = encrypted(&mut setting, &[1000.0, 10.0], 1000.0, 1);
    let higher = encrypted(&mut setting, &[1000.0, 10.0], 1000.0, 2);
    let server = &setting.server;
    let thousands = [1000.0, -1000.0];
    let vector = || Values::from(&thousands).within(1000.0);
    check_room(server.mul_plain(&x, vector()), "times a vector");
    check_room(server.mul_number(&x, 1000.0.into()), "times a number");
    check_room(
        server.mul_plain(&x, Values::from(&[0.1]).within(1000.0)),
        "times a number in a bound",
    );
    let square = Polynomial::monomial(&[0.0, 0.0, 1.0]).unwrap();
    check_room(server.evaluate(&higher, &square), "a polynomial");
    let matrix = Diagonals::new(2, [(0, vec![Complex::from(0.1); 2])]).unwrap().within(1000.0);
    let transform = LinearTransform::new(server.encoder(), &matrix, 1).unwrap();
    check_room(server.linear_transform(&x, &transform), "a matrix");
    // Explicit operations, on the product of the scales: 160 bits and 40 of values, of 260.
    let explicit = server.explicit();
    check_room(explicit.mul(&x, &x), "explicit");
    check_room(explicit.mul_degree2(&x, &x).map(drop), "explicit, wide");
    let scale = server.parameters().level(1).scale;
    check_room(explicit.mul_plain(&x, vector(), scale), "explicit, by a vector");
    let high = encrypted(&mut setting, &[1000.0, 10.0], 1000.0, 5);
    let explicit = setting.server.explicit();
    let wide = explicit.mul(&high, &high).unwrap();
    let wider = explicit.mul(&wide, &wide).unwrap();
    check_room(explicit.mul(&wider, &wide), "three products");
    for level in 0..3 {
        check_room(explicit.drop_to_level(&wider, level), "dropped");
    }
    // More bits than can be decoded.
    check_room(setting.client.decrypt(&wider).map(drop), "decrypted");
    let shared = setting.client.decrypt_for_sharing(&wider, &Sharing::new(8, 1)).err();
    let Some(SharingError::Parameters(error)) = shared else { panic!("{shared:?}") };
    check_room(Err::<(), _>(error), "decrypted for sharing");
    // At a scale of the caller's.
    let server = &setting.server;
    let large = server.at_scale(&high, 0, Scale::exp2(58.0));
    check_room(large, "a scale of 58 bits at level 0");
}

#[test]
fn plans_are_refused_before_anything_is_computed() {
    let mut setting = setting();
    let parameters = setting.client.parameters().clone();
    let x = Expression::input("x");
    let plan = |expression: &Expression, level: usize, bound: f64| {
        let fresh = Input::fresh(&parameters, Bound::real(bound));
        let input = Input { level, length: 3, ..fresh };
        Plan::new(expression, &parameters, &BTreeMap::from([("x".to_owned(), input)])).map(drop)
    };
    let square = &x * &x;
    check_room(plan(&square, 1, 1000.0), "the square of 1,000 at level 0");
    plan(&square, 2, 1000.0).unwrap();
    plan(&square, 1, 700.0).unwrap();
    for (expression, level) in [
        (&x * 1000 * 1000, 0),
        (&x * 1000.5 + 1, 1),
        (&x + 1e6, 0),
        ((&x * 500).sum(), 1),
        (x.powi(2) * 0.75, 2),
        (x.bounded(5000.0) * &x, 1),
        (x.evaluate(Polynomial::monomial(&[0.0, 0.0, 1.0]).unwrap()), 2),
    ] {
        check_room(plan(&expression, level, 1000.0), &format!("{expression:?}"));
    }
    // Values that are known to be smaller.
    for tighter in [x.bounded(700.0), x.between(-1.0, 700.0)] {
        plan(&(&tighter * &tighter), 1, 1000.0).unwrap();
    }
    let ciphertext = encrypted(&mut setting, &[600.0, -7.0, 0.0], 1000.0, 1);
    let given = [("x", &ciphertext)];
    check_room(setting.server.run(&square, &given), "run");
    let tighter = x.bounded(700.0);
    let result = setting.server.run(&(&tighter * &tighter), &given).unwrap();
    setting.check(&result, &[360_000.0, 49.0, 0.0].map(Complex::from), "run with less");
}

#[test]
fn huge_values_are_refused_when_they_are_encrypted() {
    let mut setting = setting();
    for level in [0, 3, 5] {
        for value in [1e25, -1e25, 1e300, f64::MAX] {
            let declared = [value, 0.0];
            let values = Values::from(&declared).within(value.abs());
            let error = setting.client.encrypt_at(&values, level).unwrap_err();
            assert!(matches!(error, EncodingError::TooLarge { .. }), "{error}");
            assert!(error.to_string().contains("declare a smaller bound"), "{error}");
            assert!(setting.client.encoder().encode(&values, level).is_err());
        }
        // The declaration counts.
        let error =
            setting.client.encrypt_at(Values::from(&[0.5]).within(1e25), level).unwrap_err();
        assert!(matches!(error, EncodingError::TooLarge { .. }), "{error}");
        // The largest value with room survives.
        let limit = setting.client.parameters().level(level).modulus.log2().min(115.0);
        let scale = setting.client.parameters().level(level).scale.log2();
        let most = (limit - scale - 1.001).exp2();
        let x = encrypted(&mut setting, &[most, -most, 0.5 * most], most, level);
        setting.check(&x, &[most, -most, 0.5 * most].map(Complex::from), "the largest");
    }
}
