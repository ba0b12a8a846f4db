// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on the residues of one modulus, for each backend.
//!
//! All backends return the same words. Residues are in [0, q) unless a function states another
//! range.

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod avx512;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod conversion;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod elementwise;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod permutation;
mod portable;
mod scalar_transform;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod transform;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod vector;

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
use halimede_arith::EngineBackend;
use halimede_arith::LaneBackend;

use super::conversion::Conversion;
use super::modulus::{Modulus, Shoup};
use super::permutation::Permutation;
use super::twiddles::Twiddles;

/// The maximal number of terms that are added before a reduction: twelve products of 60 bits and a
/// multiple of the modulus stay below 2⁶⁴.
pub const MAX_TERMS: usize = 12;

/// Operations on residues of one modulus. All slices of a call have the same length, a multiple of
/// 16.
pub trait Kernels: Send + Sync {
    /// The number of residues in a vector.
    fn lanes(&self) -> usize;
    /// The forward number-theoretic transform, from coefficients in [0, 4q) to values in
    /// bit-reversed order.
    fn forward(&self, twiddles: &Twiddles, residues: &mut [u32]);
    /// The inverse transform, from values in [0, 2q).
    fn inverse(&self, twiddles: &Twiddles, residues: &mut [u32]);
    /// a + b.
    fn add(&self, modulus: Modulus, a: &mut [u32], b: &[u32]);
    /// a − b.
    fn sub(&self, modulus: Modulus, a: &mut [u32], b: &[u32]);
    /// −a.
    fn neg(&self, modulus: Modulus, a: &mut [u32]);
    /// a · b.
    fn mul(&self, modulus: Modulus, a: &mut [u32], b: &[u32]);
    /// sum + a · b.
    fn mul_add(&self, modulus: Modulus, sum: &mut [u32], a: &[u32], b: &[u32]);
    /// a · factor.
    fn scale(&self, modulus: Modulus, a: &mut [u32], factor: Shoup);
    /// (a − b) · factor.
    fn sub_scale(&self, modulus: Modulus, a: &mut [u32], b: &[u32], factor: Shoup);
    /// Σ aᵢ · bᵢ · 2⁻³² of at most [`MAX_TERMS`] pairs, where the bᵢ are in Montgomery form.
    fn inner_product(&self, modulus: Modulus, sum: &mut [u32], pairs: &[(&[u32], &[u32])]);
    /// Like [`Self::inner_product`], where each word of a bᵢ applies to `run` consecutive words.
    /// `run` is a power of two of at least 2, and the last run may be shorter.
    fn inner_product_in_runs(
        &self,
        modulus: Modulus,
        sum: &mut [u32],
        pairs: &[(&[u32], &[u32])],
        run: usize,
    );
    /// Σ aᵢ · factorᵢ · 2⁻³² of at most [`MAX_TERMS`] terms, where the aᵢ are below 2³⁰ for any q,
    /// and the factors are in Montgomery form.
    fn combine(&self, modulus: Modulus, sum: &mut [u32], terms: &[(&[u32], u32)]);
    /// Converts residues modulo the sources to residues modulo the targets. With `are_far`, writes
    /// past the caches, which avoids reading the overwritten lines and keeps the caches free.
    fn convert(
        &self,
        conversion: &Conversion,
        from: &[&[u32]],
        to: &mut [&mut [u32]],
        are_far: bool,
    );
    /// Sets `to`ᵢ to `from` at index `by.places()`ᵢ. Both slices have the length of the
    /// permutation.
    fn permute(&self, to: &mut [u32], from: &[u32], by: &Permutation);
}

/// Returns the kernels of a backend.
///
/// Returns the portable ones if this processor or this build does not support the backend.
pub fn of(backend: LaneBackend) -> &'static dyn Kernels {
    match backend {
        #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
        LaneBackend::Avx512 if backend.is_available() => &avx512::Avx512,
        #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
        LaneBackend::Avx2 if backend.is_available() => &avx2::Avx2,
        _ => &portable::Portable,
    }
}

/// Checks that each modulus of a conversion has residues, and that their lengths are equal.
///
/// # Panics
/// Panics otherwise.
fn check_conversion(conversion: &Conversion, from: &[&[u32]], to: &[&mut [u32]]) {
    assert_eq!(from.len(), conversion.sources(), "the number of sources is wrong");
    assert_eq!(to.len(), conversion.targets(), "the number of targets is wrong");
    let count = from[0].len();
    assert!(from.iter().all(|from| from.len() == count), "the sources have different lengths");
    assert!(to.iter().all(|to| to.len() == count), "a target has another length than the sources");
}

/// Implements [`Kernels`] for a backend with the functions of a vector type that need the
/// instructions `$features`. Slices without a whole number of vectors go to the portable backend.
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
macro_rules! vector_kernels {
    ($backend:ident, $vector:ident, $features:literal) => {
        impl super::Kernels for $backend {
            fn lanes(&self) -> usize {
                <$vector as super::vector::Vector>::LANES
            }
            super::vector_kernels! { @methods $vector, $features,
                transform::forward(twiddles: &Twiddles, residues: &mut [u32]) if twiddles, residues;
                transform::inverse(twiddles: &Twiddles, residues: &mut [u32]) if twiddles, residues;
                elementwise::add(modulus: Modulus, a: &mut [u32], b: &[u32]) if modulus, a;
                elementwise::sub(modulus: Modulus, a: &mut [u32], b: &[u32]) if modulus, a;
                elementwise::neg(modulus: Modulus, a: &mut [u32]) if modulus, a;
                elementwise::mul(modulus: Modulus, a: &mut [u32], b: &[u32]) if modulus, a;
                elementwise::mul_add(modulus: Modulus, sum: &mut [u32], a: &[u32], b: &[u32])
                    if modulus, sum;
                elementwise::scale(modulus: Modulus, a: &mut [u32], factor: Shoup) if modulus, a;
                elementwise::sub_scale(modulus: Modulus, a: &mut [u32], b: &[u32], factor: Shoup)
                    if modulus, a;
                elementwise::inner_product(
                    modulus: Modulus, sum: &mut [u32], pairs: &[(&[u32], &[u32])]
                ) if modulus, sum;
                elementwise::inner_product_in_runs(
                    modulus: Modulus, sum: &mut [u32], pairs: &[(&[u32], &[u32])], run: usize
                ) if modulus, sum;
                elementwise::combine(modulus: Modulus, sum: &mut [u32], terms: &[(&[u32], u32)])
                    if modulus, sum;
                conversion::convert(
                    conversion: &Conversion,
                    from: &[&[u32]],
                    to: &mut [&mut [u32]],
                    are_far: bool
                ) if from, to;
                permutation::permute(to: &mut [u32], from: &[u32], by: &Permutation) if by, to;
            }
        }
    };
    (@methods $vector:ident, $features:literal, $(
        $module:ident :: $name:ident ( $($argument:ident : $type:ty),* ) if $by:ident, $words:ident;
    )*) => { $(
        fn $name(&self, $($argument: $type),*) {
            #[target_feature(enable = $features)]
            unsafe fn kernel($($argument: $type),*) {
                // SAFETY: the function has the vector's instructions.
                unsafe { super::$module::$name::<$vector>($($argument),*) }
            }
            if super::$module::fits::<$vector>($by, $words) {
                // SAFETY: these kernels are only returned if the processor has their instructions.
                unsafe { kernel($($argument),*) }
            } else {
                super::portable::Portable.$name($($argument),*)
            }
        }
    )* };
}
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
use vector_kernels;
