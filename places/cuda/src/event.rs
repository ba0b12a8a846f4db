// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Events: points in the work of a stream.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::{result, sys};

use crate::context::Context;
use crate::error::CudaError;

/// A point in the work of a stream.
pub struct Event {
    context: Arc<Context>,
    raw: sys::CUevent,
}

// SAFETY: as for `Context`.
unsafe impl Send for Event {}
// SAFETY: as for `Context`.
unsafe impl Sync for Event {}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").finish_non_exhaustive()
    }
}

impl Event {
    pub(crate) fn raw(&self) -> sys::CUevent {
        self.raw
    }

    /// Creates an event, which is over until a stream records it.
    ///
    /// # Errors
    /// [`CudaError`] of the driver.
    pub fn new(context: &Arc<Context>) -> Result<Self, CudaError> {
        let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING;
        let raw = context.call("cuEventCreate", || result::event::create(flags))?;
        Ok(Self { context: Arc::clone(context), raw })
    }

    /// Waits for the event.
    ///
    /// # Errors
    /// [`CudaError`], also of the work before the event.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        // SAFETY: the event exists until it is dropped.
        self.context.call("cuEventSynchronize", || unsafe { result::event::synchronize(self.raw) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event is owned.
        let destroyed =
            self.context.call("cuEventDestroy", || unsafe { result::event::destroy(self.raw) });
        self.context.note("cuEventDestroy", destroyed);
    }
}
