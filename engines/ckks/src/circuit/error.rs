// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why an expression cannot be planned or computed.

use super::run_id::RunId;
use crate::bootstrap::BootstrapError;
use crate::encoding::EncodingError;
use crate::evaluator::EvaluationError;
use crate::linear::LinearError;
use crate::polynomial::PolynomialError;

/// Why an expression cannot be planned or run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum CircuitError {
    /// An input is not given.
    #[error("there is no ciphertext called {name}; there are: {given}")]
    NoInput { name: String, given: String },
    /// An input is not what the plan was made for.
    #[error(
        "the ciphertext {name} has {got}, and the plan is for one with {planned}: plan again for \
        what there is"
    )]
    OtherInput { name: String, got: String, planned: String },
    /// The plan is for other parameters.
    #[error("the plan is for other parameters than the server's: plan again")]
    Parameters,
    /// There is no ciphertext in the expression.
    #[error("the expression has no ciphertext in it: there is nothing to compute")]
    NothingEncrypted,
    /// A matrix of blocks is given a vector that is not encrypted.
    #[error("a matrix of blocks takes encrypted vectors alone")]
    PlainBlock,
    /// Something that is not encrypted is no number.
    #[error("this number is infinite or none")]
    NotFinite,
    /// A function of real numbers has a complex argument.
    #[error("{what} is of real numbers")]
    NotReal { what: &'static str },
    /// A step takes more levels than there ever are.
    #[error(
        "this takes {needed} levels and a bootstrap leaves {highest}: take parameters with more \
        levels"
    )]
    Deep { needed: usize, highest: usize },
    /// Levels do not suffice, and no value on the way may be bootstrapped.
    #[error(
        "the levels are used up here, and the values that this is made of may be larger than a \
        bootstrap takes: declare a smaller bound of them"
    )]
    Large,
    /// Whoever wanted the result does not any more.
    #[error("stopped after {done} of {steps} steps: run it again for the result")]
    Stopped { done: usize, steps: usize },
    /// A checkpoint is of another run.
    #[error(
        "the checkpoint is of another run ({got}, and this is {ours}): of another plan or of other \
        inputs; run without it"
    )]
    OtherRun { got: RunId, ours: RunId },
    /// A checkpoint is of a server with other angles.
    #[error(
        "the checkpoint is of a server whose bootstraps have other random angles than this one's: let \
        a server take its checkpoint before its first bootstrap"
    )]
    OtherAngles,
    /// A part of the expression cannot be computed.
    #[error("{what}: {reason}")]
    Step { what: String, reason: Box<Self> },
    /// An operation on ciphertexts is refused.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// A matrix cannot be applied.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// A polynomial or a function cannot be evaluated.
    #[error(transparent)]
    Polynomial(#[from] PolynomialError),
    /// A bootstrap is refused.
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    /// A vector or number cannot be encoded.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
}

impl CircuitError {
    /// The error of the operation on ciphertexts, if the cause is one, in whichever step.
    pub fn evaluation(&self) -> Option<&EvaluationError> {
        match self {
            Self::Evaluation(error) => Some(error),
            Self::Linear(error) => error.evaluation(),
            Self::Polynomial(error) => error.evaluation(),
            Self::Bootstrap(error) => error.evaluation(),
            Self::Step { reason, .. } => reason.evaluation(),
            _ => None,
        }
    }

    /// With what it is of, unless that is known already.
    pub(crate) fn at(what: impl ToString, reason: impl Into<Self>) -> Self {
        match reason.into() {
            reason @ Self::Step { .. } => reason,
            reason => Self::Step { what: what.to_string(), reason: Box::new(reason) },
        }
    }
}
