// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One tree to check, and the result.

use crate::puzzle::Puzzle;

/// A job for the lanes.
#[derive(Clone, Copy)]
pub(crate) struct Job<'j> {
    /// The puzzle of the solution.
    pub(crate) puzzle: &'j Puzzle,
    /// The indices of the solution, in the order of [`arrange`](super::arrange).
    pub(crate) indices: &'j [u32],
    /// Set if the first missing collision ends the work.
    pub(crate) stops_early: bool,
}

/// The failed checks of the hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Set if bits that must collide do not.
    pub(crate) collision: bool,
    /// Set if the XOR of all leaves is not zero; not computed if the work ended early.
    pub(crate) xor: bool,
}
