// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations for which parties make keys, and their bytes.

use std::collections::BTreeMap;
use std::io::Read;

use super::error::PartyError;
use crate::files::{read_count, CheckedReader, FileError};
use crate::keys::KeyUse;
use crate::operations::Operations;
use crate::params::Parameters;

const MULTIPLY: u8 = 1;
const CONJUGATE: u8 = 2;
/// The largest number of rotations in a file.
const MOST_ROTATIONS: u32 = 1 << 16;

/// Returns the keys for operations, with their levels.
pub(super) fn keys(
    parameters: &Parameters,
    operations: &Operations,
) -> Result<BTreeMap<KeyUse, usize>, PartyError> {
    if operations.bootstrap || !operations.bootstrap_slots.is_empty() {
        return Err(PartyError::NotOffered { what: "keys for bootstraps".to_owned() });
    }
    Ok(operations.keys(parameters))
}

/// Returns operations without bootstraps as bytes.
pub(super) fn operations_bytes(operations: &Operations) -> Vec<u8> {
    let products = if operations.multiply { MULTIPLY } else { 0 };
    let conjugates = if operations.conjugate { CONJUGATE } else { 0 };
    let mut bytes = vec![products | conjugates];
    for rotations in [&operations.rotations, &operations.low_rotations] {
        bytes.extend((rotations.len() as u32).to_le_bytes());
        bytes.extend(rotations.iter().flat_map(|by| by.to_le_bytes()));
    }
    bytes
}

/// Reads what [`operations_bytes`] wrote.
pub(super) fn read_operations<R: Read>(
    input: &mut CheckedReader<R>,
) -> Result<Operations, FileError> {
    let [flags] = input.array("the operations")?;
    if flags > MULTIPLY | CONJUGATE {
        return Err(input.malformed(1, "unknown operations"));
    }
    let mut rotations = [Vec::new(), Vec::new()];
    for rotations in &mut rotations {
        let count = read_count(input, "the number of rotations", MOST_ROTATIONS)?;
        for _ in 0..count {
            rotations.push(i64::from_le_bytes(input.array("a rotation")?));
        }
    }
    let [rotations, low_rotations] = rotations;
    let (multiply, conjugate) = (flags & MULTIPLY != 0, flags & CONJUGATE != 0);
    Ok(Operations { multiply, conjugate, rotations, low_rotations, ..Operations::default() })
}
