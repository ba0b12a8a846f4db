// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a lane does: a chunk or a parent.

use crate::Digest;

/// A chunk or a parent, for a lane.
pub(super) struct Job {
    /// Its bytes; not read where there are none.
    pub data: *const u8,
    /// How many, at most a chunk's.
    pub bytes: usize,
    /// The chunk's number.
    pub counter: u32,
    /// Flags of its first block.
    pub first_flags: u32,
    /// Flags of its last block.
    pub last_flags: u32,
    /// Where its chaining value or digest goes.
    pub output: *mut Digest,
    /// The message of the node.
    pub node: Node,
}

/// The tree that a job belongs to; none where it is a message's only chunk.
#[derive(Clone, Copy)]
pub(super) struct Node(u32);

impl Node {
    /// A message by itself.
    pub(super) const NONE: Self = Self(u32::MAX);

    /// The tree, if there is one.
    #[inline(always)]
    pub(super) fn tree(self) -> Option<usize> {
        (self.0 != Self::NONE.0).then_some(self.0 as usize)
    }

    /// Of this tree.
    pub(super) fn of(tree: usize) -> Self {
        Self(tree as u32)
    }
}
