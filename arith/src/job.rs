// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Jobs: what an accelerator can be asked ([`Operation`]), how a processor answers
//! ([`Compute`]), and how a device answers in batches ([`Execute`]).

use std::collections::VecDeque;
use std::time::Duration;

use rayon::prelude::*;

use crate::backend::BackendError;

/// One thing an accelerator can be asked to do, e.g. a Poseidon permutation.
///
/// A request is valid by construction: an engine's types refuse what cannot be computed, so that
/// a device only fails for reasons of its own.
pub trait Operation: 'static {
    /// What is asked.
    type Request: Clone + Send + Sync + 'static;
    /// What is answered.
    type Reply: Clone + PartialEq + Send + 'static;
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

/// A device that can do an operation, in batches. Threads may share it.
pub trait Execute<Op: Operation>: Sync {
    /// Answers every request; replies stand in the order of the requests.
    ///
    /// # Errors
    /// Whatever the device could not do; the error names the first request without an answer.
    fn execute(&self, requests: &[Op::Request]) -> Result<Batch<Op::Reply>, DeviceError>;

    /// Opens a session, for work that comes in many batches. What this gives by default answers
    /// each batch when it is handed in; a device with a link has one that keeps the link busy.
    fn session(&self) -> Box<dyn Session<Op> + '_>
    where
        Self: Sized,
    {
        batch_by_batch(self)
    }
}

/// A session that answers each batch when it is handed in.
pub fn batch_by_batch<Op: Operation>(device: &impl Execute<Op>) -> Box<dyn Session<Op> + '_> {
    Box::new(BatchByBatch { device, done: VecDeque::new(), timing: Timing::default() })
}

/// Batches that are handed in one after the other and collected in the same order, so that a
/// device need not wait for one to end before the next begins.
pub trait Session<Op: Operation>: Send {
    /// Most requests that should be handed in at once; `None` where it does not matter. With more,
    /// a batch's first replies wait longer for its last.
    fn batch_requests(&self) -> Option<usize>;

    /// True while another batch does the device more good than collecting one.
    fn wants_more(&self) -> bool;

    /// Hands in a batch.
    ///
    /// # Errors
    /// Whatever the device could not do, also of an earlier batch. The session is of no use then.
    fn submit(&mut self, requests: &[Op::Request]) -> Result<(), DeviceError>;

    /// The replies to the oldest batch that was not collected yet, in the order of its requests;
    /// waits for them. `None` where no batch is left.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn collect(&mut self) -> Result<Option<Vec<Op::Reply>>, DeviceError>;

    /// Where the time went so far. A card is asked for its clocks, without a batch being waited
    /// for.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn timing(&mut self) -> Result<Timing, DeviceError>;
}

/// A session of a device that answers each batch at once.
struct BatchByBatch<'d, D, Op: Operation> {
    device: &'d D,
    done: VecDeque<Vec<Op::Reply>>,
    timing: Timing,
}

impl<D: Execute<Op>, Op: Operation> Session<Op> for BatchByBatch<'_, D, Op> {
    fn batch_requests(&self) -> Option<usize> {
        None
    }

    fn wants_more(&self) -> bool {
        self.done.is_empty()
    }

    fn submit(&mut self, requests: &[Op::Request]) -> Result<(), DeviceError> {
        let batch = self.device.execute(requests)?;
        self.timing.add(batch.timing);
        self.done.push_back(batch.replies);
        Ok(())
    }

    fn collect(&mut self) -> Result<Option<Vec<Op::Reply>>, DeviceError> {
        Ok(self.done.pop_front())
    }

    fn timing(&mut self) -> Result<Timing, DeviceError> {
        Ok(self.timing)
    }
}

/// The replies of a batch and where its time went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch<Reply> {
    /// One reply a request, in the order of the requests.
    pub replies: Vec<Reply>,
    /// Where the time went.
    pub timing: Timing,
}

/// Where the time of a batch or a session went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Encoding the requests and sending them.
    pub to_device: Duration,
    /// Waiting for replies with nothing left to send; on a processor, all of it.
    pub compute: Duration,
    /// Decoding the replies.
    pub from_device: Duration,
    /// Clocks the card counted, where it has a counter.
    pub card_clocks: Option<u64>,
    /// Clocks of those in which the card could have begun a request and had none: it waited for
    /// the host. Where an engine has cores for several fields, those of the field that waited least.
    pub card_starved_clocks: Option<u64>,
    /// Clocks of those in which a reply waited for the host to take it.
    pub card_stalled_clocks: Option<u64>,
    /// How many requests were answered by a fallback device.
    pub fallback_requests: usize,
}

impl Timing {
    /// Adds the times of another batch, which ran before or after this one.
    pub fn add(&mut self, other: Self) {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => one.checked_add(other),
            (one, other) => one.or(other),
        };
        self.to_device += other.to_device;
        self.compute += other.compute;
        self.from_device += other.from_device;
        self.card_clocks = sum(self.card_clocks, other.card_clocks);
        self.card_starved_clocks = sum(self.card_starved_clocks, other.card_starved_clocks);
        self.card_stalled_clocks = sum(self.card_stalled_clocks, other.card_stalled_clocks);
        self.fallback_requests += other.fallback_requests;
    }
}

impl DeviceError {
    /// That this processor computes nothing, where the environment asks for a backend that is not here.
    pub fn of_backend(device: &str, error: &BackendError) -> Self {
        Self::Unavailable { device: device.to_owned(), reason: error.to_string() }
    }
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
