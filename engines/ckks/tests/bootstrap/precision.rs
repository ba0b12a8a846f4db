// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstrapping in a small, insecure ring; with `HALIMEDE_SWEEP` set, in one of N = 2¹⁶ as well.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print what they measured or skipped"
)]

use std::time::Instant;

use halimede_ckks::bootstrap::BootstrapMemory;
use halimede_ckks::params::{BootstrapShape, SecretKind};
use halimede_ckks::{Ciphertext, Client, Complex, EvaluationKeys, Operations, Parameters, Server};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The angles of bootstraps: results do not depend on the run.
const ANGLES: [u8; 32] = *b"angles of slots, fixed for tests";

const OPERATIONS: Operations = Operations {
    multiply: true,
    conjugate: false,
    rotations: Vec::new(),
    bootstrap: true,
    bootstrap_slots: Vec::new(),
    low_rotations: Vec::new(),
    few_keys: false,
};

struct Setting {
    client: Client,
    server: Server,
}

impl Setting {
    fn new(preset: &str) -> Self {
        let mut client = Client::of_test(&Parameters::preset(preset).unwrap(), 21);
        let server = client.server(&OPERATIONS).with_angles(ANGLES);
        Self { client, server }
    }

    /// Bootstraps random values at the lowest level, computes with the result, and returns the
    /// worst and the mean error of the bootstrap.
    fn check(&mut self, count: usize) -> (f64, f64) {
        let mut rng = ChaCha8Rng::seed_from_u64(22);
        let mut part = || rng.gen_range(-0.7..0.7);
        let values: Vec<Complex> = (0..count).map(|_| Complex::new(part(), part())).collect();
        let encrypted = self.client.encrypt_at(&values, 0).unwrap();
        let matrices = self.server.prepare_bootstrap().unwrap();
        let start = Instant::now();
        let result = self.server.bootstrap(&encrypted).unwrap();
        let (time, keys) = (start.elapsed(), self.server.keys().bytes());
        assert_eq!(result.level(), self.server.parameters().fresh_level());
        assert_eq!(result.slots(), count);
        let errors = self.errors(&result, &values);
        self.check_expected(&result, &errors);
        let worst = errors.iter().copied().fold(0.0, f64::max);
        let mean = errors.iter().sum::<f64>() / count as f64;
        let (of_worst, of_mean) = (worst.log2(), mean.log2());
        println!("{count} slots: {time:?}, errors 2^{of_worst:.1}, in the mean 2^{of_mean:.1}");
        println!("keys {} MB, matrices {} MB", keys / 1_000_000, matrices / 1_000_000);
        // The result has levels for a product.
        let square = self.server.mul(&result, &result).unwrap();
        let expected: Vec<Complex> = values.iter().map(|value| *value * *value).collect();
        let of_square = self.errors(&square, &expected).into_iter().fold(0.0, f64::max);
        assert!(of_square < 3.0 * worst, "{of_square:e} after {worst:e}");
        (worst, mean)
    }

    /// Checks that errors are within the estimates of the ciphertext and of the parameters, and
    /// both within 2⁶ of them.
    fn check_expected(&self, result: &Ciphertext, errors: &[f64]) {
        let squares: f64 = errors.iter().map(|error| error * error).sum();
        let bits = -0.5 * (squares / errors.len() as f64).log2();
        let expected = self.server.parameters().expected_precision().bootstrap_bits.unwrap();
        for (what, expected) in [("estimate", result.precision_bits()), ("parameters", expected)] {
            println!("{what}: {expected:.1} bits, measured {bits:.1}");
            // Few values are averages of many slots.
            let most = if errors.len() < self.server.parameters().slots() { 12.0 } else { 6.0 };
            assert!((-0.5..most).contains(&(bits - expected)), "{what}: {expected}, {bits}");
        }
    }

    fn errors(&self, ciphertext: &Ciphertext, values: &[Complex]) -> Vec<f64> {
        let ours = self.client.decrypt(ciphertext).unwrap();
        ours.iter().zip(values).map(|(ours, value)| (*ours - *value).abs()).collect()
    }
}

#[test]
fn a_ciphertext_of_the_lowest_level_comes_back_at_a_higher_one() {
    let mut setting = Setting::new("n10-boot-insecure");
    let (worst, mean) = setting.check(512);
    assert!(worst < 2f64.powi(-24) && mean < 2f64.powi(-26), "{worst:e}, {mean:e}");
    // A few values have large coefficients, for which the sine is less precise.
    let (worst, _) = setting.check(16);
    assert!(worst < 2f64.powi(-22), "{worst:e}");
}

#[test]
fn a_full_ring_is_bootstrapped_to_nine_levels() {
    if std::env::var_os("HALIMEDE_SWEEP").is_none() {
        eprintln!("skipped: HALIMEDE_SWEEP is not set");
        return;
    }
    let (worst, mean) = Setting::new("n16-boot").check(1 << 15);
    assert!(worst < 2f64.powi(-19) && mean < 2f64.powi(-22), "{worst:e}, {mean:e}");
}

#[test]
fn one_bootstrap_after_the_other_adds_up_errors_and_magnifies_none() {
    let mut setting = Setting::new("n10-boot-insecure");
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    let values: Vec<Complex> = (0..64).map(|_| Complex::from(rng.gen_range(-0.5..0.5))).collect();
    let mut ciphertext = setting.client.encrypt_at(&values, 0).unwrap();
    let mut expected = Vec::new();
    for _ in 0..4 {
        ciphertext = setting.server.bootstrap(&ciphertext).unwrap();
        expected.push(ciphertext.precision_bits());
    }
    // The error of the sine is the same each time.
    assert!(expected[3] > expected[0] - 2.1, "{expected:?}");
    let errors = setting.errors(&ciphertext, &values);
    let worst = errors.into_iter().fold(0.0, f64::max);
    assert!(-worst.log2() > expected[3] - 2.0, "{worst:e}, {expected:?}");
}

#[test]
fn parameters_without_levels_for_it_are_refused() {
    let mut client = Client::of_test(&Parameters::preset("n10-insecure").unwrap(), 21);
    let ciphertext = client.encrypt(&[Complex::from(0.5)]).unwrap();
    let server = client.server(&OPERATIONS);
    assert!(!server.can_bootstrap());
    let error = server.bootstrap(&ciphertext).unwrap_err();
    assert!(error.to_string().contains("no levels for a bootstrap"), "{error}");
}

#[test]
fn a_missing_key_is_named_before_anything_is_computed() {
    let mut client = Client::of_test(&Parameters::preset("n10-boot-insecure").unwrap(), 21);
    let ciphertext = client.encrypt_at(&[Complex::from(0.5)], 0).unwrap();
    let without = Operations { bootstrap: false, ..OPERATIONS };
    let server = client.server(&without);
    let error = server.bootstrap(&ciphertext).unwrap_err();
    assert!(error.to_string().contains("no key to bootstrap"), "{error}");
    assert!(!server.can_bootstrap());
}

#[test]
fn keys_come_back_from_a_file_and_do_the_same() {
    let mut client = Client::of_test(&Parameters::preset("n10-boot-insecure").unwrap(), 23);
    let ciphertext = client.encrypt_at(&[Complex::new(0.25, -0.5)], 0).unwrap();
    let keys = client.evaluation_keys(&OPERATIONS);
    let mut file = Vec::new();
    keys.save(&mut file).unwrap();
    assert_eq!(keys.file_bytes().unwrap(), file.len() as u64);
    let loaded = EvaluationKeys::load(&file[..], client.parameters()).unwrap();
    assert_eq!(loaded.bytes(), keys.bytes());
    // Half of each key, in 30 bits of 32.
    assert!(file.len() < keys.bytes() / 2, "{} of {}", file.len(), keys.bytes());
    let [ours, theirs] = [keys, loaded]
        .map(|keys| Server::new(keys).with_angles(ANGLES).bootstrap(&ciphertext).unwrap());
    for (ours, theirs) in ours.parts().into_iter().zip(theirs.parts()) {
        assert!(ours.limbs().eq(theirs.limbs()));
    }
}

#[test]
fn its_memory_is_known_before() {
    let levels = |levels| BootstrapShape::new(10, levels, 3);
    let shapes = [levels(2), levels(5), BootstrapShape { coeff_to_slot: 3, ..levels(4) }];
    for shape in shapes {
        let parameters = Parameters::insecure(shape, SecretKind::Ternary).unwrap();
        let memory = BootstrapMemory::new(&parameters).unwrap();
        let only = Operations { multiply: false, ..OPERATIONS };
        let server = Client::of_test(&parameters, 24).server(&only);
        assert_eq!(memory.keys, server.keys().bytes());
        assert_eq!(memory.matrices, server.prepare_bootstrap().unwrap());
        assert_eq!(memory.total(), memory.keys + memory.matrices + memory.working);
    }
    let error = BootstrapMemory::new(&Parameters::preset("n10-insecure").unwrap()).unwrap_err();
    assert!(error.to_string().contains("no levels for a bootstrap"), "{error}");
}

#[test]
fn numbers_that_make_no_bootstrap_are_refused() {
    let usual = BootstrapShape::new(10, 3, 4);
    let shapes = [
        BootstrapShape { coeff_to_slot: 0, ..usual.clone() },
        BootstrapShape { coeff_to_slot: 10, ..usual.clone() },
        BootstrapShape { degree: 256, ..usual.clone() },
        BootstrapShape { doublings: 11, ..usual.clone() },
        BootstrapShape { weight: 0, ..usual.clone() },
        BootstrapShape { range: 0, ..usual.clone() },
        BootstrapShape { ratio_bits: 31, ..usual.clone() },
    ];
    for shape in shapes {
        let error = Parameters::insecure(shape, SecretKind::Ternary).unwrap_err();
        assert!(error.to_string().contains("it must lie in"), "{error}");
    }
    assert!(Parameters::insecure(usual, SecretKind::Ternary).is_ok());
}
