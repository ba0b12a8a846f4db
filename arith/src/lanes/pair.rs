// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common part of the backends with registers of 256 bits: eight lanes in two registers,
//! without products.
//!
//! Every operation is done for both registers in turn, so that one chain of additions and products
//! fills the latencies of the other.

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

/// The functions of [`Vector`] that need only AVX2, for a type that wraps a `__m256i`.
macro_rules! vector_operations {
    () => {
        #[inline(always)]
        fn splat(value: u64) -> Self {
            // SAFETY: values of this type exist only under the `run` functions of its module.
            unsafe { Self(_mm256_set1_epi64x(value as i64)) }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm256_add_epi64(self.0, other.0)) }
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm256_sub_epi64(self.0, other.0)) }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm256_and_si256(self.0, other.0)) }
        }
        #[inline(always)]
        fn shift_left<const BITS: u32>(self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm256_sll_epi64(self.0, _mm_cvtsi32_si128(BITS as i32))) }
        }
        #[inline(always)]
        fn shift_right<const BITS: u32>(self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm256_srl_epi64(self.0, _mm_cvtsi32_si128(BITS as i32))) }
        }
        // The instructions have no signed shift: x + 2⁶³ is shifted instead.
        #[inline(always)]
        fn shift_right_signed<const BITS: u32>(self) -> Self {
            let shifted = self.add(Self::splat(1 << 63)).shift_right::<BITS>();
            shifted.sub(Self::splat(1 << (63 - BITS)))
        }
        #[inline(always)]
        fn select_by_sign(self, negative: Self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe {
                let [sign, negative, other] = [
                    _mm256_castsi256_pd(self.0),
                    _mm256_castsi256_pd(negative.0),
                    _mm256_castsi256_pd(other.0),
                ];
                Self(_mm256_castpd_si256(_mm256_blendv_pd(other, negative, sign)))
            }
        }
    };
}

/// The functions of [`Lanes`](super::Lanes) for a pair of such a type, except those that run
/// procedures.
macro_rules! lane_operations {
    ($register:ident) => {
        type Serial = crate::serial::Portable;
        type Register = $register;

        const REGISTERS: usize = 2;

        #[inline(always)]
        fn load(values: &[u64; LANES]) -> Self {
            let start = values.as_ptr().cast::<__m256i>();
            // SAFETY: as in `splat`; the array has 64 bytes.
            let (a, b) = unsafe { (_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))) };
            Self([$register(a), $register(b)])
        }
        #[inline(always)]
        fn load_rows(rows: [&[u64; LANES]; LANES]) -> [Self; LANES] {
            // SAFETY: as in `splat`.
            let registers = unsafe { super::pair::load_rows(rows) };
            let mut lanes = [Self::splat(0); LANES];
            for (lanes, [a, b]) in lanes.iter_mut().zip(registers) {
                *lanes = Self([$register(a), $register(b)]);
            }
            lanes
        }
        #[inline(always)]
        fn store(self) -> [u64; LANES] {
            let mut values = [0; LANES];
            let start = values.as_mut_ptr().cast::<__m256i>();
            let [a, b] = self.0;
            // SAFETY: as in `splat`; the array has 64 bytes.
            unsafe {
                _mm256_storeu_si256(start, a.0);
                _mm256_storeu_si256(start.add(1), b.0);
            }
            values
        }
        #[inline(always)]
        fn register(&self, number: usize) -> $register {
            self.0[number]
        }
        #[inline(always)]
        unsafe fn write_register(place: *mut Self, number: usize, value: $register) {
            // SAFETY: the caller's; a pair is an array of two registers.
            unsafe { (&raw mut (*place).0).cast::<$register>().add(number).write(value) }
        }
        #[inline(always)]
        fn factor_register(factor: &Self::Factor, number: usize) -> <$register as Vector>::Factor {
            factor[number]
        }
    };
}

pub(super) use {lane_operations, vector_operations};
