// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a network cannot be built, read, compiled or run.

use std::path::PathBuf;

use halimede_ckks::encoding::EncodingError;
use halimede_ckks::executor::ExecutorError;
use halimede_ckks::linear::LinearError;
use halimede_ckks::polynomial::PolynomialError;
use halimede_ckks::sampling::RandomError;
use halimede_ckks::{CircuitError, EvaluationError, SharingError};

/// Why a network cannot be built, read, compiled or run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum NetworkError {
    /// A node of the network is wrong or not supported.
    #[error("node {node}: {reason}")]
    Node { node: String, reason: String },
    /// The file is not an ONNX model, or is damaged.
    #[error("not an ONNX model: {reason}")]
    Onnx { reason: String },
    /// A file is not that of a network, or is damaged.
    #[error("not the file of a network: {reason}")]
    File { reason: String },
    /// A file of parameters is missing, is not a text of numbers, or does not fit the network.
    #[error("{file}: {reason}")]
    Parameters { file: String, reason: String },
    /// Something exceeds a limit of this crate.
    #[error("{what}: {got}, and the limit is {limit}")]
    Limit {
        /// The name of the counted things.
        what: String,
        got: usize,
        limit: usize,
    },
    /// An input has the wrong number of values.
    #[error("expected {wanted} values of an input ({shape}), got {got}")]
    Input { got: usize, wanted: usize, shape: String },
    /// The number of inputs does not fit a batch.
    #[error("expected 1 to {most} inputs at once, got {got}")]
    Batch {
        got: usize,
        /// The largest number of inputs.
        most: usize,
    },
    /// An input cannot be encrypted alone in a place of a batch.
    #[error(
        "place {place} of a batch of {batch}, from 0, with inputs from {low} to {high}: the place \
         must exist, and other places hold zeros, which must be in the range"
    )]
    Place { place: usize, batch: usize, low: f64, high: f64 },
    /// The list of samples to calibrate with is empty, or a value is not finite.
    #[error("calibration: {reason}")]
    Calibration { reason: String },
    /// A layer does not fit into the allowed number of ciphertexts.
    #[error(
        "layer {layer} needs {needed} slots; the parameters have {slots}, and a layer has at most \
        {most} ciphertexts: use a larger N or a smaller network"
    )]
    Slots { layer: String, needed: usize, slots: usize, most: usize },
    /// The ciphertexts of an input or a result do not match each other or the network.
    #[error("ciphertexts of {what}: {reason}")]
    Ciphertexts { what: &'static str, reason: String },
    /// An input lies outside the calibrated range.
    #[error(
        "value {place} of the input is {got}, but the network was calibrated for {low} to {high}: \
        calibrate with similar inputs"
    )]
    InputRange {
        /// The place in the input, from 0.
        place: usize,
        got: f64,
        low: f64,
        high: f64,
    },
    /// The argument of an activation left its interval: the result is not valid.
    #[error(
        "the guard is {got:.3e}, above the limit of 1: an activation's argument left its interval, \
        and the result is not valid; calibrate with similar inputs"
    )]
    Guard { got: f64 },
    /// No bound is known for the error of a shared result.
    #[error(
        "the result cannot be shared, since its error has no bound: {reason}; state a bound of the \
        error that you know to be true"
    )]
    Unbounded { reason: String },
    /// A result needs more decryptions than stated.
    #[error(
        "the result needs {wanted} decryptions, one per ciphertext, but only {queries} were \
        stated: state all decryptions that others will ever see under this key"
    )]
    Decryptions { wanted: u32, queries: u32 },
    /// The noise of a shared decryption hides the guard.
    #[error(
        "noise of {noise:.1e} would hide the guard, whose limit is 1: use fewer bits of security, \
        fewer decryptions, or more precise parameters"
    )]
    NoisyGuard { noise: f64 },
    /// The guard of a shared result failed. The error does not reveal its value.
    #[error(
        "the guard failed: an activation's argument left its interval, and nothing is shared; do \
        not reveal this to others, since it depends on errors beyond their bound"
    )]
    SharedGuard,
    /// An output has the wrong number of values.
    #[error("expected {wanted} values of an output, got {got}")]
    Outputs { got: usize, wanted: usize },
    /// Trained weights differ from those in plaintext by more than stated.
    #[error(
        "the weights differ by {error:.2e} (root mean square) from those of the same steps in \
        plaintext, above the stated bound of {most:.2e}: nothing is shared"
    )]
    WeightError { error: f64, most: f64 },
    /// Samples or options of a training are not valid.
    #[error("training: {reason}")]
    Training { reason: String },
    /// A checkpoint cannot be read or written.
    #[error("{path}: {reason}; without it, a run starts from the beginning", path = path.display())]
    Checkpoint { path: PathBuf, reason: String },
    /// A circuit cannot be planned or run.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
    /// A place cannot run the programs of a network or a training.
    #[error(transparent)]
    Executor(ExecutorError),
    /// A vector cannot be encrypted.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// A ciphertext cannot be decrypted.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// A matrix cannot be applied.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// A polynomial cannot be fitted.
    #[error(transparent)]
    Polynomial(#[from] PolynomialError),
    /// A decryption cannot be shared.
    #[error(transparent)]
    Sharing(#[from] SharingError),
    /// The operating system gives no random bytes.
    #[error(transparent)]
    Random(#[from] RandomError),
}

impl From<ExecutorError> for NetworkError {
    fn from(error: ExecutorError) -> Self {
        match error {
            ExecutorError::Circuit(error) => Self::Circuit(error),
            error => Self::Executor(error),
        }
    }
}

impl NetworkError {
    /// Returns an error of a node.
    pub(crate) fn node(node: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Node { node: node.into(), reason: reason.into() }
    }
}
