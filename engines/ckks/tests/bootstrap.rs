// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstrapping in a small, insecure ring; with `HALIMEDE_SWEEP` set, in one of N = 2¹⁶ as well.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use std::time::Instant;

use halimede_ckks::bootstrap::{BootstrapKeys, BootstrapShape, Bootstrapper};
use halimede_ckks::params::SecretKind;
use halimede_ckks::{Client, Complex, Evaluator, Operations, Parameters};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Setting {
    client: Client,
    bootstrapper: Bootstrapper,
    keys: BootstrapKeys,
    evaluator: Evaluator,
}

impl Setting {
    fn new(shape: &BootstrapShape, parameters: &Parameters) -> Self {
        let mut client = Client::of_test(parameters, 21);
        let bootstrapper = Bootstrapper::new(client.encoder(), shape).unwrap();
        let rotations = bootstrapper.rotations();
        let keys = client.bootstrap_keys(shape);
        let operations = Operations { multiply: true, conjugate: true, rotations };
        let evaluator = client.evaluator(&operations);
        Self { client, bootstrapper, keys, evaluator }
    }

    /// Bootstraps random values at the lowest level, computes with the result, and gives the worst and
    /// the mean error of the bootstrap.
    fn check(&mut self, count: usize) -> (f64, f64) {
        let mut rng = ChaCha8Rng::seed_from_u64(22);
        let mut part = || rng.gen_range(-0.7..0.7);
        let values: Vec<Complex> = (0..count).map(|_| Complex::new(part(), part())).collect();
        let sealed = self.client.encrypt_at(&values, 0).unwrap();
        let start = Instant::now();
        let result = self.bootstrapper.bootstrap(&self.evaluator, &self.keys, &sealed).unwrap();
        let time = start.elapsed();
        assert_eq!((result.level(), result.slots()), (self.bootstrapper.level(), count));
        let errors = self.errors(&result, &values);
        let worst = errors.iter().copied().fold(0.0, f64::max);
        let mean = errors.iter().sum::<f64>() / count as f64;
        let (of_worst, of_mean) = (worst.log2(), mean.log2());
        println!("{count} slots: {time:?}, errors 2^{of_worst:.1}, in the mean 2^{of_mean:.1}");
        // Levels are there to be used.
        let square = self.evaluator.mul(&result, &result).unwrap();
        let expected: Vec<Complex> = values.iter().map(|value| *value * *value).collect();
        let of_square = self.errors(&square, &expected).into_iter().fold(0.0, f64::max);
        assert!(of_square < 3.0 * worst, "{of_square:e} after {worst:e}");
        (worst, mean)
    }

    fn errors(&self, sealed: &halimede_ckks::Ciphertext, values: &[Complex]) -> Vec<f64> {
        let ours = self.client.decrypt(sealed);
        ours.iter().zip(values).map(|(ours, value)| (*ours - *value).abs()).collect()
    }
}

#[test]
fn a_ciphertext_of_the_lowest_level_comes_back_at_a_higher_one() {
    let shape = BootstrapShape::new(10, 3, 4);
    let parameters = Parameters::insecure(shape.chain(), SecretKind::Ternary).unwrap();
    let mut setting = Setting::new(&shape, &parameters);
    let (worst, mean) = setting.check(parameters.slots());
    assert!(worst < 2f64.powi(-24) && mean < 2f64.powi(-26), "{worst:e}, {mean:e}");
    // A few values have large coefficients, for which the sine is less near.
    let (worst, _) = setting.check(16);
    assert!(worst < 2f64.powi(-22), "{worst:e}");
}

#[test]
fn a_full_ring_is_bootstrapped_to_nine_levels() {
    if std::env::var_os("HALIMEDE_SWEEP").is_none() {
        eprintln!("skipped: HALIMEDE_SWEEP is not set");
        return;
    }
    let shape = BootstrapShape::new(16, 9, 4);
    let parameters = Parameters::new(shape.chain(), SecretKind::Ternary).unwrap();
    let (worst, mean) = Setting::new(&shape, &parameters).check(parameters.slots());
    assert!(worst < 2f64.powi(-19) && mean < 2f64.powi(-22), "{worst:e}, {mean:e}");
}

#[test]
fn other_parameters_are_refused() {
    let shape = BootstrapShape::new(10, 3, 4);
    let other = Parameters::preset("n10-insecure").unwrap();
    let client = Client::of_test(&other, 21);
    let error = Bootstrapper::new(client.encoder(), &shape).err().unwrap();
    assert!(error.to_string().contains("make them from its chain"), "{error}");
}
