// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A register of 32-bit words, one for each lane, and what a processor must do with it.

use halimede_arith::arx::{Word, Words, WORDS};

use super::rounds;

/// A register with a word of each lane.
///
/// Everything here and all that is written over it is `#[inline(always)]`: only then is it compiled
/// with the instructions of the function that [`super::digests`] chose. A closure is not, so there
/// are none on a path that matters.
pub(super) trait Vector: Word {
    /// Words of a register, a multiple of four.
    const LANES: usize;
    /// How many registers' lanes are worked on at once, since one alone would leave the processor
    /// waiting for its own results: at most [`super::MOST_GROUPS`].
    const GROUPS: usize = 1;

    /// The same word in each lane.
    fn splat(word: u32) -> Self;
    /// Shifts each word right by 8.
    fn shift_right_8(self) -> Self;
    /// All ones in the lanes where both are equal, and nothing in the others.
    fn equals(self, other: Self) -> Self;
    /// The top bit of each lane, the first lane's the lowest.
    fn top_bits(self) -> u32;

    /// `LANES` words.
    ///
    /// # Safety
    /// They can be read there.
    unsafe fn load(words: *const u32) -> Self;

    /// Writes `LANES` words.
    ///
    /// # Safety
    /// They can be written there.
    unsafe fn store(self, words: *mut u32);

    /// Of four words of every lane, 16 bytes from `blocks[lane] + byte` on, those of a lane in
    /// four: with `LANES / 4` = q, words `4k..4k + 4` are those of `blocks[4k]`, k < q.
    /// The registers for blocks 0, 1, 2, 3 make up the argument of [`Self::transpose`].
    ///
    /// # Safety
    /// `blocks` has `LANES` pointers from this one on, but for the last three, and 16 bytes can be
    /// read from each of them + `byte` on.
    unsafe fn load_quarters(blocks: *const *const u8, byte: usize) -> Self;

    /// Copies a block that is not whole, fewer than 64 bytes, and puts zeros behind it.
    ///
    /// # Safety
    /// The bytes can be read where there are any, and the block can be written.
    #[inline(always)]
    unsafe fn pad_block(bytes: *const u8, count: usize, to: *mut [u8; 64]) {
        let mut block = [0; 64];
        // SAFETY: the caller has the bytes readable, and they are fewer than the block has.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes, block.as_mut_ptr(), count);
            to.write(block);
        }
    }

    /// Transposes every four by four words that begin at a multiple of four: a register for each of
    /// four lanes becomes one for each of four words, or the other way round.
    fn transpose(rows: [Self; 4]) -> [Self; 4];

    /// [`rounds::compress`] on two registers' lanes, each with its blocks.
    #[inline(always)]
    fn compress_two(states: &mut [Words<Self>; 2], blocks: &Words<Self>, others: &Words<Self>) {
        rounds::compress(&mut states[0], blocks);
        rounds::compress(&mut states[1], others);
    }

    /// Asks for the memory there, which may be none at all: it will be read a step later, and a
    /// processor does not see as many streams as there are lanes coming.
    #[inline(always)]
    fn prefetch(_: *const u8) {}

    /// Bitwise: the first where the mask is one, and the second where it is not.
    #[inline(always)]
    fn select(mask: Self, first: Self, second: Self) -> Self {
        second.xor(mask.and(first.xor(second)))
    }

    /// The words of a block of each lane.
    ///
    /// # Safety
    /// `blocks` has `LANES` pointers, and 64 bytes can be read from each.
    #[inline(always)]
    unsafe fn load_blocks(blocks: *const *const u8) -> Words<Self> {
        let mut words = [Self::splat(0); WORDS];
        for four in 0..4 {
            // SAFETY: the caller has all of it readable.
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
