// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Lanes`] with AVX-512 IFMA: VPMADD52LUQ and VPMADD52HUQ add one half of eight 52-bit products.
//!
//! The type leaves this module only as the parameter of a kernel that [`run`] runs, so its
//! operations execute only where the instructions exist.

use std::arch::x86_64::*;

use super::register::{lane_operations, vector_operations};
use super::vector::{Lanes, Vector, LANES};
use super::{Kernel, Procedure};

/// Eight lanes of a 512-bit register.
#[derive(Clone, Copy)]
pub(super) struct Ifma(__m512i);

/// Runs a kernel, compiled with these instructions.
///
/// # Safety
/// The processor has AVX-512F, AVX-512DQ and AVX-512 IFMA.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,bmi2,adx")]
pub(super) unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Ifma>()
}

/// Runs a procedure, compiled with these instructions, without being inlined.
///
/// # Safety
/// See [`run`].
#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,bmi2,adx")]
unsafe fn call<P: Procedure>(procedure: P) -> P::Output {
    procedure.call()
}

impl Vector for Ifma {
    type Factor = Self;

    // A fused addition takes four clocks.
    const SPLIT_SUMS: bool = true;

    vector_operations!();

    #[inline(always)]
    fn factor(self) -> Self {
        // The instructions read the low 52 bits of each factor.
        self
    }
    #[inline(always)]
    fn splat_factor(limb: u64) -> Self {
        Self::splat(limb)
    }
    #[inline(always)]
    fn without_bias(_: u64, _: u64) -> Self {
        Self::splat(0)
    }
    #[inline(always)]
    fn multiply_add(low: &mut Self, high: &mut Self, a: Self, b: Self) {
        // SAFETY: values of this type exist only under `run`.
        *low = unsafe { Self(_mm512_madd52lo_epu64(low.0, a.0, b.0)) };
        Self::multiply_add_high(high, a, b);
    }
    #[inline(always)]
    fn multiply_add_high(high: &mut Self, a: Self, b: Self) {
        // SAFETY: values of this type exist only under `run`.
        *high = unsafe { Self(_mm512_madd52hi_epu64(high.0, a.0, b.0)) };
    }
}

impl Lanes for Ifma {
    type Serial = crate::serial::Adx;

    lane_operations!();

    #[inline(always)]
    fn large_step<P: Procedure>(step: P) -> P::Output {
        Self::step(step)
    }
    #[inline(always)]
    fn outlined<P: Procedure>(procedure: P) -> P::Output {
        // SAFETY: values of this type, which the procedure takes, exist only under `run`.
        unsafe { call(procedure) }
    }
}
