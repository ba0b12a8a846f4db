// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory of a GPU, and memory of this machine that the GPU can read and write directly.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::{result, sys};

use crate::context::Context;
use crate::error::CudaError;
use crate::event::Event;

/// A type whose values are any bytes, the same on the GPU.
///
/// # Safety
/// Every pattern of bits is a value, and there is no padding.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

// SAFETY: integers have no padding and no invalid value.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u16 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: an array has no padding between its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// The bytes of elements.
pub(crate) fn bytes_of<T>(length: usize) -> Result<usize, CudaError> {
    let bytes = length.checked_mul(size_of::<T>());
    bytes.ok_or(CudaError::Memory { wanted: usize::MAX, used: 0, limit: 0, free: None })
}

/// Checks that a range lies in a buffer of this length.
fn check_range(range: &Range<usize>, length: usize) -> Result<(), CudaError> {
    let Range { start, end } = *range;
    match start <= end && end <= length {
        true => Ok(()),
        false => Err(CudaError::Range { start, end, length }),
    }
}

/// Elements in the memory of a GPU. Dropping a buffer waits for the work on it, and frees it.
pub struct Buffer<T: Plain> {
    context: Arc<Context>,
    pointer: sys::CUdeviceptr,
    length: usize,
    elements: PhantomData<T>,
}

impl<T: Plain> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements of {} bytes", self.length, size_of::<T>())
    }
}

impl<T: Plain> Buffer<T> {
    /// Allocates elements with any values.
    ///
    /// # Errors
    /// [`CudaError::Memory`], which says what would fit.
    pub fn new(context: &Arc<Context>, length: usize) -> Result<Self, CudaError> {
        // The driver allocates no empty memory.
        let pointer = context.allocate(bytes_of::<T>(length)?.max(1))?;
        Ok(Self { context: Arc::clone(context), pointer, length, elements: PhantomData })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns `true` if the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the address of an element of a range, for a copy.
    pub(crate) fn address(&self, range: &Range<usize>) -> Result<sys::CUdeviceptr, CudaError> {
        check_range(range, self.length)?;
        Ok(self.pointer + (range.start * size_of::<T>()) as u64)
    }

    /// Returns the context of the buffer.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Returns an argument of a kernel: the address of the element `start`.
    ///
    /// # Errors
    /// [`CudaError::Range`].
    pub fn at(&self, start: usize) -> Result<Argument, CudaError> {
        Ok(Argument::Pointer(self.address(&(start..self.length))?))
    }
}

impl<T: Plain> Drop for Buffer<T> {
    fn drop(&mut self) {
        let bytes = self.length * size_of::<T>();
        self.context.release(self.pointer, bytes.max(1));
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A pointer into memory of the GPU.
    Pointer(u64),
    /// An integer of 32 bits.
    U32(u32),
    /// An integer of 64 bits.
    U64(u64),
}

impl Argument {
    /// The size of the parameter in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::U32(_) => 4,
            Self::Pointer(_) | Self::U64(_) => 8,
        }
    }

    /// The value; a GPU and its host have the low byte first.
    pub(crate) fn value(self) -> u64 {
        match self {
            Self::U32(value) => u64::from(value),
            Self::Pointer(value) | Self::U64(value) => value,
        }
    }
}

impl Argument {
    /// Returns the pointer to a later byte of the same memory. Other arguments stay the same.
    #[must_use]
    pub(crate) fn after(self, bytes: usize) -> Self {
        match self {
            Self::Pointer(address) => Self::Pointer(address + bytes as u64),
            other => other,
        }
    }
}

impl<T: Plain> From<&Buffer<T>> for Argument {
    fn from(buffer: &Buffer<T>) -> Self {
        Self::Pointer(buffer.pointer)
    }
}

impl From<u32> for Argument {
    fn from(value: u32) -> Self {
        Self::U32(value)
    }
}

impl From<u64> for Argument {
    fn from(value: u64) -> Self {
        Self::U64(value)
    }
}

/// Elements in pinned memory of this machine, between which and the GPU copies run while the
/// processor works. Reading or writing the elements waits for such copies.
pub struct Pinned<T: Plain> {
    context: Arc<Context>,
    pointer: *mut T,
    length: usize,
    /// The end of the last copy.
    copied: Event,
}

// SAFETY: the memory is owned, as by a `Vec`.
unsafe impl<T: Plain> Send for Pinned<T> {}

impl<T: Plain> fmt::Debug for Pinned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pinned elements of {} bytes", self.length, size_of::<T>())
    }
}

impl<T: Plain> Pinned<T> {
    /// Allocates elements, all zero.
    ///
    /// # Errors
    /// [`CudaError`] of the driver.
    pub fn new(context: &Arc<Context>, length: usize) -> Result<Self, CudaError> {
        let bytes = bytes_of::<T>(length)?.max(1);
        let copied = Event::new(context)?;
        // SAFETY: `Drop` frees the memory, once.
        let pointer = context.call("cuMemHostAlloc", || unsafe {
            result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_PORTABLE)
        })?;
        let pointer = pointer.cast::<T>();
        // SAFETY: the driver allocated the bytes, aligned to a page.
        unsafe { pointer.cast::<u8>().write_bytes(0, bytes) };
        Ok(Self { context: Arc::clone(context), pointer, length, copied })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the event at the end of the last copy.
    pub(crate) fn copied(&self) -> &Event {
        &self.copied
    }

    /// Returns the address of the elements of a range, for a copy.
    pub(crate) fn address(&self, range: &Range<usize>) -> Result<*mut T, CudaError> {
        check_range(range, self.length)?;
        // SAFETY: the start lies in the allocation or at its end.
        Ok(unsafe { self.pointer.add(range.start) })
    }

    /// Waits for the copies from and to the elements, and returns the elements.
    ///
    /// # Errors
    /// [`CudaError`], also of the work before the copies.
    pub fn read(&self) -> Result<&[T], CudaError> {
        self.copied.synchronize()?;
        // SAFETY: the memory has this many elements, and no copy is in flight.
        Ok(unsafe { std::slice::from_raw_parts(self.pointer, self.length) })
    }

    /// Waits for the copies from and to the elements, and returns the elements to be changed.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn write(&mut self) -> Result<&mut [T], CudaError> {
        self.copied.synchronize()?;
        // SAFETY: as in `read`, and the borrow is exclusive.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.pointer, self.length) })
    }
}

impl<T: Plain> Drop for Pinned<T> {
    fn drop(&mut self) {
        let waited = self.copied.synchronize();
        let free = |()| {
            // SAFETY: the memory is owned, and no copy is in flight.
            self.context.call("cuMemFreeHost", || unsafe { result::free_host(self.pointer.cast()) })
        };
        self.context.note("cuMemFreeHost", waited.and_then(free));
    }
}
