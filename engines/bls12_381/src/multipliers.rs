// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random multipliers of the items of a batch.

use halimede_arith::Fr;
use rand::rngs::OsRng;
use rand::RngCore;

/// Bits of a multiplier: an invalid item passes with probability 2⁻¹²⁸.
pub const MULTIPLIER_BITS: usize = 128;
/// Bytes of a multiplier.
pub(crate) const MULTIPLIER_BYTES: usize = MULTIPLIER_BITS / 8;

/// A multiplier, little-endian: from 1 to 2¹²⁸ − 1.
pub type Multiplier = [u8; MULTIPLIER_BYTES];

/// Returns multipliers from the operating system, which the author of the batch cannot predict.
/// `None` if the system has no random numbers.
pub fn multipliers(count: usize) -> Option<Vec<Multiplier>> {
    let mut multipliers = vec![[0; MULTIPLIER_BYTES]; count];
    OsRng.try_fill_bytes(multipliers.as_flattened_mut()).ok()?;
    for multiplier in &mut multipliers {
        while *multiplier == [0; MULTIPLIER_BYTES] {
            OsRng.try_fill_bytes(multiplier).ok()?;
        }
    }
    Some(multipliers)
}

/// Converts a multiplier to an element of the scalar field.
pub(crate) fn as_scalar(multiplier: &Multiplier) -> Fr {
    let mut bytes = [0; 32];
    bytes[..MULTIPLIER_BYTES].copy_from_slice(multiplier);
    Fr::from_le_bytes(&bytes).unwrap_or_default()
}
