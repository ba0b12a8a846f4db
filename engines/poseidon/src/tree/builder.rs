// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Builds a tree from leaves as they arrive.

use std::io::{Read, Seek, Write};

use halimede_arith::job::{DeviceError, Execute, Timing};
use halimede_arith::Fr;

use super::error::Progress;
use super::hashing::Hashing;
use super::keep::{Keep, Nothing};
use super::leaf::{LeafRule, LEAF_BYTES};
use super::read_ahead::{read_ahead, read_up_to, Source, Wanted};
use super::shape::Shape;
use super::stored::Tree;
use super::writer::TreeWriter;
use super::TreeError;
use crate::filecoin::{HashType, Hasher, Preimage, PreimageError};
use crate::instance::Strength;
use crate::operations::FilecoinHash;

/// Builds a tree from leaves as they arrive: its root and, through a [`Keep`], its rows.
///
/// Batches go to the device in one session. If the device accepts several batches at once, the next
/// batch of a row is sent while the last is hashed, and the rows above follow as their nodes come
/// back.
pub struct TreeBuilder<'d, D, K = Nothing> {
    hashing: Hashing<'d, D>,
    levels: Levels,
    /// The nodes of each row that are not hashed yet and not submitted; row 0 is the leaves.
    waiting: Vec<Vec<Fr>>,
    /// The leaves taken, including those being hashed from columns.
    leaves: u64,
    /// Set once all leaves have been taken.
    is_complete: bool,
    rule: LeafRule,
    keep: K,
}

/// The hasher of each level.
enum Levels {
    /// One arity, with the number of levels that the leaves fill.
    Uniform(Hasher),
    Shaped(Shape, Vec<Hasher>),
}

impl Levels {
    fn shaped(shape: Shape, strength: Strength) -> Result<Self, TreeError> {
        let hasher = |&arity: &usize| Hasher::new(arity, strength, HashType::MerkleTree);
        let hashers = shape.arities().iter().map(hasher).collect::<Result<_, _>>()?;
        Ok(Self::Shaped(shape, hashers))
    }

    /// Returns the hasher of a row's groups; `None` for the root.
    fn hasher(&self, row: usize) -> Option<Hasher> {
        match self {
            Self::Uniform(hasher) => Some(*hasher),
            Self::Shaped(_, hashers) => hashers.get(row).copied(),
        }
    }
}

impl<'d, D: Execute<FilecoinHash>> TreeBuilder<'d, D> {
    /// Creates a tree of one arity over any number of leaves; its nodes are hashed on `device`.
    ///
    /// # Errors
    /// [`TreeError::Arity`].
    pub fn new(device: &'d D, arity: usize, strength: Strength) -> Result<Self, TreeError> {
        let hasher = Hasher::new(arity, strength, HashType::MerkleTree)?;
        Ok(Self::with(device, Levels::Uniform(hasher), Nothing))
    }
}

impl<'d, D: Execute<FilecoinHash>, K: Keep> TreeBuilder<'d, D, K> {
    /// Creates a tree of this shape, whose rows go to `keep`.
    ///
    /// # Errors
    /// [`TreeError::Arity`].
    pub fn shaped(
        device: &'d D,
        shape: Shape,
        strength: Strength,
        keep: K,
    ) -> Result<Self, TreeError> {
        Ok(Self::with(device, Levels::shaped(shape, strength)?, keep))
    }

    fn with(device: &'d D, levels: Levels, keep: K) -> Self {
        Self {
            hashing: Hashing::new(device),
            levels,
            waiting: vec![Vec::new()],
            leaves: 0,
            is_complete: false,
            rule: LeafRule::default(),
            keep,
        }
    }

    /// Sets another rule for leaves given as bytes.
    #[must_use]
    pub fn leaf_rule(mut self, rule: LeafRule) -> Self {
        self.rule = rule;
        self
    }

    /// The number of leaves taken so far.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// Takes one more leaf.
    ///
    /// # Errors
    /// As for [`Self::push_leaves`].
    pub fn push(&mut self, leaf: Fr) -> Result<(), TreeError> {
        self.push_leaves(&[leaf])
    }

    /// Takes more leaves.
    ///
    /// # Errors
    /// [`TreeError::LeafCount`] if the shape has no room for them; [`TreeError::Device`] or
    /// [`TreeError::Write`] if a batch was due and failed.
    pub fn push_leaves(&mut self, leaves: &[Fr]) -> Result<(), TreeError> {
        self.push_in_pieces(leaves, |piece, waiting, _| {
            waiting.extend(piece);
            Ok(())
        })
    }

    /// Takes more leaves as bytes, 32 bytes each.
    ///
    /// # Errors
    /// [`TreeError::PartialLeaf`], or the rule's error for an invalid leaf; others as for
    /// [`Self::push_leaves`].
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), TreeError> {
        let (leaves, rest) = bytes.as_chunks::<LEAF_BYTES>();
        if !rest.is_empty() {
            let bytes = self.leaves * LEAF_BYTES as u64 + bytes.len() as u64;
            return Err(TreeError::PartialLeaf { bytes });
        }
        let rule = self.rule;
        self.push_in_pieces(leaves, |piece, waiting, offset| {
            rule.parse_into(piece.as_flattened(), offset, waiting)
        })
    }

    /// Reads leaves from `input` to its end; the next batch is read while this one is hashed.
    /// `progress` is called with the number of bytes of all leaves taken so far.
    ///
    /// # Errors
    /// [`TreeError::Read`]; others as for [`Self::push_bytes`].
    pub fn read(
        &mut self,
        input: impl Read + Send,
        mut progress: impl FnMut(u64),
    ) -> Result<(), TreeError> {
        let offset = self.leaves * LEAF_BYTES as u64;
        let source = Leaves { input, batch_bytes: self.batch_leaves() * LEAF_BYTES, offset };
        read_ahead(source, |bytes| {
            self.push_bytes(bytes)?;
            progress(self.leaves * LEAF_BYTES as u64);
            Ok(())
        })
    }

    /// Returns how the device's time has been spent so far. A card is queried for its clocks
    /// without interrupting its work.
    ///
    /// # Errors
    /// [`TreeError::Device`].
    pub fn timing(&mut self) -> Result<Timing, TreeError> {
        self.hashing.timing().map_err(|source| self.device_error(source))
    }

    /// Hashes everything left once all leaves have been taken; [`Self::finish`] then only returns
    /// the root.
    ///
    /// # Errors
    /// As for [`Self::finish`].
    pub fn hash_rest(&mut self) -> Result<(), TreeError> {
        let root_row = self.root_row()?;
        self.is_complete = true;
        loop {
            self.hash_due_batches()?;
            // A row is hashed to its end once it is complete.
            let is_waiting =
                |&row: &usize| self.waiting.get(row).is_some_and(|row| !row.is_empty());
            let lowest = (0..root_row).find(is_waiting);
            let whole = lowest.filter(|&row| !self.hashing.has_pending_up_to(row));
            if let (Some(row), true) = (whole, self.hashing.wants_more()) {
                self.hash_row(row)?;
                continue;
            }
            if !self.collect()? {
                return Ok(());
            }
        }
    }

    /// Finishes the tree and returns its root.
    ///
    /// # Errors
    /// [`TreeError::NotFull`] if the number of leaves is not a power of the arity,
    /// [`TreeError::LeafCount`] if it is below that of the shape; [`TreeError::Device`];
    /// [`TreeError::Write`].
    pub fn finish(self) -> Result<Fr, TreeError> {
        self.finish_kept().map(|(root, _)| root)
    }

    /// Finishes the tree and returns its root and the [`Keep`].
    ///
    /// # Errors
    /// As for [`Self::finish`].
    pub fn finish_kept(mut self) -> Result<(Fr, K), TreeError> {
        self.hash_rest()?;
        let nodes = self.waiting.get(self.root_row()?).map(Vec::as_slice).unwrap_or_default();
        match nodes {
            [root] => Ok((*root, self.keep)),
            nodes => Err(TreeError::Replies { got: nodes.len(), expected: 1 }),
        }
    }

    /// Returns the row of the root; an error if the leaves do not fill the tree.
    fn root_row(&self) -> Result<usize, TreeError> {
        let got = self.leaves;
        match &self.levels {
            Levels::Uniform(hasher) => super::shape::full_depth(hasher.arity(), got),
            Levels::Shaped(shape, _) if shape.leaves() == got => Ok(shape.root_row()),
            Levels::Shaped(shape, _) => Err(TreeError::LeafCount { got, expected: shape.leaves() }),
        }
    }

    pub(super) fn rule(&self) -> LeafRule {
        self.rule
    }

    /// The number of nodes per batch on the device.
    pub(super) fn batch_nodes(&mut self) -> usize {
        self.hashing.batch_nodes()
    }

    /// The number of leaves of a whole batch.
    fn batch_leaves(&mut self) -> usize {
        self.batch_nodes() * self.levels.hasher(0).map_or(1, |hasher| hasher.arity())
    }

    /// Takes `count` leaves that are the hashes of these preimages.
    pub(super) fn push_hashes(
        &mut self,
        count: usize,
        preimage: impl Fn(usize) -> Result<Preimage, PreimageError> + Sync,
    ) -> Result<(), TreeError> {
        self.require_room(count as u64)?;
        self.make_room()?;
        let sent = self.hashing.submit(0, count, preimage)?;
        sent.map_err(|source| self.device_error(source))?;
        self.leaves += count as u64;
        self.hash_due_batches()
    }

    /// Takes leaves in pieces so that at most a batch waits; `take` appends a piece, whose first
    /// leaf has the given byte offset, to the waiting leaves.
    fn push_in_pieces<T>(
        &mut self,
        leaves: &[T],
        take: impl Fn(&[T], &mut Vec<Fr>, u64) -> Result<(), TreeError>,
    ) -> Result<(), TreeError> {
        self.require_room(leaves.len() as u64)?;
        let mut rest = leaves;
        while !rest.is_empty() {
            let room = self.batch_leaves();
            let waiting = &mut self.waiting[0];
            let before = waiting.len();
            let (piece, others) = rest.split_at(rest.len().min(room.saturating_sub(before)));
            take(piece, waiting, self.leaves * LEAF_BYTES as u64)
                .inspect_err(|_| waiting.truncate(before))?;
            self.keep.keep(0, &waiting[before..]).map_err(|source| TreeError::Write { source })?;
            self.leaves += piece.len() as u64;
            rest = others;
            self.hash_due_batches()?;
        }
        Ok(())
    }

    fn require_room(&self, more: u64) -> Result<(), TreeError> {
        let got = self.leaves.saturating_add(more);
        match &self.levels {
            Levels::Shaped(shape, _) if got > shape.leaves() => {
                Err(TreeError::LeafCount { got, expected: shape.leaves() })
            }
            _ => Ok(()),
        }
    }

    /// Hashes every row with a whole batch of waiting nodes, the highest row first.
    fn hash_due_batches(&mut self) -> Result<(), TreeError> {
        let batch = self.batch_nodes();
        let is_due = |row: usize, nodes: &[Fr], levels: &Levels| {
            levels.hasher(row).is_some_and(|hasher| nodes.len() >= batch * hasher.arity())
        };
        while let Some(row) =
            (0..self.waiting.len()).rev().find(|&row| is_due(row, &self.waiting[row], &self.levels))
        {
            if self.hashing.wants_more() {
                self.hash_row(row)?;
            } else {
                self.collect()?;
            }
        }
        Ok(())
    }

    /// Collects batches until the device is ready for another.
    fn make_room(&mut self) -> Result<(), TreeError> {
        while !self.hashing.wants_more() && self.collect()? {}
        Ok(())
    }

    /// Submits the waiting nodes of a row, in whole groups and at most a batch, to be hashed into
    /// the row above.
    fn hash_row(&mut self, row: usize) -> Result<(), TreeError> {
        let Some(hasher) = self.levels.hasher(row) else { return Ok(()) };
        let (arity, batch) = (hasher.arity(), self.batch_nodes());
        let nodes = &mut self.waiting[row];
        let groups = (nodes.len() / arity).min(batch);
        let fill = |group: usize| hasher.preimage(&nodes[group * arity..][..arity]);
        let sent = self.hashing.submit(row + 1, groups, fill)?;
        nodes.drain(..groups * arity);
        sent.map_err(|source| self.device_error(source))
    }

    /// Collects the nodes of the oldest batch; returns `false` if no batch is pending.
    fn collect(&mut self) -> Result<bool, TreeError> {
        let collected = self.hashing.collect()?;
        let Some((row, nodes)) = collected.map_err(|source| self.device_error(source))? else {
            return Ok(false);
        };
        self.keep.keep(row, &nodes).map_err(|source| TreeError::Write { source })?;
        if self.waiting.len() <= row {
            self.waiting.resize_with(row + 1, Vec::new);
        }
        self.waiting[row].extend(nodes);
        Ok(true)
    }

    /// Adds the progress of the tree to a device's error.
    fn device_error(&self, source: DeviceError) -> TreeError {
        let shape = match &self.levels {
            Levels::Shaped(shape, _) => Some(shape.clone()),
            Levels::Uniform(hasher) if self.is_complete => {
                Shape::uniform(hasher.arity(), self.leaves).ok()
            }
            Levels::Uniform(_) => None,
        };
        let first_row = usize::from(!self.hashing.has_hashed_leaves());
        let nodes = |shape: Shape| -> u64 {
            (first_row..=shape.root_row()).map(|row| shape.row_nodes(row)).sum()
        };
        let progress = Progress {
            leaves_read: self.leaves,
            hashed: self.hashing.hashed(),
            hashes: shape.map(nodes),
        };
        TreeError::Device { progress: Box::new(progress), source }
    }
}

impl<'d, D: Execute<FilecoinHash>, W: Read + Write + Seek> TreeBuilder<'d, D, TreeWriter<W>> {
    /// Creates a tree that is stored in the layout of `writer`.
    ///
    /// # Errors
    /// [`TreeError::Arity`].
    pub fn storing(device: &'d D, writer: TreeWriter<W>) -> Result<Self, TreeError> {
        let layout = writer.layout();
        let (shape, strength) = (layout.shape().clone(), layout.strength());
        let rule = layout.leaf_rule();
        Ok(Self::shaped(device, shape, strength, writer)?.leaf_rule(rule))
    }

    /// Finishes the tree and opens it as stored.
    ///
    /// # Errors
    /// As for [`Self::finish`].
    pub fn finish_tree(self) -> Result<Tree<W>, TreeError> {
        let (_, writer) = self.finish_kept()?;
        Tree::open(writer.finish()?)
    }
}

/// A reader that is cut into batches of whole leaves.
struct Leaves<R> {
    input: R,
    batch_bytes: usize,
    offset: u64,
}

impl<R: Read + Send> Source for Leaves<R> {
    fn fill(&mut self, buffer: &mut Vec<u8>, wanted: &Wanted) -> Result<(), TreeError> {
        let outcome = read_up_to(&mut self.input, self.batch_bytes, buffer, wanted);
        self.offset += buffer.len() as u64;
        let offset = self.offset;
        outcome.map_err(|source| TreeError::Read { offset, source })?;
        if buffer.len().is_multiple_of(LEAF_BYTES) {
            return Ok(());
        }
        Err(TreeError::PartialLeaf { bytes: offset })
    }
}
