// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a network cannot be built, read, compiled or run.

use std::path::PathBuf;

use halimede_ckks::encoding::EncodingError;
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
    /// The file is no ONNX model, or is damaged.
    #[error("not an ONNX model: {reason}")]
    Onnx { reason: String },
    /// A file of parameters is missing, is no text of numbers, or does not fit the network.
    #[error("{file}: {reason}")]
    Parameters { file: String, reason: String },
    /// Something exceeds a limit of this crate.
    #[error("{what}: {got}, and the limit is {limit}")]
    Limit {
        /// What is counted.
        what: String,
        got: usize,
        limit: usize,
    },
    /// An input has another number of values than the network takes.
    #[error("an input has {got} values, and the network takes {shape}: {wanted} values")]
    Input { got: usize, wanted: usize, shape: String },
    /// Another number of inputs than a batch may have.
    #[error("{got} inputs, and the network takes 1 to {most} at once")]
    Batch {
        got: usize,
        /// How many it takes at most.
        most: usize,
    },
    /// There is nothing to calibrate with, or a value is not finite.
    #[error("calibration: {reason}")]
    Calibration { reason: String },
    /// A layer does not fit as many ciphertexts as it may have.
    #[error(
        "layer {layer} takes {needed} slots; the parameters have {slots}, and {most} ciphertexts are \
        the most of a layer: take a larger N, or a smaller network"
    )]
    Slots { layer: String, needed: usize, slots: usize, most: usize },
    /// The ciphertexts of an input or a result do not belong together, or to the network.
    #[error("ciphertexts of {what}: {reason}")]
    Ciphertexts { what: &'static str, reason: String },
    /// An input lies outside of the range that the network was calibrated for.
    #[error(
        "value {place} of the input is {got}, and the network was calibrated for {low} to {high}: \
        calibrate with such inputs"
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
        "the guard is {got:.3e}, and 1 is the limit: an activation's argument left its interval, \
        and the result is not valid; calibrate with inputs like this one"
    )]
    Guard { got: f64 },
    /// Nothing bounds the error of what others are to see.
    #[error(
        "it cannot be shared, since nothing bounds its error: {reason}; state a bound of the error that \
        you know to be true"
    )]
    Unbounded { reason: String },
    /// A result takes more decryptions than were stated.
    #[error(
        "it takes {wanted} decryptions, one for each ciphertext, and it was stated that others see \
        {queries}: state as many as others will ever see under this key"
    )]
    Decryptions { wanted: u32, queries: u32 },
    /// The noise of a decryption for others hides the guard.
    #[error(
        "noise of {noise:.1e} would hide the guard, whose limit is 1: fewer bits of security or fewer \
        decryptions fit, or parameters of more precision"
    )]
    NoisyGuard { noise: f64 },
    /// The guard of a result for others failed; its value is not told.
    #[error(
        "the guard failed: an activation's argument left its interval, and nothing is shared; do not \
        tell others of it, since errors beyond their bound decide it"
    )]
    SharedGuard,
    /// Another number of values than the network gives.
    #[error("an output has {got} values, and the network gives {wanted}")]
    Outputs { got: usize, wanted: usize },
    /// Trained weights are further from those in plaintext than was stated.
    #[error(
        "the weights are off by {error:.2e} from those that the same steps find in plaintext, the root \
        of the mean square, and the stated bound is {most:.2e}: nothing is shared"
    )]
    WeightError { error: f64, most: f64 },
    /// Samples or options of a training are none.
    #[error("training: {reason}")]
    Training { reason: String },
    /// A checkpoint cannot be read or written.
    #[error("{path}: {reason}; without it a run begins anew", path = path.display())]
    Checkpoint { path: PathBuf, reason: String },
    /// A circuit cannot be planned or run.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
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

impl NetworkError {
    /// Returns an error of a node.
    pub(crate) fn node(node: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Node { node: node.into(), reason: reason.into() }
    }
}
