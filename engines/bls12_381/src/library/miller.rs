// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of Miller loops, before the final exponentiation.

use blst::blst_fp12;

use crate::lanes::final_exponentiation;
use crate::lanes::library::{one_12, product_12};

/// Bytes of an element of Fp12.
pub const FP12_BYTES: usize = 576;

/// A value before the final exponentiation: of a pairing, or of a product of pairings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Miller(pub(crate) blst_fp12);

impl Miller {
    /// The value for an empty list of pairs.
    pub(crate) fn one() -> Self {
        Self(one_12())
    }

    /// Returns the product of two values.
    pub(crate) fn times(&self, other: &Self) -> Self {
        Self(product_12(&self.0, &other.0))
    }

    /// Returns `true` if the final exponentiation gives 1.
    pub(crate) fn is_one(&self) -> bool {
        final_exponentiation(&self.0) == one_12()
    }

    /// Returns the final exponentiation as bytes: twelve elements of Fp, big-endian, those of c₀
    /// (of 1, v, v²: each constant term first) before those of c₁ (the multiples of w).
    pub(crate) fn to_bytes(self) -> [u8; FP12_BYTES] {
        let result = final_exponentiation(&self.0);
        let mut bytes = [0; FP12_BYTES];
        let elements = result.fp6.iter().flat_map(|half| &half.fp2).flat_map(|pair| &pair.fp);
        for (element, bytes) in elements.zip(bytes.chunks_exact_mut(48)) {
            // SAFETY: the library reads one element and writes 48 bytes.
            unsafe { blst::blst_bendian_from_fp(bytes.as_mut_ptr(), element) };
        }
        bytes
    }
}
