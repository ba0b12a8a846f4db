// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches of borrowed requests.

use std::ops::Range;

/// A batch of borrowed requests, stored in columns or contiguously. Cheap to copy.
pub trait Columns: Copy + Send + Sync {
    /// One request, borrowed.
    type Row: Copy;

    /// The number of requests.
    fn len(self) -> usize;

    /// Returns `true` if the batch has no requests.
    fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the request of this number, which is below [`Self::len`].
    fn row(self, number: usize) -> Self::Row;

    /// Returns a range of the requests, without a copy.
    #[must_use]
    fn slice(self, range: Range<usize>) -> Self;

    /// Iterates over the requests in order.
    fn rows(self) -> impl ExactSizeIterator<Item = Self::Row> {
        (0..self.len()).map(move |number| self.row(number))
    }
}

/// A slice of requests of one type is its own column.
impl<'a, T: Sync> Columns for &'a [T] {
    type Row = &'a T;

    fn len(self) -> usize {
        <[T]>::len(self)
    }

    fn row(self, number: usize) -> &'a T {
        &self[number]
    }

    fn slice(self, range: Range<usize>) -> Self {
        &self[range]
    }
}

/// A column of byte strings, in one of several memory layouts.
#[derive(Clone, Copy, Debug)]
pub enum Bytes<'a> {
    /// Separate slices.
    Each(&'a [&'a [u8]]),
    /// `count` strings of `length` bytes, stored contiguously.
    Equal {
        /// The bytes of all strings.
        data: &'a [u8],
        /// The bytes of each string.
        length: usize,
        /// The number of strings.
        count: usize,
    },
    /// String `i` is the data from `offsets[i]` to `offsets[i + 1]`, as in Arrow's binary arrays.
    /// The offsets are ascending and within the data.
    Offsets {
        /// The bytes of all strings.
        data: &'a [u8],
        /// The offsets: one more than the number of strings.
        offsets: &'a [u64],
    },
}

impl<'a> From<&'a [&'a [u8]]> for Bytes<'a> {
    fn from(each: &'a [&'a [u8]]) -> Self {
        Self::Each(each)
    }
}

impl<'a> Columns for Bytes<'a> {
    type Row = &'a [u8];

    fn len(self) -> usize {
        match self {
            Self::Each(each) => each.len(),
            Self::Equal { count, .. } => count,
            Self::Offsets { offsets, .. } => offsets.len().saturating_sub(1),
        }
    }

    #[inline]
    fn row(self, number: usize) -> &'a [u8] {
        match self {
            Self::Each(each) => each[number],
            Self::Equal { data, length, .. } => &data[number * length..][..length],
            Self::Offsets { data, offsets } => {
                &data[offsets[number] as usize..offsets[number + 1] as usize]
            }
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        match self {
            Self::Each(each) => Self::Each(&each[range]),
            Self::Equal { data, length, .. } => {
                let data = &data[range.start * length..range.end * length];
                Self::Equal { data, length, count: range.len() }
            }
            Self::Offsets { data, offsets } => {
                Self::Offsets { data, offsets: &offsets[range.start..=range.end] }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_the_same_however_they_lie() {
        let data: Vec<u8> = (0..60u8).map(|byte| byte.wrapping_mul(31)).collect();
        let equal = Bytes::Equal { data: &data, length: 12, count: 5 };
        let offsets = Bytes::Offsets { data: &data, offsets: &[0, 12, 24, 36, 48, 60] };
        let each: Vec<&[u8]> = data.chunks(12).collect();
        for column in [equal, offsets, Bytes::from(&each[..])] {
            assert!(column.rows().eq(each.iter().copied()));
            for (start, end) in [(0, 0), (0, 5), (1, 4), (5, 5)] {
                assert!(column.slice(start..end).rows().eq(each[start..end].iter().copied()));
            }
        }
        let ragged = Bytes::Offsets { data: &data, offsets: &[1, 1, 7, 60] };
        let lengths: Vec<usize> = ragged.slice(1..3).rows().map(<[u8]>::len).collect();
        assert_eq!(lengths, [6, 53]);
        assert_eq!(Bytes::Equal { data: &[], length: 0, count: 7 }.slice(2..5).len(), 3);
    }
}
