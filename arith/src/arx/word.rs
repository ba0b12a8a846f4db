// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A word, or a register with a word of each lane.

/// Words of 32 or of 64 bits, one or one of each lane.
///
/// Everything here and all that is written over it is `#[inline(always)]`: only then is it compiled
/// with the instructions of the function it is called in. A closure is not.
pub trait Word: Copy {
    /// Sums modulo 2³² or 2⁶⁴.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// Exclusive or.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// Bits set in both.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Bits set in either.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// Rotates each word by fewer bits than it has, and at least one.
    #[must_use]
    fn rotate_right<const BITS: i32>(self) -> Self;
}

/// [`Word`] for an integer.
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
