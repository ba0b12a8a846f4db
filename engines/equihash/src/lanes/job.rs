// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One tree to check, and the result.

use crate::puzzle::Puzzle;

/// A request to the lanes.
#[derive(Clone, Copy)]
pub(crate) struct Job<'j> {
    /// The parameters of the solution.
    pub(crate) puzzle: &'j Puzzle,
    /// Its indices, as [`arrange`](super::arrange) puts them.
    pub(crate) indices: &'j [u32],
    /// Whether the first collision that is missing ends the work.
    pub(crate) stops_early: bool,
}

/// Which checks of the hashes fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Bits that must collide do not.
    pub(crate) collision: bool,
    /// The XOR of all leaves is not zero; not computed where the work ended early.
    pub(crate) xor: bool,
}
