// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Merkle trees of one arity, in memory.

use generic_array::GenericArray;

use crate::batch_hasher::Batcher;
use crate::poseidon::{hash_many, PoseidonConstants};
use crate::{Arity, BatchHasher, Error, NeptuneField};

/// Takes leaves, and returns the tree.
pub trait TreeBuilderTrait<F, TreeArity>
where
    F: NeptuneField,
    TreeArity: Arity<F>,
{
    /// Adds the next leaves.
    ///
    /// # Errors
    /// [`Error::Other`] if there are more leaves than the tree has.
    fn add_leaves(&mut self, leaves: &[F]) -> Result<(), Error>;

    /// Adds the last leaves; returns all leaves, and the rows above them, lowest first. The builder
    /// is empty afterwards.
    ///
    /// # Errors
    /// As [`Self::add_leaves`], and those of the hasher.
    fn add_final_leaves(&mut self, leaves: &[F]) -> Result<(Vec<F>, Vec<F>), Error>;

    /// Removes all leaves.
    fn reset(&mut self);
}

/// A builder of trees with a fixed number of leaves; leaves that are not added are zeros.
pub struct TreeBuilder<F, TreeArity>
where
    F: NeptuneField,
    TreeArity: Arity<F>,
{
    /// The number of leaves.
    pub leaf_count: usize,
    leaves: Vec<F>,
    added: usize,
    constants: PoseidonConstants<F, TreeArity>,
    batcher: Option<Batcher<F, TreeArity>>,
    rows_to_discard: usize,
}

impl<F, TreeArity> TreeBuilder<F, TreeArity>
where
    F: NeptuneField,
    TreeArity: Arity<F>,
{
    /// Returns a builder. Its trees lack `rows_to_discard` rows above the leaves.
    ///
    /// # Errors
    /// None.
    ///
    /// # Panics
    /// The number of leaves is not a power of the arity, or the root would be discarded.
    pub fn new(
        tree_batcher: Option<Batcher<F, TreeArity>>,
        leaf_count: usize,
        rows_to_discard: usize,
    ) -> Result<Self, Error> {
        let builder = Self {
            leaf_count,
            leaves: vec![F::ZERO; leaf_count],
            added: 0,
            constants: PoseidonConstants::new(),
            batcher: tree_batcher,
            rows_to_discard,
        };
        let height = builder.tree_height();
        assert!(rows_to_discard < height, "{rows_to_discard} of {height} rows are discarded");
        Ok(builder)
    }

    /// Hashes the leaves; returns them, and the rows above those to discard, lowest first.
    ///
    /// # Errors
    /// Those of the hasher.
    pub fn build_tree(&mut self, rows_to_discard: usize) -> Result<(Vec<F>, Vec<F>), Error> {
        let mut row = self.leaves.clone();
        let mut kept = Vec::with_capacity(self.tree_size(rows_to_discard));
        for height in 1..=self.tree_height() {
            row = self.parents(&row)?;
            if height > rows_to_discard {
                kept.extend_from_slice(&row);
            }
        }
        Ok((self.leaves.clone(), kept))
    }

    fn parents(&mut self, row: &[F]) -> Result<Vec<F>, Error> {
        let Some(batcher) = &mut self.batcher else {
            return Ok(hash_many(&self.constants, row));
        };
        let arity = TreeArity::to_usize();
        let nodes = row.chunks_exact(arity).map(GenericArray::clone_from_slice);
        let preimages: Vec<GenericArray<F, TreeArity>> = nodes.collect();
        let mut parents = Vec::with_capacity(preimages.len());
        for batch in preimages.chunks(batcher.max_batch_size().max(1)) {
            parents.extend(batcher.hash(batch)?);
        }
        Ok(parents)
    }

    /// Returns the number of nodes above the leaves and above the discarded rows.
    pub fn tree_size(&self, rows_to_discard: usize) -> usize {
        self.rows().skip(rows_to_discard).sum()
    }

    /// Returns the number of rows above the leaves.
    pub fn tree_height(&self) -> usize {
        self.rows().count()
    }

    /// The sizes of the rows above the leaves.
    ///
    /// # Panics
    /// The number of leaves is not a power of the arity.
    fn rows(&self) -> impl Iterator<Item = usize> {
        let (arity, leaves) = (TreeArity::to_usize(), self.leaf_count);
        let above = move |&size: &usize| {
            let is_whole = size == 1 || size.is_multiple_of(arity);
            assert!(size > 0 && is_whole, "{leaves} leaves are not a power of the arity {arity}");
            (size > 1).then_some(size / arity)
        };
        std::iter::successors(Some(leaves), above).skip(1)
    }

    /// Returns the root of a tree whose leaves are all equal.
    ///
    /// # Errors
    /// Those of the hasher.
    pub fn compute_uniform_tree_root(&mut self, leaf: F) -> Result<F, Error> {
        let parent = |node| hash_many(&self.constants, &vec![node; TreeArity::to_usize()])[0];
        Ok((0..self.tree_height()).fold(leaf, |node, _| parent(node)))
    }
}

impl<F, TreeArity> TreeBuilderTrait<F, TreeArity> for TreeBuilder<F, TreeArity>
where
    F: NeptuneField,
    TreeArity: Arity<F>,
{
    fn add_leaves(&mut self, leaves: &[F]) -> Result<(), Error> {
        let places = self.leaves[self.added..].get_mut(..leaves.len());
        let too_many = || Error::Other(format!("more than {} leaves", self.leaf_count));
        places.ok_or_else(too_many)?.copy_from_slice(leaves);
        self.added += leaves.len();
        Ok(())
    }

    fn add_final_leaves(&mut self, leaves: &[F]) -> Result<(Vec<F>, Vec<F>), Error> {
        self.add_leaves(leaves)?;
        let tree = self.build_tree(self.rows_to_discard);
        self.reset();
        tree
    }

    fn reset(&mut self) {
        self.added = 0;
        self.leaves.fill(F::ZERO);
    }
}
