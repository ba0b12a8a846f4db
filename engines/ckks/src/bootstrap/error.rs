// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a bootstrap is refused.

use crate::evaluator::EvaluationError;
use crate::linear::LinearError;
use crate::polynomial::PolynomialError;
use crate::sampling::RandomError;

/// Why a bootstrap is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum BootstrapError {
    /// The parameters have no levels for it.
    #[error(
        "the parameters have no levels for a bootstrap: take those whose names have \"boot\", or \
        build some with bootstraps"
    )]
    Parameters,
    /// A matrix cannot be encoded.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// Values are too large.
    #[error(
        "a bootstrap takes values up to {most}, and these may be up to {got}: divide them before, \
        or say how large they are at most"
    )]
    Magnitude { got: f64, most: f64 },
    /// There are no random angles.
    #[error(transparent)]
    Random(#[from] RandomError),
    /// There is no such cosine.
    #[error(transparent)]
    Polynomial(#[from] PolynomialError),
    /// An operation on ciphertexts is refused.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

impl BootstrapError {
    /// The error of the operation on ciphertexts, if the cause is one.
    pub fn evaluation(&self) -> Option<&EvaluationError> {
        match self {
            Self::Evaluation(error) => Some(error),
            Self::Linear(error) => error.evaluation(),
            Self::Polynomial(error) => error.evaluation(),
            _ => None,
        }
    }
}
