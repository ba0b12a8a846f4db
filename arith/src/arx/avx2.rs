// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Word`] with AVX2: eight lanes of 32 bits, or four of 64.

use std::arch::asm;
use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::word::Word;

/// A register of words `W`: `u32` or `u64`. Its existence proves that the processor has AVX2: the
/// caller of [`Self::new`] vouches for it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Avx2<W>(__m256i, PhantomData<W>);

impl<W> Avx2<W> {
    /// Wraps a register of words.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    pub unsafe fn new(register: __m256i) -> Self {
        Self(register, PhantomData)
    }

    /// Returns the register.
    #[inline(always)]
    pub fn register(self) -> __m256i {
        self.0
    }
}

/// For a right rotation of words by whole bytes: the source byte of each byte of a register,
/// counted within its 128-bit half.
const fn rotated_bytes(word_bytes: usize, by: usize) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut place = 0;
    while place < 32 {
        let (word, byte) = (place % 16 / word_bytes, place % word_bytes);
        bytes[place] = (word * word_bytes + (byte + by) % word_bytes) as u8;
        place += 1;
    }
    bytes
}

/// Shuffles the bytes of each half. For a shuffle that moves whole 16-bit words, the compiler would
/// emit two shuffles or more, which costs a tenth of BLAKE2b's rounds.
///
/// # Safety
/// The processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn shuffle(register: __m256i, bytes: __m256i) -> __m256i {
    let shuffled;
    // SAFETY: the instruction touches only registers.
    unsafe {
        asm!(
            "vpshufb {shuffled}, {register}, {bytes}",
            shuffled = lateout(ymm_reg) shuffled,
            register = in(ymm_reg) register,
            bytes = in(ymm_reg) bytes,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    shuffled
}

/// Implements [`Word`] for registers of one integer type, with the given instructions.
macro_rules! word {
    ($integer:ty, $add:ident, $shift_left:ident, $shift_right:ident) => {
        impl Word for Avx2<$integer> {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: whoever made `self` ensured that the processor has AVX2, here and below.
                unsafe { Self::new($add(self.0, other.0)) }
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: as in `add`.
                unsafe { Self::new(_mm256_xor_si256(self.0, other.0)) }
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: as in `add`.
                unsafe { Self::new(_mm256_and_si256(self.0, other.0)) }
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: as in `add`.
                unsafe { Self::new(_mm256_or_si256(self.0, other.0)) }
            }
            #[inline(always)]
            fn rotate_right<const BITS: i32>(self) -> Self {
                const WORD_BITS: i32 = <$integer>::BITS as i32;
                const { assert!(0 < BITS && BITS < WORD_BITS) };
                // A rotation by whole bytes is one shuffle. A left shift by one bit is an addition,
                // which more ports of a processor execute than shifts.
                // SAFETY: as in `add`; the array has the size of a register.
                unsafe {
                    if BITS % 8 == 0 {
                        let bytes =
                            &const { rotated_bytes(WORD_BITS as usize / 8, BITS as usize / 8) };
                        let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
                        return Self::new(shuffle(self.0, bytes));
                    }
                    let left = if BITS == WORD_BITS - 1 {
                        $add(self.0, self.0)
                    } else {
                        $shift_left(self.0, _mm_cvtsi32_si128(WORD_BITS - BITS))
                    };
                    Self::new(_mm256_or_si256($shift_right::<BITS>(self.0), left))
                }
            }
        }
    };
}

word!(u32, _mm256_add_epi32, _mm256_sll_epi32, _mm256_srli_epi32);
word!(u64, _mm256_add_epi64, _mm256_sll_epi64, _mm256_srli_epi64);
