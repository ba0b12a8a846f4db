// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Nothing public depends on data: ciphertexts carry declared properties, and nothing that is
//! computed from values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::Setting;
use halimede_ckks::encoding::EncodingError;
use halimede_ckks::evaluator::inner_sum_rotations;
use halimede_ckks::linear::LinearError;
use halimede_ckks::sampling::Random;
use halimede_ckks::{
    Bound, Ciphertext, CircuitError, Complex, Diagonals, EvaluationError, Expression,
    LinearTransform, Parameters, Polynomial, Server, Values,
};
use rand::Rng;

/// Bytes between the header of a ciphertext's file and its polynomials: owner, level, length,
/// scale, error, bound, and the mark of a seed.
const ABOUT: usize = 16 + 2 + 4 + 20 + 8 + 17 + 1;

/// Returns all bytes of a file except its polynomials, seed and checksum, and the length of the
/// file.
fn public(ciphertext: &Ciphertext, parameters: &Parameters) -> (Vec<u8>, usize) {
    let (mut file, mut header) = (Vec::new(), Vec::new());
    ciphertext.save(&mut file, parameters).unwrap();
    parameters.save(&mut header).unwrap();
    (file[..header.len() + ABOUT].to_vec(), file.len())
}

/// Checks that ciphertexts look the same without the key, except for their polynomials.
fn check_alike(all: &[Ciphertext], parameters: &Parameters, what: &str) {
    let first = &all[0];
    let limbs = |a: &Ciphertext| a.parts()[0].limbs().flatten().copied().collect::<Vec<u32>>();
    for (turn, other) in all.iter().enumerate().skip(1) {
        let what = format!("{what}, data {turn}");
        assert_eq!(first.estimate(), other.estimate(), "{what}");
        assert_eq!(public(first, parameters), public(other, parameters), "{what}");
        assert_eq!(format!("{first:?}"), format!("{other:?}"), "{what}");
        assert_ne!(limbs(first), limbs(other), "{what}");
    }
}

/// Returns vectors of complex numbers within a magnitude, with nothing else in common.
fn data(setting: &mut Setting, count: usize, magnitude: f64) -> Vec<Vec<Complex>> {
    let tiny = Complex::new(1e-12, -1e-13);
    let alternating =
        |k: usize| Complex::from(if k.is_multiple_of(2) { magnitude } else { -magnitude });
    vec![
        vec![Complex::default(); count],
        vec![Complex::from(magnitude); count],
        setting.values(count).into_iter().map(|value| value * magnitude).collect(),
        vec![tiny * magnitude; count],
        (0..count).map(alternating).collect(),
    ]
}

#[test]
fn files_of_fresh_ciphertexts_tell_what_is_declared() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let parameters = setting.client.parameters().clone();
    let public_key = setting.client.public_key();
    let mut random = Random::of_test(5);
    for (count, level, magnitude) in
        [(1, 4, 1.0), (5, 0, 2.5), (64, 2, 1.0), (512, 4, 1e-3), (511, 1, 60.0)]
    {
        let data = data(&mut setting, count, magnitude);
        let complex = |values| Values::from(values).within(magnitude);
        let what = format!("{count} values up to {magnitude}");
        let by_secret = data.iter().map(|v| setting.client.encrypt_at(complex(v), level).unwrap());
        let by_secret: Vec<Ciphertext> = by_secret.collect();
        check_alike(&by_secret, &parameters, &format!("by the secret key, {what}"));
        assert_eq!(by_secret[0].bound(), Bound::complex(magnitude));
        let encoder = setting.client.encoder();
        let by_public = data
            .iter()
            .map(|v| public_key.encrypt_at(encoder, complex(v), level, &mut random).unwrap());
        check_alike(
            &by_public.collect::<Vec<_>>(),
            &parameters,
            &format!("by the public key, {what}"),
        );
        // The same with real numbers in an interval.
        let bound = Bound::between(-magnitude, 2.0 * magnitude);
        let real = data.iter().map(|v| {
            let real: Vec<f64> = v.iter().map(|value| value.re).collect();
            setting.client.encrypt_at(Values::from(&real).bounded(bound), level).unwrap()
        });
        let real: Vec<Ciphertext> = real.collect();
        check_alike(&real, &parameters, &format!("real, {what}"));
        assert_eq!(real[0].bound(), bound);
    }
    // Without a declaration the bound is 1, and real for real numbers.
    let small = [0.25, -0.125];
    assert_eq!(setting.client.encrypt(&small).unwrap().bound(), Bound::real(1.0));
    let small = small.map(Complex::from);
    assert_eq!(setting.client.encrypt(&small).unwrap().bound(), Bound::complex(1.0));
}

/// Returns the results of a server that combines a ciphertext with its own plain data.
fn results(
    server: &Server,
    x: &Ciphertext,
    own: &[Vec<Complex>; 3],
) -> Vec<(&'static str, Ciphertext)> {
    let [p, q, row] = own.each_ref().map(|values| Values::from(values).within(2.0));
    let number = || Values::from(&own[2][..1]).within(2.0);
    let [by_p, by_q] = [&p, &q].map(|by| server.mul_plain(x, by).unwrap());
    let slots = x.slots();
    let matrix = (0..5).map(|step| (step, own[step as usize % 3].clone()));
    let matrix = Diagonals::new(slots, matrix).unwrap().within(2.0);
    let other = (0..5).map(|step| (step, own[(step as usize + 1) % 3].clone()));
    let other = Diagonals::new(slots, other).unwrap().within(2.0).with_row_sum(10.0);
    let [first, second] = [&matrix, &other].map(|matrix| {
        let transform = LinearTransform::new(server.encoder(), matrix, x.level()).unwrap();
        server.linear_transform(x, &transform).unwrap()
    });
    let line = Polynomial::monomial(&[0.5, -1.5, 0.25]).unwrap();
    let encoded = server.encoder().encode(&p, x.level()).unwrap();
    let explicit = server.explicit();
    let scale = server.parameters().level(1).scale;
    let name = || Expression::input("x");
    let plain = |values: &Values<'_>| Expression::plain(values);
    let run = |expression: Expression| server.run(&expression, &[("x", x)]).unwrap();
    vec![
        ("mul_plain", by_p.clone()),
        ("add_plain", server.add_plain(x, &row).unwrap()),
        ("mul_plain by a number", server.mul_plain(x, number()).unwrap()),
        ("add_plain of a number", server.add_plain(x, number()).unwrap()),
        ("mul_encoded", server.mul_encoded(x, &encoded).unwrap()),
        ("explicit mul_plain", explicit.mul_plain(x, &q, scale).unwrap()),
        ("explicit add_plain", explicit.add_plain(x, &q).unwrap()),
        ("sum of products", server.add(&by_p, &by_q).unwrap()),
        ("difference of products", server.sub(&by_p, &by_q).unwrap()),
        ("product of products", server.mul(&by_p, &by_q).unwrap()),
        ("square of a sum", {
            let sum = server.add_plain(x, &row).unwrap();
            server.mul(&sum, &sum).unwrap()
        }),
        ("polynomial of a product", server.evaluate(&by_p, &line).unwrap()),
        ("sum of all", server.sum(&by_q).unwrap()),
        ("mean", server.mean(&by_q).unwrap()),
        ("rotations", server.add(&server.rotate(&by_p, 1).unwrap(), &by_q).unwrap()),
        ("matrix", first.clone()),
        ("sum of matrices", server.add(&first, &second).unwrap()),
        ("expression", run((name() * plain(&p) + plain(&row)) * (name() - plain(&q)))),
        ("expression of one vector", run(name() * (plain(&p) * plain(&q) - plain(&row)))),
        ("sum of an expression", run(name() * plain(&p) + name() * plain(&q))),
        ("number less", run(name() - Expression::plain(number()))),
        ("times a number", run(name() * Expression::plain(number()))),
        ("less than a number", run(Expression::plain(number()) - name())),
        ("times a difference", run(name() * (-Expression::plain(number())))),
        ("times a matrix and a number", {
            let column: Vec<Complex> = own[0].clone();
            let matrix = Diagonals::of_matrix(slots, 1, &column).unwrap().within(2.0);
            run(name() * Expression::from(0.5).linear_transform(matrix))
        }),
        ("matrix of an expression", run(name().linear_transform(matrix))),
    ]
}

#[test]
fn results_tell_nothing_of_what_a_server_multiplies_by() {
    let slots = 64;
    let mut rotations = inner_sum_rotations(slots, 1);
    rotations.extend(0..5);
    let mut setting = Setting::new("n10-insecure", &rotations);
    let parameters = setting.client.parameters().clone();
    let mut all = data(&mut setting, slots, 2.0);
    all.extend([setting.values(slots), vec![Complex::from(1.0); slots]]);
    // The zero diagonals of a matrix are visible, as documented.
    all.remove(0);
    let [ones, random, tiny, signs, other, one] = [0, 1, 2, 3, 4, 5].map(|k: usize| all[k].clone());
    // Equal vectors, or vectors that are equal up to their sign, do not differ from others.
    let own = [
        [random.clone(), other, tiny.clone()],
        [ones.clone(), ones.clone(), ones.clone()],
        [random.clone(), random.iter().map(|value| -*value).collect(), random],
        [one.clone(), one.iter().map(|v| *v * Complex::new(0.0, 1.0)).collect(), one],
        [tiny, signs, ones],
    ];
    let x = setting.pair(slots, 3).ciphertext;
    let runs: Vec<_> = own.iter().map(|own| results(&setting.server, &x, own)).collect();
    let mut found = Vec::new();
    for case in 0..runs[0].len() {
        let what = runs[0][case].0;
        let alike: Vec<Ciphertext> = runs.iter().map(|run| run[case].1.clone()).collect();
        let first = public(&alike[0], &parameters);
        for (turn, other) in alike.iter().enumerate().skip(1) {
            if public(other, &parameters) != first {
                found.push(format!(
                    "{what} of data {turn}: {:?}, {:?}",
                    other.estimate(),
                    alike[0].estimate()
                ));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Checks that values outside of a bound are rejected with advice.
fn check_outside(error: impl Into<CircuitError>) {
    let error = error.into();
    let text = error.to_string();
    let (CircuitError::Encoding(EncodingError::OutOfBound { largest, .. })
    | CircuitError::Evaluation(EvaluationError::Encoding(EncodingError::OutOfBound {
        largest,
        ..
    }))) = &error
    else {
        panic!("another error: {text}");
    };
    assert!(text.contains("declare a bound") && text.contains(&largest.to_string()), "{text}");
}

#[test]
fn values_beyond_their_bound_are_refused_everywhere() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let x = setting.pair(8, 3).ciphertext;
    for (place, bound) in [(0, 1.0), (7, 0.25), (3, 40.0)] {
        for value in [
            Complex::from(1.01 * bound),
            Complex::new(0.0, -1.01 * bound),
            Complex::new(bound, bound),
        ] {
            let mut values = vec![Complex::from(0.5 * bound); 8];
            values[place] = value;
            let wide = Values::from(&values).within(1.5 * bound);
            let narrow = || Values::from(&values).within(bound);
            assert!(setting.client.encrypt(&wide).is_ok());
            check_outside(setting.client.encrypt(narrow()).unwrap_err());
            let public = setting.client.public_key();
            let encoder = setting.client.encoder();
            let error = public.encrypt_at(encoder, narrow(), 2, &mut Random::of_test(1)).err();
            check_outside(error.unwrap());
            let server = &setting.server;
            assert!(server.add_plain(&x, &wide).is_ok() && server.mul_plain(&x, &wide).is_ok());
            check_outside(server.add_plain(&x, narrow()).unwrap_err());
            check_outside(server.mul_plain(&x, narrow()).unwrap_err());
            let scale = server.parameters().level(2).scale;
            check_outside(server.explicit().mul_plain(&x, narrow(), scale).unwrap_err());
            check_outside(server.explicit().add_plain(&x, narrow()).unwrap_err());
            let number = Values::from(&values[place..=place]).within(bound);
            check_outside(server.add_plain(&x, &number).unwrap_err());
            check_outside(server.mul_plain(&x, &number).unwrap_err());
            for expression in [
                Expression::input("x") * Expression::plain(narrow()),
                Expression::plain(narrow()) - Expression::input("x"),
                Expression::input("x") + Expression::plain(number),
            ] {
                check_outside(server.run(&expression, &[("x", &x)]).unwrap_err());
            }
            let matrix = Diagonals::new(8, [(0, values.clone()), (3, values.clone())]).unwrap();
            let of = |matrix: Diagonals| LinearTransform::new(server.encoder(), &matrix, 2).err();
            assert_eq!(of(matrix.clone().within(1.5 * bound)), None);
            let error = of(matrix.clone().within(bound)).unwrap();
            assert!(
                matches!(error, LinearError::Bound { declared, .. } if declared == bound),
                "{error}"
            );
            let run = server
                .run(&Expression::input("x").linear_transform(matrix.within(bound)), &[("x", &x)]);
            assert_eq!(run.unwrap_err(), CircuitError::Linear(error));
        }
    }
    // An interval of real numbers has two ends.
    let values = [0.5, 1.0, 2.0];
    for (low, high) in [(0.6, 2.0), (0.5, 1.9), (-3.0, 0.0)] {
        let declared = Values::from(&values).bounded(Bound::between(low, high));
        check_outside(setting.client.encrypt(declared).unwrap_err());
    }
    let complex = [Complex::new(0.5, 1e-6)];
    let declared = Values::from(&complex).bounded(Bound::real(1.0));
    check_outside(setting.client.encrypt(declared).unwrap_err());
    for none in [
        Bound::real(f64::NAN),
        Bound::complex(-1.0),
        Bound::between(1.0, 0.0),
        Bound::real(f64::INFINITY),
    ] {
        let error = setting.client.encrypt(Values::from(&values).bounded(none)).unwrap_err();
        assert!(matches!(error, EncodingError::Bound { .. }), "{error}");
    }
    let numbers: f64 = setting.rng.gen_range(1.001..2.0);
    check_outside(setting.client.encrypt(&[numbers, 0.0]).unwrap_err());
}
