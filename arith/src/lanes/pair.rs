// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common part of the backends with registers of 256 bits: eight lanes in two registers,
//! without products.

use std::arch::x86_64::*;

use super::vector::{Vector, LANES};

/// Transposes four registers: result `number` holds lane `number` of each register.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn transposed(rows: [__m256i; 4]) -> [__m256i; 4] {
    const LOWER: i32 = 0x20;
    const UPPER: i32 = 0x31;
    let [a, b, c, d] = rows;
    // SAFETY: the processor of the caller has the instructions.
    unsafe {
        let (even, even_too) = (_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d));
        let (odd, odd_too) = (_mm256_unpackhi_epi64(a, b), _mm256_unpackhi_epi64(c, d));
        [
            _mm256_permute2x128_si256::<LOWER>(even, even_too),
            _mm256_permute2x128_si256::<LOWER>(odd, odd_too),
            _mm256_permute2x128_si256::<UPPER>(even, even_too),
            _mm256_permute2x128_si256::<UPPER>(odd, odd_too),
        ]
    }
}

/// Loads eight rows of eight values. Register pair `number` receives value `number` of each row.
///
/// # Safety
/// See [`transposed`].
#[inline(always)]
pub(super) unsafe fn load_rows(rows: [&[u64; LANES]; LANES]) -> [[__m256i; 2]; LANES] {
    // SAFETY: the processor of the caller has the instructions; a row has 64 bytes.
    unsafe {
        let mut halves = [[_mm256_setzero_si256(); 2]; LANES];
        for half in 0..2 {
            for part in 0..2 {
                let mut quarter = [_mm256_setzero_si256(); 4];
                for (register, row) in quarter.iter_mut().zip(&rows[4 * half..]) {
                    *register = _mm256_loadu_si256(row.as_ptr().cast::<__m256i>().add(part));
                }
                for (number, register) in transposed(quarter).into_iter().enumerate() {
                    halves[4 * part + number][half] = register;
                }
            }
        }
        halves
    }
}

/// Two vectors as one.
#[derive(Clone, Copy)]
pub struct Pair<V>(pub [V; 2]);

impl<V: Vector> Vector for Pair<V> {
    type Factor = [V::Factor; 2];

    const SPLIT_SUMS: bool = V::SPLIT_SUMS;
    const NEAREST: bool = V::NEAREST;

    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self([V::splat(value); 2])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([a.add(c), b.add(d)])
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([a.sub(c), b.sub(d)])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([a.and(c), b.and(d)])
    }
    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        let [a, b] = self.0;
        Self([a.shift_left::<BITS>(), b.shift_left::<BITS>()])
    }
    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        let [a, b] = self.0;
        Self([a.shift_right::<BITS>(), b.shift_right::<BITS>()])
    }
    #[inline(always)]
    fn shift_right_signed<const BITS: u32>(self) -> Self {
        let [a, b] = self.0;
        Self([a.shift_right_signed::<BITS>(), b.shift_right_signed::<BITS>()])
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, other: Self) -> Self {
        let ([a, b], [c, d], [e, f]) = (self.0, negative.0, other.0);
        Self([a.select_by_sign(c, e), b.select_by_sign(d, f)])
    }
    #[inline(always)]
    fn factor(self) -> Self::Factor {
        let [a, b] = self.0;
        [a.factor(), b.factor()]
    }
    #[inline(always)]
    fn factor_of_limb(self) -> Self::Factor {
        let [a, b] = self.0;
        [a.factor_of_limb(), b.factor_of_limb()]
    }
    #[inline(always)]
    fn splat_factor(limb: u64) -> Self::Factor {
        [V::splat_factor(limb); 2]
    }
    #[inline(always)]
    fn without_bias(low: u64, high: u64) -> Self {
        Self([V::without_bias(low, high); 2])
    }
    #[inline(always)]
    fn multiply_add(low: &mut Self, high: &mut Self, a: Self::Factor, b: Self::Factor) {
        V::multiply_add(&mut low.0[0], &mut high.0[0], a[0], b[0]);
        V::multiply_add(&mut low.0[1], &mut high.0[1], a[1], b[1]);
    }
    #[inline(always)]
    fn multiply_add_in_order(low: &mut Self, high: &mut Self, a: Self::Factor, b: Self::Factor) {
        V::multiply_add_in_order(&mut low.0[0], &mut high.0[0], a[0], b[0]);
        V::multiply_add_in_order(&mut low.0[1], &mut high.0[1], a[1], b[1]);
    }
    #[inline(always)]
    fn multiply_add_low(low: &mut Self, a: Self::Factor, b: Self::Factor) {
        V::multiply_add_low(&mut low.0[0], a[0], b[0]);
        V::multiply_add_low(&mut low.0[1], a[1], b[1]);
    }
    #[inline(always)]
    fn multiply_add_high(high: &mut Self, a: Self::Factor, b: Self::Factor) {
        V::multiply_add_high(&mut high.0[0], a[0], b[0]);
        V::multiply_add_high(&mut high.0[1], a[1], b[1]);
    }
}
