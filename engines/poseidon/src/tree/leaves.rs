// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The leaves below a stored tree, read again for proofs.

use std::io::{Read, Seek, SeekFrom};

use halimede_arith::job::Execute;
use halimede_arith::Fr;

use super::hashing::{execute, fill_preimages};
use super::layout::LeafKind;
use super::leaf::{LeafRule, LEAF_BYTES};
use super::shape::leaves_of_length;
use super::stored::read_elements;
use super::TreeError;
use crate::filecoin::{Hasher, Preimage};
use crate::instance::Strength;
use crate::operations::FilecoinHash;
use crate::state::Elements;

/// Leaves that can be read again.
pub trait Leaves {
    /// The number of leaves.
    fn count(&self) -> u64;

    /// Reads `count` leaves from the leaf `first` on.
    ///
    /// # Errors
    /// [`TreeError::LeafIndex`] beyond the end; any other error of the leaves.
    fn read(&mut self, first: u64, count: usize) -> Result<Vec<Fr>, TreeError>;

    /// Returns the column whose hash is this leaf; empty if leaves are not hashes of columns.
    ///
    /// # Errors
    /// As for [`Self::read`].
    fn column(&mut self, _index: u64) -> Result<Vec<Fr>, TreeError> {
        Ok(Vec::new())
    }
}

/// Leaves in a file, 32 bytes each.
#[derive(Debug)]
pub struct ByteLeaves<S> {
    source: S,
    rule: LeafRule,
    count: u64,
}

impl<S: Read + Seek> ByteLeaves<S> {
    /// Opens the leaves of `source`, which must obey the rule.
    ///
    /// # Errors
    /// [`TreeError::PartialLeaf`] or [`TreeError::Read`].
    pub fn open(mut source: S, rule: LeafRule) -> Result<Self, TreeError> {
        let bytes = source
            .seek(SeekFrom::End(0))
            .map_err(|source| TreeError::Read { offset: 0, source })?;
        Ok(Self { source, rule, count: leaves_of_length(bytes)? })
    }
}

impl<S: Read + Seek> Leaves for ByteLeaves<S> {
    fn count(&self) -> u64 {
        self.count
    }

    fn read(&mut self, first: u64, count: usize) -> Result<Vec<Fr>, TreeError> {
        let end = first.saturating_add(count as u64);
        if end > self.count {
            return Err(TreeError::LeafIndex { index: end - 1, leaves: self.count });
        }
        read_elements(&mut self.source, first * LEAF_BYTES as u64, count, self.rule)
    }
}

/// Leaves that are hashes of columns, cut from layers of labels.
pub struct ColumnLeaves<'d, D, S> {
    device: &'d D,
    hasher: Hasher,
    layers: Vec<ByteLeaves<S>>,
    preimages: Vec<Preimage>,
}

impl<'d, D: Execute<FilecoinHash>, S: Read + Seek> ColumnLeaves<'d, D, S> {
    /// Opens the hashes of the columns of 2, 4, 8 or 11 layers of equal length.
    ///
    /// # Errors
    /// [`TreeError::Arity`] for another number of layers, [`TreeError::LayerLength`], or
    /// [`TreeError::Layer`] with the error of one layer.
    pub fn open(
        device: &'d D,
        strength: Strength,
        layers: Vec<S>,
        rule: LeafRule,
    ) -> Result<Self, TreeError> {
        let hasher = column_hasher(layers.len(), strength)?;
        let open =
            |(index, layer)| ByteLeaves::open(layer, rule).map_err(|error| in_layer(index, error));
        let layers: Vec<_> = layers.into_iter().enumerate().map(open).collect::<Result<_, _>>()?;
        require_equal_lengths(layers.iter().map(|layer| layer.count * LEAF_BYTES as u64))?;
        Ok(Self { device, hasher, layers, preimages: Vec::new() })
    }

    fn labels(&mut self, first: u64, count: usize) -> Result<Vec<Vec<Fr>>, TreeError> {
        let read = |(index, layer): (usize, &mut ByteLeaves<S>)| {
            layer.read(first, count).map_err(|error| match error {
                error @ TreeError::LeafIndex { .. } => error,
                error => in_layer(index, error),
            })
        };
        self.layers.iter_mut().enumerate().map(read).collect()
    }
}

impl<D: Execute<FilecoinHash>, S: Read + Seek> Leaves for ColumnLeaves<'_, D, S> {
    fn count(&self) -> u64 {
        self.layers.first().map_or(0, Leaves::count)
    }

    fn read(&mut self, first: u64, count: usize) -> Result<Vec<Fr>, TreeError> {
        let labels = self.labels(first, count)?;
        let hasher = self.hasher;
        let column = |index: usize| {
            let column: Elements<Fr> = labels.iter().map(|layer| layer[index]).collect();
            hasher.preimage(&column)
        };
        fill_preimages(&mut self.preimages, count, column)?;
        execute(self.device, &self.preimages[..count], first)
    }

    fn column(&mut self, index: u64) -> Result<Vec<Fr>, TreeError> {
        Ok(self.labels(index, 1)?.into_iter().flatten().collect())
    }
}

/// Returns the hasher of columns of `labels` labels.
pub(super) fn column_hasher(labels: usize, strength: Strength) -> Result<Hasher, TreeError> {
    let hasher = LeafKind::Columns(labels).hasher(strength)?;
    hasher.ok_or(TreeError::LayerCount { got: labels, expected: labels })
}

/// Adds the number of the layer, from 1, to an error.
pub(super) fn in_layer(index: usize, source: TreeError) -> TreeError {
    TreeError::Layer { layer: index + 1, source: Box::new(source) }
}

/// Rejects layers that differ in length; names the shortest.
pub(super) fn require_equal_lengths(
    lengths: impl Iterator<Item = u64> + Clone,
) -> Result<(), TreeError> {
    let longest = lengths.clone().max().unwrap_or(0);
    match lengths.enumerate().min_by_key(|(_, bytes)| *bytes) {
        Some((index, bytes)) if bytes < longest => {
            Err(TreeError::LayerLength { layer: index + 1, bytes })
        }
        _ => Ok(()),
    }
}
