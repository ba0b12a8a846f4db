// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A register of lanes of 64 bits, and its operations.

use halimede_arith::arx::Word;

use crate::midstate::{Short, Tail};

/// The output of a hash: eight words, each for all lanes.
pub(crate) type Output<V> = [V; 8];

/// The most bits of the words that [`Vector::divide`] divides.
pub(crate) const DIVIDEND_BITS: u32 = 25;
/// The number of fraction bits of a reciprocal.
pub(crate) const RECIPROCAL_BITS: u32 = 31;

/// 2^31 / `divisor`, rounded up. It exceeds the exact value by less than 1, and so a product
/// with i < 2^25 exceeds i / `divisor` by less than 2^(25 − 31) = 1/64, which is at most
/// 1 / `divisor`: too little to reach the next integer.
pub(crate) const fn reciprocal(divisor: u32) -> u32 {
    (1u32 << RECIPROCAL_BITS).div_ceil(divisor)
}

/// The operations of the checks, except the rounds.
pub(crate) trait Vector: Word {
    /// The number of words of a register.
    const LANES: usize;
    /// A set of lanes of a register.
    type Lanes: Copy;

    /// Broadcasts a word to every lane.
    fn splat(word: u64) -> Self;
    /// Shifts to the left by less than 64 bits.
    fn shift_left(self, bits: u32) -> Self;
    /// Shifts to the right by less than 64 bits.
    fn shift_right(self, bits: u32) -> Self;
    /// Returns the quotient by `divisor` of words below 2^25 (with one lane, of any 32-bit word),
    /// given its [`reciprocal`].
    fn divide(self, divisor: u32, reciprocal: u32) -> Self;
    /// Returns the lanes in which two registers have the same word.
    fn equals(self, other: Self) -> Self::Lanes;
    /// Returns `other` in these lanes and `self` in the rest.
    fn replace(self, lanes: Self::Lanes, other: Self) -> Self;
    /// Returns `true` if any bit of any lane is set.
    fn any(self) -> bool;
    /// Reads one 32-bit word for each lane.
    ///
    /// # Safety
    /// [`Self::LANES`] words can be read.
    unsafe fn load_halves(words: *const u32) -> Self;
    /// Writes every lane.
    ///
    /// # Safety
    /// [`Self::LANES`] words can be written.
    unsafe fn store(self, words: *mut u64);

    /// Computes the hashes of two registers of messages with these second words of a [`Short`]
    /// block.
    fn hash_short(short: &Short, second_words: [Self; 2], outputs: &mut [Output<Self>; 2]);
    /// Computes the hashes of two registers of messages with these numbers after the input.
    fn hash_any(tail: &Tail, numbers: [Self; 2], outputs: &mut [Output<Self>; 2]);
}
