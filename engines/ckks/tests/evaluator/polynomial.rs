// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials and functions of ciphertexts against plain arithmetic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::{Pair, Setting};
use halimede_ckks::params::Scale;
use halimede_ckks::polynomial::{PolynomialError, MAX_DEGREE};
use halimede_ckks::ring::Operation;
use halimede_ckks::{Accuracy, Bound, Complex, EvaluationError, Polynomial, Server};
use rand::Rng;

fn setting(preset: &str) -> Setting {
    Setting::new(preset, &[])
}

/// Random real values in an interval.
fn real(setting: &mut Setting, (from, to): (f64, f64), level: usize) -> Pair {
    let slots = setting.client.parameters().slots();
    setting.real_pair(slots, level, (from, to))
}

/// Returns key switches and multiplied limbs, from the program.
fn traced<T>(server: &Server, work: impl FnOnce() -> T) -> (T, usize) {
    let ring = server.parameters().ring();
    let recording = ring.start_recording();
    let result = work();
    let steps = recording.end().steps;
    let is_switch = |operation: &_| matches!(operation, Operation::KeyProduct);
    (result, steps.iter().filter(|step| is_switch(&step.operation)).count() / 2)
}

#[test]
fn polynomials_of_any_degree_in_both_bases() {
    for (preset, degrees) in [
        ("n10-insecure", vec![1usize, 2, 3, 4, 5, 7, 8, 11, 15]),
        ("n13-insecure", vec![6, 31, 40, 63, 127, 255]),
    ] {
        let mut setting = setting(preset);
        let top = setting.client.parameters().top();
        for degree in degrees {
            // From degree 31 on as small as a function's: the estimate uses the largest slope,
            // which equal coefficients only reach at the interval's ends.
            let mut coefficients = setting.values(degree + 1);
            for (k, c) in coefficients.iter_mut().enumerate().filter(|_| degree > 30) {
                *c = *c * ((k + 1) as f64).powi(-2);
            }
            let reals: Vec<f64> = coefficients.iter().map(|c| c.re).collect();
            let all = [
                Polynomial::monomial(&coefficients).unwrap(),
                Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap(),
                Polynomial::chebyshev(&reals, (-1.0, 1.0)).unwrap(),
            ];
            for p in all {
                let a = real(&mut setting, (-1.0, 1.0), top);
                let (ciphertext, switches) =
                    traced(&setting.server, || setting.server.evaluate(&a.ciphertext, &p));
                let ciphertext = ciphertext.unwrap();
                let levels = (degree as f64 + 1.0).log2().ceil() as usize;
                assert_eq!((ciphertext.level(), p.levels()), (top - levels, levels));
                assert_eq!(switches, p.cost().switches);
                let scale = setting.client.parameters().level(top - levels).scale;
                assert!(ciphertext.scale().deviation(scale).abs() < 1e-9, "on the level's scale");
                let expected: Vec<Complex> = a.plain.iter().map(|x| p.value(*x)).collect();
                setting.check(
                    &ciphertext,
                    &expected,
                    &format!("{:?} of degree {degree}", p.kind()),
                );
            }
        }
    }
}

#[test]
fn sparse_odd_and_even_polynomials() {
    let mut setting = setting("n10-insecure");
    // The places of coefficients that are not zero.
    let supports: [&[usize]; 7] = [
        &[1, 3, 5, 7, 9, 11, 13, 15],
        &[0, 2, 4, 6, 8, 10],
        &[4],
        &[8, 0],
        &[15],
        &[9, 6],
        &[3, 2],
    ];
    for support in supports {
        let degree = *support.iter().max().unwrap();
        let mut coefficients = vec![Complex::default(); degree + 1];
        for place in support {
            coefficients[*place] = setting.values(1)[0];
        }
        let all = [
            Polynomial::monomial(&coefficients).unwrap(),
            Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap(),
        ];
        for p in all {
            let a = real(&mut setting, (-1.0, 1.0), 4);
            let ciphertext = setting.server.evaluate(&a.ciphertext, &p).unwrap();
            let expected: Vec<Complex> = a.plain.iter().map(|x| p.value(*x)).collect();
            setting.check(&ciphertext, &expected, &format!("{:?} with {support:?}", p.kind()));
        }
    }
}

#[test]
fn complex_arguments_and_other_intervals() {
    let mut setting = setting("n13-insecure");
    let slots = setting.client.parameters().slots();
    let coefficients = setting.values(8);
    let p = Polynomial::monomial(&coefficients).unwrap();
    let a = setting.pair(slots, 5);
    let ciphertext = setting.server.evaluate(&a.ciphertext, &p).unwrap();
    let expected: Vec<Complex> = a.plain.iter().map(|x| p.value(*x)).collect();
    setting.check(&ciphertext, &expected, "complex arguments");
    for interval in [(-4.0, 4.0), (2.0, 3.5), (-0.25, 0.0)] {
        let p = Polynomial::chebyshev(&coefficients, interval).unwrap();
        assert_eq!(p.levels(), 4);
        let a = real(&mut setting, interval, 6);
        let ciphertext = setting.server.evaluate(&a.ciphertext, &p).unwrap();
        assert_eq!(ciphertext.level(), 2);
        let expected: Vec<Complex> = a.plain.iter().map(|x| p.value(*x)).collect();
        setting.check(&ciphertext, &expected, &format!("on {interval:?}"));
    }
}

#[test]
fn functions_by_degree_and_by_error() {
    let mut setting = setting("n13-insecure");
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    type Case<'a> = (&'a str, &'a dyn Fn(f64) -> f64, (f64, f64), Accuracy);
    let functions: [Case; 5] = [
        ("exp", &f64::exp, (-1.0, 1.0), Accuracy::Error(1e-7)),
        ("sigmoid", &sigmoid, (-8.0, 8.0), Accuracy::Error(1e-4)),
        ("sigmoid", &sigmoid, (-8.0, 8.0), Accuracy::Degree(31)),
        ("sine", &f64::sin, (-6.0, 6.0), Accuracy::Error(1e-6)),
        ("constant", &|_| 2.5, (0.0, 1.0), Accuracy::Error(1e-6)),
    ];
    for (name, function, interval, accuracy) in functions {
        let a = real(&mut setting, interval, 8);
        let ciphertext =
            setting.server.evaluate_function(&a.ciphertext, function, interval, accuracy);
        let ciphertext = ciphertext.unwrap();
        let expected: Vec<Complex> = a.plain.iter().map(|x| function(x.re).into()).collect();
        if name == "constant" {
            assert_eq!(ciphertext.level(), 8, "a constant takes no level");
            let values = setting.client.decrypt(&ciphertext).unwrap();
            assert!(values.iter().all(|value| (*value - Complex::from(2.5)).abs() < 1e-9));
            continue;
        }
        setting.check(&ciphertext, &expected, name);
        if let Accuracy::Error(error) = accuracy {
            assert!(ciphertext.estimate().error < 1.5 * error, "{name}");
        }
    }
}

#[test]
fn random_polynomials_one_after_the_other() {
    let mut setting = setting("n13-insecure");
    for _ in 0..6 {
        let mut running = real(&mut setting, (-1.0, 1.0), 8);
        loop {
            let degree = setting.rng.gen_range(1..12);
            // Such that values stay in [−1, 1].
            let mut coefficients: Vec<f64> =
                (0..=degree).map(|_| setting.rng.gen_range(-1.0..1.0)).collect();
            let sum: f64 = coefficients.iter().map(|c| c.abs()).sum();
            coefficients.iter_mut().for_each(|c| *c /= sum);
            let p = Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap();
            let result = setting.server.evaluate(&running.ciphertext, &p);
            if running.ciphertext.level() < p.levels() {
                let (got, needed) = (running.ciphertext.level(), p.levels());
                let what = "this polynomial";
                let level = EvaluationError::Level { what, got, needed };
                assert_eq!(result.unwrap_err(), level.into());
                break;
            }
            let plain: Vec<Complex> = running.plain.iter().map(|x| p.value(*x)).collect();
            let ciphertext = result.unwrap();
            // Polynomials are bounded from points, between which they may be slightly larger.
            assert!(
                ciphertext.bound().is_real() && ciphertext.bound().magnitude() < 1.1,
                "{ciphertext:?}"
            );
            running = Pair { ciphertext: ciphertext.bounded(Bound::real(1.0)), plain };
            setting.check(&running.ciphertext, &running.plain, &format!("degree {degree}"));
        }
    }
}

#[test]
fn levels_and_scales_can_be_placed() {
    let mut setting = setting("n13-insecure");
    let coefficients: Vec<f64> = (0..20).map(|k| 1.0 / f64::from(k + 1)).collect();
    let p = Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap();
    let a = real(&mut setting, (-1.0, 1.0), 8);
    let expected: Vec<Complex> = a.plain.iter().map(|x| p.value(*x)).collect();
    for (level, bits) in [(3, 33.3), (1, 40.0), (2, 45.7), (0, 31.25)] {
        let scale = Scale::exp2(bits);
        let ciphertext = setting.server.evaluate_to(&a.ciphertext, &p, level, scale).unwrap();
        assert!(ciphertext.level() == level && ciphertext.scale().deviation(scale).abs() < 1e-20);
        setting.check(&ciphertext, &expected, &format!("at level {level}, scale 2^{bits}"));
    }
    let scale = Scale::exp2(40.0);
    for level in [4, 9, usize::MAX] {
        let error = setting.server.evaluate_to(&a.ciphertext, &p, level, scale).unwrap_err();
        assert!(
            matches!(error.evaluation(), Some(EvaluationError::Level { got: 8, .. })),
            "{error}"
        );
    }
}

#[test]
fn constants_are_values_too() {
    let mut setting = setting("n10-insecure");
    let a = real(&mut setting, (-1.0, 1.0), 2);
    let number = Complex::new(0.75, -3.5);
    for p in [
        Polynomial::monomial(&[number]).unwrap(),
        Polynomial::chebyshev(&[number, 0.0.into(), 0.0.into()], (-1.0, 9.0)).unwrap(),
    ] {
        assert_eq!((p.degree(), p.levels()), (0, 0));
        let ciphertext = setting.server.evaluate(&a.ciphertext, &p).unwrap();
        assert_eq!(ciphertext.level(), 2);
        let values = setting.client.decrypt(&ciphertext).unwrap();
        assert!(values.iter().all(|value| (*value - number).abs() < 1e-9));
    }
}

#[test]
fn what_cannot_be_evaluated_says_why() {
    let mut setting = setting("n10-insecure");
    let none: [f64; 0] = [];
    assert_eq!(Polynomial::monomial(&none).unwrap_err(), PolynomialError::Empty);
    let error = Polynomial::monomial(&[0.0, f64::NAN]).unwrap_err();
    assert_eq!(error, PolynomialError::NotFinite { degree: 1 });
    let error = Polynomial::monomial(&vec![1.0; MAX_DEGREE + 2]).unwrap_err();
    assert_eq!(error, PolynomialError::Degree { got: MAX_DEGREE + 1 });
    for (from, to) in [(1.0, -1.0), (0.5, 0.5), (0.0, f64::INFINITY)] {
        let error = Polynomial::chebyshev(&[1.0], (from, to)).unwrap_err();
        assert_eq!(error, PolynomialError::Interval { from, to });
    }
    let error = Polynomial::chebyshev(&[1.0], (f64::NAN, 1.0)).unwrap_err();
    assert!(matches!(error, PolynomialError::Interval { .. }), "{error}");

    let a = real(&mut setting, (-1.0, 1.0), 3);
    let server = &setting.server;
    let p = Polynomial::monomial(&[1.0; 9]).unwrap();
    let error = server.evaluate(&a.ciphertext, &p).unwrap_err();
    assert!(error.to_string().contains("at level 3 and this polynomial needs level 4"), "{error}");
    let wide = Polynomial::chebyshev(&[1.0; 8], (-2.0, 2.0)).unwrap();
    let error = server.evaluate(&a.ciphertext, &wide).unwrap_err();
    assert!(
        matches!(error.evaluation(), Some(EvaluationError::Level { got: 3, needed: 4, .. })),
        "{error}"
    );
    let huge = Polynomial::monomial(&[1.0, 1e200]).unwrap();
    let error = server.evaluate(&a.ciphertext, &huge).unwrap_err();
    assert!(matches!(error.evaluation(), Some(EvaluationError::Encoding(_))), "{error}");
    let inverse = |x: f64| 1.0 / x;
    let error = server.evaluate_function(&a.ciphertext, inverse, (-1.0, 1.0), Accuracy::Degree(4));
    let expected = PolynomialError::Function { at: 0.0 };
    assert_eq!(error.unwrap_err(), expected);
    let without = Server::new(halimede_ckks::EvaluationKeys::new(server.parameters()));
    let error = without.evaluate(&a.ciphertext, &Polynomial::monomial(&[0.0, 0.0, 1.0]).unwrap());
    assert!(error.unwrap_err().to_string().contains("no key to multiply"));
    let line = Polynomial::monomial(&[1.0, 2.0]).unwrap();
    assert!(without.evaluate(&a.ciphertext, &line).is_ok(), "a line takes no product");
}
