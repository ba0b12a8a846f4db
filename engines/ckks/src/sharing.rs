// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decryptions that others than the owner of the secret may see.
//!
//! A decryption is values and an error, and the error tells something of the secret to whoever knows the
//! ciphertext (Li, Micciancio, "On the security of homomorphic encryption on approximate numbers",
//! EUROCRYPT 2021). Rounding to what is right keeps most of it back; only *noise flooding*, a much
//! larger error that is independent of the secret, does so provably, for a number of decryptions
//! that grows with it (Li, Micciancio, Schultz, Sorrell, "Securing approximate homomorphic encryption
//! using differential privacy", CRYPTO 2022).

use zeroize::Zeroize;

use crate::ciphertext::Ciphertext;
use crate::client::Client;
use crate::encoding::Complex;
use crate::estimate::fresh_error;
use crate::evaluator::EvaluationError;
use crate::params::Scale;
use crate::sampling::{wide_gaussian, WIDEST};

/// How a decryption is made fit for others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sharing {
    /// Adds Gaussian noise of 2^bits times the error's standard deviation, and so takes as many bits of
    /// precision.
    pub flooding_bits: Option<f64>,
    /// The error of a slot is taken for at least this: what the owner of the secret knows of the
    /// computation, where its estimate comes from somebody else.
    pub error_at_least: f64,
}

/// Why a decryption cannot be shared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SharingError {
    /// Nothing is known of the error.
    #[error(
        "the ciphertext's error is estimated as {error}, by which nothing of it is known to be right: \
         it cannot be shared; bound the values that go into the computation"
    )]
    Error {
        /// Its estimate.
        error: f64,
    },
    /// The noise does not fit.
    #[error(
        "{bits} bits of noise flooding, where from 0 to {most:.1} fit into the modulus at level \
         {level}: flood less, or decrypt at a higher level"
    )]
    Flooding {
        /// What was asked for.
        bits: f64,
        /// What there is room for.
        most: f64,
        /// The ciphertext's level.
        level: usize,
    },
    /// The ciphertext is of other parameters.
    #[error(transparent)]
    Parameters(#[from] EvaluationError),
}

/// Bits of the largest noise.
const NOISE_BITS: f64 = 61.0;

impl Client {
    /// The values of a ciphertext, rounded to the bits that are expected to be right, with noise
    /// where it is asked for.
    ///
    /// The estimate is an average's: it holds where values are as large as it says, and for ciphertexts
    /// whose computation did not aim at making their errors larger. See `SECURITY.md`.
    ///
    /// # Errors
    /// [`SharingError`] where nothing is known of the error, and for noise that the modulus has no
    /// room for.
    pub fn decrypt_for_sharing(
        &mut self,
        ciphertext: &Ciphertext,
        sharing: &Sharing,
    ) -> Result<Vec<Complex>, SharingError> {
        self.check_own(ciphertext)?;
        let scale = ciphertext.scale;
        let least = fresh_error(scale, ciphertext.slots).max(sharing.error_at_least);
        let error = ciphertext.estimate().error.max(least);
        if !(error.is_finite() && sharing.error_at_least >= 0.0) {
            return Err(SharingError::Error { error });
        }
        let mut plaintext = self.message(ciphertext);
        let mut noisy = error;
        if let Some(bits) = sharing.flooding_bits {
            let deviation = self.flooding(bits, error, ciphertext)?;
            let degree = self.parameters().degree();
            let mut noise = wide_gaussian(self.random(), deviation, degree);
            let ring = self.parameters().ring();
            let mut polynomial = ring.from_coefficients(plaintext.polynomial.basis(), &noise, 0);
            noise.zeroize();
            ring.forward(&mut polynomial);
            ring.add(&mut plaintext.polynomial, &polynomial);
            polynomial.wipe();
            noisy = error.hypot(error * bits.exp2());
        }
        let mut values = self.encoder().decode(&plaintext);
        plaintext.polynomial.wipe();
        round(&mut values, noisy);
        Ok(values)
    }

    /// The standard deviation of coefficients that is 2^bits times that of errors in slots.
    fn flooding(&self, bits: f64, error: f64, a: &Ciphertext) -> Result<f64, SharingError> {
        let parameters = self.parameters();
        let slots = (parameters.degree() as f64).sqrt().log2();
        let of_error = error.log2() + a.scale.log2() - slots;
        let room = parameters.level(a.level).modulus.log2() - 2.0;
        let most = room.min(NOISE_BITS) - WIDEST.log2() - of_error;
        if !(0.0..=most).contains(&bits) {
            return Err(SharingError::Flooding { bits, most, level: a.level });
        }
        Ok(Scale::exp2(of_error + bits).value())
    }
}

/// Rounds to multiples of the least power of two that is not below the error.
fn round(values: &mut [Complex], error: f64) {
    let step = error.log2().ceil().exp2();
    for value in values {
        // The sum with 0 makes −0, which would tell a sign, 0.
        let nearest = |part: f64| (part / step).round() * step + 0.0;
        *value = Complex::new(nearest(value.re), nearest(value.im));
    }
}
