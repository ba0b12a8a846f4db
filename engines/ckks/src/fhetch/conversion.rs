// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions between moduli as operations modulo single numbers.
//!
//! The ring rounds Σ yᵢ/bᵢ in fixed point: v = ⌊(2⁵⁸ + Σ zᵢ·rᵢ)/2⁵⁹⌋ with zᵢ = yᵢ·2^shift and rᵢ =
//! ⌊2^(59 − shift)/bᵢ⌋ below 2³⁰ (`ring/conversion.rs`). The sum may have 64 bits, and moduli here
//! have at most 60. So rᵢ = 2¹⁵·hᵢ + lᵢ, and v = ⌊(Σ zᵢ·hᵢ + ⌊(2⁵⁸ + Σ zᵢ·lᵢ)/2¹⁵⌋)/2⁴⁴⌋. Both sums
//! are below 2⁵⁹ − 55, a prime, and are exact modulo it. A quotient by 2ᵏ is exact once the
//! remainder, a product by 1 modulo 2ᵏ, is subtracted.

use super::arithmetic::inverse;

/// The prime modulo which sums are exact.
pub(super) const WIDE: u64 = (1 << 59) - 55;
/// The bits that are divided out first and then.
pub(super) const STEPS: [u32; 2] = [15, 44];
/// 1/2 in the fixed point of the ring.
pub(super) const HALF: u64 = 1 << 58;

/// 2⁻ᵏ modulo [`WIDE`].
pub(super) fn shift_factor(bits: u32) -> u64 {
    inverse(1 << bits, WIDE)
}

/// 2^shift·hᵢ and 2^shift·lᵢ for a source modulus: the factors of yᵢ in both sums.
pub(super) fn weights(modulus: u32) -> [u64; 2] {
    let shift = modulus.leading_zeros().saturating_sub(2);
    let reciprocal = (1u64 << (59 - shift)) / u64::from(modulus);
    [(reciprocal >> STEPS[0]) << shift, (reciprocal & ((1 << STEPS[0]) - 1)) << shift]
}
