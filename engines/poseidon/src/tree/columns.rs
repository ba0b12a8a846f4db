// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Trees over columns. Layers of labels, stacked, are cut into columns of one label per layer; the
//! hash of a column is a leaf (Filecoin specification, "Labeling", column commitment).

use std::io::Read;

use halimede_arith::job::Execute;
use halimede_arith::Fr;

use super::builder::TreeBuilder;
use super::keep::{Keep, Nothing};
use super::layout::LeafKind;
use super::leaf::LEAF_BYTES;
use super::leaves::{column_hasher, in_layer, require_equal_lengths};
use super::read_ahead::{read_ahead, read_up_to, Source, Wanted};
use super::writer::TreeWriter;
use super::TreeError;
use crate::filecoin::Hasher;
use crate::instance::Strength;
use crate::operations::FilecoinHash;
use crate::state::Elements;

/// Builds a tree from columns as they arrive.
pub struct ColumnTreeBuilder<'d, D, K = Nothing> {
    tree: TreeBuilder<'d, D, K>,
    hasher: Hasher,
    labels: Vec<Fr>,
}

impl<'d, D: Execute<FilecoinHash>, K: Keep> ColumnTreeBuilder<'d, D, K> {
    /// Creates a tree over columns of `labels` labels (2, 4, 8 or 11). Their hashes are the leaves
    /// of `tree`, which must not have leaves yet.
    ///
    /// # Errors
    /// [`TreeError::Arity`] for an unsupported number of labels, [`TreeError::LeafCount`] if the
    /// tree already has leaves.
    pub fn new(
        tree: TreeBuilder<'d, D, K>,
        labels: usize,
        strength: Strength,
    ) -> Result<Self, TreeError> {
        if tree.leaves() != 0 {
            return Err(TreeError::LeafCount { got: tree.leaves(), expected: 0 });
        }
        let hasher = column_hasher(labels, strength)?;
        Ok(Self { tree, hasher, labels: Vec::new() })
    }

    /// Takes more columns, stored contiguously: column 0 from the first layer's label to the
    /// last's, then column 1, and so on.
    ///
    /// # Errors
    /// [`TreeError::LayerCount`] if the last column is not whole; others as for
    /// [`TreeBuilder::push_leaves`].
    pub fn push_columns(&mut self, columns: &[Fr]) -> Result<(), TreeError> {
        let width = self.hasher.arity();
        if !columns.len().is_multiple_of(width) {
            return Err(TreeError::LayerCount { got: columns.len() % width, expected: width });
        }
        let hasher = self.hasher;
        for columns in columns.chunks(self.tree.batch_nodes() * width) {
            let column = |index: usize| hasher.preimage(&columns[index * width..][..width]);
            self.tree.push_hashes(columns.len() / width, column)?;
        }
        Ok(())
    }

    /// Reads the layers to their ends; the next batch is read while this one is hashed. `progress`
    /// is called with the number of bytes of all labels taken so far.
    ///
    /// # Errors
    /// [`TreeError::LayerCount`] if the number of layers is not the number of labels of a column,
    /// [`TreeError::LayerLength`] if the layers differ in length, [`TreeError::Layer`] with the
    /// error of one layer; others as for [`TreeBuilder::push_leaves`].
    pub fn read_layers<R: Read + Send>(
        &mut self,
        layers: Vec<R>,
        mut progress: impl FnMut(u64),
    ) -> Result<(), TreeError> {
        let width = self.hasher.arity();
        if layers.len() != width {
            return Err(TreeError::LayerCount { got: layers.len(), expected: width });
        }
        let batch_bytes = self.tree.batch_nodes() * LEAF_BYTES;
        let offset = self.tree.leaves() * LEAF_BYTES as u64;
        let source = Layers { layers, batch_bytes, offset };
        read_ahead(source, |bytes| {
            self.push_layers(bytes)?;
            progress(self.tree.leaves() * (width * LEAF_BYTES) as u64);
            Ok(())
        })
    }

    /// Finishes the tree over the columns' hashes and returns its root.
    ///
    /// # Errors
    /// As for [`TreeBuilder::finish`].
    pub fn finish(self) -> Result<Fr, TreeError> {
        self.tree.finish()
    }

    /// Returns the tree over the hashes of the columns taken so far.
    pub fn into_tree(self) -> TreeBuilder<'d, D, K> {
        self.tree
    }

    /// Takes a batch of labels as bytes, layer by layer.
    fn push_layers(&mut self, bytes: &[u8]) -> Result<(), TreeError> {
        let width = self.hasher.arity();
        let layer_bytes = bytes.len() / width;
        let offset = self.tree.leaves() * LEAF_BYTES as u64;
        self.labels.clear();
        for (index, layer) in bytes.chunks(layer_bytes).enumerate() {
            let rule = self.tree.rule();
            rule.parse_into(layer, offset, &mut self.labels)
                .map_err(|error| in_layer(index, error))?;
        }
        let (labels, hasher) = (&self.labels, self.hasher);
        let count = labels.len() / width;
        let column = |index: usize| {
            let column: Elements<Fr> =
                (0..width).map(|layer| labels[layer * count + index]).collect();
            hasher.preimage(&column)
        };
        self.tree.push_hashes(count, column)
    }
}

impl<'d, D: Execute<FilecoinHash>, W> ColumnTreeBuilder<'d, D, TreeWriter<W>>
where
    W: Read + std::io::Write + std::io::Seek,
{
    /// Creates a tree over columns that is stored in the layout of `writer`.
    ///
    /// # Errors
    /// [`TreeError::Arity`] if the leaves of the layout are not columns.
    pub fn storing(device: &'d D, writer: TreeWriter<W>) -> Result<Self, TreeError> {
        let strength = writer.layout().strength();
        let labels = match writer.layout().kind() {
            LeafKind::Columns(labels) => labels,
            LeafKind::Elements => 1,
        };
        Self::new(TreeBuilder::storing(device, writer)?, labels, strength)
    }
}

/// Layers that are cut into batches of whole columns; each batch is ordered layer by layer.
struct Layers<R> {
    layers: Vec<R>,
    /// The most bytes per layer in a batch.
    batch_bytes: usize,
    /// The offset of this batch in each layer, in bytes.
    offset: u64,
}

impl<R: Read + Send> Source for Layers<R> {
    fn fill(&mut self, buffer: &mut Vec<u8>, wanted: &Wanted) -> Result<(), TreeError> {
        let mut lengths = Vec::with_capacity(self.layers.len());
        for (index, layer) in self.layers.iter_mut().enumerate() {
            let before = buffer.len();
            let outcome = read_up_to(layer, self.batch_bytes, buffer, wanted);
            let bytes = self.offset + (buffer.len() - before) as u64;
            outcome.map_err(|source| in_layer(index, TreeError::Read { offset: bytes, source }))?;
            if !bytes.is_multiple_of(LEAF_BYTES as u64) {
                return Err(in_layer(index, TreeError::PartialLeaf { bytes }));
            }
            lengths.push(bytes);
        }
        require_equal_lengths(lengths.iter().copied())?;
        self.offset = lengths.first().copied().unwrap_or_default();
        Ok(())
    }
}
