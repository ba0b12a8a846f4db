// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic on ciphertexts.

mod align;
mod keys;
mod multiply;
mod numbers;
mod rotate;
mod route;
mod sums;

pub use keys::EvaluationKeys;
pub(crate) use multiply::Wide;
pub(crate) use numbers::Number;
pub use rotate::rotation_exponent;

use crate::encoding::{Encoder, EncodingError};
use crate::params::{Parameters, Scale};

/// Whoever computes on ciphertexts: it has evaluation keys, and no secret.
///
/// Operands of different levels are brought to the lower one; each level has its scale, on which
/// every result lies.
pub struct Evaluator {
    parameters: Parameters,
    encoder: Encoder,
    keys: EvaluationKeys,
}

/// Why an operation cannot be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The levels are used up.
    #[error(
        "the ciphertext is at level {got} and {what} needs level {needed}: take parameters with \
         more levels, or bootstrap it before"
    )]
    Level {
        /// What was to be done.
        what: &'static str,
        /// The ciphertext's level.
        got: usize,
        /// The least that it takes.
        needed: usize,
    },
    /// Vectors of different lengths.
    #[error("a ciphertext of {left} slots and one of {right}: encrypt both with as many values")]
    Slots {
        /// Of the first.
        left: usize,
        /// Of the second.
        right: usize,
    },
    /// Scales that no alignment brings together.
    #[error(
        "the scales are {left} and {right}, which differ by more than rounding: rescale the one \
         that was multiplied"
    )]
    Scale {
        /// Of the first.
        left: Scale,
        /// Of the second.
        right: Scale,
    },
    /// There is no key for it.
    #[error("there is no key to {what}: ask the client for evaluation keys with it")]
    Key {
        /// What was to be done.
        what: String,
    },
    /// The key is for lower levels.
    #[error(
        "the ciphertext is at level {got} and the key to {what} goes up to level {most}: bring it to \
         that level, or ask the client for keys with more levels"
    )]
    KeyLevel {
        /// What was to be done.
        what: String,
        /// The ciphertext's level.
        got: usize,
        /// The key's.
        most: usize,
    },
    /// A polynomial or a function is none that can be evaluated.
    #[error(transparent)]
    Polynomial(#[from] crate::polynomial::PolynomialError),
    /// A matrix is none that can be applied.
    #[error(transparent)]
    Linear(#[from] crate::linear::LinearError),
    /// A vector or number cannot be encoded.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
}

impl Evaluator {
    /// An evaluator with these keys.
    pub fn new(keys: EvaluationKeys) -> Self {
        let parameters = keys.parameters().clone();
        Self { encoder: Encoder::new(&parameters), parameters, keys }
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
