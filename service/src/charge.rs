// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accounting of the memory of requests: memory is charged to a request before it is allocated,
//! until its answer is sent.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refusal::{Reason, Refusal};

/// The number of bytes of a unit of memory.
const UNIT_BYTES: usize = 1 << 10;
/// The time after which to try again if no memory is left.
const RETRY: Duration = Duration::from_secs(1);

/// The memory for all requests.
#[derive(Clone, Debug)]
pub struct RequestMemory {
    units: usize,
    free: Arc<Semaphore>,
}

impl RequestMemory {
    /// Returns a memory of this number of bytes.
    pub fn new(bytes: usize) -> Self {
        let units = (bytes / UNIT_BYTES).min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
        Self { units, free: Arc::new(Semaphore::new(units)) }
    }

    /// Returns an empty charge for a request.
    pub fn charge(&self) -> Charge {
        Charge { memory: self.clone(), permit: None }
    }

    /// Returns the number of bytes that are charged now.
    pub fn used_bytes(&self) -> usize {
        (self.units - self.free.available_permits().min(self.units)) * UNIT_BYTES
    }

    /// Returns the total number of bytes.
    pub fn most_bytes(&self) -> usize {
        self.units * UNIT_BYTES
    }
}

/// The memory charged to a request. Dropping it returns the memory.
#[derive(Debug)]
pub struct Charge {
    memory: RequestMemory,
    permit: Option<OwnedSemaphorePermit>,
}

impl Charge {
    fn units(&self) -> usize {
        self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }

    /// Grows the charge to at least `bytes`.
    ///
    /// # Errors
    /// [`Reason::Memory`] if other requests use the memory, [`Reason::BodySize`] if `bytes` exceeds
    /// the total.
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), Refusal> {
        let wanted = bytes.div_ceil(UNIT_BYTES);
        let Some(more) = wanted.checked_sub(self.units()).filter(|more| *more > 0) else {
            return Ok(());
        };
        if wanted > self.memory.units {
            let message = format!(
                "the request needs more than the {} bytes of memory for all requests together: \
                 send smaller batches",
                self.memory.most_bytes()
            );
            return Err(Refusal::new(Reason::BodySize, message));
        }
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let Ok(permit) = Arc::clone(&self.memory.free).try_acquire_many_owned(more) else {
            let message = "other requests use all the memory for requests: try again later";
            return Err(Refusal::for_now(Reason::Memory, message, RETRY));
        };
        match &mut self.permit {
            Some(own) => own.merge(permit),
            None => self.permit = Some(permit),
        }
        Ok(())
    }

    /// Shrinks the charge to at most `bytes`, rounded up to a unit.
    pub fn shrink_to(&mut self, bytes: usize) {
        let units = self.units();
        let less = units.saturating_sub(bytes.div_ceil(UNIT_BYTES));
        drop(self.permit.as_mut().and_then(|permit| permit.split(less)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_grow_shrink_and_are_given_back() {
        let memory = RequestMemory::new(10 << 10);
        let (mut first, mut second) = (memory.charge(), memory.charge());
        first.grow_to(3_000).unwrap();
        first.grow_to(2_000).unwrap();
        assert_eq!(memory.used_bytes(), 3 << 10);
        second.grow_to(7 << 10).unwrap();
        assert_eq!(first.grow_to(3_073).unwrap_err().reason, Reason::Memory);
        assert_eq!(first.grow_to((10 << 10) + 1).unwrap_err().reason, Reason::BodySize);
        second.shrink_to(1);
        assert_eq!(memory.used_bytes(), 4 << 10);
        first.grow_to(9 << 10).unwrap();
        drop(first);
        assert_eq!(memory.used_bytes(), 1 << 10);
        second.shrink_to(0);
        assert_eq!(memory.used_bytes(), 0);
    }
}
