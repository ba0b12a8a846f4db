// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shielded parts of Zcash's transactions, against the crates `sapling-crypto` and `orchard`.

mod shielded;

use crate::comparison::Comparison;

/// All cases, always on one thread.
///
/// # Errors
/// If the verdicts differ.
pub fn comparisons(_: usize) -> Result<Vec<Comparison>, String> {
    shielded::comparisons()
}
