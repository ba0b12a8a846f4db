// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Merkle trees whose leaves are the hashes of columns, in memory.

use generic_array::GenericArray;

use crate::batch_hasher::Batcher;
use crate::poseidon::{hash_many, PoseidonConstants};
use crate::tree_builder::{TreeBuilder, TreeBuilderTrait};
use crate::{Arity, BatchHasher, Error, NeptuneField};

/// Takes columns, and returns the tree over their hashes.
pub trait ColumnTreeBuilderTrait<F, ColumnArity, TreeArity>
where
    F: NeptuneField,
    ColumnArity: Arity<F>,
    TreeArity: Arity<F>,
{
    /// Adds the next columns.
    ///
    /// # Errors
    /// [`Error::Other`] if there are more columns than the tree has leaves; those of the hasher.
    fn add_columns(&mut self, columns: &[GenericArray<F, ColumnArity>]) -> Result<(), Error>;

    /// Adds the last columns; returns their hashes, and the rows above them, lowest first. The
    /// builder is empty afterwards.
    ///
    /// # Errors
    /// As [`Self::add_columns`].
    fn add_final_columns(
        &mut self,
        columns: &[GenericArray<F, ColumnArity>],
    ) -> Result<(Vec<F>, Vec<F>), Error>;

    /// Removes all columns.
    fn reset(&mut self);
}

/// A builder of trees with a fixed number of columns.
pub struct ColumnTreeBuilder<F, ColumnArity, TreeArity>
where
    F: NeptuneField,
    ColumnArity: Arity<F>,
    TreeArity: Arity<F>,
{
    /// The number of columns.
    pub leaf_count: usize,
    constants: PoseidonConstants<F, ColumnArity>,
    /// The hasher of the columns.
    pub column_batcher: Option<Batcher<F, ColumnArity>>,
    tree_builder: TreeBuilder<F, TreeArity>,
}

impl<F, ColumnArity, TreeArity> ColumnTreeBuilder<F, ColumnArity, TreeArity>
where
    F: NeptuneField,
    ColumnArity: Arity<F>,
    TreeArity: Arity<F>,
{
    /// Returns a builder.
    ///
    /// # Errors
    /// None.
    ///
    /// # Panics
    /// The number of columns is not a power of the tree's arity, or 1.
    pub fn new(
        column_batcher: Option<Batcher<F, ColumnArity>>,
        tree_batcher: Option<Batcher<F, TreeArity>>,
        leaf_count: usize,
    ) -> Result<Self, Error> {
        let tree_builder = TreeBuilder::new(tree_batcher, leaf_count, 0)?;
        let constants = PoseidonConstants::new();
        Ok(Self { leaf_count, constants, column_batcher, tree_builder })
    }

    /// Returns the number of nodes above the leaves.
    pub fn tree_size(&self) -> usize {
        self.tree_builder.tree_size(0)
    }

    /// Returns the root of a tree whose columns are all equal.
    ///
    /// # Errors
    /// Those of the hasher.
    pub fn compute_uniform_tree_root(
        &mut self,
        column: &GenericArray<F, ColumnArity>,
    ) -> Result<F, Error> {
        self.tree_builder.compute_uniform_tree_root(hash_many(&self.constants, column)[0])
    }

    fn hash_columns(&mut self, columns: &[GenericArray<F, ColumnArity>]) -> Result<Vec<F>, Error> {
        let Some(batcher) = &mut self.column_batcher else {
            let elements = columns.iter().flat_map(|column| column.iter().copied());
            return Ok(hash_many(&self.constants, &elements.collect::<Vec<F>>()));
        };
        let mut digests = Vec::with_capacity(columns.len());
        for batch in columns.chunks(batcher.max_batch_size().max(1)) {
            digests.extend(batcher.hash(batch)?);
        }
        Ok(digests)
    }
}

impl<F, ColumnArity, TreeArity> ColumnTreeBuilderTrait<F, ColumnArity, TreeArity>
    for ColumnTreeBuilder<F, ColumnArity, TreeArity>
where
    F: NeptuneField,
    ColumnArity: Arity<F>,
    TreeArity: Arity<F>,
{
    fn add_columns(&mut self, columns: &[GenericArray<F, ColumnArity>]) -> Result<(), Error> {
        let leaves = self.hash_columns(columns)?;
        self.tree_builder.add_leaves(&leaves)
    }

    fn add_final_columns(
        &mut self,
        columns: &[GenericArray<F, ColumnArity>],
    ) -> Result<(Vec<F>, Vec<F>), Error> {
        let leaves = self.hash_columns(columns)?;
        self.tree_builder.add_final_leaves(&leaves)
    }

    fn reset(&mut self) {
        self.tree_builder.reset();
    }
}
