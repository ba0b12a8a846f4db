// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches of messages, in any memory layout.

use halimede_arith::job::{Bytes, Columns};

/// Messages that are accessed by number.
pub trait Messages: Sync {
    /// The number of messages.
    fn count(&self) -> usize;
    /// The message with this number, which must be below [`Self::count`].
    fn message(&self, number: usize) -> &[u8];
}

impl<M: AsRef<[u8]> + Sync> Messages for [M] {
    fn count(&self) -> usize {
        self.len()
    }

    fn message(&self, number: usize) -> &[u8] {
        self[number].as_ref()
    }
}

impl Messages for Bytes<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn message(&self, number: usize) -> &[u8] {
        self.row(number)
    }
}

/// Messages that are stored contiguously, like Arrow's binary arrays: message `i` is the data from
/// `offsets[i]` to `offsets[i + 1]`.
#[derive(Clone, Copy, Debug)]
pub struct Flat<'a> {
    data: &'a [u8],
    offsets: &'a [u64],
}

/// Why offsets do not divide the data into messages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlatError {
    /// The offsets are empty; even zero messages have one offset.
    #[error("no offsets: there must be one more than there are messages")]
    NoOffsets,
    /// An offset is below the one before it.
    #[error("offset {index} is {got}, below the previous one, {before}")]
    Descending {
        /// The index of the offset.
        index: usize,
        /// The value of the offset.
        got: u64,
        /// The value of the previous offset.
        before: u64,
    },
    /// The last message ends beyond the data.
    #[error("the last offset is {got}, but the data has {limit} bytes")]
    TooFar {
        /// The value of the last offset.
        got: u64,
        /// The length of the data in bytes.
        limit: usize,
    },
}

impl<'a> Flat<'a> {
    /// Creates messages from ascending byte offsets, one more than there are messages.
    ///
    /// # Errors
    /// [`FlatError`] if the offsets do not divide the data.
    pub fn new(data: &'a [u8], offsets: &'a [u64]) -> Result<Self, FlatError> {
        let Some(&last) = offsets.last() else { return Err(FlatError::NoOffsets) };
        for (index, pair) in offsets.windows(2).enumerate() {
            if pair[1] < pair[0] {
                let (index, got, before) = (index + 1, pair[1], pair[0]);
                return Err(FlatError::Descending { index, got, before });
            }
        }
        if usize::try_from(last).map_or(true, |last| last > data.len()) {
            return Err(FlatError::TooFar { got: last, limit: data.len() });
        }
        Ok(Self { data, offsets })
    }
}

impl<'a> From<Flat<'a>> for Bytes<'a> {
    fn from(Flat { data, offsets }: Flat<'a>) -> Self {
        Self::Offsets { data, offsets }
    }
}

impl Messages for Flat<'_> {
    fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    fn message(&self, number: usize) -> &[u8] {
        // The offsets were checked against the data, so they fit.
        &self.data[self.offsets[number] as usize..self.offsets[number + 1] as usize]
    }
}
