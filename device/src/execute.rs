// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches on a device.

use std::time::Instant;

use halimede_arith::job::{Batch, Compute, DeviceError, Execute, Session, Timing};
use halimede_card::wire::WireOperation;

use crate::device::{Backend, Device};
use crate::fork;
use crate::session::DeviceSession;

impl<Op: Compute + WireOperation> Execute<Op> for Device {
    /// Without a fallback, a request that the device cannot do is
    /// [`DeviceError::Unsupported`] before anything is sent. Where the environment asks for a backend
    /// that is not here, this processor computes nothing.
    fn execute(&self, requests: &[Op::Request]) -> Result<Batch<Op::Reply>, DeviceError> {
        match &self.backend {
            Backend::Processor => {
                self.check_backend()?;
                Ok(compute::<Op>(requests))
            }
            Backend::Absent(reason) => execute_elsewhere::<Op>(self, reason, requests),
            Backend::Card(_) if requests.is_empty() => {
                Ok(Batch { replies: Vec::new(), timing: Timing::default() })
            }
            Backend::Card(_) => {
                let mut session = Execute::<Op>::session(self);
                session.submit(requests)?;
                let replies = session.collect()?.unwrap_or_default();
                Ok(Batch { replies, timing: session.timing()? })
            }
        }
    }

    /// On a card, batches follow each other without a pause: the next is on its way while the
    /// replies to the last come back.
    fn session(&self) -> Box<dyn Session<Op> + '_> {
        match &self.backend {
            Backend::Processor | Backend::Absent(_) => halimede_arith::job::batch_by_batch(self),
            Backend::Card(card) => {
                Box::new(DeviceSession::new(card, self.fallback.as_deref(), self.retries))
            }
        }
    }
}

/// Answers a batch on this processor.
fn compute<Op: Compute>(requests: &[Op::Request]) -> Batch<Op::Reply> {
    let start = Instant::now();
    let replies = fork::in_pool(|| Op::compute_batch(requests));
    Batch { replies, timing: Timing { compute: start.elapsed(), ..Timing::default() } }
}

/// Has the fallback of a device that could not be opened answer a batch.
fn execute_elsewhere<Op: Compute + WireOperation>(
    device: &Device,
    reason: &str,
    requests: &[Op::Request],
) -> Result<Batch<Op::Reply>, DeviceError> {
    let Some(fallback) = &device.fallback else {
        let (device, reason) = (device.name().to_owned(), reason.to_owned());
        return Err(DeviceError::Unavailable { device, reason });
    };
    let mut batch = Execute::<Op>::execute(&**fallback, requests)?;
    batch.timing.fallback_requests = requests.len();
    Ok(batch)
}
