// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The evaluator: computes on ciphertexts with evaluation keys and without a secret key.

use super::keys::EvaluationKeys;
use crate::encoding::Encoder;
use crate::params::Parameters;

/// Evaluates sums, products and rotations of ciphertexts with evaluation keys. It has no secret
/// key.
///
/// Operands of different levels are brought to the lower level. Each level has a scale, and every
/// result has the scale of its level. A ciphertext of other parameters is an error.
pub struct Evaluator {
    pub(super) parameters: Parameters,
    pub(super) encoder: Encoder,
    pub(super) keys: EvaluationKeys,
}

impl Evaluator {
    /// Creates an evaluator with these keys.
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
