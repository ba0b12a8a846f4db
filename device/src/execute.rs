// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches on a device.

use halimede_arith::job::{
    batch_by_batch, Answered, Columns, DeviceError, Execute, Limits, Operation, Session, Timing,
};
use halimede_places::Found;

use crate::device::Device;
use crate::session::DeviceSession;

impl<Op: Operation> Execute<Op> for Device {
    /// Without a fallback, an unsupported request is [`DeviceError::Unsupported`] before anything
    /// is sent.
    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError> {
        let part = match self.part_with::<Op>() {
            Ok(part) => part,
            Err(error) => return elsewhere::<Op>(self, batch, error),
        };
        let executor = match part.found::<Op>() {
            Some(Found::Reliable(executor)) => return executor.execute(batch),
            Some(Found::MayFail(executor)) => executor,
            None => return elsewhere::<Op>(self, batch, self.lacks::<Op>()),
        };
        if batch.is_empty() {
            return Ok(Answered { replies: Op::Replies::default(), timing: Timing::default() });
        }
        let mut session = DeviceSession::new(part, executor);
        session.submit(batch)?;
        let replies = session.collect()?.unwrap_or_default();
        Ok(Answered { replies, timing: session.timing()? })
    }

    fn limits(&self) -> Limits {
        self.executor::<Op>().map_or_else(Limits::default, |executor| executor.limits())
    }

    /// Over a link, batches follow each other without a pause: the next batch is sent while the
    /// replies to the last one arrive.
    fn session(&self) -> Box<dyn Session<Op> + '_> {
        let part = self.part_with::<Op>();
        match part.ok().and_then(|part| Some((part, part.found::<Op>()?))) {
            Some((part, Found::MayFail(executor))) => Box::new(DeviceSession::new(part, executor)),
            _ => batch_by_batch(self),
        }
    }
}

/// Sends a batch to the fallback because the device cannot take it at all. Without a fallback,
/// returns the device's error.
fn elsewhere<Op: Operation>(
    device: &Device,
    batch: Op::Batch<'_>,
    error: DeviceError,
) -> Result<Answered<Op::Replies>, DeviceError> {
    let Some(fallback) = &device.fallback else {
        return Err(error);
    };
    let mut answered = Execute::<Op>::execute(&**fallback, batch)?;
    answered.timing.fallback_requests = batch.len();
    Ok(answered)
}
