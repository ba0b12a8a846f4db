// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Plans whose steps are at the lowest sufficient levels.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use halimede_ckks::circuit::Input;
use halimede_ckks::keys::{KeyUse, SwitchingKey};
use halimede_ckks::{
    Ciphertext, Client, Complex, Diagonals, EvaluationKeys, Expression, Parameters, Plan, Server,
};

use super::expressions::bootstrapping;
use super::setting::Setting;

const SLOTS: usize = 64;
/// The steps of a layer's matrix.
const STEPS: [usize; 3] = [1, 9, 40];

/// Layers of a matrix and a cube, three levels, whose first and third values are added to those
/// before the cube of the next but one; and a last matrix.
fn layers(count: usize) -> Expression {
    let matrix = || {
        let diagonal = |step: usize| (step as i64, vec![Complex::from(0.25); SLOTS]);
        Diagonals::new(SLOTS, STEPS.map(diagonal)).unwrap().public()
    };
    let mut value = Expression::input("x");
    let mut before: Option<Expression> = None;
    for layer in 0..count {
        let mut sum = value.linear_transform(matrix());
        if layer % 2 == 0 {
            if let Some(before) = before {
                sum = sum + before.linear_transform(matrix());
            }
        }
        let sum = sum.bounded(1.0);
        value = (&sum * &sum * &sum).bounded(1.0);
        before = (layer % 2 == 0).then(|| value.clone());
    }
    value.linear_transform(matrix())
}

/// Returns the same layers of plain values.
fn plainly(count: usize, x: &[Complex]) -> Vec<Complex> {
    let matrix = |x: &[Complex]| -> Vec<Complex> {
        let row = |row: usize| STEPS.iter().map(move |step| x[(row + step) % SLOTS]);
        (0..SLOTS).map(|at| row(at).fold(Complex::from(0.0), |sum, x| sum + x) * 0.25).collect()
    };
    let mut value = x.to_vec();
    let mut before: Option<Vec<Complex>> = None;
    for layer in 0..count {
        let mut sum = matrix(&value);
        if layer % 2 == 0 {
            if let Some(before) = &before {
                sum = sum.iter().zip(matrix(before)).map(|(a, b)| *a + b).collect();
            }
        }
        value = sum.iter().map(|x| *x * *x * *x).collect();
        before = (layer % 2 == 0).then(|| value.clone());
    }
    matrix(&value)
}

fn server(client: &mut Client, parameters: &Parameters, keys: &BTreeMap<KeyUse, usize>) -> Server {
    let mut made = EvaluationKeys::new(parameters);
    for (of, level) in keys {
        made.insert(*of, client.evaluation_key(*of, *level));
    }
    Server::new(made).with_angles(*b"angles of slots, fixed for tests")
}

/// Returns values, their ciphertext of level 3, and the usual plan with the one at low levels.
fn plans(setting: &mut Setting, count: usize) -> (Vec<Complex>, Ciphertext, [Plan; 2]) {
    let plain: Vec<Complex> = setting.values(SLOTS);
    let ciphertext = setting.client.encrypt_at(&plain, 3).unwrap();
    let inputs = BTreeMap::from([("x".to_owned(), Input::from(&ciphertext))]);
    let parameters = setting.server.parameters();
    let usual = Plan::new(&layers(count), parameters, &inputs).unwrap();
    let low = Plan::at_low_levels(&[layers(count)], parameters, &inputs, 0).unwrap();
    (plain, ciphertext, [usual, low])
}

#[test]
fn low_levels_take_smaller_keys_and_as_few_bootstraps_for_the_same_values() {
    let mut setting = bootstrapping();
    let parameters = setting.server.parameters().clone();
    for count in [1, 3, 4] {
        let (plain, ciphertext, [usual, low]) = plans(&mut setting, count);
        assert_eq!(usual.bootstraps(), low.bootstraps(), "{usual}\n{low}");
        let bytes = |keys: &BTreeMap<KeyUse, usize>| -> usize {
            let key =
                |(of, level): (&KeyUse, &usize)| SwitchingKey::bytes_of(&parameters, *of, *level);
            keys.iter().map(key).sum()
        };
        let [of_usual, of_low] = [&usual, &low].map(|plan| plan.keys_by_level(false));
        assert!(bytes(&of_low) < bytes(&of_usual), "{usual}\n{low}");
        assert_eq!((low.level(), low.inputs()["x"].level), (0, 1), "{low}");
        let result = server(&mut setting.client, &parameters, &of_low)
            .run_plan(&low, &[("x", &ciphertext)], |_| {})
            .unwrap();
        assert_eq!(result.level(), 0);
        // A client may also encrypt at the planned level.
        let lower = setting.client.encrypt_at(&plain, 1).unwrap();
        let from_lower = server(&mut setting.client, &parameters, &of_low)
            .run_plan(&low, &[("x", &lower)], |_| {})
            .unwrap();
        for result in [&result, &from_lower] {
            setting.check_worst(result, &plainly(count, &plain), 1.0, &format!("{low}"));
        }
    }
}

/// Matrices at level 1 have keys with fewer primes than others for that level. Errors name missing
/// keys, and files preserve them.
#[test]
fn matrices_at_level_1_have_keys_of_few_primes() {
    let mut setting = bootstrapping();
    let parameters = setting.server.parameters().clone();
    let (plain, ciphertext, [_, low]) = plans(&mut setting, 3);
    let keys = low.keys_by_level(false);
    let exponents = keys.keys().filter_map(|of| match of {
        KeyUse::LowAutomorphism(exponent) => Some(*exponent),
        _ => None,
    });
    let exponents: Vec<u64> = exponents.collect();
    assert!(exponents.len() > 2, "{keys:?}");
    let bytes = |of: KeyUse| SwitchingKey::bytes_of(&parameters, of, 1);
    for exponent in &exponents {
        assert_eq!(keys[&KeyUse::LowAutomorphism(*exponent)], 1);
        let usual = bytes(KeyUse::Automorphism(*exponent));
        assert!(bytes(KeyUse::LowAutomorphism(*exponent)) < usual, "{exponent}");
    }
    let operations = low.operations();
    assert_eq!(operations.low_rotations.len(), exponents.len());
    assert!(operations.keys(&parameters).keys().eq(keys.keys()));

    let whole = server(&mut setting.client, &parameters, &keys);
    let result = whole.run_plan(&low, &[("x", &ciphertext)], |_| {}).unwrap();
    setting.check_worst(&result, &plainly(3, &plain), 1.0, "by keys of few primes");
    // From a file they are the same, and give the same bits.
    let saved = |of: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        of(&mut bytes);
        bytes
    };
    let file = saved(&|bytes| whole.keys().save(bytes).unwrap());
    let read = EvaluationKeys::load(&file[..], &parameters).unwrap();
    let again = Server::new(read).with_angles(*b"angles of slots, fixed for tests");
    let again = again.run_plan(&low, &[("x", &ciphertext)], |_| {}).unwrap();
    let [once, twice] =
        [&result, &again].map(|of| saved(&|bytes| of.save(bytes, &parameters).unwrap()));
    assert!(once == twice);

    let missing = KeyUse::LowAutomorphism(exponents[0]);
    let some = keys.iter().filter(|(of, _)| **of != missing).map(|(of, level)| (*of, *level));
    let some = server(&mut setting.client, &parameters, &some.collect());
    let error = some.run_plan(&low, &[("x", &ciphertext)], |_| {}).unwrap_err().to_string();
    assert!(error.contains("rotate by") && error.contains("at level 1"), "{error}");
    // The keys for all levels do not replace them.
    let usual = keys.keys().map(|of| match of {
        KeyUse::LowAutomorphism(exponent) => (KeyUse::Automorphism(*exponent), 1),
        other => (*other, keys[other]),
    });
    let usual = server(&mut setting.client, &parameters, &usual.collect());
    assert!(usual.check_plan(&low).is_err());
}

#[test]
fn a_key_of_a_lower_level_than_planned_is_refused() {
    let mut setting = bootstrapping();
    let parameters = setting.server.parameters().clone();
    let (_, ciphertext, [_, low]) = plans(&mut setting, 3);
    let keys = low.keys_by_level(false);
    let level = keys[&KeyUse::Multiply];
    let lower = BTreeMap::from_iter(keys.into_iter().chain([(KeyUse::Multiply, level - 1)]));
    let error = server(&mut setting.client, &parameters, &lower)
        .run_plan(&low, &[("x", &ciphertext)], |_| {})
        .unwrap_err()
        .to_string();
    assert!(error.contains("level"), "{error}");
}

#[test]
fn public_matrices_without_room_are_encoded_in_each_run_to_the_same_bits() {
    let mut setting = bootstrapping();
    let parameters = setting.server.parameters().clone();
    let (_, ciphertext, [_, low]) = plans(&mut setting, 3);
    let server = server(&mut setting.client, &parameters, &low.keys_by_level(false));
    let run = |plan: &Plan| {
        let mut bytes = Vec::new();
        let result = server.run_plan(plan, &[("x", &ciphertext)], |_| {}).unwrap();
        result.save(&mut bytes, &parameters).unwrap();
        bytes
    };
    let kept = run(&low);
    let all = low.matrix_bytes();
    assert!(all > 0);
    for most in [0, all / 2, all - 1] {
        let [_, plan] = plans(&mut setting, 3).2;
        let plan = plan.keeping_matrices(most);
        assert!(run(&plan) == kept && plan.matrix_bytes() <= most, "{most} of {all}");
    }
}
