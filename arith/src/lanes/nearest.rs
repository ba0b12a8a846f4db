// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Lanes`] with AVX2 and FMA: the halves of 52-bit products by fused multiply-adds of doubles
//! that round to the nearest.
//!
//! AVX2 has no rounding mode per instruction, so the high half h of a·b is the nearest integer to
//! a·b/2⁵², and the low half a·b − h·2⁵² has a sign: it is in [−2⁵¹, 2⁵¹]. As in
//! [`doubles`](super::doubles), a·b + 2¹⁰⁴ is rounded to 2¹⁰⁴ + h·2⁵². The low half is exact, and
//! its sum with 1.5·2⁵² is in [2⁵², 2⁵³], where the bits of a double count its units.

use std::arch::x86_64::*;

use super::emulation::{HIGH_BIAS, LOW_BIAS, SIGNED_LOW_BIAS};
use super::pair::pair_operations;
use super::vector::{Lanes, LANES, LIMB_MASK};
use super::{Kernel, Procedure};

/// Eight lanes of two 256-bit registers.
#[derive(Clone, Copy)]
pub(super) struct Nearest([__m256i; 2]);

/// A limb as an exact double.
#[derive(Clone, Copy)]
pub(super) struct Factor([__m256d; 2]);

/// Runs a kernel, compiled with these instructions.
///
/// # Safety
/// The processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Nearest>()
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

impl Lanes for Nearest {
    type Factor = Factor;
    type Serial = crate::serial::Portable;

    // An addition takes one clock.
    const SPLIT_SUMS: bool = false;
    const NEAREST: bool = true;

    pair_operations!();

    #[inline(always)]
    fn outlined<P: Procedure>(procedure: P) -> P::Output {
        // SAFETY: values of this type, which the procedure takes, exist only under `run`.
        unsafe { call(procedure) }
    }

    // A limb below 2⁵² is the mantissa of 2⁵² + limb.
    #[inline(always)]
    fn factor(self) -> Factor {
        let [a, b] = self.and(Self::splat(LIMB_MASK)).0;
        let exponent = double(LOW_BIAS);
        // SAFETY: as in `double`.
        unsafe {
            let a = _mm256_or_pd(_mm256_castsi256_pd(a), exponent);
            let b = _mm256_or_pd(_mm256_castsi256_pd(b), exponent);
            Factor([_mm256_sub_pd(a, exponent), _mm256_sub_pd(b, exponent)])
        }
    }
    #[inline(always)]
    fn splat_factor(limb: u64) -> Factor {
        // SAFETY: as in `double`.
        let register = unsafe { _mm256_set1_pd(limb as i64 as f64) };
        Factor([register; 2])
    }
    #[inline(always)]
    fn without_bias(low: u64, high: u64) -> Self {
        let bias = low.wrapping_mul(SIGNED_LOW_BIAS).wrapping_add(high.wrapping_mul(HIGH_BIAS));
        Self::splat(bias.wrapping_neg())
    }
    #[inline(always)]
    fn multiply_add(low: &mut Self, high: &mut Self, a: Factor, b: Factor) {
        let (high_bias, low_bias) = (double(HIGH_BIAS), double(SIGNED_LOW_BIAS));
        for half in 0..2 {
            let (a, b) = (a.0[half], b.0[half]);
            // SAFETY: as in `double`. The difference is exact: a multiple of 2⁵² below 2¹⁰⁵.
            unsafe {
                let top = _mm256_fmadd_pd(a, b, high_bias);
                let bottom = _mm256_fmadd_pd(a, b, _mm256_sub_pd(high_bias, top));
                low.0[half] = plus_bits(low.0[half], _mm256_add_pd(bottom, low_bias));
                high.0[half] = plus_bits(high.0[half], top);
            }
        }
    }
    #[inline(always)]
    fn multiply_add_high(high: &mut Self, a: Factor, b: Factor) {
        for half in 0..2 {
            // SAFETY: as in `double`.
            let top = unsafe { _mm256_fmadd_pd(a.0[half], b.0[half], double(HIGH_BIAS)) };
            high.0[half] = plus_bits(high.0[half], top);
        }
    }
}
