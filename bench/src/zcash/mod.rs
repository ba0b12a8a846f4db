// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shielded parts of Zcash's transactions, against the crates `redjubjub`, `sapling-crypto` and
//! `orchard`.

mod made;
mod shielded;
mod signatures;
mod signed;

use crate::comparison::Comparison;

pub use shielded::blocks;

/// All cases.
///
/// # Errors
/// If the verdicts differ.
pub fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let mut comparisons = signatures::comparisons(threads)?;
    comparisons.extend(shielded::comparisons(threads)?);
    Ok(comparisons)
}
