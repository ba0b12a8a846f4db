// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prime-field arithmetic for eight jobs at once, with one job per 64-bit lane.
//!
//! - [`vector`]: the trait [`Vector`] of integers in parallel, and [`Lanes`], a vector of eight.
//!   The implementations are `emulation` (pure Rust), `ifma` and `doubles` (AVX-512), `avx_ifma`
//!   (AVX-IFMA) and `nearest` (AVX2 and FMA).
//! - [`element`]: one field element per lane, in five limbs of 52 bits: products and reduction.
//! - [`fr`]: the same for one field, optimized for the latency of a single product.
//! - [`procedure`]: procedures on lanes that are not inlined.
//! - [`quotient`]: a cheap reduction of sums.
//! - [`bls12_381`]: the base field of BLS12-381, with bounds in the types.
//! - [`secp256k1`]: the field of the curve secp256k1, whose prime needs no Montgomery form.
//! - [`transfer`]: conversions of [`Field`](crate::Field) elements to and from lanes.
//!
//! A computation is a [`Kernel`], written once for all [`Lanes`]. [`run`] compiles it for the
//! instructions of a backend and runs it if the processor has them. Nothing here branches on
//! values.

#[cfg(all(target_arch = "x86_64", not(feature = "pure"), any(test, not(debug_assertions))))]
mod avx_ifma;
pub mod bls12_381;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod doubles;
pub mod element;
mod emulation;
pub mod fr;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod ifma;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod nearest;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod pair;
pub mod procedure;
pub mod quotient;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod register;
pub mod secp256k1;
pub mod transfer;
pub mod vector;

#[cfg(test)]
mod tests;

pub use element::{Columns, Factors, LaneModulus, Wide};
pub use procedure::Procedure;
pub use vector::{Lanes, Vector, LANES};

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
use crate::backend::compiled;
use crate::Backend;

/// A computation on eight lanes of any type.
///
/// `run` and everything that it calls with `L` must be `#[inline(always)]`; only then is it
/// compiled with the backend's instructions. A closure, such as that of `array::from_fn`, is
/// compiled without them and not inlined, without a warning: it is eight times slower.
pub trait Kernel {
    /// The result.
    type Output;

    /// Computes the result.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Returns `true` if the backend has eight lanes in this build and this processor has the backend.
pub fn available(backend: Backend) -> bool {
    backend.has_lanes() && backend.is_available()
}

/// Runs a kernel with the instructions of a backend; `None` if the backend is not [`available`].
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
#[inline]
pub fn run<K: Kernel>(backend: Backend, kernel: K) -> Option<K::Output> {
    if !available(backend) {
        return None;
    }
    match backend {
        Backend::Avx2 | Backend::Adx if compiled!("nearest") => {
            // SAFETY: `available` found the backend's instructions on this processor.
            Some(unsafe { nearest::run(kernel) })
        }
        // SAFETY: as above.
        #[cfg(not(debug_assertions))]
        Backend::AvxIfma if compiled!("avx_ifma") => Some(unsafe { avx_ifma::run(kernel) }),
        // Tests need not compile every kernel for AVX-IFMA: the backend includes AVX2.
        // SAFETY: as above.
        #[cfg(debug_assertions)]
        Backend::AvxIfma if compiled!("avx_ifma") => Some(unsafe { nearest::run(kernel) }),
        // SAFETY: as above.
        Backend::Avx512 if compiled!("doubles") => Some(unsafe { doubles::run(kernel) }),
        // SAFETY: as above.
        Backend::Avx512Ifma if compiled!("ifma") => Some(unsafe { ifma::run(kernel) }),
        _ => None,
    }
}

/// Returns `None`: this build has no backend with lanes.
#[cfg(not(all(target_arch = "x86_64", not(feature = "pure"))))]
pub fn run<K: Kernel>(_: Backend, _: K) -> Option<K::Output> {
    None
}

/// Runs a kernel that is worthwhile only with AVX-512 IFMA, and is not compiled for other lanes;
/// `None` on every other backend.
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
#[inline]
pub fn run_with_ifma<K: Kernel>(backend: Backend, kernel: K) -> Option<K::Output> {
    if compiled!("ifma") && backend == Backend::Avx512Ifma && available(backend) {
        // SAFETY: `available` found the backend's instructions on this processor.
        return Some(unsafe { ifma::run(kernel) });
    }
    None
}

/// Returns `None`: this build has no backend with lanes.
#[cfg(not(all(target_arch = "x86_64", not(feature = "pure"))))]
pub fn run_with_ifma<K: Kernel>(_: Backend, _: K) -> Option<K::Output> {
    None
}

/// Runs a kernel slowly in pure Rust, bit for bit as in the registers of a backend: the reference
/// for [`run`]. For a backend without lanes, it uses plain integers.
pub fn emulate<K: Kernel>(backend: Backend, kernel: K) -> K::Output {
    /// Three kernels in one function would take the compiler much longer.
    #[inline(never)]
    fn run_in<L: Lanes, K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<L>()
    }
    match backend {
        Backend::Avx2 | Backend::Adx => run_in::<emulation::EmulatedNearest, K>(kernel),
        Backend::Avx512 => run_in::<emulation::EmulatedDoubles, K>(kernel),
        _ => run_in::<emulation::EmulatedIntegers, K>(kernel),
    }
}
