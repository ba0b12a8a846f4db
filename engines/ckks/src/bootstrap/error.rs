// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of bootstraps.

use crate::evaluator::EvaluationError;
use crate::linear::LinearError;
use crate::polynomial::PolynomialError;
use crate::sampling::RandomError;

/// Why a bootstrap is rejected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum BootstrapError {
    /// The parameters have no levels for a bootstrap.
    #[error(
        "the parameters have no levels for a bootstrap: use parameters with \"boot\" in the name, \
        or build some with bootstraps"
    )]
    Parameters,
    /// A matrix cannot be encoded.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// Values are too large.
    #[error(
        "a bootstrap takes values up to {most}, and these may be up to {got}: divide them first, \
        or declare a smaller bound"
    )]
    Magnitude { got: f64, most: f64 },
    /// The operating system gave no random bytes for the angles.
    #[error(transparent)]
    Random(#[from] RandomError),
    /// The cosine cannot be approximated.
    #[error(transparent)]
    Polynomial(#[from] PolynomialError),
    /// An operation on ciphertexts failed.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

impl BootstrapError {
    /// Returns the error of the operation on ciphertexts, if that is the cause.
    pub fn evaluation(&self) -> Option<&EvaluationError> {
        match self {
            Self::Evaluation(error) => Some(error),
            Self::Linear(error) => error.evaluation(),
            Self::Polynomial(error) => error.evaluation(),
            _ => None,
        }
    }
}
