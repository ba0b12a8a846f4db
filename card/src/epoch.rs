// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Indexes that tell the replies of one session from those of another.
//!
//! A request's index is `epoch << 40 | number`: 24 bits for the session, 40 for the frame in it. No
//! frame of a session has the number of an earlier one, even where both are steps of one request.

const NUMBER_BITS: u32 = 40;
const EPOCHS: u32 = 1 << 24;

/// Sessions whose replies are recognised as late.
const REMEMBERED: u32 = 1 << 16;

/// The epochs that were given out.
#[derive(Clone, Debug)]
pub(crate) struct Epochs {
    /// The one that was given out last.
    last: u32,
    /// How many were given out, at most [`REMEMBERED`].
    given: u32,
    /// Those whose sessions go on.
    live: Vec<u32>,
}

/// What an index says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    /// A frame of a session that goes on, by its number.
    Live {
        /// The session's epoch.
        epoch: u32,
        /// The frame's number in it.
        number: u64,
    },
    /// A frame of a session that has ended: its reply is late, and of no use to anyone.
    Stale,
    /// No frame that was ever sent.
    Foreign,
}

impl Epochs {
    /// Begins at any epoch.
    pub fn new(seed: u64) -> Self {
        // Truncation is meant: any 24 bits will do.
        Self { last: seed as u32 % EPOCHS, given: 0, live: Vec::new() }
    }

    /// The epoch of a new session.
    pub fn begin(&mut self) -> u32 {
        self.last = (self.last + 1) % EPOCHS;
        self.given = (self.given + 1).min(REMEMBERED);
        self.live.push(self.last);
        self.last
    }

    /// The session has ended.
    pub fn end(&mut self, epoch: u32) {
        self.live.retain(|live| *live != epoch);
    }

    /// All sessions have ended.
    pub fn end_all(&mut self) {
        self.live.clear();
    }

    /// The index of a frame; numbers lie below 2⁴⁰.
    pub fn index(epoch: u32, number: u64) -> u64 {
        debug_assert!(number >> NUMBER_BITS == 0, "a session has fewer than 2^40 frames");
        u64::from(epoch) << NUMBER_BITS | number
    }

    /// What a reply's index says.
    pub fn classify(&self, index: u64) -> Index {
        let epoch = (index >> NUMBER_BITS) as u32;
        let age = (EPOCHS + self.last - epoch) % EPOCHS;
        if self.live.contains(&epoch) {
            Index::Live { epoch, number: index & ((1 << NUMBER_BITS) - 1) }
        } else if age < self.given {
            Index::Stale
        } else {
            Index::Foreign
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_of_ended_sessions_are_stale_and_those_of_none_foreign() {
        for seed in [0, 5, u64::from(EPOCHS) - 1, u64::MAX] {
            let mut epochs = Epochs::new(seed);
            let before_all = Epochs::index(epochs.last, 7);
            assert_eq!(epochs.classify(before_all), Index::Foreign);
            let (first, second) = (epochs.begin(), epochs.begin());
            let next = Epochs::index((second + 1) % EPOCHS, 7);
            for epoch in [first, second] {
                let live = Index::Live { epoch, number: 7 };
                assert_eq!(epochs.classify(Epochs::index(epoch, 7)), live);
            }
            epochs.end(first);
            assert_eq!(epochs.classify(Epochs::index(first, 7)), Index::Stale);
            assert_ne!(epochs.classify(Epochs::index(second, 7)), Index::Stale);
            epochs.end_all();
            assert_eq!(epochs.classify(Epochs::index(second, 7)), Index::Stale);
            assert_eq!(epochs.classify(before_all), Index::Foreign);
            assert_eq!(epochs.classify(next), Index::Foreign);
        }
    }
}
