// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results of functions, and checks of arguments.

use std::ffi::{c_int, CStr};
use std::mem::MaybeUninit;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice;

use crate::context::Context;

/// The condition that an argument does not meet.
#[derive(Clone, Copy, Debug)]
pub struct Illegal(pub &'static CStr);

/// Runs the body of a function. An illegal argument and a panic call the context's callbacks; if
/// they return, the result is 0. No value is left to drop when a callback runs, so that the
/// callback may leave with `longjmp`.
pub fn answer(
    context: *const Context,
    body: impl FnOnce(&Context) -> Result<c_int, Illegal>,
) -> c_int {
    // SAFETY: by the contract of the header.
    let Some(context) = (unsafe { context.as_ref() }) else {
        Context::DEFAULT.report_illegal(c"ctx != NULL");
        return 0;
    };
    match catch_unwind(AssertUnwindSafe(|| body(context))) {
        Ok(Ok(result)) => return result,
        // The callback may change the context, so that a copy is used.
        Ok(Err(Illegal(condition))) => context.clone().report_illegal(condition),
        Err(_) => context.clone().report_error(c"a function of the library panicked"),
    }
    0
}

/// Checks a condition.
pub fn require(holds: bool, condition: &'static CStr) -> Result<(), Illegal> {
    match holds {
        true => Ok(()),
        false => Err(Illegal(condition)),
    }
}

/// Copies the value at a pointer. Inputs and outputs may be the same memory.
///
/// # Safety
/// As the header requires.
pub unsafe fn value<T: Copy>(pointer: *const T, condition: &'static CStr) -> Result<T, Illegal> {
    require(!pointer.is_null(), condition)?;
    // SAFETY: by this function's contract.
    Ok(unsafe { pointer.read() })
}

/// Borrows the memory of an output, which need not be initialized.
///
/// # Safety
/// As the header requires.
pub unsafe fn place<'a, T>(
    pointer: *mut T,
    condition: &'static CStr,
) -> Result<&'a mut MaybeUninit<T>, Illegal> {
    // SAFETY: by this function's contract; `MaybeUninit` has the layout of `T`.
    unsafe { pointer.cast::<MaybeUninit<T>>().as_mut() }.ok_or(Illegal(condition))
}

/// Borrows an array, whose pointer may not be NULL.
///
/// # Safety
/// As the header requires.
pub unsafe fn array<'a, T>(
    pointer: *const T,
    count: usize,
    condition: &'static CStr,
) -> Result<&'a [T], Illegal> {
    require(!pointer.is_null(), condition)?;
    require(count <= most::<T>(), c"the array fits in memory")?;
    // SAFETY: by this function's contract; the size was checked.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// Borrows an array, whose pointer may be NULL if it is empty.
///
/// # Safety
/// As the header requires.
pub unsafe fn array_or_empty<'a, T>(
    pointer: *const T,
    count: usize,
    condition: &'static CStr,
) -> Result<&'a [T], Illegal> {
    match count {
        0 => Ok(&[]),
        // SAFETY: by this function's contract.
        _ => unsafe { array(pointer, count, condition) },
    }
}

/// Borrows an output array, which need not be initialized, and fills it with a value. Its pointer
/// may be NULL if it is empty.
///
/// # Safety
/// As the header requires.
pub unsafe fn filled<'a, T: Copy>(
    pointer: *mut T,
    count: usize,
    fill: T,
    condition: &'static CStr,
) -> Result<&'a mut [T], Illegal> {
    if count == 0 {
        return Ok(&mut []);
    }
    require(!pointer.is_null(), condition)?;
    require(count <= most::<T>(), c"the array fits in memory")?;
    for index in 0..count {
        // SAFETY: by this function's contract, the array has `count` elements.
        unsafe { pointer.add(index).write(fill) };
    }
    // SAFETY: as above; every element is initialized.
    Ok(unsafe { slice::from_raw_parts_mut(pointer, count) })
}

/// The largest number of elements of an array.
fn most<T>() -> usize {
    isize::MAX as usize / size_of::<T>().max(1)
}
