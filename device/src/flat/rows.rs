// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rows of elements in a flat array: their boundaries, and the check that every element is below p.

use halimede_arith::field::Modulus;
use halimede_arith::job::Amount;
use halimede_arith::Field;
use rayon::prelude::*;

use super::digit::{element, is_reduced, Digit};
use super::error::FlatError;
use halimede_places::processor;

/// The number of elements that one thread checks at once.
const PIECE_ELEMENTS: usize = 4096;

/// The boundaries of the messages of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Messages<'o> {
    /// Each message has this number of elements, possibly 0; the number of digests is the number of
    /// messages.
    Equal(usize),
    /// n + 1 element numbers: message i begins at the i-th and ends before the next. The first
    /// is 0, none is below the one before it, and the last is the number of elements.
    Offsets(&'o [u64]),
}

/// The rows of an array.
pub(super) struct Rows<'a, D> {
    /// The array's name, for messages.
    pub array: &'static str,
    /// The boundaries of the rows.
    pub messages: Messages<'a>,
    /// The array.
    pub digits: &'a [D],
}

impl<'a, D: Digit> Rows<'a, D> {
    /// Rows of `length` elements each.
    pub fn equal(array: &'static str, length: usize, digits: &'a [D]) -> Self {
        Self { array, messages: Messages::Equal(length), digits }
    }

    /// Checks that `digests` has one element per row, that the lengths of both arrays are valid,
    /// and that every element is below p. Returns the number of rows.
    pub fn check<M: Modulus>(&self, digests: &[D]) -> Result<usize, FlatError> {
        let rows = match self.messages {
            // Empty rows: their number is the number of digests.
            Messages::Equal(0) => {
                require_count(self.array, self.digits, 0, || "rows of 0 elements".into())?;
                whole_rows("digests", digests, 1)?
            }
            Messages::Equal(length) => whole_rows(self.array, self.digits, length)?,
            Messages::Offsets(offsets) => {
                let elements = whole_rows(self.array, self.digits, 1)?;
                check_offsets(offsets, elements)?
            }
        };
        require_count("digests", digests, rows, || format!("one element for each of {rows} rows"))?;
        require_reduced::<M, D>(self.array, self.digits, |element| self.place(element))?;
        Ok(rows)
    }

    /// Returns the number of rows, starting at `first`, that fit an amount of elements; at least
    /// one.
    pub fn piece(&self, amount: Amount, first: usize) -> usize {
        match self.messages {
            Messages::Equal(length) => amount.requests_of(length),
            Messages::Offsets(offsets) => {
                let end = offsets[first].saturating_add(amount.units as u64);
                let ends = &offsets[first + 1..];
                ends.partition_point(|&offset| offset <= end).min(amount.requests).max(1)
            }
        }
    }

    /// Reads a row into `elements`, replacing its contents.
    pub fn read<M: Modulus>(
        &self,
        row: usize,
        elements: &mut Vec<Field<M>>,
    ) -> Result<(), FlatError> {
        let (first, end) = match self.messages {
            Messages::Equal(length) => (row * length, (row + 1) * length),
            // Checked to be below the number of elements.
            Messages::Offsets(offsets) => (offsets[row] as usize, offsets[row + 1] as usize),
        };
        let digits = &self.digits[first * D::PER_ELEMENT..end * D::PER_ELEMENT];
        read_row(self.array, row, digits, elements)
    }

    /// Returns the row of an element and its place in the row.
    fn place(&self, element: usize) -> (usize, usize) {
        match self.messages {
            Messages::Equal(length) => (element / length.max(1), element % length.max(1)),
            Messages::Offsets(offsets) => {
                let row = offsets.partition_point(|&first| first <= element as u64) - 1;
                (row, element - offsets[row] as usize)
            }
        }
    }
}

/// Reads the elements of one row into `elements`, replacing its contents.
pub(super) fn read_row<M: Modulus, D: Digit>(
    array: &'static str,
    row: usize,
    digits: &[D],
    elements: &mut Vec<Field<M>>,
) -> Result<(), FlatError> {
    elements.clear();
    for (position, digits) in digits.chunks_exact(D::PER_ELEMENT).enumerate() {
        let refused = |error| FlatError::Element { array, row, position, error };
        elements.push(element(digits).map_err(refused)?);
    }
    Ok(())
}

/// Returns the number of rows of `elements` elements, at least one, in an array.
pub(super) fn whole_rows<D: Digit>(
    array: &'static str,
    digits: &[D],
    elements: usize,
) -> Result<usize, FlatError> {
    let got = digits.len();
    let wrong =
        FlatError::Length { array, got, elements, digits: D::NAME, per_element: D::PER_ELEMENT };
    match elements.checked_mul(D::PER_ELEMENT) {
        Some(row) if got.is_multiple_of(row) => Ok(got / row),
        // A row whose length overflows is longer than any array; an empty array has no rows.
        None if got == 0 => Ok(0),
        _ => Err(wrong),
    }
}

/// Checks the number of elements of an array.
pub(super) fn require_count<D: Digit>(
    array: &'static str,
    digits: &[D],
    elements: usize,
    reason: impl Fn() -> String,
) -> Result<(), FlatError> {
    let wanted = elements as u128 * D::PER_ELEMENT as u128;
    if digits.len() as u128 == wanted {
        return Ok(());
    }
    Err(FlatError::Count { array, got: digits.len(), digits: D::NAME, wanted, reason: reason() })
}

/// Checks that every element of an array is below p. The error names the first bad element; `place`
/// returns the row of an element and its place in the row.
pub(super) fn require_reduced<M: Modulus, D: Digit>(
    array: &'static str,
    digits: &[D],
    place: impl Fn(usize) -> (usize, usize) + Sync,
) -> Result<(), FlatError> {
    let first_wrong = |(piece, digits): (usize, &[D])| {
        let is_wrong = |digits: &[D]| !is_reduced::<M>(D::read(digits));
        let wrong = digits.chunks_exact(D::PER_ELEMENT).position(is_wrong)?;
        Some(piece * PIECE_ELEMENTS + wrong)
    };
    let pieces = digits.par_chunks(PIECE_ELEMENTS * D::PER_ELEMENT).enumerate();
    let wrong = processor::in_pool(|| pieces.find_map_first(first_wrong));
    let Some(wrong) = wrong else { return Ok(()) };
    let (row, position) = place(wrong);
    match element::<M, D>(&digits[wrong * D::PER_ELEMENT..][..D::PER_ELEMENT]) {
        Err(error) => Err(FlatError::Element { array, row, position, error }),
        Ok(_) => Ok(()),
    }
}

/// Checks offsets into `elements` elements, and returns the number of messages.
fn check_offsets(offsets: &[u64], elements: usize) -> Result<usize, FlatError> {
    let wrong = |reason: String| Err(FlatError::Offsets { reason });
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else {
        return wrong("got none, wanted one more than messages".into());
    };
    if *first != 0 {
        return wrong(format!("the first is {first}, wanted 0"));
    }
    if let Some(place) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
        let (offset, next) = (offsets[place], offsets[place + 1]);
        return wrong(format!("number {} is {next}, below the {offset} before it", place + 1));
    }
    if *last != elements as u64 {
        return wrong(format!("the last is {last}, wanted the number of elements, {elements}"));
    }
    Ok(offsets.len() - 1)
}
