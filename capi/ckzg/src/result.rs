// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results of functions, and checks of pointers.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice;

use halimede_bls12_381::kzg::{OpeningError, SetupError};

/// `C_KZG_RET`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The outputs are written.
    Ok = 0,
    /// An input is invalid.
    BadArguments = 1,
    /// An internal error.
    Error = 2,
    /// Memory is exhausted; not used.
    Memory = 3,
}

/// An input is invalid.
#[derive(Clone, Copy, Debug)]
pub struct BadArguments;

impl From<OpeningError> for BadArguments {
    fn from(_: OpeningError) -> Self {
        Self
    }
}

impl From<SetupError> for BadArguments {
    fn from(_: SetupError) -> Self {
        Self
    }
}

/// Runs the body of a function.
pub fn answer(body: impl FnOnce() -> Result<(), BadArguments>) -> Code {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Code::Ok,
        Ok(Err(BadArguments)) => Code::BadArguments,
        Err(_) => Code::Error,
    }
}

/// Borrows the value at a pointer.
///
/// # Safety
/// As the header requires.
pub unsafe fn value<'a, T>(pointer: *const T) -> Result<&'a T, BadArguments> {
    // SAFETY: by this function's contract.
    unsafe { pointer.as_ref() }.ok_or(BadArguments)
}

/// Borrows the value at a pointer for writing.
///
/// # Safety
/// As the header requires.
pub unsafe fn place<'a, T>(pointer: *mut T) -> Result<&'a mut T, BadArguments> {
    // SAFETY: by this function's contract.
    unsafe { pointer.as_mut() }.ok_or(BadArguments)
}

/// Writes `false` to a verdict, and borrows it.
///
/// # Safety
/// As the header requires; the verdict need not be initialized.
pub unsafe fn verdict<'a>(pointer: *mut bool) -> Result<&'a mut bool, BadArguments> {
    if !pointer.is_null() {
        // SAFETY: by this function's contract.
        unsafe { pointer.write(false) };
    }
    // SAFETY: by this function's contract.
    unsafe { place(pointer) }
}

/// Borrows an array, which may be NULL if it is empty.
///
/// # Safety
/// As the header requires.
pub unsafe fn array<'a, T>(pointer: *const T, count: u64) -> Result<&'a [T], BadArguments> {
    let count = usize::try_from(count).map_err(|_| BadArguments)?;
    let most = isize::MAX as usize / size_of::<T>().max(1);
    match count {
        0 => Ok(&[]),
        _ if pointer.is_null() || count > most => Err(BadArguments),
        // SAFETY: by this function's contract; the size was checked.
        _ => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

/// Borrows an array for writing.
///
/// # Safety
/// As the header requires.
pub unsafe fn places<'a, T>(pointer: *mut T, count: usize) -> Result<&'a mut [T], BadArguments> {
    match pointer.is_null() {
        true => Err(BadArguments),
        // SAFETY: by this function's contract; `count` is a constant of the header.
        false => Ok(unsafe { slice::from_raw_parts_mut(pointer, count) }),
    }
}

/// Splits an array of byte strings.
pub fn slices<const N: usize>(array: &[[u8; N]]) -> Vec<&[u8]> {
    array.iter().map(|bytes| &bytes[..]).collect()
}
