// SPDX-License-Identifier: Apache-2.0 OR MIT
//! x86-64 with MULX and the carry flag.
//!
//! The fifth power is assembly, composed of [`blocks`]. The other functions use intrinsics, which
//! keep a chain of additions in the carry flag, where portable code copies carries to registers.
//! MULX does not change the flag, so products can be placed between the additions.

mod blocks;
mod felt;
mod fr;

use std::arch::x86_64::{_addcarry_u64, _subborrow_u64};

use super::limbs::Limbs;
use super::{Arithmetic, Kernel};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Adx;

impl Arithmetic for Adx {
    #[inline(always)]
    fn add(a: u64, b: u64, carry: u8) -> (u64, u8) {
        let mut sum = 0;
        let carry = _addcarry_u64(carry, a, b, &mut sum);
        (sum, carry)
    }

    #[inline(always)]
    fn sub(a: u64, b: u64, borrow: u8) -> (u64, u8) {
        let mut difference = 0;
        let borrow = _subborrow_u64(borrow, a, b, &mut difference);
        (difference, borrow)
    }

    #[inline(always)]
    fn cube(x: Limbs) -> Limbs {
        // SAFETY: only [`compute`] uses this backend, on a processor that has BMI2.
        unsafe { felt::cube(x) }
    }

    #[inline(always)]
    fn fifth_power(x: Limbs) -> Limbs {
        // SAFETY: only [`compute`] uses this backend, on a processor that has BMI2.
        unsafe { fr::fifth_power(x) }
    }
}

/// The kernel, compiled for this backend.
///
/// # Safety
/// The processor has BMI2 and ADX.
#[target_feature(enable = "bmi2,adx")]
pub(super) unsafe fn compute<K: Kernel>(kernel: K) -> K::Output {
    kernel.compute::<Adx>()
}
