// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Columns of bytes, and the names of verdicts.

use std::ffi::c_char;

use halimede_arith::interface::Outcome;

use crate::memory::Array;
use crate::status::Failure;

/// A byte string: a key, a message, a signature, a point.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    /// uint8_t[length]; may be NULL if `length` is 0.
    pub data: *const u8,
    /// The number of bytes.
    pub length: usize,
}

/// Returns the name of a halimede_verdict, e.g. "valid" or "mismatch"; "unknown verdict" for
/// another number. The string is valid forever.
#[no_mangle]
pub extern "C" fn halimede_verdict_name(verdict: u32) -> *const c_char {
    let known = Outcome::ALL.into_iter().find(|known| *known as u32 == verdict);
    known.map_or(c"unknown verdict", Outcome::name_for_c).as_ptr()
}

/// Returns the rows of a column, after checking that they do not overlap with the outputs.
///
/// # Safety
/// The column has `count` rows, each with the length that it states, for the lifetime of the
/// returned value.
pub(crate) unsafe fn column<'c>(
    name: &'static str,
    rows: *const Bytes,
    count: usize,
    outputs: &[Array<u8>],
) -> Result<Vec<&'c [u8]>, Failure> {
    let rows = Array::new(name, rows, &[count])?;
    for output in outputs {
        rows.require_apart(output)?;
    }
    // SAFETY: by this function's contract.
    let rows = unsafe { rows.into_slice() };
    let read = |(number, row): (usize, &Bytes)| {
        let named = |Failure { status, message }| {
            Failure::new(status, format!("number {number} of the {name}: {message}"))
        };
        // SAFETY: by this function's contract.
        unsafe { bytes("data", row.data, row.length, outputs) }.map_err(named)
    };
    rows.iter().enumerate().map(read).collect()
}

/// Returns bytes, after checking that they do not overlap with the outputs.
///
/// # Safety
/// `data` has `length` bytes, for the lifetime of the returned value.
pub(crate) unsafe fn bytes<'b>(
    name: &'static str,
    data: *const u8,
    length: usize,
    outputs: &[Array<u8>],
) -> Result<&'b [u8], Failure> {
    let data = Array::new(name, data, &[length])?;
    for output in outputs {
        data.require_apart(output)?;
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { data.into_slice() })
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn verdicts_have_the_librarys_names() {
        let name = |number| {
            // SAFETY: a text that is valid forever.
            unsafe { CStr::from_ptr(halimede_verdict_name(number)) }.to_str().unwrap()
        };
        for outcome in Outcome::ALL {
            assert_eq!(name(outcome as u32), outcome.name());
        }
        assert_eq!(name(Outcome::ALL.len() as u32), "unknown verdict");
    }
}
