// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decryptions for sharing with others than the owner of the secret key.
//!
//! A decryption is values and an error, and the error tells something of the secret to whoever
//! knows the ciphertext (Li, Micciancio, "On the security of homomorphic encryption on approximate
//! numbers", EUROCRYPT 2021). Rounding is no defense: sixteen rounded decryptions of one ciphertext
//! give the whole key. *Noise flooding*, a much larger error that is independent of the secret,
//! hides it with a number of bits of security for a number of decryptions (Li, Micciancio, Schultz,
//! Sorrell, "Securing approximate homomorphic encryption using differential privacy", CRYPTO 2022).
//! `SECURITY.md` derives how large it is.

use super::client::Client;
use super::error::SharingError;
use super::statement::{Shared, Sharing};
use crate::complex::Complex;
use crate::evaluator::Ciphertext;
use crate::params::{fresh_error, Parameters, Scale};
use crate::sampling::{wide_gaussian, WIDEST, WIDEST_BITS};

/// The noise of a decryption.
struct Noise {
    /// Standard deviation of a coefficient.
    deviation: f64,
    /// The same of a slot's value.
    in_slot: f64,
    flooding_bits: f64,
    /// The bound of a slot's error by which it is measured.
    error_bound: f64,
}

impl Client {
    /// The values of a ciphertext with Gaussian noise that hides its error from those who see them,
    /// with as many bits of security as `sharing` states for as many decryptions by this client.
    ///
    /// The client counts them: those of other processes with the same secret are the caller's to
    /// count. Noise is measured by the error for all values in their declared bounds
    /// ([`Ciphertext::error_anywhere`]), by that of `sharing.expected` and by
    /// `sharing.error_at_least`, whichever is the largest.
    ///
    /// # Errors
    /// [`SharingError::Claimed`] for a ciphertext that others computed where neither of these is
    /// given, [`SharingError::Unexpected`] for another one than was expected, [`SharingError`] where
    /// nothing is known of the error, where noise has no room or leaves nothing of the values, and
    /// after as many decryptions as were stated. Whoever asks again after an error and is seen to do
    /// so tells that there was one.
    pub fn decrypt_for_sharing(
        &mut self,
        ciphertext: &Ciphertext,
        sharing: &Sharing,
    ) -> Result<Shared, SharingError> {
        let noise = self.noise(ciphertext, sharing)?;
        let Noise { deviation, in_slot, flooding_bits, error_bound } = noise;
        *self.budget() = self.budget().after(sharing)?;
        let mut plaintext = self.message(ciphertext);
        let degree = self.parameters().degree();
        let noise = wide_gaussian(self.random(), deviation, degree);
        let ring = self.parameters().ring();
        let mut polynomial = ring.from_wide(plaintext.polynomial.basis(), &noise);
        ring.forward(&mut polynomial);
        ring.add(&mut plaintext.polynomial, &polynomial);
        let mut values = self.encoder().decode(&plaintext);
        round(&mut values, (in_slot / 4.0).log2().floor().exp2());
        if ciphertext.bound().is_real() {
            values.iter_mut().for_each(|value| value.im = 0.0);
        }
        Ok(Shared { values, precision_bits: -in_slot.log2(), flooding_bits, error_bound })
    }

    /// The [bits that would be left](Shared::precision_bits) of a decryption for others, which is
    /// neither made nor counted.
    ///
    /// # Errors
    /// As [`decrypt_for_sharing`](Self::decrypt_for_sharing), but for the number of decryptions.
    pub fn precision_for_sharing(
        &self,
        ciphertext: &Ciphertext,
        sharing: &Sharing,
    ) -> Result<f64, SharingError> {
        self.noise(ciphertext, sharing).map(|noise| -noise.in_slot.log2())
    }

    /// The noise that a statement takes, if it fits.
    fn noise(&self, a: &Ciphertext, sharing: &Sharing) -> Result<Noise, SharingError> {
        let parameters = self.parameters();
        self.check_own(a)?;
        sharing.check(parameters)?;
        let error_bits = error_bits(a, sharing, parameters)?;
        let (bits, level) = (sharing.flooding_bits(parameters), a.level());
        // A quarter of the modulus holds the noise.
        let modulus_bits = parameters.level(level).modulus.log2();
        let most = (modulus_bits - 2.0 - WIDEST.log2()).min(WIDEST_BITS) - error_bits;
        if bits > most {
            let alternatives = sharing.alternatives(parameters, most);
            return Err(SharingError::Room { bits, most, level, alternatives });
        }
        // A slot of a vector of n values is a sum of 2n coefficients.
        let to_slot = (2.0 * a.slots() as f64).log2() / 2.0 - a.scale().log2();
        let magnitude = a.bound().magnitude();
        let most = magnitude.log2() - (error_bits + to_slot);
        if most.is_nan() || bits > most {
            let alternatives = sharing.alternatives(parameters, most);
            return Err(SharingError::Precision { bits, most, magnitude, alternatives });
        }
        let noise_bits = error_bits + bits;
        let in_slot = |bits: f64| Scale::exp2(bits + to_slot).value();
        Ok(Noise {
            deviation: noise_bits.exp2(),
            in_slot: in_slot(noise_bits),
            flooding_bits: bits,
            error_bound: in_slot(error_bits),
        })
    }
}

/// log₂ of a bound σ of the standard deviation of a ciphertext's error's coefficients: the root of
/// the expected square of the error's norm is at most √N·σ.
///
/// Estimates are at most half a bit too small, and no error is smaller than that of an encryption.
/// What the caller knows is taken as it is. An estimate that others claim counts only where it is
/// larger than what is known.
fn error_bits(
    a: &Ciphertext,
    sharing: &Sharing,
    parameters: &Parameters,
) -> Result<f64, SharingError> {
    let &Sharing { error_at_least, expected, .. } = sharing;
    let error = a.error_anywhere();
    if !(error.is_finite() && error >= 0.0) {
        return Err(SharingError::Error { error });
    }
    if let Some(expected) = &expected {
        expected.check(a)?;
    }
    let is_known = expected.is_some() || !a.has_claimed_error();
    if !is_known && error_at_least.is_none() {
        return Err(SharingError::Claimed { error });
    }
    let fresh = fresh_error(a.scale(), a.slots());
    let estimated = expected.map_or(0.0, |expected| expected.error()).max(error).max(fresh);
    let bits = (estimated.log2() + 0.5).max(error_at_least.unwrap_or(0.0).log2());
    // A scale that is too small would take errors for smaller than they are.
    let least = if is_known { a.scale() } else { parameters.level(a.level()).scale };
    // A slot of a vector of n values is a sum of 2n coefficients.
    Ok(bits + a.scale().log2().max(least.log2()) - (2.0 * a.slots() as f64).log2() / 2.0)
}

/// Rounds to multiples of a step.
fn round(values: &mut [Complex], step: f64) {
    for value in values {
        // The sum with 0 makes −0, which would tell a sign, 0.
        let nearest = |part: f64| (part / step).round() * step + 0.0;
        *value = Complex::new(nearest(value.re), nearest(value.im));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::{Bound, Noise};

    const SHARING: Sharing =
        Sharing { security_bits: 6, queries: 1000, error_at_least: None, expected: None };

    fn client() -> (Client, Ciphertext) {
        let parameters = Parameters::preset("n10-insecure").unwrap();
        let mut client = Client::of_test(&parameters, 65);
        let values: Vec<Complex> =
            (0..512).map(|i| Complex::new(f64::from(i) / 600.0, 0.3)).collect();
        let encrypted = client.encrypt(&values).unwrap();
        (client, encrypted)
    }

    /// Estimates come from files: what is written there makes noise larger, never smaller than for
    /// a fresh ciphertext.
    #[test]
    fn the_error_is_at_least_that_of_an_encryption() {
        let (mut client, ciphertext) = client();
        let honest = client.decrypt_for_sharing(&ciphertext, &SHARING).unwrap();
        for error in [0.0, 1e-300, ciphertext.estimate().error / 3.0] {
            let flattered = ciphertext.clone().with_noise(Noise::rest(error));
            let shared = client.decrypt_for_sharing(&flattered, &SHARING).unwrap();
            assert!((shared.precision_bits - honest.precision_bits).abs() < 0.01, "{error}");
        }
        let worse = ciphertext.clone().with_noise(ciphertext.noise().scaled(8.0));
        let shared = client.decrypt_for_sharing(&worse, &SHARING).unwrap();
        assert!((honest.precision_bits - shared.precision_bits - 3.0).abs() < 0.01);
        // Half a bit is added to estimates, not to what the caller knows.
        let known = SHARING.with_error(worse.estimate().error);
        let known = client.decrypt_for_sharing(&ciphertext, &known).unwrap();
        assert!((known.precision_bits - shared.precision_bits - 0.5).abs() < 0.01);
    }

    #[test]
    fn unknown_errors_are_refused() {
        let (mut client, ciphertext) = client();
        for error in [f64::INFINITY, f64::NAN, -1.0] {
            let unknown = ciphertext.clone().with_noise(Noise::rest(error));
            let refused = client.decrypt_for_sharing(&unknown, &SHARING).unwrap_err();
            assert!(matches!(refused, SharingError::Error { .. }), "{refused}");
            // Nor does a bound of the caller's make it known.
            let known = SHARING.with_error(1e-3);
            assert!(client.decrypt_for_sharing(&unknown, &known).is_err(), "{error}");
        }
        for got in [f64::NAN, f64::INFINITY, -1.0, -1e-9, 0.0] {
            let wrong = SHARING.with_error(got);
            let refused = client.decrypt_for_sharing(&ciphertext, &wrong).unwrap_err();
            assert!(matches!(refused, SharingError::ErrorAtLeast { .. }), "{refused}");
            assert!(refused.to_string().contains("cannot be shared"), "{refused}");
        }
        let nothing = ciphertext.bounded(Bound::complex(0.0));
        let refused = client.decrypt_for_sharing(&nothing, &SHARING).unwrap_err();
        assert!(matches!(refused, SharingError::Precision { .. }), "{refused}");
    }

    #[test]
    fn noise_is_as_large_as_the_statement_says() {
        let parameters = Parameters::preset("n10-insecure").unwrap();
        // 12·16·2¹⁰ = 3·2¹⁶.
        let bits = Sharing::new(30, 16).flooding_bits(&parameters);
        assert!((bits - (15.0 + 8.0 + 3f64.log2() / 2.0)).abs() < 1e-12, "{bits}");
        // 24·56·2¹⁰ numbers of divergence 2⁻¹²⁴ for a query.
        let most = Sharing::new(1, 16).most_security_bits(&parameters);
        assert!((most - (124.0 - 14.0 - 1344f64.log2())).abs() < 1e-12, "{most}");
    }
}
