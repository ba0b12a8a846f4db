// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Columns of bytes, and the verdicts on their rows.

use std::ffi::c_char;

use halimede_device::flat::{FlatError, Outcome, Verdict as Found};

use crate::memory::Array;
use crate::status::Failure;

/// Bytes that lie anywhere: a key, a message, a signature, a point.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    /// uint8_t[length]; it may be NULL where there are none.
    pub data: *const u8,
    /// How many there are.
    pub length: usize,
}

/// The verdict on an item that is checked. The first numbers are those of halimede_ecdsa_verdict.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing was checked: what memory of zeros reads as.
    NotChecked = 0,
    /// It is valid.
    Valid = 1,
    /// Not a valid public key.
    Key = 2,
    /// The signature is not of its format, or not a point of its group.
    Signature = 3,
    /// s is above n/2, and the rules ask for the lower one.
    HighS = 4,
    /// r is out of range.
    RRange = 5,
    /// s is out of range.
    SRange = 6,
    /// It leads to the point at infinity.
    Infinity = 7,
    /// All can be read, and does not belong together.
    Mismatch = 8,
    /// A Schnorr signature leads to a point with an odd y.
    OddY = 9,
    /// The last byte of a signature is not a recovery id.
    RecoveryId = 10,
    /// The recovery id says that x is r + n, and that is not below p.
    XRange = 11,
    /// No point of the curve has the x that r says.
    NotOnCurve = 12,
    /// An aggregate has no keys.
    Keys = 13,
    /// Messages of an aggregate are equal, which the basic scheme forbids.
    EqualMessages = 14,
    /// A commitment is not a point of its group.
    Commitment = 15,
    /// A proof has another length, or a part of it is not a point of its group.
    Proof = 16,
    /// The point or the value of an opening is not 32 bytes of a number below the groups' order.
    Scalar = 17,
    /// A blob has another length, or an element that is not below the groups' order.
    Blob = 18,
    /// Public inputs are not as many as the key takes, or not below the groups' order.
    Inputs = 19,
}

/// The header's numbers are those of the table of outcomes.
const _: () = {
    const HEADER: [Verdict; 20] = [
        Verdict::NotChecked,
        Verdict::Valid,
        Verdict::Key,
        Verdict::Signature,
        Verdict::HighS,
        Verdict::RRange,
        Verdict::SRange,
        Verdict::Infinity,
        Verdict::Mismatch,
        Verdict::OddY,
        Verdict::RecoveryId,
        Verdict::XRange,
        Verdict::NotOnCurve,
        Verdict::Keys,
        Verdict::EqualMessages,
        Verdict::Commitment,
        Verdict::Proof,
        Verdict::Scalar,
        Verdict::Blob,
        Verdict::Inputs,
    ];
    assert!(HEADER.len() == Outcome::ALL.len());
    let mut number = 0;
    while number < HEADER.len() {
        assert!(HEADER[number] as usize == Outcome::ALL[number] as usize);
        number += 1;
    }
};

/// A word for a halimede_verdict, e.g. "valid" or "mismatch"; "unknown verdict" for another number.
/// The string is never freed.
#[no_mangle]
pub extern "C" fn halimede_verdict_name(verdict: u32) -> *const c_char {
    let known = Outcome::ALL.into_iter().find(|known| *known as u32 == verdict);
    known.map_or(c"unknown verdict", Outcome::name_for_c).as_ptr()
}

/// The rows of a column, apart from the outputs.
///
/// # Safety
/// As many rows lie there, each with as many bytes as it says, for as long as what is returned is
/// used.
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

/// Bytes, apart from the outputs.
///
/// # Safety
/// As many bytes lie there, for as long as what is returned is used.
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

/// Columns of a batch by their names, and what they have a row for each of.
pub(crate) type Columns<const COLUMNS: usize> = [(&'static str, *const Bytes); COLUMNS];

/// Checks the rows of columns: writes a verdict for each.
///
/// # Safety
/// As [`column`] for each of the columns; the verdicts have a place for each row.
pub(crate) unsafe fn check_rows<'c, const COLUMNS: usize>(
    columns: Columns<COLUMNS>,
    count: usize,
    verdicts: *mut u8,
    check: impl FnOnce([Vec<&'c [u8]>; COLUMNS]) -> Result<Vec<Found>, FlatError>,
) -> Result<(), Failure> {
    let verdicts = Array::new("verdicts", verdicts, &[count])?;
    let mut rows = [const { Vec::new() }; COLUMNS];
    for ((name, column), rows) in columns.into_iter().zip(&mut rows) {
        // SAFETY: by this function's contract.
        *rows = unsafe { self::column(name, column, count, &[verdicts]) }?;
    }
    let found = check(rows)?;
    // SAFETY: by this function's contract; apart from the rows.
    write(unsafe { verdicts.into_mut_slice() }, &found);
    Ok(())
}

/// Writes verdicts as their numbers.
pub(crate) fn write(places: &mut [u8], found: &[Found]) {
    for (place, verdict) in places.iter_mut().zip(found) {
        *place = Outcome::of(verdict) as u8;
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn verdicts_have_the_librarys_names() {
        let name = |number| {
            // SAFETY: a text that lives for ever.
            unsafe { CStr::from_ptr(halimede_verdict_name(number)) }.to_str().unwrap()
        };
        for outcome in Outcome::ALL {
            assert_eq!(name(outcome as u32), outcome.name());
        }
        assert_eq!(name(Outcome::ALL.len() as u32), "unknown verdict");
    }
}
