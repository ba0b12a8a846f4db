// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Word`] with AVX-512: sixteen lanes of 32 bits, or eight of 64.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::word::Word;

/// A register of words `W`: `u32` or `u64`. Who makes one answers for the processor having
/// AVX-512F, so that whoever has one may compute with it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Avx512<W>(__m512i, PhantomData<W>);

impl<W> Avx512<W> {
    /// The words of a register.
    ///
    /// # Safety
    /// The processor has AVX-512F.
    #[inline(always)]
    pub unsafe fn new(register: __m512i) -> Self {
        Self(register, PhantomData)
    }

    /// The register.
    #[inline(always)]
    pub fn register(self) -> __m512i {
        self.0
    }
}

/// [`Word`] for registers of an integer, whose instructions these are.
macro_rules! word {
    ($integer:ty, $add:ident, $rotate_right:ident) => {
        impl Word for Avx512<$integer> {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: who made `self` has seen to AVX-512F, here and below.
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
