// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Lanes`](super::Lanes) with AVX-IFMA: VPMADD52LUQ and VPMADD52HUQ for registers of 256 bits, on
//! processors without AVX-512.
//!
//! AVX-512VL has the same instructions in another encoding. Tests run the same code with it where
//! the processor lacks AVX-IFMA.

use std::arch::x86_64::*;

use super::pair::{lane_operations, vector_operations, Pair};
use super::vector::{Lanes, Vector, LANES};
use super::{Kernel, Procedure};

/// Declares four lanes of a 256-bit register, and functions that run kernels in pairs of them.
macro_rules! four_lanes {
    ($name:ident, $features:literal, $low:ident, $high:ident, $run:ident, $call:ident) => {
        /// Four lanes of a 256-bit register.
        #[derive(Clone, Copy)]
        pub(super) struct $name(__m256i);

        /// Runs a kernel, compiled with these instructions.
        ///
        /// # Safety
        /// The processor has these instructions.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $run<K: Kernel>(kernel: K) -> K::Output {
            kernel.run::<Pair<$name>>()
        }

        /// Runs a procedure, compiled with these instructions, without being inlined.
        ///
        /// # Safety
        /// See `run`.
        #[inline(never)]
        #[target_feature(enable = $features)]
        unsafe fn $call<P: Procedure>(procedure: P) -> P::Output {
            procedure.call()
        }

        impl Lanes for Pair<$name> {
            lane_operations!($name);

            #[inline(always)]
            fn outlined<P: Procedure>(procedure: P) -> P::Output {
                // SAFETY: values of this type, which the procedure takes, exist only under `run`.
                unsafe { $call(procedure) }
            }
        }

        impl Vector for $name {
            type Factor = Self;

            // Both registers of a pair fill the four clocks of a fused addition.
            const SPLIT_SUMS: bool = false;

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
                // SAFETY: as in `splat`.
                *low = unsafe { Self($low(low.0, a.0, b.0)) };
                Self::multiply_add_high(high, a, b);
            }
            #[inline(always)]
            fn multiply_add_high(high: &mut Self, a: Self, b: Self) {
                // SAFETY: as in `splat`.
                *high = unsafe { Self($high(high.0, a.0, b.0)) };
            }
        }
    };
}

#[cfg(not(debug_assertions))]
four_lanes!(
    AvxIfma,
    "avx2,avxifma,bmi2,adx",
    _mm256_madd52lo_avx_epu64,
    _mm256_madd52hi_avx_epu64,
    run,
    call
);

#[cfg(test)]
four_lanes!(
    Avx512Vl,
    "avx2,avx512vl,avx512ifma,bmi2,adx",
    _mm256_madd52lo_epu64,
    _mm256_madd52hi_epu64,
    run_with_avx512vl,
    call_with_avx512vl
);

/// Runs a kernel with the instructions of AVX-512VL; `None` if the processor lacks them.
#[cfg(test)]
pub(super) fn twin<K: Kernel>(kernel: K) -> Option<K::Output> {
    let is_here = is_x86_feature_detected!("avx512ifma") && is_x86_feature_detected!("avx512vl");
    // SAFETY: the processor has the instructions; those with AVX-512 have the others.
    is_here.then(|| unsafe { run_with_avx512vl(kernel) })
}
