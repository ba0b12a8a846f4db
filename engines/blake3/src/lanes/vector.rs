// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A register of 32-bit words, one for each lane, and its operations.

use halimede_arith::arx::{Word, Words, WORDS};

use super::alone::digest;
use super::{rounds, MOST_LANES};
use crate::Digest;

/// A register with one word per lane.
///
/// Everything here, and everything built on it, is `#[inline(always)]`: only then is it compiled
/// with the instructions of the function that [`super::digests`] chose. Closures are not inlined
/// this way, so hot paths do not use them.
pub(super) trait Vector: Word {
    /// The number of words of a register, a multiple of four.
    const LANES: usize;
    /// The number of registers that are processed at once, because a single one would stall on its
    /// own results: at most [`super::MOST_GROUPS`].
    const GROUPS: usize = 1;

    /// Broadcasts a word to each lane.
    fn splat(word: u32) -> Self;
    /// Shifts each word right by 8.
    fn shift_right_8(self) -> Self;
    /// Returns all ones in the lanes where both are equal, and zeros in the others.
    fn equals(self, other: Self) -> Self;
    /// Returns the top bit of each lane, the first lane's in the lowest bit.
    fn top_bits(self) -> u32;

    /// Loads `LANES` words.
    ///
    /// # Safety
    /// The words can be read.
    unsafe fn load(words: *const u32) -> Self;

    /// Writes `LANES` words.
    ///
    /// # Safety
    /// The words can be written.
    unsafe fn store(self, words: *mut u32);

    /// Loads 16 bytes, four words, of every fourth block: words `4k..4k + 4` are the bytes at
    /// `blocks[4k] + byte`, for k < `LANES / 4`. The registers for blocks 0, 1, 2, 3 form the
    /// argument of [`Self::transpose`].
    ///
    /// # Safety
    /// `blocks` has `LANES` − 3 pointers from this one on, and 16 bytes can be read at `byte` from
    /// each of them.
    unsafe fn load_quarters(blocks: *const *const u8, byte: usize) -> Self;

    /// Copies a partial block of fewer than 64 bytes, and pads it with zeros.
    ///
    /// # Safety
    /// The bytes can be read if `count` is not 0, and the block can be written.
    #[inline(always)]
    unsafe fn pad_block(bytes: *const u8, count: usize, to: *mut [u8; 64]) {
        let mut block = [0; 64];
        // SAFETY: the caller guarantees that the bytes can be read; they fit in the block.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes, block.as_mut_ptr(), count);
            to.write(block);
        }
    }

    /// Transposes each aligned four-by-four group of words: a register for each of four lanes
    /// becomes one for each of four words, or the reverse.
    fn transpose(rows: [Self; 4]) -> [Self; 4];

    /// Writes the digest of each lane, the first eight words of its state, in order.
    ///
    /// # Safety
    /// `LANES` digests can be written.
    #[inline(always)]
    unsafe fn store_digests(state: &Words<Self>, digests: *mut Digest) {
        let rows = DigestRows::of(state);
        for lane in 0..Self::LANES {
            // SAFETY: the caller guarantees that the digests can be written.
            unsafe { digests.add(lane).write(rows.digest::<Self>(lane)) };
        }
    }

    /// [`rounds::compress`] on the lanes of two registers, each with its blocks.
    #[inline(always)]
    fn compress_two(states: &mut [Words<Self>; 2], blocks: &Words<Self>, others: &Words<Self>) {
        rounds::compress(&mut states[0], blocks);
        rounds::compress(&mut states[1], others);
    }

    /// Prefetches the memory, which may be invalid: it will be read one step later, and hardware
    /// prefetchers do not track one stream per lane.
    #[inline(always)]
    fn prefetch(_: *const u8) {}

    /// Selects bitwise: `first` where the mask is one, `second` where it is zero.
    #[inline(always)]
    fn select(mask: Self, first: Self, second: Self) -> Self {
        second.xor(mask.and(first.xor(second)))
    }

    /// Loads the words of a block of each lane.
    ///
    /// # Safety
    /// `blocks` has `LANES` pointers, and 64 bytes can be read from each.
    #[inline(always)]
    unsafe fn load_blocks(blocks: *const *const u8) -> Words<Self> {
        let mut words = [Self::splat(0); WORDS];
        for four in 0..4 {
            // SAFETY: the caller guarantees that all blocks can be read.
            let rows = unsafe {
                [
                    Self::load_quarters(blocks, 16 * four),
                    Self::load_quarters(blocks.add(1), 16 * four),
                    Self::load_quarters(blocks.add(2), 16 * four),
                    Self::load_quarters(blocks.add(3), 16 * four),
                ]
            };
            words[4 * four..4 * four + 4].copy_from_slice(&Self::transpose(rows));
        }
        words
    }
}

/// The chaining values of a register of lanes. Row i has words 0 to 3 of the lanes i, i + 4, and so
/// on, then words 4 to 7 of them.
#[repr(align(64))]
pub(super) struct DigestRows([[u32; MOST_LANES]; 4]);

impl DigestRows {
    /// Returns the first eight words of each lane.
    #[inline(always)]
    pub(super) fn of<V: Vector>(state: &Words<V>) -> Self {
        let mut rows = [[0; MOST_LANES]; 4];
        let low = V::transpose([state[0], state[1], state[2], state[3]]);
        let high = V::transpose([state[4], state[5], state[6], state[7]]);
        for (row, (low, high)) in rows.iter_mut().zip(low.into_iter().zip(high)) {
            // SAFETY: a row has room for the words of two registers.
            unsafe {
                low.store(row.as_mut_ptr());
                high.store(row.as_mut_ptr().add(V::LANES));
            }
        }
        Self(rows)
    }

    /// Returns the digest of a lane.
    #[inline(always)]
    pub(super) fn digest<V: Vector>(&self, lane: usize) -> Digest {
        let (row, low) = (&self.0[lane % 4], lane / 4 * 4);
        let high = V::LANES + low;
        digest(&row[low..low + 4], &row[high..high + 4])
    }
}
