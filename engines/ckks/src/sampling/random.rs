// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The source of randomness.

use chacha20::cipher::{Block, KeyIvInit, StreamCipherCore};
use chacha20::ChaCha20LegacyCore;
use zeroize::{Zeroize, Zeroizing};

use super::uniform::{Seed, SEED_BYTES};
use crate::wiping::with_stack_wiped;

/// Bytes of a key.
const KEY_BYTES: usize = 32;
/// Words of an output block.
const BLOCK_WORDS: usize = 8;
/// Blocks that are drawn at a time.
const BLOCKS: usize = 16;

/// A stream of random bytes: ChaCha20 with a 64-bit counter and a key from the operating system. It
/// is wiped on drop and buffers no output.
pub struct Random {
    /// In a box, since a move would leave a copy of the key behind.
    cipher: Box<ChaCha20LegacyCore>,
    /// The number of words of the next block that were used already.
    drawn: usize,
}

/// The operating system returned no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system returned no random bytes: {0}")]
pub struct RandomError(getrandom::Error);

impl Random {
    /// Creates an independent stream.
    ///
    /// # Errors
    /// [`RandomError`] if the operating system returns no random bytes.
    pub fn new() -> Result<Self, RandomError> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        getrandom::getrandom(&mut *key).map_err(RandomError)?;
        Ok(Self::of_key(&key))
    }

    /// Creates the stream of a number, for tests: the same each time.
    #[cfg(any(test, feature = "test"))]
    #[inline(never)]
    pub fn of_test(number: u64) -> Self {
        use rand_chacha::rand_core::SeedableRng;
        use rand_chacha::ChaCha20Rng;

        let key = || Zeroizing::new(ChaCha20Rng::seed_from_u64(number).get_seed());
        Self::of_key(&with_stack_wiped(key))
    }

    /// Creates the stream of a secret key.
    pub(crate) fn of_key(key: &[u8; KEY_BYTES]) -> Self {
        let cipher =
            with_stack_wiped(|| Box::new(ChaCha20LegacyCore::new(key.into(), &Default::default())));
        Self { cipher, drawn: 0 }
    }

    /// Draws a seed for public data.
    pub fn seed(&mut self) -> Seed {
        let mut words = [0; SEED_BYTES / 8];
        self.words(&mut words);
        let mut seed = [0; SEED_BYTES];
        for (bytes, word) in seed.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        seed
    }

    /// Fills `words` with random words.
    pub(super) fn words(&mut self, words: &mut [u64]) {
        if words.is_empty() {
            return;
        }
        with_stack_wiped(|| {
            // The rest of a partly used block, which is computed again.
            let rest = (BLOCK_WORDS - self.drawn) % BLOCK_WORDS;
            let (first, whole) = words.split_at_mut(rest.min(words.len()));
            self.fill(first, self.drawn);
            self.drawn = (self.drawn + first.len()) % BLOCK_WORDS;
            if !whole.is_empty() {
                self.fill(whole, 0);
                self.drawn = whole.len() % BLOCK_WORDS;
            }
            if self.drawn > 0 {
                let next = self.cipher.get_block_pos();
                self.cipher.set_block_pos(next.wrapping_sub(1));
            }
        });
    }

    /// Fills `words` with the words of the next blocks, from index `from` on.
    fn fill(&mut self, words: &mut [u64], from: usize) {
        let mut blocks = [Block::<ChaCha20LegacyCore>::default(); BLOCKS];
        for words in words.chunks_mut(BLOCKS * BLOCK_WORDS) {
            let blocks = &mut blocks[..(from + words.len()).div_ceil(BLOCK_WORDS)];
            self.cipher.write_keystream_blocks(blocks);
            let all = blocks.iter().flat_map(|block| block.chunks_exact(8)).skip(from);
            for (word, bytes) in words.iter_mut().zip(all) {
                let mut whole = [0; 8];
                whole.copy_from_slice(bytes);
                *word = u64::from_le_bytes(whole);
            }
        }
        blocks.iter_mut().for_each(|block| block.as_mut_slice().zeroize());
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::{RngCore, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    use super::*;

    #[test]
    fn the_stream_is_that_of_chacha20() {
        let mut key = [0; KEY_BYTES];
        key.iter_mut().zip(7..).for_each(|(byte, number)| *byte = number);
        let (mut random, mut reference) = (Random::of_key(&key), ChaCha20Rng::from_seed(key));
        for count in [8, 3, 2, 0, 1, 16, 120, 5, 3, 128, 136, 1000, 7, 9, 1] {
            let mut words = vec![0; count];
            random.words(&mut words);
            assert!(words.iter().all(|word| *word == reference.next_u64()), "{count} words");
        }
        let mut seed = [0; SEED_BYTES];
        reference.fill_bytes(&mut seed);
        assert_eq!(random.seed(), seed);
    }
}
