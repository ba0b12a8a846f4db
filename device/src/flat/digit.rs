// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The digits of a flat array: 64-bit limbs or bytes, least significant first.

use halimede_arith::field::{FieldError, Modulus};
use halimede_arith::Field;

/// A digit of a canonical integer in a flat array: `u64`, four per element, or `u8`, 32 per
/// element; the least significant digit is first. A limb has the byte order of this machine.
pub trait Digit: Copy + Send + Sync + sealed::Sealed {
    /// The number of digits of an element.
    const PER_ELEMENT: usize;
    /// The name in messages.
    const NAME: &'static str;

    /// Converts [`Self::PER_ELEMENT`] digits to the limbs of an element; missing digits count as
    /// zero.
    fn read(digits: &[Self]) -> [u64; 4];

    /// Writes an element into [`Self::PER_ELEMENT`] digits.
    fn write(limbs: [u64; 4], digits: &mut [Self]);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u64 {}
    impl Sealed for u8 {}
}

impl Digit for u64 {
    const PER_ELEMENT: usize = 4;
    const NAME: &'static str = "limbs";

    #[inline]
    fn read(digits: &[Self]) -> [u64; 4] {
        let mut limbs = [0; 4];
        for (limb, digit) in limbs.iter_mut().zip(digits) {
            *limb = *digit;
        }
        limbs
    }

    #[inline]
    fn write(limbs: [u64; 4], digits: &mut [Self]) {
        for (digit, limb) in digits.iter_mut().zip(limbs) {
            *digit = limb;
        }
    }
}

impl Digit for u8 {
    const PER_ELEMENT: usize = 32;
    const NAME: &'static str = "bytes";

    #[inline]
    fn read(digits: &[Self]) -> [u64; 4] {
        let mut limbs = [0; 4];
        for (limb, chunk) in limbs.iter_mut().zip(digits.chunks_exact(8)) {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(chunk);
            *limb = u64::from_le_bytes(bytes);
        }
        limbs
    }

    #[inline]
    fn write(limbs: [u64; 4], digits: &mut [Self]) {
        for (chunk, limb) in digits.chunks_exact_mut(8).zip(limbs) {
            chunk.copy_from_slice(&limb.to_le_bytes());
        }
    }
}

/// Converts digits to an element.
///
/// # Errors
/// [`FieldError::NotReduced`] for an integer at or above p.
#[inline]
pub(super) fn element<M: Modulus, D: Digit>(digits: &[D]) -> Result<Field<M>, FieldError> {
    Field::from_canonical_limbs(D::read(digits))
}

/// Returns `true` if the integer is below p. Its most significant limb nearly always decides.
#[inline]
pub(super) fn is_reduced<M: Modulus>(limbs: [u64; 4]) -> bool {
    limbs.iter().rev().lt(M::VALUE.iter().rev())
}
