// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who computes on ciphertexts: it has evaluation keys, and no secret.

use super::keys::EvaluationKeys;
use crate::encoding::Encoder;
use crate::params::Parameters;

/// Sums, products and rotations of ciphertexts, by evaluation keys. It has no secret.
///
/// Operands of different levels are brought to the lower one; each level has its scale, on which
/// every result lies. A ciphertext of other parameters is an error.
pub struct Evaluator {
    pub(super) parameters: Parameters,
    pub(super) encoder: Encoder,
    pub(super) keys: EvaluationKeys,
}

impl Evaluator {
    /// An evaluator with these keys.
    pub fn new(keys: EvaluationKeys) -> Self {
        let parameters = keys.parameters().clone();
        let encoder = Encoder::new(&parameters);
        Self { parameters, encoder, keys }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The encoder.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }
}
