// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Code that the tests of operations on ciphertexts share.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use halimede_ckks::circuit::CircuitError;
use halimede_ckks::{Bound, Ciphertext, Client, Complex, Operations, Parameters, Server, Values};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The factor by which a worst error of thousands of slots may exceed the estimated standard
/// deviation: roundings are multiplied by the secret, some of whose slots are large.
const WORST: f64 = 12.0;

/// Results of all rungs, for tests that only look at errors.
pub trait Outcome {
    /// Returns the error, in the words of the highest rung.
    fn outcome(self) -> Result<(), CircuitError>;
}

impl<T, E: Into<CircuitError>> Outcome for Result<T, E> {
    fn outcome(self) -> Result<(), CircuitError> {
        self.map(drop).map_err(Into::into)
    }
}

/// A client, a server, and random numbers.
pub struct Setting {
    pub client: Client,
    pub server: Server,
    pub rng: ChaCha8Rng,
}

/// A vector, and its encryption.
pub struct Pair {
    pub plain: Vec<Complex>,
    pub ciphertext: Ciphertext,
}

impl Setting {
    /// Returns a setting with keys for products, conjugates and these rotations.
    pub fn new(preset: &str, rotations: &[i64]) -> Self {
        Self::of(&Parameters::preset(preset).unwrap(), rotations)
    }

    /// Returns a setting for any parameters.
    pub fn of(parameters: &Parameters, rotations: &[i64]) -> Self {
        let mut client = Client::of_test(parameters, 11);
        let operations = Operations {
            multiply: true,
            conjugate: true,
            rotations: rotations.to_vec(),
            ..Operations::default()
        };
        let server = client.server(&operations);
        Self { client, server, rng: ChaCha8Rng::seed_from_u64(12) }
    }

    /// Returns random values in the square around 0 whose corners have the absolute value 1.
    pub fn values(&mut self, count: usize) -> Vec<Complex> {
        let mut part = || self.rng.gen_range(-FRAC_1_SQRT_2..FRAC_1_SQRT_2);
        (0..count).map(|_| Complex::new(part(), part())).collect()
    }

    /// Returns `count` random values, encrypted at a level.
    pub fn pair(&mut self, count: usize, level: usize) -> Pair {
        let plain = self.values(count);
        let ciphertext = self.client.encrypt_at(&plain, level).unwrap();
        Pair { plain, ciphertext }
    }

    /// Returns `count` random real numbers in an interval, encrypted at a level.
    pub fn real_pair(&mut self, count: usize, level: usize, (from, to): (f64, f64)) -> Pair {
        let plain: Vec<f64> = (0..count).map(|_| self.rng.gen_range(from..=to)).collect();
        let declared = Values::from(&plain).bounded(Bound::between(from, to));
        let ciphertext = self.client.encrypt_at(declared, level).unwrap();
        Pair { plain: plain.into_iter().map(Complex::from).collect(), ciphertext }
    }

    /// Checks that a ciphertext decrypts to values, within its estimate but not far better.
    pub fn check(&self, ciphertext: &Ciphertext, plain: &[Complex], what: &str) {
        let deviation = self.check_worst(ciphertext, plain, 1.0, what);
        let estimate = ciphertext.estimate().error;
        assert!(deviation > estimate / 64.0, "{what}: {deviation:e}, estimated {estimate:e}");
    }

    /// Checks that the deviation of the decrypted values' errors is at most this multiple of the
    /// ciphertext's estimate.
    pub fn check_worst(
        &self,
        ciphertext: &Ciphertext,
        plain: &[Complex],
        times: f64,
        what: &str,
    ) -> f64 {
        let values = self.client.decrypt(ciphertext).unwrap();
        assert_eq!(values.len(), plain.len(), "{what}");
        let errors = values.iter().zip(plain).map(|(a, b)| (*a - *b).abs());
        let (worst, square) =
            errors.fold((0f64, 0.0), |(worst, sum), error| (worst.max(error), sum + error * error));
        let estimate = ciphertext.estimate().error;
        assert!(worst < WORST * times * estimate, "{what}: {worst:e}, estimated {estimate:e}");
        let deviation = (square / plain.len() as f64).sqrt();
        assert!(
            deviation <= times * SQRT_2 * estimate,
            "{what}: {deviation:e}, estimated {estimate:e}"
        );
        let largest = plain.iter().map(|value| value.abs()).fold(0.0, f64::max);
        assert!(largest <= ciphertext.estimate().magnitude() * 1.0001, "{what}");
        deviation
    }
}

/// Returns a function of two vectors, place by place.
pub fn zip(a: &[Complex], b: &[Complex], of: impl Fn(Complex, Complex) -> Complex) -> Vec<Complex> {
    a.iter().zip(b).map(|(a, b)| of(*a, *b)).collect()
}
