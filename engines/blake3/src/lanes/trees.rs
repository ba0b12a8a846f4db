// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages of several chunks: their chaining values, level by level, up to the root.
//!
//! The nodes of a level are stored contiguously. Parent `i` has the children `2i` and `2i + 1` and
//! becomes node `i` of the next level; a last node without a sibling moves up unchanged. This is
//! the tree of the paper (section 2.1): left subtrees are complete and as large as possible.

use super::job::{Job, Node};
use crate::constants::{PARENT, ROOT};
use crate::{Digest, BLOCK_BYTES, DIGEST_BYTES};

/// A message whose chunks or parents are in progress.
struct Tree {
    /// The chaining values. A parent's job reads two of them when its lane begins and writes one
    /// when it is done, only through the vector's pointer; only [`Trees::begin`] reallocates them.
    nodes: Vec<Digest>,
    /// The number of nodes of the level that is being consumed.
    level_nodes: usize,
    /// The number of nodes of the next level that are not written yet.
    pending: usize,
    /// The index of the parent to issue next.
    next_parent: usize,
    /// The output of the root.
    digest: *mut Digest,
}

/// The messages in progress: at most the number of lanes, plus those whose last lane has just
/// finished.
#[derive(Default)]
pub(super) struct Trees {
    trees: Vec<Tree>,
    unused: Vec<usize>,
    /// The indices of the trees with parents to issue.
    ready: Vec<usize>,
}

impl Trees {
    /// Begins a message of `chunks` chunks, at least two; returns the index of its tree.
    pub(super) fn begin(&mut self, chunks: usize, digest: *mut Digest) -> usize {
        let number = self.unused.pop().unwrap_or_else(|| {
            let nodes = Vec::new();
            self.trees.push(Tree { nodes, level_nodes: 0, pending: 0, next_parent: 0, digest });
            self.trees.len() - 1
        });
        let tree = &mut self.trees[number];
        if tree.nodes.len() < chunks {
            tree.nodes.resize(chunks, [0; DIGEST_BYTES]);
        }
        (tree.level_nodes, tree.pending, tree.digest) = (chunks, chunks, digest);
        number
    }

    /// Returns the output for the chaining value of a chunk.
    #[inline(always)]
    pub(super) fn chunk_output(&mut self, number: usize, chunk: usize) -> *mut Digest {
        let tree = &mut self.trees[number];
        debug_assert!(chunk < tree.nodes.len(), "chunk {chunk}");
        tree.nodes.as_mut_ptr().wrapping_add(chunk)
    }

    /// Returns the job of a parent whose children are done.
    #[inline(always)]
    pub(super) fn next_parent(&mut self) -> Option<Job> {
        let number = *self.ready.last()?;
        let tree = &mut self.trees[number];
        let parent = tree.next_parent;
        tree.next_parent += 1;
        if tree.next_parent == tree.level_nodes / 2 {
            self.ready.pop();
        }
        let nodes = tree.nodes.as_mut_ptr();
        let is_root = tree.level_nodes == 2;
        Some(Job {
            data: nodes.wrapping_add(2 * parent).cast(),
            bytes: BLOCK_BYTES,
            counter: 0,
            first_flags: 0,
            last_flags: if is_root { PARENT | ROOT } else { PARENT },
            output: if is_root { tree.digest } else { nodes.wrapping_add(parent) },
            node: Node::of(number),
        })
    }

    /// Reports that a chunk or a parent of the message has been written.
    #[inline(always)]
    pub(super) fn done(&mut self, number: usize) {
        let tree = &mut self.trees[number];
        tree.pending -= 1;
        if tree.pending == 0 {
            self.next_level(number);
        }
    }

    /// Begins the next level, or ends the message if its root has been written.
    fn next_level(&mut self, number: usize) {
        let tree = &mut self.trees[number];
        let parents = tree.next_parent;
        if parents > 0 {
            let below = tree.level_nodes;
            tree.level_nodes = below.div_ceil(2);
            if below % 2 == 1 {
                tree.nodes[parents] = tree.nodes[below - 1];
            }
        }
        tree.next_parent = 0;
        if tree.level_nodes == 1 {
            self.unused.push(number);
        } else {
            tree.pending = tree.level_nodes / 2;
            self.ready.push(number);
        }
    }
}
