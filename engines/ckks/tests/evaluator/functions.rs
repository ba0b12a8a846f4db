// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Quotients, roots, signs and functions of them, against plain arithmetic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::{Pair, Setting};
use halimede_ckks::params::{ChainShape, SecretKind};
use halimede_ckks::polynomial::PolynomialError;
use halimede_ckks::{Bound, Ciphertext, Complex, EvaluationError, Parameters, Sign, Values};
use rand::Rng;

/// Returns a small ring with many levels of 40 bits.
fn deep(levels: usize) -> Setting {
    let shape = ChainShape { log_degree: 11, base_units: 12, steps: vec![8; levels], digits: 4 };
    let parameters = Parameters::insecure(shape, SecretKind::Ternary).unwrap();
    Setting::of(&parameters, &[])
}

/// Returns random values of an interval above 0, the same number in each octave, of one or both
/// signs.
fn spread(setting: &mut Setting, (from, to): (f64, f64), both: bool) -> Pair {
    let slots = setting.client.parameters().slots();
    let top = setting.client.parameters().top();
    let rng = &mut setting.rng;
    let plain: Vec<f64> = (0..slots)
        .map(|_| {
            let sign = if both && rng.gen() { -1.0 } else { 1.0 };
            sign * from * (to / from).powf(rng.gen())
        })
        .collect();
    let bound = Bound::between(if both { -to } else { from }, to);
    encrypted(setting, &plain, bound, top)
}

fn encrypted(setting: &mut Setting, plain: &[f64], bound: Bound, level: usize) -> Pair {
    let declared = Values::from(plain).bounded(bound);
    let ciphertext = setting.client.encrypt_at(declared, level).unwrap();
    Pair { plain: plain.iter().map(|value| Complex::from(*value)).collect(), ciphertext }
}

/// Checks that a ciphertext decrypts to values, within its estimate. The estimate is precise except
/// for the largest error of a ReLU below its threshold, where no value lies.
fn check_relu(
    setting: &Setting,
    ciphertext: &Ciphertext,
    plain: &[Complex],
    sign: &Sign,
    what: &str,
) {
    let off = |k: i32| {
        let x = sign.threshold() * f64::from(k) / 1000.0;
        x * (1.0 - sign.value(x)).abs() / 2.0
    };
    let gap = (0..=1000).map(off).fold(0.0, f64::max);
    let deviation = setting.check_worst(ciphertext, plain, 1.0, what);
    let rest = ciphertext.estimate().error - gap;
    assert!(rest > 0.0 && deviation > rest / 64.0, "{what}: {deviation:e}, {rest:e} and {gap:e}");
}

fn map(pair: &Pair, function: impl Fn(f64) -> f64) -> Vec<Complex> {
    pair.plain.iter().map(|x| function(x.re).into()).collect()
}

#[test]
fn inverses() {
    let mut setting = deep(14);
    // The last one needs iterations.
    let cases = [((1.0, 2.0), 1e-6), ((0.1, 10.0), 1e-3), ((0.002, 1.0), 0.5), ((2e-4, 1.0), 50.0)];
    for (interval, error) in cases {
        let a = spread(&mut setting, interval, false);
        let ciphertext = setting.server.inverse(&a.ciphertext, interval, error).unwrap();
        setting.check(&ciphertext, &map(&a, |x| 1.0 / x), &format!("1/x on {interval:?}"));
        assert!(ciphertext.estimate().error < 2.0 * error, "{interval:?}: {ciphertext:?}");
    }
    let a = spread(&mut setting, (1.0, 4.0), false);
    let negative = setting.server.neg(&a.ciphertext).unwrap();
    let ciphertext = setting.server.inverse(&negative, (-4.0, -1.0), 1e-5).unwrap();
    setting.check(&ciphertext, &map(&a, |x| -1.0 / x), "below 0");
}

#[test]
fn roots() {
    let mut setting = deep(16);
    for (interval, error) in [((0.5, 2.0), 1e-6), ((0.01, 4.0), 1e-3), ((3e-4, 1.0), 2e-3)] {
        let a = spread(&mut setting, interval, false);
        let ciphertext = setting.server.square_root(&a.ciphertext, interval, error).unwrap();
        setting.check(&ciphertext, &map(&a, f64::sqrt), &format!("√x on {interval:?}"));
        let error = error / interval.0.sqrt();
        let ciphertext =
            setting.server.inverse_square_root(&a.ciphertext, interval, error).unwrap();
        let expected = map(&a, |x| x.sqrt().recip());
        setting.check(&ciphertext, &expected, &format!("1/√x on {interval:?}"));
        assert!(ciphertext.estimate().error < 2.0 * error, "{interval:?}: {ciphertext:?}");
    }
    let a = spread(&mut setting, (1e-9, 1.0), false);
    let ciphertext = setting.server.square_root(&a.ciphertext, (0.0, 1.0), 0.01).unwrap();
    let values = setting.client.decrypt(&ciphertext).unwrap();
    let is_near = |(a, b): (&Complex, &Complex)| (*a - *b).abs() < 0.011;
    assert!(values.iter().zip(&map(&a, f64::sqrt)).all(is_near), "from 0");
}

#[test]
fn signs_comparisons_and_maxima() {
    let mut setting = deep(14);
    let top = setting.client.parameters().top();
    for (bound, threshold, error) in [(1.0, 1.0 / 32.0, 1e-3), (40.0, 1.0, 1e-2)] {
        let sign = Sign::new(bound, threshold, error).unwrap();
        let a = spread(&mut setting, (threshold, bound), true);
        let server = &setting.server;
        let signs = server.sign(&a.ciphertext, &sign).unwrap();
        assert_eq!(signs.level(), top - sign.levels());
        setting.check(&signs, &map(&a, f64::signum), "signs");
        assert!(signs.estimate().error < 2.0 * error);
        let positive = server.is_positive(&a.ciphertext, &sign).unwrap();
        setting.check(&positive, &map(&a, |x| f64::from(x > 0.0)), "positive ones");
        let relu = server.relu(&a.ciphertext, &sign).unwrap();
        check_relu(&setting, &relu, &map(&a, |x| x.max(0.0)), &sign, "ReLU");

        // Two vectors whose differences are such values, both within half of the bound.
        let half = bound / 2.0;
        let within = |x: f64| (-half - x.min(0.0), half - x.max(0.0));
        let mut draw = |(low, high): (f64, f64)| setting.rng.gen_range(low..=high);
        let b: Vec<f64> = a.plain.iter().map(|a| draw(within(a.re))).collect();
        let sum: Vec<f64> = a.plain.iter().zip(&b).map(|(a, b)| a.re + b).collect();
        let [b, c] = [b, sum].map(|v| encrypted(&mut setting, &v, Bound::real(half), top));
        let (sum, c) = (c.plain, c.ciphertext);
        let server = &setting.server;
        let greater = server.greater(&c, &b.ciphertext, &sign).unwrap();
        setting.check(&greater, &map(&a, |x| f64::from(x > 0.0)), "comparison");
        let max = server.max(&c, &b.ciphertext, &sign).unwrap();
        let expected = crate::setting::zip(&sum, &b.plain, |c, b| c.re.max(b.re).into());
        check_relu(&setting, &max, &expected, &sign, "maxima");
        let min = server.min(&c, &b.ciphertext, &sign).unwrap();
        let expected = crate::setting::zip(&sum, &b.plain, |c, b| c.re.min(b.re).into());
        check_relu(&setting, &min, &expected, &sign, "minima");
    }
}

#[test]
fn what_lies_below_the_threshold_stays_between() {
    let mut setting = deep(9);
    let sign = Sign::new(1.0, 0.2, 0.01).unwrap();
    let a = spread(&mut setting, (1e-4, 0.2), true);
    let relu = setting.client.decrypt(&setting.server.relu(&a.ciphertext, &sign).unwrap()).unwrap();
    for (x, relu) in a.plain.iter().zip(relu) {
        assert!((relu.re - x.re.max(0.0)).abs() <= 1.01 * x.re.abs(), "{} of {}", relu.re, x.re);
    }
}

#[test]
fn what_cannot_be_computed_says_why() {
    let mut setting = deep(3);
    let a = spread(&mut setting, (0.1, 1.0), false);
    let server = &setting.server;
    let error = server.inverse(&a.ciphertext, (-0.5, 1.0), 0.1).unwrap_err();
    assert_eq!(error, PolynomialError::Function { at: 0.0 });
    let error = server.inverse(&a.ciphertext, (0.1, 1.0), 1e-6).unwrap_err();
    assert!(
        matches!(error.evaluation(), Some(EvaluationError::Level { got: 3, needed: 4.., .. })),
        "{error}"
    );
    let error = server.square_root(&a.ciphertext, (-1.0, 1.0), 0.1).unwrap_err();
    assert!(error.evaluation().is_none(), "{error}");
    let error = server.inverse_square_root(&a.ciphertext, (0.0, 1.0), 0.1).unwrap_err();
    assert_eq!(error, PolynomialError::Function { at: 0.0 });
    for interval in [(f64::NAN, 1.0), (1.0, f64::NAN), (2.0, 1.0), (1.0, f64::INFINITY)] {
        assert!(server.inverse(&a.ciphertext, interval, 0.1).is_err());
        assert!(server.square_root(&a.ciphertext, interval, 0.1).is_err());
        assert!(server.inverse_square_root(&a.ciphertext, interval, 0.1).is_err());
    }
    let sign = Sign::new(1.0, 0.1, 1e-3).unwrap();
    let needed = sign.levels();
    let levels = |error: PolynomialError| match error.evaluation() {
        Some(EvaluationError::Level { got, needed, .. }) => (*got, *needed),
        _ => panic!("{error}"),
    };
    let error = server.sign(&a.ciphertext, &sign).unwrap_err();
    assert_eq!(levels(error), (3, needed));
    let error = server.relu(&a.ciphertext, &sign).unwrap_err();
    assert_eq!(levels(error), (3, needed + 1));
}
