// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages of several chunks: their chaining values, level by level, until the root is left.
//!
//! A level's nodes stand side by side; parent `i` takes nodes `2i` and `2i + 1` and becomes node
//! `i` of the next level, and a last node without a sibling moves up as it is. That is the tree of
//! the paper (section 2.1): left subtrees are complete and as large as can be.

use super::job::{Job, Node};
use crate::constants::{PARENT, ROOT};
use crate::{Digest, BLOCK_BYTES, DIGEST_BYTES};

/// A message of which chunks or parents are at work.
struct Tree {
    /// Chaining values. A parent's job reads two of them when its lane begins and writes one when
    /// it is done: through the vector's pointer alone, and only [`Trees::begin`] moves them.
    nodes: Vec<Digest>,
    /// How many nodes the level has that is being used.
    level_nodes: usize,
    /// Nodes of the next level that are not there yet.
    pending: usize,
    /// The parent that is handed out next.
    next_parent: usize,
    /// Where the root's output goes.
    digest: *mut Digest,
}

/// The messages at work: never more than lanes and those whose last lane has just been done.
#[derive(Default)]
pub(super) struct Trees {
    trees: Vec<Tree>,
    unused: Vec<usize>,
    /// Trees with parents to hand out.
    ready: Vec<usize>,
}

impl Trees {
    /// Begins a message of this many chunks, at least two.
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

    /// Where the chaining value of a chunk goes.
    #[inline(always)]
    pub(super) fn chunk_output(&mut self, number: usize, chunk: usize) -> *mut Digest {
        let tree = &mut self.trees[number];
        debug_assert!(chunk < tree.nodes.len(), "chunk {chunk}");
        tree.nodes.as_mut_ptr().wrapping_add(chunk)
    }

    /// A parent whose children are there.
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

    /// Notes that a chunk or a parent of the message has been written.
    #[inline(always)]
    pub(super) fn done(&mut self, number: usize) {
        let tree = &mut self.trees[number];
        tree.pending -= 1;
        if tree.pending == 0 {
            self.next_level(number);
        }
    }

    /// Begins the next level, or ends the message where its root has been written.
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
