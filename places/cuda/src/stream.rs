// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streams: work on a GPU in order, next to other streams.

use std::ffi::c_void;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::{result, sys};

use crate::context::Context;
use crate::error::CudaError;
use crate::event::Event;
use crate::memory::{Argument, Buffer, Pinned, Plain};
use crate::module::Function;

/// The most blocks of a grid in x (CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability").
const MOST_BLOCKS: u64 = (1 << 31) - 1;

/// A sequence of copies and kernels. Dropping a stream waits for its work.
pub struct Stream {
    context: Arc<Context>,
    raw: sys::CUstream,
}

// SAFETY: as for `Context`.
unsafe impl Send for Stream {}
// SAFETY: as for `Context`.
unsafe impl Sync for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}

impl Stream {
    /// Creates a stream that does not wait for others.
    ///
    /// # Errors
    /// [`CudaError`] of the driver.
    pub fn new(context: &Arc<Context>) -> Result<Self, CudaError> {
        let raw = context.call("cuStreamCreate", || {
            result::stream::create(result::stream::StreamKind::NonBlocking)
        })?;
        Ok(Self { context: Arc::clone(context), raw })
    }

    /// Returns the context of the stream.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(crate) fn raw(&self) -> sys::CUstream {
        self.raw
    }

    /// Checks that memory belongs to the context of this stream: the addresses of a lost context
    /// may be those of other data in the next one.
    pub(crate) fn check(&self, context: &Arc<Context>) -> Result<(), CudaError> {
        match Arc::ptr_eq(&self.context, context) {
            true => Ok(()),
            false => Err(CudaError::OtherContext),
        }
    }

    /// Copies elements to a buffer, from its element `start`. The elements have been read when the
    /// call returns.
    ///
    /// # Errors
    /// [`CudaError::Range`], or the error of the driver.
    pub fn upload<T: Plain>(
        &self,
        from: &[T],
        to: &Buffer<T>,
        start: usize,
    ) -> Result<(), CudaError> {
        self.check(to.context())?;
        let address = to.address(&(start..start.saturating_add(from.len())))?;
        if from.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies in the buffer. The driver has read memory that is not pinned when
        // it returns (CUDA driver API, "API synchronization behavior").
        self.context.call("cuMemcpyHtoDAsync", || unsafe {
            result::memcpy_htod_async(address, from, self.raw)
        })
    }

    /// Copies pinned elements to a buffer, from its element `start`, while the processor goes on.
    ///
    /// # Errors
    /// As [`Self::upload`].
    pub fn upload_pinned<T: Plain>(
        &self,
        from: &Pinned<T>,
        range: Range<usize>,
        to: &Buffer<T>,
        start: usize,
    ) -> Result<(), CudaError> {
        self.check(to.context())?;
        let address = to.address(&(start..start.saturating_add(range.len())))?;
        let source = from.address(&range)?;
        if range.is_empty() {
            return Ok(());
        }
        self.wait(from.copied())?;
        // SAFETY: both ranges lie in their memory, which nobody changes before the event.
        self.context.call("cuMemcpyHtoDAsync", || unsafe {
            let source = std::slice::from_raw_parts(source, range.len());
            result::memcpy_htod_async(address, source, self.raw)
        })?;
        self.record(from.copied())
    }

    /// Copies the elements `range` of a buffer to elements of the same number, which it waits for.
    ///
    /// # Errors
    /// As [`Self::upload`], and the errors of earlier work.
    pub fn download<T: Plain>(
        &self,
        from: &Buffer<T>,
        start: usize,
        to: &mut [T],
    ) -> Result<(), CudaError> {
        self.check(from.context())?;
        let address = from.address(&(start..start.saturating_add(to.len())))?;
        if to.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies in the buffer; the stream is waited for below.
        let copied = self.context.call("cuMemcpyDtoHAsync", || unsafe {
            result::memcpy_dtoh_async(to, address, self.raw)
        });
        copied.and(self.synchronize())
    }

    /// Copies the elements from `start` of a buffer to pinned elements while the processor goes on.
    ///
    /// # Errors
    /// As [`Self::upload`].
    pub fn download_pinned<T: Plain>(
        &self,
        from: &Buffer<T>,
        start: usize,
        to: &mut Pinned<T>,
        range: Range<usize>,
    ) -> Result<(), CudaError> {
        self.check(from.context())?;
        let address = from.address(&(start..start.saturating_add(range.len())))?;
        let target = to.address(&range)?;
        if range.is_empty() {
            return Ok(());
        }
        self.wait(to.copied())?;
        // SAFETY: both ranges lie in their memory, which nobody reads before the event.
        self.context.call("cuMemcpyDtoHAsync", || unsafe {
            let target = std::slice::from_raw_parts_mut(target, range.len());
            result::memcpy_dtoh_async(target, address, self.raw)
        })?;
        self.record(to.copied())
    }

    /// Copies elements from a buffer to another one.
    ///
    /// # Errors
    /// As [`Self::upload`].
    pub fn copy<T: Plain>(
        &self,
        from: &Buffer<T>,
        range: Range<usize>,
        to: &Buffer<T>,
        start: usize,
    ) -> Result<(), CudaError> {
        self.check(from.context())?;
        self.check(to.context())?;
        let source = from.address(&range)?;
        let target = to.address(&(start..start.saturating_add(range.len())))?;
        if range.is_empty() {
            return Ok(());
        }
        let bytes = range.len() * size_of::<T>();
        // SAFETY: both ranges lie in their buffers.
        self.context.call("cuMemcpyDtoDAsync", || unsafe {
            result::memcpy_dtod_async(target, source, bytes, self.raw)
        })
    }

    /// Sets all bytes of the elements of a range to zero.
    ///
    /// # Errors
    /// As [`Self::upload`].
    pub fn clear<T: Plain>(
        &self,
        buffer: &Buffer<T>,
        range: Range<usize>,
    ) -> Result<(), CudaError> {
        self.check(buffer.context())?;
        let address = buffer.address(&range)?;
        if range.is_empty() {
            return Ok(());
        }
        let bytes = range.len() * size_of::<T>();
        // SAFETY: the range lies in the buffer.
        self.context.call("cuMemsetD8Async", || unsafe {
            result::memset_d8_async(address, 0, bytes, self.raw)
        })
    }

    /// Runs a kernel on at least this number of threads, in whole blocks of the function's size.
    /// A kernel reads and writes only memory of the GPU.
    ///
    /// # Errors
    /// [`CudaError::Launch`] for arguments of other sizes than the parameters, or too many threads;
    /// the error of the driver.
    pub fn launch(
        &self,
        function: &Function,
        threads: u64,
        arguments: &[Argument],
    ) -> Result<(), CudaError> {
        let blocks = threads.div_ceil(u64::from(function.block()));
        let Some(blocks) = u32::try_from(blocks).ok().filter(|_| blocks <= MOST_BLOCKS) else {
            let reason = format!("{blocks} blocks, and a grid has at most {MOST_BLOCKS}");
            return Err(CudaError::Launch { function: function.name(), reason });
        };
        self.launch_blocks(function, blocks, arguments)
    }

    /// Runs a kernel on this number of blocks of the function's size.
    ///
    /// # Errors
    /// As [`Self::launch`].
    pub fn launch_blocks(
        &self,
        function: &Function,
        blocks: u32,
        arguments: &[Argument],
    ) -> Result<(), CudaError> {
        let sizes: Vec<usize> = arguments.iter().map(|argument| argument.size()).collect();
        function.check(&self.context, &sizes)?;
        if blocks == 0 {
            return Ok(());
        }
        let mut values: Vec<u64> = arguments.iter().map(|argument| argument.value()).collect();
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        let (grid, block) = ((blocks, 1, 1), (function.block(), 1, 1));
        // SAFETY: the arguments have the sizes of the parameters, and the driver reads them before
        // it returns. The function keeps its module loaded.
        self.context.call("cuLaunchKernel", || unsafe {
            result::launch_kernel(function.raw(), grid, block, 0, self.raw, &mut pointers)
        })
    }

    /// Records an event after the work of this stream so far.
    ///
    /// # Errors
    /// [`CudaError`] of the driver.
    pub fn record(&self, event: &Event) -> Result<(), CudaError> {
        // SAFETY: both exist until they are dropped.
        self.context
            .call("cuEventRecord", || unsafe { result::event::record(event.raw(), self.raw) })
    }

    /// Lets the further work of this stream wait for an event. An event that was never recorded is
    /// over.
    ///
    /// # Errors
    /// [`CudaError`] of the driver.
    pub fn wait(&self, event: &Event) -> Result<(), CudaError> {
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: both exist until they are dropped.
        self.context.call("cuStreamWaitEvent", || unsafe {
            result::stream::wait_event(self.raw, event.raw(), flags)
        })
    }

    /// Waits for the work of this stream.
    ///
    /// # Errors
    /// [`CudaError`], also of that work.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        // SAFETY: the stream exists until it is dropped.
        self.context
            .call("cuStreamSynchronize", || unsafe { result::stream::synchronize(self.raw) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let waited = self.synchronize();
        // SAFETY: the stream is owned.
        let destroyed =
            self.context.call("cuStreamDestroy", || unsafe { result::stream::destroy(self.raw) });
        self.context.note("cuStreamDestroy", waited.and(destroyed));
    }
}
