// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Building a tree from leaves as they come.

use std::io::{Read, Seek, Write};

use halimede_arith::job::Execute;
use halimede_arith::Fr;
use rayon::prelude::*;

use super::keep::{Keep, Nothing};
use super::leaf::{LeafRule, LEAF_BYTES};
use super::read_ahead::{read_ahead, read_up_to, Source, Wanted};
use super::shape::Shape;
use super::stored::Tree;
use super::writer::TreeWriter;
use super::{TreeError, BATCH_NODES};
use crate::filecoin::{HashType, Hasher, Preimage};
use crate::instance::Strength;
use crate::operations::FilecoinHash;

/// Fewest preimages that are worth a thread of their own.
const PREIMAGES_A_TASK: usize = 256;

/// Builds a tree from leaves as they come: its root, and its rows for whoever keeps them.
pub struct TreeBuilder<'d, D, K = Nothing> {
    device: &'d D,
    levels: Levels,
    /// Nodes of each row that have no parent yet; row 0 are the leaves.
    waiting: Vec<Vec<Fr>>,
    /// What goes to the device, kept for the next batch's use.
    preimages: Vec<Preimage>,
    leaves: u64,
    rule: LeafRule,
    keep: K,
}

/// The hasher of each level.
enum Levels {
    /// One arity, as many levels as the leaves fill.
    Uniform(Hasher),
    Shaped(Shape, Vec<Hasher>),
}

impl Levels {
    fn shaped(shape: Shape, strength: Strength) -> Result<Self, TreeError> {
        let hasher = |&arity: &usize| Hasher::new(arity, strength, HashType::MerkleTree);
        let hashers = shape.arities().iter().map(hasher).collect::<Result<_, _>>()?;
        Ok(Self::Shaped(shape, hashers))
    }

    /// The hasher of a row's groups; none above the root.
    fn hasher(&self, row: usize) -> Option<Hasher> {
        match self {
            Self::Uniform(hasher) => Some(*hasher),
            Self::Shaped(_, hashers) => hashers.get(row).copied(),
        }
    }
}

impl<'d, D: Execute<FilecoinHash>> TreeBuilder<'d, D> {
    /// A tree of one arity, of as many leaves as will come, whose nodes are hashed on `device`.
    ///
    /// # Errors
    /// [`TreeError::Arity`].
    pub fn new(device: &'d D, arity: usize, strength: Strength) -> Result<Self, TreeError> {
        let hasher = Hasher::new(arity, strength, HashType::MerkleTree)?;
        Ok(Self::with(device, Levels::Uniform(hasher), Nothing))
    }
}

impl<'d, D: Execute<FilecoinHash>, K: Keep> TreeBuilder<'d, D, K> {
    /// A tree of this shape, whose rows go to `keep`.
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
            device,
            levels,
            waiting: vec![Vec::new()],
            preimages: Vec::new(),
            leaves: 0,
            rule: LeafRule::default(),
            keep,
        }
    }

    /// The same with another rule for leaves that come as bytes.
    #[must_use]
    pub fn leaf_rule(mut self, rule: LeafRule) -> Self {
        self.rule = rule;
        self
    }

    /// Leaves taken so far.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// Takes one more leaf.
    ///
    /// # Errors
    /// As [`Self::push_leaves`].
    pub fn push(&mut self, leaf: Fr) -> Result<(), TreeError> {
        self.push_leaves(&[leaf])
    }

    /// Takes more leaves.
    ///
    /// # Errors
    /// [`TreeError::LeafCount`] where the shape has no room for them; [`TreeError::Device`] or
    /// [`TreeError::Write`] when a batch was due.
    pub fn push_leaves(&mut self, leaves: &[Fr]) -> Result<(), TreeError> {
        self.push_in_pieces(leaves, |piece, waiting, _| {
            waiting.extend(piece);
            Ok(())
        })
    }

    /// Takes more leaves as bytes, 32 each.
    ///
    /// # Errors
    /// [`TreeError::PartialLeaf`], or what the rule says of a leaf; as [`Self::push_leaves`].
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

    /// Takes what `input` gives, to its end; the next batch is read while this one is hashed.
    /// `progress` is told the bytes of all leaves taken so far.
    ///
    /// # Errors
    /// [`TreeError::Read`]; as [`Self::push_bytes`].
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

    /// The root of all leaves.
    ///
    /// # Errors
    /// [`TreeError::NotFull`] where the leaves are no power of the arity,
    /// [`TreeError::LeafCount`] where they are fewer than the shape has; [`TreeError::Device`];
    /// [`TreeError::Write`].
    pub fn finish(self) -> Result<Fr, TreeError> {
        self.finish_kept().map(|(root, _)| root)
    }

    /// The root of all leaves, and what kept the rows.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn finish_kept(mut self) -> Result<(Fr, K), TreeError> {
        let root_row = self.root_row()?;
        for row in 0..root_row {
            self.hash_row(row)?;
        }
        match self.waiting[root_row][..] {
            [root] => Ok((root, self.keep)),
            ref nodes => Err(TreeError::Replies { got: nodes.len(), expected: 1 }),
        }
    }

    /// The row of the root, where the leaves are those of a full tree.
    fn root_row(&self) -> Result<usize, TreeError> {
        let got = self.leaves;
        match &self.levels {
            Levels::Uniform(hasher) => super::shape::full_depth(hasher.arity(), got),
            Levels::Shaped(shape, _) if shape.leaves() == got => Ok(shape.root_row()),
            Levels::Shaped(shape, _) => Err(TreeError::LeafCount { got, expected: shape.leaves() }),
        }
    }

    pub(super) fn device(&self) -> &'d D {
        self.device
    }

    pub(super) fn rule(&self) -> LeafRule {
        self.rule
    }

    /// The leaves of a whole batch.
    fn batch_leaves(&self) -> usize {
        BATCH_NODES * self.levels.hasher(0).map_or(1, |hasher| hasher.arity())
    }

    /// Takes leaves so that no more than a batch waits; `take` appends a piece of them, whose
    /// first has the given byte offset, to the leaves that wait.
    fn push_in_pieces<T>(
        &mut self,
        leaves: &[T],
        take: impl Fn(&[T], &mut Vec<Fr>, u64) -> Result<(), TreeError>,
    ) -> Result<(), TreeError> {
        self.require_room(leaves.len() as u64)?;
        let mut rest = leaves;
        while !rest.is_empty() {
            let waiting = &mut self.waiting[0];
            let before = waiting.len();
            let room = BATCH_NODES * self.levels.hasher(0).map_or(1, |hasher| hasher.arity());
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

    fn hash_due_batches(&mut self) -> Result<(), TreeError> {
        let mut row = 0;
        while let Some(hasher) = self.levels.hasher(row) {
            if self.waiting[row].len() < BATCH_NODES * hasher.arity() {
                break;
            }
            self.hash_row(row)?;
            row += 1;
        }
        Ok(())
    }

    /// Hashes the waiting nodes of a row, whole groups only, into the row above.
    fn hash_row(&mut self, row: usize) -> Result<(), TreeError> {
        let Some(hasher) = self.levels.hasher(row) else { return Ok(()) };
        let arity = hasher.arity();
        let groups = self.waiting[row].len() / arity;
        if self.waiting.len() == row + 1 {
            self.waiting.push(Vec::new());
        }
        let nodes = &mut self.waiting[row];
        let fill = |group: usize| hasher.preimage(&nodes[group * arity..][..arity]);
        fill_preimages(&mut self.preimages, groups, fill)?;
        nodes.drain(..groups * arity);
        let parents = execute(self.device, &self.preimages[..groups], self.leaves)?;
        self.keep.keep(row + 1, &parents).map_err(|source| TreeError::Write { source })?;
        self.waiting[row + 1].extend(parents);
        Ok(())
    }
}

impl<'d, D: Execute<FilecoinHash>, W: Read + Write + Seek> TreeBuilder<'d, D, TreeWriter<W>> {
    /// A tree that is stored as its layout says.
    ///
    /// # Errors
    /// [`TreeError::Arity`].
    pub fn storing(device: &'d D, writer: TreeWriter<W>) -> Result<Self, TreeError> {
        let layout = writer.layout();
        let (shape, strength) = (layout.shape().clone(), layout.strength());
        let rule = layout.leaf_rule();
        Ok(Self::shaped(device, shape, strength, writer)?.leaf_rule(rule))
    }

    /// The stored tree, complete and open.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn finish_tree(self) -> Result<Tree<W>, TreeError> {
        let (_, writer) = self.finish_kept()?;
        Tree::open(writer.finish()?)
    }
}

/// Makes the first `count` preimages anew, on all cores; longer lists keep their memory.
pub(super) fn fill_preimages(
    preimages: &mut Vec<Preimage>,
    count: usize,
    fill: impl Fn(usize) -> Result<Preimage, crate::filecoin::PreimageError> + Sync,
) -> Result<(), TreeError> {
    if preimages.len() < count {
        preimages.resize(count, fill(0)?);
    }
    preimages[..count].par_iter_mut().enumerate().with_min_len(PREIMAGES_A_TASK).try_for_each(
        |(index, preimage)| {
            *preimage = fill(index)?;
            Ok(())
        },
    )
}

/// Hashes on the device, which must answer every request.
pub(super) fn execute<D: Execute<FilecoinHash>>(
    device: &D,
    preimages: &[Preimage],
    leaves_read: u64,
) -> Result<Vec<Fr>, TreeError> {
    let replies = device
        .execute(preimages)
        .map_err(|source| TreeError::Device { leaves_read, source })?
        .replies;
    if replies.len() == preimages.len() {
        return Ok(replies);
    }
    Err(TreeError::Replies { got: replies.len(), expected: preimages.len() })
}

/// A reader cut into batches of whole leaves.
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
