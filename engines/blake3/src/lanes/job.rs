// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The job of a lane: a chunk or a parent.

use crate::Digest;

/// A chunk or a parent that a lane compresses.
pub(super) struct Job {
    /// The bytes; not read if there are zero.
    pub data: *const u8,
    /// The number of bytes, at most that of a chunk.
    pub bytes: usize,
    /// The number of the chunk.
    pub counter: u32,
    /// The flags of the first block.
    pub first_flags: u32,
    /// The flags of the last block.
    pub last_flags: u32,
    /// The output, for the chaining value or digest.
    pub output: *mut Digest,
    /// The tree of the job.
    pub node: Node,
}

/// The tree that a job belongs to; `NONE` if the job is a message's only chunk.
#[derive(Clone, Copy)]
pub(super) struct Node(u32);

impl Node {
    /// A message of one chunk.
    pub(super) const NONE: Self = Self(u32::MAX);

    /// Returns the index of the tree, if there is one.
    #[inline(always)]
    pub(super) fn tree(self) -> Option<usize> {
        (self.0 != Self::NONE.0).then_some(self.0 as usize)
    }

    /// Creates the node of a tree with this index.
    pub(super) fn of(tree: usize) -> Self {
        Self(tree as u32)
    }
}
