// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What both AVX-512 backends do alike: eight 64-bit lanes of a register, without products.

/// The functions of [`Lanes`](super::Lanes) that need AVX-512F and AVX-512DQ alone, for a type that
/// wraps a `__m512i`.
macro_rules! register_operations {
    () => {
        #[inline(always)]
        fn splat(value: u64) -> Self {
            // SAFETY: values of this type are made and used under its module's `run` alone.
            unsafe { Self(_mm512_set1_epi64(value as i64)) }
        }
        #[inline(always)]
        fn load(values: &[u64; LANES]) -> Self {
            // SAFETY: as in `splat`; the array has 64 bytes.
            unsafe { Self(_mm512_loadu_si512(values.as_ptr().cast())) }
        }
        #[inline(always)]
        fn store(self) -> [u64; LANES] {
            let mut values = [0; LANES];
            // SAFETY: as in `splat`; the array has 64 bytes.
            unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), self.0) };
            values
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_add_epi64(self.0, other.0)) }
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_sub_epi64(self.0, other.0)) }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_and_si512(self.0, other.0)) }
        }
        #[inline(always)]
        fn shift_left<const BITS: u32>(self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_slli_epi64::<BITS>(self.0)) }
        }
        #[inline(always)]
        fn shift_right<const BITS: u32>(self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_srli_epi64::<BITS>(self.0)) }
        }
        #[inline(always)]
        fn shift_right_signed<const BITS: u32>(self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_srai_epi64::<BITS>(self.0)) }
        }
        #[inline(always)]
        fn select_by_sign(self, negative: Self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe {
                Self(_mm512_mask_blend_epi64(_mm512_movepi64_mask(self.0), other.0, negative.0))
            }
        }
    };
}

pub(super) use register_operations;
