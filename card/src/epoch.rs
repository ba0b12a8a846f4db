// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Indexes that tell the replies of one batch from those of another.
//!
//! A request's index is `epoch << 40 | number`: 24 bits for the batch, 40 for the frame in it. No
//! frame of a batch has the number of an earlier one, even where both are steps of one request.

const NUMBER_BITS: u32 = 40;
const EPOCHS: u32 = 1 << 24;

/// Batches whose replies are recognised as late.
const REMEMBERED: u32 = 1 << 16;

/// The current batch's epoch and how many there were before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epochs {
    current: u32,
    /// Earlier epochs, at most [`REMEMBERED`].
    earlier: u32,
}

/// What an index says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    /// A frame of the current batch, by its number.
    Current(u64),
    /// A frame of an earlier batch: its reply is late, and of no use to anyone.
    Stale,
    /// No frame that was ever sent.
    Foreign,
}

impl Epochs {
    /// Begins at any epoch.
    pub fn new(seed: u64) -> Self {
        // Truncation is meant: any 24 bits will do.
        Self { current: seed as u32 % EPOCHS, earlier: 0 }
    }

    /// Begins a new batch.
    pub fn advance(&mut self) {
        self.current = (self.current + 1) % EPOCHS;
        self.earlier = (self.earlier + 1).min(REMEMBERED);
    }

    /// The index of a frame of the current batch; numbers lie below 2⁴⁰.
    pub fn index(&self, number: u64) -> u64 {
        debug_assert!(number >> NUMBER_BITS == 0, "a batch has fewer than 2^40 frames");
        u64::from(self.current) << NUMBER_BITS | number
    }

    /// What a reply's index says.
    pub fn classify(&self, index: u64) -> Index {
        let epoch = (index >> NUMBER_BITS) as u32;
        let age = (EPOCHS + self.current - epoch) % EPOCHS;
        match age {
            0 => Index::Current(index & ((1 << NUMBER_BITS) - 1)),
            age if age <= self.earlier => Index::Stale,
            _ => Index::Foreign,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_of_earlier_batches_are_stale_and_others_foreign() {
        for seed in [0, 5, u64::from(EPOCHS) - 1, u64::MAX] {
            let mut epochs = Epochs::new(seed);
            let first = epochs.index(7);
            assert_eq!(epochs.classify(first), Index::Current(7));
            epochs.advance();
            assert_eq!(epochs.classify(first), Index::Stale);
            assert_eq!(epochs.classify(epochs.index(7)), Index::Current(7));
            epochs.advance();
            assert_eq!(epochs.classify(first), Index::Stale);
            let before_all = Epochs { current: (seed as u32).wrapping_sub(1) % EPOCHS, earlier: 0 };
            assert_eq!(epochs.classify(before_all.index(7)), Index::Foreign);
        }
    }
}
