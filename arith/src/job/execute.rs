// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of a device for its callers.

use std::collections::VecDeque;

use super::{Answered, DeviceError, Limits, Operation, Timing};

/// A device that runs an operation on batches. Threads may share it.
pub trait Execute<Op: Operation>: Sync {
    /// Answers every request. The replies are in the order of the requests.
    ///
    /// # Errors
    /// [`DeviceError`], which names the first request without an answer.
    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError>;

    /// Returns how much work of this operation one call should submit.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// Opens a session, for work that comes in many batches. The default session answers each batch
    /// when it is submitted. A device with a link has a session that keeps the link busy.
    fn session(&self) -> Box<dyn Session<Op> + '_>
    where
        Self: Sized,
    {
        batch_by_batch(self)
    }
}

/// Returns a session that answers each batch when it is submitted.
pub fn batch_by_batch<Op: Operation>(device: &impl Execute<Op>) -> Box<dyn Session<Op> + '_> {
    Box::new(BatchByBatch { device, done: VecDeque::new(), timing: Timing::default() })
}

/// A sequence of batches, collected in the order in which they were submitted. A device can begin
/// the next batch before the current one ends.
pub trait Session<Op: Operation>: Send {
    /// Returns `true` if the device profits more from another batch than from a call of
    /// [`Self::collect`].
    fn wants_more(&self) -> bool;

    /// Submits a batch.
    ///
    /// # Errors
    /// [`DeviceError`], possibly about an earlier batch. The session cannot be used afterwards.
    fn submit(&mut self, batch: Op::Batch<'_>) -> Result<(), DeviceError>;

    /// Waits for the replies to the oldest batch that was not collected, and returns them in the
    /// order of its requests. Returns `None` if no batch is left.
    ///
    /// # Errors
    /// See [`Self::submit`].
    fn collect(&mut self) -> Result<Option<Op::Replies>, DeviceError>;

    /// Returns the time spent so far, by phase. Reads the clock counters of a card, without waiting
    /// for a batch.
    ///
    /// # Errors
    /// See [`Self::submit`].
    fn timing(&mut self) -> Result<Timing, DeviceError>;
}

/// The session of a device that answers each batch at once.
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
