// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the pointers and counts of the caller before they become arrays.

use std::ffi::{c_char, CStr};
use std::path::Path;
use std::slice;

use halimede_files::read_limited;

use crate::status::{Failure, Status};

/// An array of the caller, whose pointer and length have been checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<T> {
    name: &'static str,
    pointer: *mut T,
    length: usize,
}

impl<T> Array<T> {
    /// Checks an array with these dimensions. An empty array may be NULL.
    pub fn new(
        name: &'static str,
        pointer: *const T,
        dimensions: &[usize],
    ) -> Result<Self, Failure> {
        let length = if dimensions.contains(&0) { 0 } else { product::<T>(name, dimensions)? };
        if length != 0 {
            require::<T>(name, pointer)?;
            if pointer.addr().checked_add(length * size_of::<T>()).is_none() {
                return Err(too_long(name, dimensions));
            }
        }
        Ok(Self { name, pointer: pointer.cast_mut(), length })
    }

    /// Checks that another array does not share memory with this one.
    pub fn require_apart<U>(&self, other: &Array<U>) -> Result<(), Failure> {
        let (start, other_start) = (self.pointer.addr(), other.pointer.addr());
        let end = start + self.length * size_of::<T>();
        let other_end = other_start + other.length * size_of::<U>();
        let is_empty = self.length == 0 || other.length == 0;
        if is_empty || end <= other_start || other_end <= start {
            return Ok(());
        }
        let message = format!("{} and {} share memory", self.name, other.name);
        Err(Failure::new(Status::Overlap, message))
    }

    /// Returns the values.
    ///
    /// # Safety
    /// The array has the length that the caller stated, and nobody writes to it meanwhile.
    pub unsafe fn into_slice<'a>(self) -> &'a [T] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: not NULL, aligned and of a possible length by `new`; the rest is the caller's.
        unsafe { slice::from_raw_parts(self.pointer, self.length) }
    }

    /// Returns the values for writing.
    ///
    /// # Safety
    /// As for [`Self::into_slice`], and nobody reads the array meanwhile.
    pub unsafe fn into_mut_slice<'a>(self) -> &'a mut [T] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: not NULL, aligned and of a possible length by `new`; the rest is the caller's.
        unsafe { slice::from_raw_parts_mut(self.pointer, self.length) }
    }
}

/// Returns the number of values of an array with these dimensions, if it fits into memory.
fn product<T>(name: &'static str, dimensions: &[usize]) -> Result<usize, Failure> {
    let values =
        dimensions.iter().try_fold(1usize, |values, dimension| values.checked_mul(*dimension));
    let fits = |values: &usize| {
        values.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok())
    };
    values.filter(fits).ok_or_else(|| too_long(name, dimensions))
}

fn too_long(name: &'static str, dimensions: &[usize]) -> Failure {
    let dimensions: Vec<String> = dimensions.iter().map(ToString::to_string).collect();
    let message = format!("{name}: {} values do not fit into memory", dimensions.join(" x "));
    Failure::new(Status::WrongLength, message)
}

/// Checks that a pointer is not NULL, and aligned for its type.
pub(crate) fn require<T>(name: &'static str, pointer: *const T) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::new(Status::NullPointer, format!("{name} is NULL")));
    }
    if !pointer.is_aligned() {
        let (alignment, address) = (align_of::<T>(), pointer.addr());
        let message = format!("{name} is at {address:#x}, not a multiple of {alignment}");
        return Err(Failure::new(Status::Misaligned, message));
    }
    Ok(())
}

/// Writes a new handle to the caller's `place`; [`crate::status::free`] frees it.
///
/// # Safety
/// `place` is NULL, misaligned or writable.
pub(crate) unsafe fn hand_out<T>(
    name: &'static str,
    place: *mut *mut T,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    require(name, place)?;
    let made = Box::new(make()?);
    // SAFETY: not NULL and aligned; the rest is the caller's.
    unsafe { place.write(Box::into_raw(made)) };
    Ok(())
}

/// Returns a text that ends with a zero byte.
///
/// # Safety
/// `pointer` is NULL, or such a text, which lives as long as the returned value.
pub(crate) unsafe fn text<'a>(
    name: &'static str,
    pointer: *const c_char,
) -> Result<&'a str, Failure> {
    require(name, pointer)?;
    // SAFETY: not NULL; the rest is the caller's.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|error| {
        Failure::new(Status::InvalidArgument, format!("{name} is not UTF-8: {error}"))
    })
}

/// Reads the file with this path, of at most `limit` bytes.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn file(
    name: &'static str,
    path: *const c_char,
    limit: usize,
) -> Result<Vec<u8>, Failure> {
    // SAFETY: by this function's contract.
    let path = Path::new(unsafe { text(name, path) }?);
    read_limited(path, limit as u64)
        .map_err(|error| Failure::new(Status::Unreadable, format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status<T: std::fmt::Debug>(outcome: Result<T, Failure>) -> Status {
        outcome.unwrap_err().status
    }

    #[test]
    fn counts_that_no_memory_holds_are_refused() {
        let values = [1u64; 4];
        for dimensions in [
            &[usize::MAX, 4][..],
            &[usize::MAX / 4, 4],
            &[1 << 60, 1],
            &[1 << 40, 1 << 40],
            &[isize::MAX as usize / 8 + 1, 1],
        ] {
            assert_eq!(status(Array::new("a", values.as_ptr(), dimensions)), Status::WrongLength);
        }
        // An array that ends after the last address.
        let last = std::ptr::without_provenance::<u64>(usize::MAX - 7);
        assert_eq!(status(Array::new("a", last, &[2])), Status::WrongLength);
    }

    #[test]
    fn none_may_be_null_and_anything_else_not() {
        assert_eq!(status(Array::new("a", std::ptr::null::<u8>(), &[1])), Status::NullPointer);
        let none = Array::new("a", std::ptr::null::<u64>(), &[usize::MAX, usize::MAX, 0]).unwrap();
        // SAFETY: the array is empty.
        assert_eq!(unsafe { none.into_slice() }, &[0u64; 0]);
        let values = [1u64; 4];
        let odd = values.as_ptr().wrapping_byte_add(1);
        assert_eq!(status(Array::new("a", odd, &[1])), Status::Misaligned);
    }

    #[test]
    fn arrays_that_share_a_byte_overlap() {
        let bytes = [0u8; 16];
        let part = |first: usize, end: usize| {
            Array::new("part", bytes[first..end].as_ptr(), &[end - first]).unwrap()
        };
        for (one, other, overlap) in [
            ((0, 8), (8, 16), false),
            ((0, 9), (8, 16), true),
            ((4, 5), (0, 16), true),
            ((3, 3), (0, 16), false),
            ((0, 16), (0, 16), true),
        ] {
            let (one, other) = (part(one.0, one.1), part(other.0, other.1));
            assert_eq!(one.require_apart(&other).is_err(), overlap);
            assert_eq!(other.require_apart(&one).is_err(), overlap);
        }
    }
}
