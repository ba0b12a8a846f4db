// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decryptions that are shared with others than the owner of the secret key.
//!
//! A decryption contains values and an error, and the error reveals something about the secret to
//! anyone who knows the ciphertext (Li, Micciancio, "On the security of homomorphic encryption on
//! approximate numbers", EUROCRYPT 2021). Rounding does not help: sixteen rounded decryptions of
//! one ciphertext reveal the whole key. *Noise flooding* adds a much larger error that is
//! independent of the secret. It hides the original error with a given number of bits of security
//! for a given number of decryptions (Li, Micciancio, Schultz, Sorrell, "Securing approximate
//! homomorphic encryption using differential privacy", CRYPTO 2022). `SECURITY.md` derives its
//! size.

use super::client::Client;
use super::error::SharingError;
use super::flooding::{round, Flooding};
use super::statement::{Shared, Sharing};
use crate::evaluator::Ciphertext;
use crate::sampling::wide_gaussian;

impl Client {
    /// Decrypts a ciphertext and adds Gaussian noise that hides its error from everybody who sees
    /// the values, with the bits of security that `sharing` states for the number of decryptions
    /// that it states.
    ///
    /// The client counts its own decryptions. The caller counts those of other processes with the
    /// same secret. The size of the noise follows from the largest of three errors: the estimate
    /// for all values within their declared bounds ([`Ciphertext::error_anywhere`]),
    /// `sharing.expected` and `sharing.error_at_least`.
    ///
    /// # Errors
    /// - [`SharingError::Claimed`] for a ciphertext that others computed, if neither of the last
    ///   two is given.
    /// - [`SharingError::Unexpected`] for a ciphertext other than the expected one.
    /// - Other [`SharingError`]s if the error is unknown, if the noise does not fit or leaves
    ///   nothing of the values, and after the stated number of decryptions.
    ///
    /// A retry that others can observe reveals that the decryption failed.
    pub fn decrypt_for_sharing(
        &mut self,
        ciphertext: &Ciphertext,
        sharing: &Sharing,
    ) -> Result<Shared, SharingError> {
        let flooding = self.flooding(ciphertext, sharing)?;
        let Flooding { deviation, in_slot, flooding_bits, error_bound } = flooding;
        *self.budget() = self.budget().after(sharing)?;
        let mut plaintext = self.message(ciphertext);
        let degree = self.parameters().degree();
        let noise = wide_gaussian(self.random(), deviation, degree);
        let ring = self.parameters().ring();
        let mut polynomial = ring.from_wide(plaintext.polynomial.basis(), &noise);
        ring.forward(&mut polynomial);
        ring.add(&mut plaintext.polynomial, &polynomial);
        let mut values = self.encoder().decode(&plaintext);
        round(&mut values, in_slot);
        if ciphertext.bound().is_real() {
            values.iter_mut().for_each(|value| value.im = 0.0);
        }
        Ok(Shared { values, precision_bits: -in_slot.log2(), flooding_bits, error_bound })
    }

    /// Returns the [remaining bits](Shared::precision_bits) of a shared decryption without making
    /// or counting it.
    ///
    /// # Errors
    /// As [`decrypt_for_sharing`](Self::decrypt_for_sharing), except for the number of decryptions.
    pub fn precision_for_sharing(
        &self,
        ciphertext: &Ciphertext,
        sharing: &Sharing,
    ) -> Result<f64, SharingError> {
        self.flooding(ciphertext, sharing).map(|noise| -noise.in_slot.log2())
    }

    /// Returns the noise for a statement if it fits.
    fn flooding(&self, a: &Ciphertext, sharing: &Sharing) -> Result<Flooding, SharingError> {
        Flooding::new(self.parameters(), self.secret().id(), a, sharing, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complex::Complex;
    use crate::estimate::{Bound, Noise};
    use crate::params::Parameters;

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

    /// Estimates come from files: what is written there can make the noise larger, but never
    /// smaller than for a fresh ciphertext.
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
        // Half a bit is added to estimates, but not to bounds from the caller.
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
            // A bound from the caller does not make the error known.
            let known = SHARING.with_error(1e-3);
            assert!(client.decrypt_for_sharing(&unknown, &known).is_err(), "{error}");
        }
        for got in [f64::NAN, f64::INFINITY, -1.0, -1e-9, 0.0] {
            let wrong = SHARING.with_error(got);
            let refused = client.decrypt_for_sharing(&ciphertext, &wrong).unwrap_err();
            assert!(matches!(refused, SharingError::ErrorAtLeast { .. }), "{refused}");
            assert!(refused.to_string().contains("give a finite number above 0"), "{refused}");
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
        // 24·56·2¹⁰ numbers, each of divergence 2⁻¹²⁴, for one decryption.
        let most = Sharing::new(1, 16).most_security_bits(&parameters);
        assert!((most - (124.0 - 14.0 - 1344f64.log2())).abs() < 1e-12, "{most}");
    }
}
