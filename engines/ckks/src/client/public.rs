// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encryption with the public key.

use crate::encoding::{Encoder, EncodingError, Values};
use crate::estimate::Origin;
use crate::evaluator::Ciphertext;
use crate::keys::{error, ternary_values, PublicKey};
use crate::params::public_error;
use crate::ring::Polynomial;
use crate::sampling::Random;

impl PublicKey {
    /// Encrypts a vector at a level.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encrypt_at<'a>(
        &self,
        encoder: &Encoder,
        values: impl Into<Values<'a>>,
        level: usize,
        random: &mut Random,
    ) -> Result<Ciphertext, EncodingError> {
        self.encrypt_values(encoder, &values.into(), level, random)
    }

    /// Like [`Self::encrypt_at`], compiled once for all types of vectors.
    fn encrypt_values(
        &self,
        encoder: &Encoder,
        values: &Values<'_>,
        level: usize,
        random: &mut Random,
    ) -> Result<Ciphertext, EncodingError> {
        let (parameters, others) = (self.parameters(), encoder.parameters());
        if !parameters.is_compatible(others) {
            let [encoder, key] = [others, parameters].map(|of| of.name().to_owned());
            return Err(EncodingError::Parameters { encoder, key });
        }
        let plaintext = encoder.encode_secret(values, level, random)?;
        let (ring, basis) = (parameters.ring(), &parameters.level(level).basis);
        let mask = ternary_values(parameters, basis, random);
        let (b, a) = self.halves();
        let encrypt = |half, random: &mut Random| {
            let mut part = mask.clone();
            ring.mul(&mut part, half);
            ring.add(&mut part, &error(parameters, basis, random));
            part
        };
        let mut parts = [encrypt(b, random), encrypt(a, random)];
        ring.add(&mut parts[0], plaintext.polynomial());
        // The errors and the mask hide the message.
        parts.iter_mut().for_each(Polynomial::declassify);
        let error = public_error(parameters, plaintext.scale, plaintext.slots);
        // No two ciphertexts have the same seed, and nobody sees it.
        let second = Origin::of_seed(&random.seed());
        Ok(Ciphertext::fresh(&plaintext, parts, level, self.owner(), second, error))
    }
}
