// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Lanes`] with AVX2 and FMA: the halves of 52-bit products by fused multiply-adds of doubles
//! that round to the nearest.
//!
//! AVX2 has no rounding mode per instruction, so the high half h of a·b is the nearest integer to
//! a·b/2⁵², and the low half a·b − h·2⁵² has a sign: it is in [−2⁵¹, 2⁵¹]. As in
//! [`doubles`](super::doubles), a·b + 2¹⁰⁴ is rounded to 2¹⁰⁴ + h·2⁵². The low half is exact, and
//! its sum with 1.5·2⁵² is in [2⁵², 2⁵³], where the bits of a double count its units.

use std::arch::asm;
use std::arch::x86_64::*;

use super::emulation::{HIGH_BIAS, LOW_BIAS, SIGNED_LOW_BIAS};
use super::pair::{load_rows, Pair};
use super::vector::{Lanes, Vector, LANES, LIMB_MASK};
use super::{Kernel, Procedure};

/// Four lanes of a 256-bit register.
#[derive(Clone, Copy)]
pub(super) struct Nearest(__m256i);

/// A limb as an exact double.
#[derive(Clone, Copy)]
pub(super) struct Factor(__m256d);

/// Runs a kernel, compiled with these instructions.
///
/// # Safety
/// The processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Pair<Nearest>>()
}

/// Runs a procedure, compiled with these instructions, without being inlined.
///
/// # Safety
/// See [`run`].
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn call<P: Procedure>(procedure: P) -> P::Output {
    procedure.call()
}

/// The double with these bits in each lane.
#[inline(always)]
fn double(bits: u64) -> __m256d {
    // SAFETY: values of these types exist only under `run`.
    unsafe { _mm256_castsi256_pd(_mm256_set1_epi64x(bits as i64)) }
}

/// value + the bits of a double.
#[inline(always)]
fn plus_bits(value: __m256i, double: __m256d) -> __m256i {
    // SAFETY: as in `double`.
    unsafe { _mm256_add_epi64(value, _mm256_castpd_si256(double)) }
}

/// Returns the sums of the low and the high half of a product and the given values, by the
/// instructions of [`Vector::multiply_add`].
///
/// # Safety
/// The processor has AVX2 and FMA.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn in_order(low: __m256i, high: __m256i, a: __m256d, b: __m256d) -> (__m256i, __m256i) {
    let (mut low, mut high) = (low, high);
    // SAFETY: the caller's processor has the instructions, which only change registers.
    unsafe {
        asm!(
            "vmovapd {top}, {high_bias}",
            "vfmadd231pd {top}, {a}, {b}",
            "vsubpd {bottom}, {high_bias}, {top}",
            "vfmadd231pd {bottom}, {a}, {b}",
            "vpaddq {high}, {high}, {top}",
            "vaddpd {bottom}, {bottom}, {low_bias}",
            "vpaddq {low}, {low}, {bottom}",
            top = out(ymm_reg) _,
            bottom = out(ymm_reg) _,
            low = inout(ymm_reg) low,
            high = inout(ymm_reg) high,
            a = in(ymm_reg) a,
            b = in(ymm_reg) b,
            high_bias = in(ymm_reg) double(HIGH_BIAS),
            low_bias = in(ymm_reg) double(SIGNED_LOW_BIAS),
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    (low, high)
}

impl Vector for Nearest {
    type Factor = Factor;

    // An addition takes one clock.
    const SPLIT_SUMS: bool = false;
    const NEAREST: bool = true;

    #[inline(always)]
    fn splat(value: u64) -> Self {
        // SAFETY: as in `double`.
        unsafe { Self(_mm256_set1_epi64x(value as i64)) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `double`.
        unsafe { Self(_mm256_add_epi64(self.0, other.0)) }
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as in `double`.
        unsafe { Self(_mm256_sub_epi64(self.0, other.0)) }
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as in `double`.
        unsafe { Self(_mm256_and_si256(self.0, other.0)) }
    }
    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        // SAFETY: as in `double`.
        unsafe { Self(_mm256_sll_epi64(self.0, _mm_cvtsi32_si128(BITS as i32))) }
    }
    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        // SAFETY: as in `double`.
        unsafe { Self(_mm256_srl_epi64(self.0, _mm_cvtsi32_si128(BITS as i32))) }
    }
    // The instructions have no signed shift: the lanes are shifted as x + 2⁶³ instead.
    #[inline(always)]
    fn shift_right_signed<const BITS: u32>(self) -> Self {
        let shifted = self.add(Self::splat(1 << 63)).shift_right::<BITS>();
        shifted.sub(Self::splat(1 << (63 - BITS)))
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, other: Self) -> Self {
        // SAFETY: as in `double`.
        unsafe {
            Self(_mm256_castpd_si256(_mm256_blendv_pd(
                _mm256_castsi256_pd(other.0),
                _mm256_castsi256_pd(negative.0),
                _mm256_castsi256_pd(self.0),
            )))
        }
    }

    #[inline(always)]
    fn factor(self) -> Factor {
        self.and(Self::splat(LIMB_MASK)).factor_of_limb()
    }
    // A limb below 2⁵² is the mantissa of 2⁵² + limb.
    #[inline(always)]
    fn factor_of_limb(self) -> Factor {
        let exponent = double(LOW_BIAS);
        // SAFETY: as in `double`.
        unsafe {
            let sum = _mm256_or_pd(_mm256_castsi256_pd(self.0), exponent);
            Factor(_mm256_sub_pd(sum, exponent))
        }
    }
    #[inline(always)]
    fn splat_factor(limb: u64) -> Factor {
        // SAFETY: as in `double`.
        unsafe { Factor(_mm256_set1_pd(limb as i64 as f64)) }
    }
    #[inline(always)]
    fn without_bias(low: u64, high: u64) -> Self {
        let bias = low.wrapping_mul(SIGNED_LOW_BIAS).wrapping_add(high.wrapping_mul(HIGH_BIAS));
        Self::splat(bias.wrapping_neg())
    }
    #[inline(always)]
    fn multiply_add(low: &mut Self, high: &mut Self, a: Factor, b: Factor) {
        let (high_bias, low_bias) = (double(HIGH_BIAS), double(SIGNED_LOW_BIAS));
        // SAFETY: as in `double`. The difference is exact: a multiple of 2⁵² below 2¹⁰⁵.
        unsafe {
            let top = _mm256_fmadd_pd(a.0, b.0, high_bias);
            let bottom = _mm256_fmadd_pd(a.0, b.0, _mm256_sub_pd(high_bias, top));
            low.0 = plus_bits(low.0, _mm256_add_pd(bottom, low_bias));
            high.0 = plus_bits(high.0, top);
        }
    }
    #[inline(always)]
    fn multiply_add_in_order(low: &mut Self, high: &mut Self, a: Factor, b: Factor) {
        // SAFETY: as in `double`.
        (low.0, high.0) = unsafe { in_order(low.0, high.0, a.0, b.0) };
    }
    #[inline(always)]
    fn multiply_add_high(high: &mut Self, a: Factor, b: Factor) {
        // SAFETY: as in `double`.
        let top = unsafe { _mm256_fmadd_pd(a.0, b.0, double(HIGH_BIAS)) };
        high.0 = plus_bits(high.0, top);
    }
}

impl Lanes for Pair<Nearest> {
    type Serial = crate::serial::Portable;
    type Register = Nearest;

    const REGISTERS: usize = 2;

    #[inline(always)]
    fn outlined<P: Procedure>(procedure: P) -> P::Output {
        // SAFETY: values of this type, which the procedure takes, exist only under `run`.
        unsafe { call(procedure) }
    }
    #[inline(always)]
    fn load(values: &[u64; LANES]) -> Self {
        let start = values.as_ptr().cast::<__m256i>();
        // SAFETY: as in `double`; the array has 64 bytes.
        let (a, b) = unsafe { (_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))) };
        Self([Nearest(a), Nearest(b)])
    }
    #[inline(always)]
    fn load_rows(rows: [&[u64; LANES]; LANES]) -> [Self; LANES] {
        // SAFETY: as in `double`.
        let registers = unsafe { load_rows(rows) };
        let mut lanes = [Self::splat(0); LANES];
        for (lanes, [a, b]) in lanes.iter_mut().zip(registers) {
            *lanes = Self([Nearest(a), Nearest(b)]);
        }
        lanes
    }
    #[inline(always)]
    fn store(self) -> [u64; LANES] {
        let mut values = [0; LANES];
        let start = values.as_mut_ptr().cast::<__m256i>();
        let [a, b] = self.0;
        // SAFETY: as in `double`; the array has 64 bytes.
        unsafe {
            _mm256_storeu_si256(start, a.0);
            _mm256_storeu_si256(start.add(1), b.0);
        }
        values
    }
    #[inline(always)]
    fn register(&self, number: usize) -> Nearest {
        self.0[number]
    }
    #[inline(always)]
    unsafe fn write_register(place: *mut Self, number: usize, value: Nearest) {
        // SAFETY: the caller's; a pair is an array of two registers.
        unsafe { (&raw mut (*place).0).cast::<Nearest>().add(number).write(value) }
    }
    #[inline(always)]
    fn factor_register(factor: &[Factor; 2], number: usize) -> Factor {
        factor[number]
    }
}
