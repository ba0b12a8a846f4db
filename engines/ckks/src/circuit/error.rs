// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of expressions.

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
    /// An input is missing.
    #[error("no ciphertext is called {name}; the names are: {given}")]
    NoInput { name: String, given: String },
    /// An input does not match the plan.
    #[error(
        "the ciphertext {name} has {got}, but the plan expects {planned}: plan again for \
        this input"
    )]
    OtherInput { name: String, got: String, planned: String },
    /// The plan is for other parameters.
    #[error("the plan is for other parameters than those of the server: plan again")]
    Parameters,
    /// The expression has no ciphertext.
    #[error("the expression contains no ciphertext, so there is nothing to compute")]
    NothingEncrypted,
    /// A matrix of blocks is applied to an unencrypted vector.
    #[error("a matrix of blocks needs encrypted vectors")]
    PlainBlock,
    /// An unencrypted value is not a finite number.
    #[error("this number is not finite")]
    NotFinite,
    /// A function of real numbers has a complex argument.
    #[error("{what} needs real numbers")]
    NotReal { what: &'static str },
    /// A step needs more levels than a bootstrap gives.
    #[error(
        "this needs {needed} levels, but a bootstrap leaves {highest}: use parameters with more \
        levels"
    )]
    Deep { needed: usize, highest: usize },
    /// Levels do not suffice, and no value before this step can be bootstrapped.
    #[error(
        "the levels are used up here, and the operands may be too large for a \
        bootstrap: declare a smaller bound for them"
    )]
    Large,
    /// The result is no longer needed.
    #[error("stopped after {done} of {steps} steps: run it again for the result")]
    Stopped { done: usize, steps: usize },
    /// A checkpoint belongs to another run.
    #[error(
        "the checkpoint belongs to another run ({got}, and this is {ours}), of another plan or \
        other inputs; run without it"
    )]
    OtherRun { got: RunId, ours: RunId },
    /// A checkpoint comes from a server with other angles.
    #[error(
        "the checkpoint comes from a server whose bootstraps have other random angles: load \
        the checkpoint before the first bootstrap of this server"
    )]
    OtherAngles,
    /// A part of the expression cannot be computed.
    #[error("{what}: {reason}")]
    Step { what: String, reason: Box<Self> },
    /// An operation on ciphertexts failed.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// A matrix cannot be applied.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// A polynomial or a function cannot be evaluated.
    #[error(transparent)]
    Polynomial(#[from] PolynomialError),
    /// A bootstrap failed.
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    /// A vector or number cannot be encoded.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
}

impl CircuitError {
    /// Returns the error of the operation on ciphertexts, if that is the cause, in whichever step.
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

    /// Adds the name of the part, unless the error has one.
    pub(crate) fn at(what: impl ToString, reason: impl Into<Self>) -> Self {
        match reason.into() {
            reason @ Self::Step { .. } => reason,
            reason => Self::Step { what: what.to_string(), reason: Box::new(reason) },
        }
    }
}
