// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Word`] with AVX-512: sixteen lanes of 32 bits, or eight of 64.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::word::Word;

/// A register of words `W`: `u32` or `u64`. Its existence proves that the processor has AVX-512F:
/// the caller of [`Self::new`] vouches for it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Avx512<W>(__m512i, PhantomData<W>);

impl<W> Avx512<W> {
    /// Wraps a register of words.
    ///
    /// # Safety
    /// The processor has AVX-512F.
    #[inline(always)]
    pub unsafe fn new(register: __m512i) -> Self {
        Self(register, PhantomData)
    }

    /// Returns the register.
    #[inline(always)]
    pub fn register(self) -> __m512i {
        self.0
    }
}

/// Implements [`Word`] for registers of one integer type, with the given instructions.
macro_rules! word {
    ($integer:ty, $add:ident, $rotate_right:ident) => {
        impl Word for Avx512<$integer> {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: whoever made `self` ensured that the processor has AVX-512F, here and
                // below.
                unsafe { Self::new($add(self.0, other.0)) }
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: as in `add`.
                unsafe { Self::new(_mm512_xor_si512(self.0, other.0)) }
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: as in `add`.
                unsafe { Self::new(_mm512_and_si512(self.0, other.0)) }
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: as in `add`.
                unsafe { Self::new(_mm512_or_si512(self.0, other.0)) }
            }
            #[inline(always)]
            fn rotate_right<const BITS: i32>(self) -> Self {
                // SAFETY: as in `add`.
                unsafe { Self::new($rotate_right::<BITS>(self.0)) }
            }
        }
    };
}

word!(u32, _mm512_add_epi32, _mm512_ror_epi32);
word!(u64, _mm512_add_epi64, _mm512_ror_epi64);
