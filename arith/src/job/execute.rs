// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of a device for its callers.

use std::collections::VecDeque;

use super::{Answered, DeviceError, Limits, Operation, Timing};

/// A device that can do an operation, in batches. Threads may share it.
pub trait Execute<Op: Operation>: Sync {
    /// Answers every request; replies stand in the order of the requests.
    ///
    /// # Errors
    /// Whatever the device could not do; the error names the first request without an answer.
    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError>;

    /// How much of this operation to ask at once.
    fn limits(&self) -> Limits {
        Limits::default()
    }

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
    /// True while another batch does the device more good than collecting one.
    fn wants_more(&self) -> bool;

    /// Hands in a batch.
    ///
    /// # Errors
    /// Whatever the device could not do, also of an earlier batch. The session is of no use then.
    fn submit(&mut self, batch: Op::Batch<'_>) -> Result<(), DeviceError>;

    /// The replies to the oldest batch that was not collected yet, in the order of its requests;
    /// waits for them. `None` where no batch is left.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn collect(&mut self) -> Result<Option<Op::Replies>, DeviceError>;

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
    done: VecDeque<Op::Replies>,
    timing: Timing,
}

impl<D: Execute<Op>, Op: Operation> Session<Op> for BatchByBatch<'_, D, Op> {
    fn wants_more(&self) -> bool {
        self.done.is_empty()
    }

    fn submit(&mut self, batch: Op::Batch<'_>) -> Result<(), DeviceError> {
        let answered = self.device.execute(batch)?;
        self.timing.add(answered.timing);
        self.done.push_back(answered.replies);
        Ok(())
    }

    fn collect(&mut self) -> Result<Option<Op::Replies>, DeviceError> {
        Ok(self.done.pop_front())
    }

    fn timing(&mut self) -> Result<Timing, DeviceError> {
        Ok(self.timing)
    }
}
