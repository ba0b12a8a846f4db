// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic for one long chain of operations, e.g. a single permutation: integers of four 64-bit
//! limbs that represent residues and are reduced only if their stated range requires it.
//!
//! Everything is written once for any [`Arithmetic`], the additions with carry in which compilers
//! differ: [`Portable`] is pure Rust, and `Adx` uses the processor's carry flag. A [`Kernel`] is a
//! whole computation. [`run`] compiles it for each backend and chooses once per call, so that a
//! multiplication itself is never a call or a branch.

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod adx;
pub mod felt;
pub mod fr;
pub mod limbs;
pub mod secp256k1;

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
pub(crate) use adx::Adx;

#[cfg(test)]
mod tests;

use crate::Backend;

/// Additions and subtractions with a carry: the part that differs between backends.
pub trait Arithmetic: Copy + Send + Sync + 'static {
    /// `a + b + carry` for a carry of 0 or 1: the low limb and the carry out.
    fn add(a: u64, b: u64, carry: u8) -> (u64, u8);

    /// `a − b − borrow` for a borrow of 0 or 1: the low limb and the borrow out.
    fn sub(a: u64, b: u64, borrow: u8) -> (u64, u8);

    /// [`felt::cube`].
    #[inline(always)]
    fn cube(x: limbs::Limbs) -> limbs::Limbs {
        felt::cube::<Self>(x)
    }

    /// [`fr::fifth_power`].
    #[inline(always)]
    fn fifth_power(x: limbs::Limbs) -> limbs::Limbs {
        fr::fifth_power::<Self>(x)
    }
}

/// Pure Rust.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Arithmetic for Portable {
    #[inline(always)]
    fn add(a: u64, b: u64, carry: u8) -> (u64, u8) {
        let (sum, carry) = a.carrying_add(b, carry != 0);
        (sum, u8::from(carry))
    }

    #[inline(always)]
    fn sub(a: u64, b: u64, borrow: u8) -> (u64, u8) {
        let (difference, borrow) = a.borrowing_sub(b, borrow != 0);
        (difference, u8::from(borrow))
    }
}

/// A computation that is compiled for each backend.
///
/// All functions that [`Self::compute`] calls must be `#[inline(always)]`: a separate function
/// would be compiled for the oldest processor of the architecture.
pub trait Kernel {
    /// The result.
    type Output;

    /// Computes the result.
    fn compute<C: Arithmetic>(self) -> Self::Output;
}

/// Computes a kernel with `backend`, or with the best backend of this processor if it lacks
/// `backend`.
#[inline]
pub fn run<K: Kernel>(backend: Backend, kernel: K) -> K::Output {
    #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
    if backend.min(Backend::best()) >= Backend::Adx {
        // SAFETY: this processor has the instructions of `Backend::Adx`: BMI2 and ADX.
        return unsafe { adx::compute(kernel) };
    }
    let _ = backend;
    kernel.compute::<Portable>()
}
