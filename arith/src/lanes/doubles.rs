// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Lanes`] with AVX-512F and AVX-512DQ: the halves of 52-bit products by fused multiply-adds of
//! doubles that round toward zero.
//!
//! For integers a, b below 2⁵² the sum a·b + 2¹⁰⁴ is in [2¹⁰⁴, 2¹⁰⁵), where the last bit of a
//! double has the value 2⁵². Rounding leaves 2¹⁰⁴ + h·2⁵² with the high half h, and its bits are
//! those of 2¹⁰⁴ plus h. Then a·b − h·2⁵² + 2⁵² is exact, and its bits are those of 2⁵² plus the
//! low half. So both halves can be summed as integers, and the constants are subtracted once per
//! sum.

use std::arch::asm;
use std::arch::x86_64::*;

use super::emulation::{HIGH_BIAS, LOW_BIAS};
use super::register::{lane_operations, vector_operations};
use super::vector::{Lanes, Vector, LANES, LIMB_MASK};
use super::{Kernel, Procedure};

/// Eight lanes of a 512-bit register.
#[derive(Clone, Copy)]
pub(super) struct Doubles(__m512i);

/// A limb as an exact double.
#[derive(Clone, Copy)]
pub(super) struct Factor(__m512d);

const ROUND: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

/// Runs a kernel, compiled with these instructions.
///
/// # Safety
/// The processor has AVX-512F and AVX-512DQ.
#[target_feature(enable = "avx512f,avx512dq,bmi2,adx")]
pub(super) unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Doubles>()
}

/// Runs a procedure, compiled with these instructions, without being inlined.
///
/// # Safety
/// See [`run`].
#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq,bmi2,adx")]
unsafe fn call<P: Procedure>(procedure: P) -> P::Output {
    procedure.call()
}

/// 2¹⁰⁴ + ⌊a·b/2⁵²⌋·2⁵².
#[inline(always)]
fn high_half(a: Factor, b: Factor) -> __m512d {
    // SAFETY: values of these types exist only under `run`.
    unsafe {
        let bias = _mm512_castsi512_pd(_mm512_set1_epi64(HIGH_BIAS as i64));
        _mm512_fmadd_round_pd::<ROUND>(a.0, b.0, bias)
    }
}

/// Returns the sums of the low and the high half of a product and the given values, by the
/// instructions of [`Vector::multiply_add`].
///
/// # Safety
/// The processor has AVX-512F.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn in_order(low: __m512i, high: __m512i, a: __m512d, b: __m512d) -> (__m512i, __m512i) {
    let (mut low, mut high) = (low, high);
    let high_bias = _mm512_castsi512_pd(_mm512_set1_epi64(HIGH_BIAS as i64));
    let both = _mm512_set1_pd((1u128 << 104) as f64 + (1u64 << 52) as f64);
    // SAFETY: the caller's processor has the instructions, which only change registers.
    unsafe {
        asm!(
            "vmovapd {top}, {high_bias}",
            "vfmadd231pd {top}, {a}, {b}, {{rz-sae}}",
            "vsubpd {bottom}, {both}, {top}",
            "vfmadd231pd {bottom}, {a}, {b}, {{rz-sae}}",
            "vpaddq {high}, {high}, {top}",
            "vpaddq {low}, {low}, {bottom}",
            top = out(zmm_reg) _,
            bottom = out(zmm_reg) _,
            low = inout(zmm_reg) low,
            high = inout(zmm_reg) high,
            a = in(zmm_reg) a,
            b = in(zmm_reg) b,
            high_bias = in(zmm_reg) high_bias,
            both = in(zmm_reg) both,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    (low, high)
}

impl Vector for Doubles {
    type Factor = Factor;

    // An addition takes one clock.
    const SPLIT_SUMS: bool = false;

    vector_operations!();

    #[inline(always)]
    fn factor(self) -> Factor {
        self.and(Self::splat(LIMB_MASK)).factor_of_limb()
    }
    #[inline(always)]
    fn factor_of_limb(self) -> Factor {
        // SAFETY: as in `high_half`.
        unsafe { Factor(_mm512_cvtepu64_pd(self.0)) }
    }
    #[inline(always)]
    fn splat_factor(limb: u64) -> Factor {
        // SAFETY: as in `high_half`.
        unsafe { Factor(_mm512_set1_pd(limb as i64 as f64)) }
    }
    #[inline(always)]
    fn without_bias(low: u64, high: u64) -> Self {
        let bias = low.wrapping_mul(LOW_BIAS).wrapping_add(high.wrapping_mul(HIGH_BIAS));
        Self::splat(bias.wrapping_neg())
    }
    #[inline(always)]
    fn multiply_add(low: &mut Self, high: &mut Self, a: Factor, b: Factor) {
        let top = high_half(a, b);
        // SAFETY: as in `high_half`. 2¹⁰⁴ + 2⁵² is exact, and so is its difference to the high
        // half.
        unsafe {
            let bias = _mm512_set1_pd((1u128 << 104) as f64 + (1u64 << 52) as f64);
            let bottom = _mm512_fmadd_round_pd::<ROUND>(a.0, b.0, _mm512_sub_pd(bias, top));
            *low = low.add(Self(_mm512_castpd_si512(bottom)));
            *high = high.add(Self(_mm512_castpd_si512(top)));
        }
    }
    #[inline(always)]
    fn multiply_add_in_order(low: &mut Self, high: &mut Self, a: Factor, b: Factor) {
        // SAFETY: as in `high_half`.
        (low.0, high.0) = unsafe { in_order(low.0, high.0, a.0, b.0) };
    }
    #[inline(always)]
    fn multiply_add_high(high: &mut Self, a: Factor, b: Factor) {
        let top = high_half(a, b);
        // SAFETY: as in `high_half`.
        unsafe { *high = high.add(Self(_mm512_castpd_si512(top))) };
    }
}

impl Lanes for Doubles {
    type Serial = crate::serial::Adx;

    lane_operations!();

    #[inline(always)]
    fn outlined<P: Procedure>(procedure: P) -> P::Output {
        // SAFETY: values of this type, which the procedure takes, exist only under `run`.
        unsafe { call(procedure) }
    }
}
