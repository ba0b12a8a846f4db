// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Eight jobs side by side: prime-field arithmetic with one 64-bit lane a job.
//!
//! - [`vector`]: the eight lanes, [`Lanes`], and what a processor must do with them; its
//!   implementations are `emulation` (Rust alone), `ifma` and `doubles` (AVX-512).
//! - [`element`]: a field element a lane, in five limbs of 52 bits: products, reduction.
//! - [`fr`]: the same for one field where nothing else runs beside a product.
//! - [`integers`]: lanes without a bias.
//! - [`procedure`]: procedures over lanes that are not inlined.
//! - [`bls12_381`]: the base field of BLS12-381, with bounds in the types.
//! - [`secp256k1`]: the same for the field of a curve, whose prime needs no Montgomery form.
//! - [`transfer`]: [`Field`](crate::Field) elements in and out.
//!
//! A computation is a [`Kernel`], written once over [`Lanes`]; [`run`] compiles it for a backend's
//! instructions and runs it where the processor has them. Nothing here branches on values.

pub mod bls12_381;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod doubles;
pub mod element;
mod emulation;
pub mod fr;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod ifma;
pub mod integers;
pub mod procedure;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod register;
pub mod secp256k1;
pub mod transfer;
pub mod vector;

#[cfg(test)]
mod tests;

pub use element::{Columns, Factors, LaneModulus, Wide};
pub use integers::{IntegerKernel, IntegerLanes};
pub use procedure::Procedure;
pub use vector::{Lanes, LANES};

use crate::Backend;

/// A computation over eight lanes, whatever they are.
///
/// `run` and all that it calls over `L` must be `#[inline(always)]`: only then is it compiled with
/// the backend's instructions. A closure, such as that of `array::from_fn`, is compiled without
/// them and not inlined, with no warning: eight times slower.
pub trait Kernel {
    /// The result.
    type Output;

    /// Computes it.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Whether a backend has eight lanes and this processor has the backend.
pub fn available(backend: Backend) -> bool {
    matches!(backend, Backend::Avx512 | Backend::Avx512Ifma) && backend <= Backend::best()
}

/// Runs a kernel with a backend's instructions; `None` where it is not [`available`].
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
#[inline]
pub fn run<K: Kernel>(backend: Backend, kernel: K) -> Option<K::Output> {
    if !available(backend) {
        return None;
    }
    match backend {
        // SAFETY: `available` found the backend's instructions on this processor.
        Backend::Avx512 => Some(unsafe { doubles::run(kernel) }),
        // SAFETY: as above.
        Backend::Avx512Ifma => Some(unsafe { ifma::run(kernel) }),
        _ => None,
    }
}

/// Runs a kernel with a backend's instructions; `None`, since this build has none.
#[cfg(not(all(target_arch = "x86_64", not(feature = "pure"))))]
pub fn run<K: Kernel>(_: Backend, _: K) -> Option<K::Output> {
    None
}

/// Runs a kernel of lanes without a bias; `None` where this processor has none.
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
#[inline]
pub fn run_integers<K: IntegerKernel>(backend: Backend, kernel: K) -> Option<K::Output> {
    let has_integers = backend == Backend::Avx512Ifma && available(backend);
    // SAFETY: `available` found the backend's instructions on this processor.
    has_integers.then(|| unsafe { ifma::run_integers(kernel) })
}

/// Runs a kernel of lanes without a bias; `None`, since this build has none.
#[cfg(not(all(target_arch = "x86_64", not(feature = "pure"))))]
pub fn run_integers<K: IntegerKernel>(_: Backend, _: K) -> Option<K::Output> {
    None
}

/// Runs a kernel of lanes without a bias in Rust alone: the reference for [`run_integers`].
pub fn emulate_integers<K: IntegerKernel>(kernel: K) -> K::Output {
    kernel.run::<emulation::EmulatedIntegers>()
}

/// Runs a kernel in Rust alone, slowly, with the very bits of a backend's registers: the reference
/// for [`run`]. A backend without lanes is answered by plain integers.
pub fn emulate<K: Kernel>(backend: Backend, kernel: K) -> K::Output {
    match backend {
        Backend::Avx512 => kernel.run::<emulation::EmulatedDoubles>(),
        _ => kernel.run::<emulation::EmulatedIntegers>(),
    }
}
