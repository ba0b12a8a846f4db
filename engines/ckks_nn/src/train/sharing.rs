// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Trained weights for sharing with others than the owner of the key: noise hides the error.
//!
//! Estimates bound nothing here: bounds multiply from iteration to iteration. The owner of the key
//! therefore states a bound of the error, which replaces the estimate. An owner who also has the
//! samples can measure the error, since the same steps in plaintext give the same weights without
//! it, and refuses to share if the error exceeds the bound. The bound then holds for this
//! ciphertext, as the proof of the noise requires. The decision to share must not depend on the
//! error, so the bound must be stated beforehand, with a margin.

use halimede_ckks::{Ciphertext, Client};

use super::logistic::{Logistic, LEVELS};
use super::table::Table;
use crate::error::NetworkError;
use crate::run::NetworkSharing;

/// The relative difference of scales that are equal up to rounding.
const SAME_SCALE: f64 = 1e-6;

/// Trained weights that others may see.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedWeights {
    /// The weights of the features, and the constant, with noise.
    pub weights: Vec<f64>,
    /// −log₂ of the standard deviation of the noise of a weight.
    pub precision_bits: f64,
    /// The bits by which the noise exceeds the stated bound of the error.
    pub flooding_bits: f64,
}

impl Logistic {
    /// Returns the weights with noise that hides their error, for the stated bits of security and
    /// number of decryptions by this client. The statement's bound applies to the root mean square
    /// of the error of weights as they are encrypted, for features within 1.
    ///
    /// # Errors
    /// [`NetworkError::Unbounded`] for a statement without a bound of the error;
    /// [`NetworkError::Sharing`] if the noise leaves nothing of the weights, and for more
    /// decryptions than stated; [`NetworkError::Ciphertexts`] for a ciphertext of another level,
    /// scale or length.
    pub fn decrypt_for_sharing(
        &self,
        client: &mut Client,
        weights: &Ciphertext,
        sharing: &NetworkSharing,
    ) -> Result<SharedWeights, NetworkError> {
        let Some(most) = sharing.own_error()? else {
            let reason =
                "estimates of trained weights bound nothing, and the statement has no bound";
            return Err(NetworkError::Unbounded { reason: reason.to_owned() });
        };
        self.check_place(weights)?;
        let shared = client
            .decrypt_for_sharing(&weights.with_error_at_most(most), &sharing.for_error(most))?;
        let weights =
            shared.values.iter().take(self.features() + 1).map(|value| value.re).collect();
        let (precision_bits, flooding_bits) = (shared.precision_bits, shared.flooding_bits);
        Ok(SharedWeights { weights, precision_bits, flooding_bits })
    }

    /// Checks that a ciphertext has the properties of trained weights: its level, scale and length
    /// determine the size of an error of values in the encryption.
    fn check_place(&self, weights: &Ciphertext) -> Result<(), NetworkError> {
        let level = self.level(1) - LEVELS;
        let scale = self.parameters.level(level).scale;
        let is_scale = weights.scale().deviation(scale).abs() <= SAME_SCALE;
        match is_scale && (weights.level(), weights.length()) == (level, self.weights) {
            true => Ok(()),
            false => Err(NetworkError::Ciphertexts {
                what: "trained weights",
                reason: format!(
                    "{} values at level {}, but weights are {} at level {level} with its scale",
                    weights.length(),
                    weights.level(),
                    self.weights
                ),
            }),
        }
    }

    /// Checks that the error of weights, which [`Self::train_in_turn`] found on these batches, is
    /// within a bound: in all slots, compared with the same steps in plaintext.
    ///
    /// # Errors
    /// [`NetworkError::WeightError`] if it is not. Only the owner of the key may see this error:
    /// the number in it reveals something about the key. Also the errors of [`Self::error_of`].
    pub fn check_error(
        &self,
        client: &Client,
        weights: &Ciphertext,
        batches: &[Table],
        most: f64,
    ) -> Result<(), NetworkError> {
        let error = self.error_of(client, weights, batches)?;
        match error <= most {
            true => Ok(()),
            false => Err(NetworkError::WeightError { error, most }),
        }
    }

    /// Returns the error of encrypted weights: the root mean square, over all slots, of the
    /// difference from the same steps in plaintext. It reveals something about the key.
    ///
    /// # Errors
    /// If the ciphertext does not belong to the client, and [`NetworkError::Training`] for tables
    /// of another size and without a batch.
    pub fn error_of(
        &self,
        client: &Client,
        weights: &Ciphertext,
        batches: &[Table],
    ) -> Result<f64, NetworkError> {
        let (w, v) = self.steps_in_plaintext(batches, false)?;
        let found = client.decrypt(weights)?;
        // Slots without a weight are 0.
        let none = std::iter::repeat((0.0, 0.0));
        let exact = w.into_iter().zip(v).chain(none);
        let squares = found.iter().zip(exact).map(|(x, (w, v))| (x.re - w).hypot(x.im - v).powi(2));
        Ok((squares.sum::<f64>() / found.len() as f64).sqrt())
    }
}
