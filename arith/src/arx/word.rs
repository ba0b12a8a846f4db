// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A word, or a register with a word of each lane.

/// Words of 32 or 64 bits: a single word, or one per lane.
///
/// Every function here and every function that uses a `Word` is `#[inline(always)]`; only then is
/// it compiled with the instructions of the calling function. A closure is not.
pub trait Word: Copy {
    /// Adds modulo 2³² or 2⁶⁴.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// Computes the exclusive or.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// Returns the bits that are set in both.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Returns the bits that are set in either.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// Rotates each word to the right by at least one bit and fewer bits than it has.
    #[must_use]
    fn rotate_right<const BITS: i32>(self) -> Self;
}

/// Implements [`Word`] for an integer.
macro_rules! word {
    ($integer:ty) => {
        impl Word for $integer {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn rotate_right<const BITS: i32>(self) -> Self {
                <$integer>::rotate_right(self, BITS as u32)
            }
        }
    };
}

word!(u32);
word!(u64);
