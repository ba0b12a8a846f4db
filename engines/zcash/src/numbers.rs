// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Field elements from hashes and from random numbers.

use halimede_arith::field::Modulus;
use halimede_arith::Field;

/// Bytes that are always below a modulus: 248 bits.
const PART_BYTES: usize = 31;

/// Returns the number that 64 bytes encode, least significant byte first, modulo p, for a p above
/// 2²⁴⁸.
pub fn reduced<M: Modulus>(bytes: &[u8; 64]) -> Field<M> {
    let shift = 1 << (8 * (PART_BYTES % 8));
    let shift = Field::from_canonical_limbs([0, 0, 0, shift]).unwrap_or_default();
    bytes.chunks(PART_BYTES).rev().fold(Field::ZERO, |sum, part| {
        let mut padded = [0; 32];
        padded[..part.len()].copy_from_slice(part);
        sum * shift + Field::from_le_bytes(&padded).unwrap_or_default()
    })
}

/// Converts a number.
pub fn from_number<M: Modulus>(number: u128) -> Field<M> {
    let words = [number as u64, (number >> 64) as u64, 0, 0];
    Field::from_canonical_limbs(words).unwrap_or_default()
}
