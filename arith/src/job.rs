// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Jobs: what an accelerator can be asked ([`Operation`]), how a processor answers
//! ([`Compute`]), and how a device answers in batches ([`Execute`]).

use std::time::Duration;

use rayon::prelude::*;

/// One thing an accelerator can be asked to do, e.g. a Poseidon permutation.
///
/// A request is valid by construction: an engine's types refuse what cannot be computed, so that
/// a device only fails for reasons of its own.
pub trait Operation: 'static {
    /// What is asked.
    type Request: Clone + Send + Sync + 'static;
    /// What is answered.
    type Reply: Clone + Send + 'static;
    /// Name for messages and tables, e.g. `poseidon.permute`.
    const NAME: &'static str;
}

/// An operation's implementation on this processor.
pub trait Compute: Operation {
    /// Answers one request on the calling thread.
    fn compute(request: &Self::Request) -> Self::Reply;

    /// Answers a batch over all cores of the current thread pool; replies stand in the order of
    /// the requests.
    fn compute_batch(requests: &[Self::Request]) -> Vec<Self::Reply> {
        requests.par_iter().map(Self::compute).collect()
    }
}

/// A device that can do an operation, in batches.
pub trait Execute<Op: Operation> {
    /// Answers every request; replies stand in the order of the requests.
    ///
    /// # Errors
    /// Whatever the device could not do; the error names the first request without an answer.
    fn execute(&self, requests: &[Op::Request]) -> Result<Batch<Op::Reply>, DeviceError>;
}

/// The replies of a batch and where its time went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch<Reply> {
    /// One reply a request, in the order of the requests.
    pub replies: Vec<Reply>,
    /// Where the time went.
    pub timing: Timing,
}

/// Where a batch's time went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Encoding the requests and sending them.
    pub to_device: Duration,
    /// From the last request sent to the last reply received; on a processor, all of it.
    pub compute: Duration,
    /// Decoding the replies.
    pub from_device: Duration,
    /// Clocks the card counted, where it has a counter.
    pub card_clocks: Option<u64>,
    /// How many requests were answered by a fallback device.
    pub fallback_requests: usize,
}

/// Why a device did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The device is not on this machine, or its software is not.
    #[error("device {device} is not available: {reason}")]
    Unavailable {
        /// The device as the user named it.
        device: String,
        /// What is missing and what to do.
        reason: String,
    },
    /// The device is there but lacks this operation or this instance of it.
    #[error("device {device} cannot do {operation}: {reason}")]
    Unsupported {
        /// The device as the user named it.
        device: String,
        /// [`Operation::NAME`].
        operation: &'static str,
        /// What is missing.
        reason: String,
    },
    /// The device stopped answering or answered what the protocol forbids.
    #[error("device {device} failed at request {request_index} of {requests}: {reason}")]
    Failed {
        /// The device as the user named it.
        device: String,
        /// First request of the batch without an answer.
        request_index: usize,
        /// How many requests the batch held.
        requests: usize,
        /// What happened.
        reason: String,
    },
}
