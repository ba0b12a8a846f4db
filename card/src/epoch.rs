// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Indexes that distinguish the replies of sessions, and a damaged index from every index that was
//! sent.
//!
//! The index of a request is `check << 52 | epoch << 38 | number`: 38 bits for the step in its
//! session, 14 bits for the session, and 12 bits for a CRC of both. A card returns the index
//! unchanged, so the CRC detects up to three flipped bits of the index even if a reply has no
//! checksum. No step of an epoch has the number of an earlier one, even if both are steps of the
//! same request.

const NUMBER_BITS: u32 = 38;
const EPOCH_BITS: u32 = 14;
const CHECK_SHIFT: u32 = NUMBER_BITS + EPOCH_BITS;
const EPOCHS: u32 = 1 << EPOCH_BITS;

/// The number of steps of an epoch.
pub(crate) const NUMBERS: u64 = 1 << NUMBER_BITS;

/// The maximum number of concurrent sessions, and of ended sessions whose replies are recognized as
/// late.
const REMEMBERED: u32 = EPOCHS / 2;

/// x¹² + x¹¹ + x³ + x² + x + 1: two indexes differ in at least four bits (Koopman and Chakravarty,
/// "Cyclic redundancy code polynomial selection for embedded networks", 2004).
const POLYNOMIAL: u16 = 0x80F;

/// The remainder of each byte followed by twelve zero bits.
const REMAINDERS: [u16; 256] = remainders();

const fn remainders() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut state = (byte as u16) << 4;
        let mut bit = 0;
        while bit < 8 {
            state = (state << 1 ^ if state & 0x800 != 0 { POLYNOMIAL } else { 0 }) & 0xFFF;
            bit += 1;
        }
        table[byte] = state;
        byte += 1;
    }
    table
}

/// Returns the CRC of the lower 52 bits. The CRC of zeros is not zero.
fn check(value: u64) -> u64 {
    let state = value.to_be_bytes()[1..].iter().fold(0xFFF, |state: u16, byte| {
        (state << 8 & 0xFFF) ^ REMAINDERS[usize::from((state >> 4) as u8 ^ byte)]
    });
    u64::from(state)
}

/// The epochs assigned so far.
#[derive(Clone, Debug)]
pub(crate) struct Epochs {
    /// The last assigned epoch.
    last: u32,
    /// The number of assigned epochs, at most [`REMEMBERED`].
    given: u32,
    /// The epochs of live sessions.
    live: Vec<u32>,
}

/// The meaning of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    /// A step of a live session.
    Live {
        /// The epoch of the session.
        epoch: u32,
        /// The number of the step in the session.
        number: u64,
    },
    /// A step of a session that has ended: the reply is late and can be dropped.
    Stale,
    /// Not an index that was sent: it is damaged, or the reply is unexpected.
    Foreign,
}

impl Epochs {
    /// Starts at any epoch.
    pub fn new(seed: u64) -> Self {
        // Truncation is intended: any 14 bits will do.
        Self { last: seed as u32 % EPOCHS, given: 0, live: Vec::new() }
    }

    /// Returns the epoch of a new session; `None` if there are thousands of sessions already.
    pub fn begin(&mut self) -> Option<u32> {
        if self.live.len() >= REMEMBERED as usize {
            return None;
        }
        loop {
            self.last = (self.last + 1) % EPOCHS;
            self.given = (self.given + 1).min(REMEMBERED);
            if !self.live.contains(&self.last) {
                self.live.push(self.last);
                return Some(self.last);
            }
        }
    }

    /// Ends a session.
    pub fn end(&mut self, epoch: u32) {
        self.live.retain(|live| *live != epoch);
    }

    /// Ends all sessions.
    pub fn end_all(&mut self) {
        self.live.clear();
    }

    /// Returns the index of a step. Numbers are below [`NUMBERS`].
    pub fn index(epoch: u32, number: u64) -> u64 {
        debug_assert!(
            number < NUMBERS && epoch < EPOCHS,
            "the number and the epoch must be in range"
        );
        let value = u64::from(epoch) << NUMBER_BITS | number;
        check(value) << CHECK_SHIFT | value
    }

    /// Returns the meaning of the index of a reply.
    pub fn classify(&self, index: u64) -> Index {
        let value = index & ((1 << CHECK_SHIFT) - 1);
        if check(value) != index >> CHECK_SHIFT {
            return Index::Foreign;
        }
        let epoch = (value >> NUMBER_BITS) as u32;
        let age = (EPOCHS + self.last - epoch) % EPOCHS;
        if self.live.contains(&epoch) {
            Index::Live { epoch, number: value & (NUMBERS - 1) }
        } else if age < self.given {
            Index::Stale
        } else {
            Index::Foreign
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn indexes_of_ended_sessions_are_stale_and_those_of_none_foreign() {
        for seed in [0, 5, u64::from(EPOCHS) - 1, u64::MAX] {
            let mut epochs = Epochs::new(seed);
            let before_all = Epochs::index(epochs.last, 7);
            assert_eq!(epochs.classify(before_all), Index::Foreign);
            let (first, second) = (epochs.begin().unwrap(), epochs.begin().unwrap());
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

    #[test]
    fn a_session_keeps_its_epoch_while_thousands_come_and_go() {
        let mut epochs = Epochs::new(3);
        let first = epochs.begin().unwrap();
        for _ in 0..3 * EPOCHS {
            let other = epochs.begin().unwrap();
            assert_ne!(other, first);
            epochs.end(other);
        }
        let live = Index::Live { epoch: first, number: NUMBERS - 1 };
        assert_eq!(epochs.classify(Epochs::index(first, NUMBERS - 1)), live);
        while epochs.live.len() < REMEMBERED as usize {
            epochs.begin().unwrap();
        }
        assert_eq!(epochs.begin(), None);
    }

    proptest! {
        #[test]
        fn up_to_three_flipped_bits_of_an_index_show(
            epoch in 0..EPOCHS,
            number in 0..NUMBERS,
            bits in proptest::collection::btree_set(0u32..64, 1..4),
        ) {
            let mut epochs = Epochs::new(0);
            while epochs.live.len() < 100 {
                epochs.begin();
            }
            epochs.live.push(epoch);
            let index = Epochs::index(epoch, number);
            prop_assert_eq!(epochs.classify(index), Index::Live { epoch, number });
            let damaged = bits.iter().fold(index, |index, bit| index ^ 1 << bit);
            prop_assert_eq!(epochs.classify(damaged), Index::Foreign);
        }
    }
}
