// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Different polynomials in different blocks of slots against plain arithmetic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::Setting;
use halimede_ckks::polynomial::{Cost, PolynomialBasis, PolynomialError};
use halimede_ckks::ring::Operation;
use halimede_ckks::{
    BlockPolynomials, Bound, Ciphertext, Complex, EvaluationError, Polynomial, Server,
};
use rand::Rng;

/// Returns the products of keys and of ciphertexts in an evaluation, by its program.
fn products<T>(server: &Server, work: impl FnOnce() -> T) -> (T, [usize; 2]) {
    let ring = server.parameters().ring();
    let recording = ring.start_recording();
    let result = work();
    let steps = recording.end().steps;
    let count = |of: &[Operation]| steps.iter().filter(|step| of.contains(&step.operation)).count();
    let of_ciphertexts = count(&[Operation::Multiply, Operation::MultiplyAdd]);
    (result, [count(&[Operation::KeyProduct]) / 2, of_ciphertexts / 4])
}

/// Returns the expected values.
fn values(p: &BlockPolynomials, x: &[Complex]) -> Vec<Complex> {
    x.iter().enumerate().map(|(slot, x)| p.value(slot, *x)).collect()
}

/// Checks a result against a plain evaluation, its estimate and its bound.
fn check(
    setting: &Setting,
    ciphertext: &Ciphertext,
    p: &BlockPolynomials,
    x: &[Complex],
    what: &str,
) {
    let expected = values(p, x);
    setting.check_worst(ciphertext, &expected, 1.0, what);
    assert!(expected.iter().all(|value| ciphertext.bound().contains(*value)), "{what}");
}

/// Returns the coefficients of a random polynomial of each degree, which decrease like those of
/// functions.
fn random(setting: &mut Setting, degrees: &[usize], is_real: bool) -> Vec<Vec<Complex>> {
    let mut one = |degree: usize| {
        let coefficients = setting.values(degree + 1).into_iter().enumerate();
        let falling = |(k, c): (usize, Complex)| c * ((k + 1) as f64).powi(-2);
        let all = coefficients.map(falling);
        all.map(|c| if is_real { c.re.into() } else { c }).collect()
    };
    degrees.iter().map(|degree| one(*degree)).collect()
}

#[test]
fn random_polynomials_in_blocks_of_any_size() {
    for (preset, degrees) in
        [("n10-insecure", 1..16usize), ("n13-insecure", 16..32)].map(|(p, d)| (p, d.step_by(3)))
    {
        let mut setting = Setting::new(preset, &[]);
        let (top, most) = (setting.client.parameters().top(), setting.client.parameters().slots());
        for degree in degrees {
            // All slots that exist, and some.
            let log_slots = setting.rng.gen_range(2..most.ilog2());
            for (slots, count) in [most, 1 << log_slots]
                .into_iter()
                .flat_map(|slots| [1usize, 2, 4].map(|count| (slots, count)))
            {
                let log_block = setting.rng.gen_range(0..=(slots / count).ilog2());
                // One polynomial of the degree, the others of it or below.
                let mut all = vec![degree; count];
                let place = setting.rng.gen_range(0..count);
                for (_, of) in all.iter_mut().enumerate().filter(|(k, _)| *k != place) {
                    *of = setting.rng.gen_range(0..=degree);
                }
                let is_chebyshev = setting.rng.gen();
                let coefficients = random(&mut setting, &all, is_chebyshev);
                let one = |c: &Vec<Complex>| match is_chebyshev {
                    true => Polynomial::chebyshev(c, (-1.0, 1.0)).unwrap(),
                    false => Polynomial::monomial(c).unwrap(),
                };
                let polynomials: Vec<Polynomial> = coefficients.iter().map(one).collect();
                // The polynomial with the largest degree and all coefficients.
                let largest = polynomials[place].clone();
                let p = BlockPolynomials::new(polynomials, 1 << log_block).unwrap();
                assert_eq!((p.degree(), p.cost()), (degree, largest.cost()));
                let a = setting.real_pair(slots, top, (-1.0, 1.0));
                let server = &setting.server;
                let (ciphertext, taken) =
                    products(server, || server.evaluate_blocks(&a.ciphertext, &p).unwrap());
                let (alone, expected) =
                    products(server, || server.evaluate(&a.ciphertext, &largest).unwrap());
                assert_eq!((ciphertext.level(), taken), (alone.level(), expected));
                assert_eq!(ciphertext.level(), top - p.levels());
                assert_eq!(ciphertext.scale(), alone.scale());
                let what =
                    format!("degrees {all:?}, blocks of {} in {slots} slots", 1 << log_block);
                check(&setting, &ciphertext, &p, &a.plain, &what);
            }
        }
    }
}

#[test]
fn vectors_of_few_slots_keep_their_estimates() {
    let mut setting = Setting::new("n10-insecure", &[]);
    for log_slots in 0..4u32 {
        let blocks = (0..=log_slots).flat_map(|log| (0..=log_slots - log).map(move |k| (log, k)));
        for (log_count, log_block) in blocks.collect::<Vec<_>>() {
            for degree in [1, 3, 5] {
                let coefficients = random(&mut setting, &vec![degree; 1 << log_count], true);
                let one = |c: &Vec<Complex>| Polynomial::chebyshev(c, (-1.0, 1.0)).unwrap();
                let all = coefficients.iter().map(one).collect();
                let p = BlockPolynomials::new(all, 1 << log_block).unwrap();
                let a = setting.real_pair(1 << log_slots, 3, (-1.0, 1.0));
                let ciphertext = setting.server.evaluate_blocks(&a.ciphertext, &p).unwrap();
                let (count, block) = (1 << log_count, 1 << log_block);
                let what = format!("{count} × {block} of {} slots", 1 << log_slots);
                check(&setting, &ciphertext, &p, &a.plain, &what);
            }
        }
    }
}

#[test]
fn equal_polynomials_are_one() {
    let mut setting = Setting::new("n10-insecure", &[]);
    for degree in [0, 1, 3, 6, 15] {
        let c = random(&mut setting, &[degree], true).remove(0);
        let p = Polynomial::chebyshev(&c, (-1.0, 1.0)).unwrap();
        let a = setting.real_pair(64, 4, (-1.0, 1.0)).ciphertext;
        let one = setting.server.evaluate(&a, &p).unwrap();
        for (count, block) in [(1, 64), (1, 1), (4, 16), (8, 2)] {
            let blocks = BlockPolynomials::new(vec![p.clone(); count], block).unwrap();
            let ours = setting.server.evaluate_blocks(&a, &blocks).unwrap();
            assert_eq!((ours.bound(), ours.scale()), (one.bound(), one.scale()));
            assert_eq!(ours.estimate(), one.estimate());
            for (ours, one) in ours.parts().iter().zip(one.parts()) {
                assert!(ours.limbs().eq(one.limbs()), "{count} of degree {degree}");
            }
        }
    }
}

#[test]
fn some_coefficients_are_equal_and_some_are_zero() {
    let mut setting = Setting::new("n10-insecure", &[]);
    // Per degree: all polynomials share the coefficient, each has its own, or some have 0.
    let c = |of: [f64; 4]| of.to_vec();
    for rows in [
        // Only constants differ.
        vec![c([0.5, -0.5, 0.0, 2.0]), c([0.3; 4])],
        // Constants are equal.
        vec![c([0.25; 4]), c([0.3, 0.2, -0.1, 0.0])],
        // One polynomial is 0, and one a constant.
        vec![c([0.0, 1.5, 0.25, -0.75]), c([0.0, 0.0, 1.0, 0.5]), c([0.0, 0.0, 0.5, 0.25])],
        // Odd and even ones.
        vec![
            c([0.0, 0.5, 0.0, 0.25]),
            c([1.0, 0.0, 0.5, 0.0]),
            c([0.0; 4]),
            c([0.1, 0.0, 0.2, 0.0]),
        ],
        // Only constants, which need no level.
        vec![c([0.5, -0.25, 3.0, 0.0])],
        vec![c([0.0; 4])],
    ] {
        let polynomial = |k: usize| {
            let c: Vec<f64> = rows.iter().map(|row| row[k]).collect();
            Polynomial::chebyshev(&c, (-1.0, 1.0)).unwrap()
        };
        let p = BlockPolynomials::new((0..4).map(polynomial).collect(), 8).unwrap();
        let a = setting.real_pair(128, 3, (-1.0, 1.0));
        let ciphertext = setting.server.evaluate_blocks(&a.ciphertext, &p).unwrap();
        assert_eq!(ciphertext.level(), 3 - p.levels());
        check(&setting, &ciphertext, &p, &a.plain, &format!("{rows:?}"));
    }
}

#[test]
fn complex_arguments_and_other_intervals() {
    let mut setting = Setting::new("n13-insecure", &[]);
    let c = random(&mut setting, &[7, 4, 2, 5], false);
    let powers = c.iter().map(|c| Polynomial::monomial(c).unwrap()).collect();
    let p = BlockPolynomials::new(powers, 128).unwrap();
    let a = setting.pair(1024, 5);
    let ciphertext = setting.server.evaluate_blocks(&a.ciphertext, &p).unwrap();
    check(&setting, &ciphertext, &p, &a.plain, "complex arguments");
    for interval in [(-4.0, 4.0), (2.0, 3.5)] {
        let on = c.iter().map(|c| Polynomial::chebyshev(c, interval).unwrap()).collect();
        let p = BlockPolynomials::new(on, 256).unwrap();
        assert_eq!(p.levels(), 4);
        let a = setting.real_pair(1024, 6, interval);
        let ciphertext = setting.server.evaluate_blocks(&a.ciphertext, &p).unwrap();
        assert_eq!(ciphertext.level(), 2);
        check(&setting, &ciphertext, &p, &a.plain, &format!("on {interval:?}"));
    }
}

#[test]
fn bounds_are_those_of_all_polynomials() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let of = |c: &[f64]| Polynomial::chebyshev(c, (-1.0, 1.0)).unwrap();
    let [low, high] = [of(&[-3.0, 1.0]), of(&[2.0, 0.5])];
    let a = setting.real_pair(16, 3, (-1.0, 1.0)).ciphertext;
    let alone = [&low, &high].map(|p| setting.server.evaluate(&a, p).unwrap().bound());
    let p = BlockPolynomials::new(vec![low, high], 4).unwrap();
    let both = setting.server.evaluate_blocks(&a, &p).unwrap().bound();
    let ends = alone.map(|bound| bound.interval().unwrap());
    assert_eq!(both, Bound::between(ends[0].0, ends[1].1));
    // The approximation error is part of the estimate in all blocks.
    let step = |error| {
        let function = |x: f64| 1.0 / (1.0 + (-8.0 * x).exp());
        let accuracy = halimede_ckks::Accuracy::Error(error);
        Polynomial::approximation(function, (-1.0, 1.0), accuracy).unwrap()
    };
    let p = BlockPolynomials::new(vec![of(&[0.0, 1.0]), step(1e-1)], 8).unwrap();
    let ciphertext = setting.server.evaluate_blocks(&a, &p).unwrap();
    assert!(ciphertext.estimate().error >= step(1e-1).approximation_error());
}

#[test]
fn what_cannot_be_evaluated_says_why() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let of = |c: &[f64], interval| Polynomial::chebyshev(c, interval).unwrap();
    let p = of(&[0.5, 1.0, 0.25], (-1.0, 1.0));
    for got in [0, 3, 6] {
        let error = BlockPolynomials::new(vec![p.clone(); got], 4).unwrap_err();
        assert_eq!(error, PolynomialError::Polynomials { got });
        assert!(error.to_string().contains(&format!("got {got}")), "{error}");
    }
    for got in [0, 3, 24, usize::MAX] {
        let error = BlockPolynomials::new(vec![p.clone(); 2], got).unwrap_err();
        assert_eq!(error, PolynomialError::Block { got });
    }
    let first = PolynomialBasis::Chebyshev { from: -1.0, to: 1.0 };
    let others = [Polynomial::monomial(&[0.5, 1.0]).unwrap(), of(&[0.5, 1.0], (-1.0, 2.0))];
    for (other, name) in others.into_iter().zip(["powers", "polynomials on [-1, 2]"]) {
        let got = other.kind();
        let all = vec![p.clone(), p.clone(), other, p.clone()];
        let error = BlockPolynomials::new(all, 4).unwrap_err();
        assert_eq!(error, PolynomialError::Basis { place: 2, got, first });
        assert!(error.to_string().contains(name), "{error}");
    }
    let other = of(&[0.5, 0.0, 0.75], (-1.0, 1.0));
    let two = |block| BlockPolynomials::new(vec![p.clone(), other.clone()], block).unwrap();
    let [a, ragged] = [16, 12].map(|count| setting.real_pair(count, 4, (-1.0, 1.0)).ciphertext);
    let server = &setting.server;
    assert!(server.evaluate_blocks(&a, &two(8)).is_ok());
    for block in [16, 1 << 63] {
        let error = server.evaluate_blocks(&a, &two(block)).unwrap_err();
        assert_eq!(error, PolynomialError::Slots { count: 2, block, slots: 16 });
    }
    let what = "a polynomial for each block";
    let error = server.evaluate_blocks(&ragged, &two(4)).unwrap_err();
    assert_eq!(error, EvaluationError::Ragged { what, length: 12, slots: 16 }.into());
    let low = server.at_level(&a, 1).unwrap();
    let error = server.evaluate_blocks(&low, &two(4)).unwrap_err();
    assert!(matches!(error.evaluation(), Some(EvaluationError::Level { got: 1, needed: 2, .. })));
    let wide = setting.real_pair(16, 4, (-2.0, 2.0)).ciphertext;
    let error = setting.server.evaluate_blocks(&wide, &two(4)).unwrap_err();
    assert!(matches!(error, PolynomialError::Outside { .. }), "{error}");
    let complex = setting.pair(16, 4).ciphertext;
    let error = setting.server.evaluate_blocks(&complex, &two(4)).unwrap_err();
    assert!(matches!(error, PolynomialError::NotReal { .. }), "{error}");
    // Coefficients for which no level has room.
    let huge = of(&[1e300, 1.0, 1e300], (-1.0, 1.0));
    let p = BlockPolynomials::new(vec![p, huge], 4).unwrap();
    let error = setting.server.evaluate_blocks(&a, &p).unwrap_err();
    assert!(matches!(error.evaluation(), Some(EvaluationError::Encoding(_))), "{error}");
    assert_eq!(p.cost(), Cost { levels: 2, switches: 1, products: 1 });
}
