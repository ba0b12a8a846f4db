// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where randomness comes from.

use chacha20::cipher::{Block, KeyIvInit, StreamCipherCore};
use chacha20::ChaCha20LegacyCore;
use zeroize::{Zeroize, Zeroizing};

use super::uniform::{Seed, SEED_BYTES};
use crate::wiping::with_stack_wiped;

/// Bytes of a key.
const KEY_BYTES: usize = 32;
/// Words of a block of output.
const BLOCK_WORDS: usize = 8;
/// Blocks that are drawn at a time.
const BLOCKS: usize = 16;

/// A stream of random bytes: ChaCha20 with a counter of 64 bits, its key from the operating system. It is
/// wiped when it is dropped; no output is held back.
///
/// In a box, since a move would leave a copy of the key behind.
pub struct Random(Box<ChaCha20LegacyCore>);

/// The operating system gave no randomness.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gave no random bytes: {0}")]
pub struct RandomError(getrandom::Error);

impl Random {
    /// A stream of its own.
    ///
    /// # Errors
    /// Where the operating system gives no random bytes.
    pub fn new() -> Result<Self, RandomError> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        getrandom::getrandom(&mut *key).map_err(RandomError)?;
        Ok(Self::of_key(&key))
    }

    /// The stream of a number: the same each time, for tests. Its key is the first four numbers that
    /// SplitMix64 gives (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
    #[cfg(any(test, feature = "test"))]
    pub fn of_test(number: u64) -> Self {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        for (bytes, index) in key.chunks_exact_mut(8).zip(1..) {
            let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(index));
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            bytes.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes());
        }
        Self::of_key(&key)
    }

    fn of_key(key: &[u8; KEY_BYTES]) -> Self {
        with_stack_wiped(|| {
            Self(Box::new(ChaCha20LegacyCore::new(key.into(), &Default::default())))
        })
    }

    /// A seed for what is public.
    pub fn seed(&mut self) -> Seed {
        let mut words = [0; SEED_BYTES / 8];
        self.words(&mut words);
        let mut seed = [0; SEED_BYTES];
        for (bytes, word) in seed.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        seed
    }

    /// Fills words, from the next whole block on.
    pub(super) fn words(&mut self, words: &mut [u64]) {
        with_stack_wiped(|| self.fill(words));
    }

    fn fill(&mut self, words: &mut [u64]) {
        let mut blocks = [Block::<ChaCha20LegacyCore>::default(); BLOCKS];
        for words in words.chunks_mut(BLOCKS * BLOCK_WORDS) {
            let blocks = &mut blocks[..words.len().div_ceil(BLOCK_WORDS)];
            self.0.write_keystream_blocks(blocks);
            for (words, block) in words.chunks_mut(BLOCK_WORDS).zip(blocks) {
                for (word, bytes) in words.iter_mut().zip(block.chunks_exact(8)) {
                    let mut whole = [0; 8];
                    whole.copy_from_slice(bytes);
                    *word = u64::from_le_bytes(whole);
                }
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
        for count in [8, 16, 120, 128, 136, 1000, 8] {
            let mut words = vec![0; count];
            random.words(&mut words);
            assert!(words.iter().all(|word| *word == reference.next_u64()), "{count} words");
        }
    }

    #[test]
    fn what_a_draw_leaves_of_a_block_is_not_used() {
        let mut all = [0; 24];
        Random::of_test(9).words(&mut all);
        let (mut random, mut words) = (Random::of_test(9), [0; 8]);
        random.words(&mut words[..3]);
        assert_eq!(words[..3], all[..3]);
        let seed = random.seed();
        assert_eq!(seed[..8], all[8].to_le_bytes());
        assert_eq!(seed[24..], all[11].to_le_bytes());
        random.words(&mut words);
        assert_eq!(words, all[16..]);
    }
}
