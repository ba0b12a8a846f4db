// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Opening a stored tree: checks its header, and its length against the header.

use std::io::{ErrorKind, Read, Seek, SeekFrom};

use halimede_arith::Fr;

use super::layout::{Layout, HEADER_BYTES};
use super::leaf::{LeafRule, LEAF_BYTES};
use super::TreeError;

/// A stored tree that is open for reading.
#[derive(Debug)]
pub struct Tree<S> {
    source: S,
    layout: Layout,
    root: Fr,
}

impl<S: Read + Seek> Tree<S> {
    /// Opens a tree that a [`super::TreeWriter`] has stored. Its rows are not read yet: damage is
    /// found only when a proof needs the row.
    ///
    /// # Errors
    /// [`TreeError::Header`] if this is not a stored tree or an unfinished one,
    /// [`TreeError::Length`] if its length does not match, [`TreeError::Element`] if the root is
    /// not an element, [`TreeError::Read`].
    pub fn open(mut source: S) -> Result<Self, TreeError> {
        let read_error = |source| TreeError::Read { offset: 0, source };
        let got = source.seek(SeekFrom::End(0)).map_err(read_error)?;
        source.rewind().map_err(read_error)?;
        let mut header = [0u8; HEADER_BYTES];
        match source.read_exact(&mut header) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                let reason = format!("it has {got} bytes, fewer than a header");
                return Err(TreeError::Header { reason });
            }
            outcome => outcome.map_err(read_error)?,
        }
        let layout = Layout::decode(&header)?;
        let expected = layout.bytes();
        if got != expected {
            return Err(TreeError::Length { got, expected });
        }
        let mut tree = Self { source, layout, root: Fr::ZERO };
        if let [root] = tree.nodes(tree.layout.shape().root_row(), 0, 1)?[..] {
            tree.root = root;
        }
        Ok(tree)
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The stored root.
    pub fn root(&self) -> Fr {
        self.root
    }

    /// The file of the tree.
    pub fn into_inner(self) -> S {
        self.source
    }

    /// Reads `count` nodes of a stored row, from the node `first` on.
    ///
    /// # Errors
    /// [`TreeError::Row`] for a row that is not stored, [`TreeError::NodeIndex`] for nodes beyond
    /// its end, [`TreeError::Element`] for an invalid element, [`TreeError::Read`].
    pub fn nodes(&mut self, row: usize, first: u64, count: usize) -> Result<Vec<Fr>, TreeError> {
        let start = self.layout.row_offset(row)?;
        let nodes = self.layout.shape().row_nodes(row);
        let end = first.saturating_add(count as u64);
        if end > nodes {
            return Err(TreeError::NodeIndex { row, index: end - 1, nodes });
        }
        let offset = start + first * LEAF_BYTES as u64;
        read_elements(&mut self.source, offset, count, LeafRule::Elements)
    }
}

/// Reads `count` elements from a byte offset on.
pub(super) fn read_elements<S: Read + Seek>(
    source: &mut S,
    offset: u64,
    count: usize,
    rule: LeafRule,
) -> Result<Vec<Fr>, TreeError> {
    let mut bytes = vec![0u8; count * LEAF_BYTES];
    source
        .seek(SeekFrom::Start(offset))
        .and_then(|_| source.read_exact(&mut bytes))
        .map_err(|source| TreeError::Read { offset, source })?;
    let mut elements = Vec::new();
    rule.parse_into(&bytes, offset, &mut elements)?;
    Ok(elements)
}
