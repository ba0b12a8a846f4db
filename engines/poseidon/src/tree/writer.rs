// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stores the rows of a tree while it is built.

use std::io::{Error, ErrorKind, Seek, SeekFrom, Write};

use halimede_arith::Fr;
use rayon::prelude::*;

use super::keep::Keep;
use super::layout::Layout;
use super::leaf::LEAF_BYTES;
use super::TreeError;

/// The fewest nodes that are worth a separate thread.
const NODES_A_TASK: usize = 1024;

/// Writes a tree's rows to a file, or to memory through [`std::io::Cursor`].
#[derive(Debug)]
pub struct TreeWriter<W> {
    target: W,
    layout: Layout,
    /// The offset of the next node of each row; `None` for rows that are not stored.
    offsets: Vec<Option<u64>>,
    bytes: Vec<u8>,
}

impl<W: Write + Seek> TreeWriter<W> {
    /// Stores a tree of this layout from the start of `target`, which should be empty: bytes beyond
    /// the end of the tree would make it invalid.
    pub fn new(target: W, layout: Layout) -> Self {
        let offset = |row| layout.row_offset(row).ok();
        let offsets = (0..=layout.shape().root_row()).map(offset).collect();
        Self { target, layout, offsets, bytes: Vec::new() }
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Writes the header, which completes the tree.
    ///
    /// # Errors
    /// [`TreeError::Write`], also if nodes are missing.
    pub fn finish(mut self) -> Result<W, TreeError> {
        let header = self.layout.encode();
        self.require_complete()
            .and_then(|()| self.target.seek(SeekFrom::Start(0)))
            .and_then(|_| self.target.write_all(&header))
            .and_then(|()| self.target.flush())
            .map_err(|source| TreeError::Write { source })?;
        Ok(self.target)
    }

    fn require_complete(&self) -> std::io::Result<()> {
        for (row, offset) in self.offsets.iter().enumerate() {
            if *offset != self.end(row) {
                let reason = format!("row {row} is not complete");
                return Err(Error::new(ErrorKind::InvalidInput, reason));
            }
        }
        Ok(())
    }

    /// The end of a stored row, as a byte offset.
    fn end(&self, row: usize) -> Option<u64> {
        let offset = self.layout.row_offset(row).ok()?;
        Some(offset + self.layout.shape().row_nodes(row) * LEAF_BYTES as u64)
    }
}

impl<W: Write + Seek> Keep for TreeWriter<W> {
    fn keep(&mut self, row: usize, nodes: &[Fr]) -> std::io::Result<()> {
        let Some(Some(offset)) = self.offsets.get(row).copied() else { return Ok(()) };
        let next = offset + (nodes.len() * LEAF_BYTES) as u64;
        if Some(next) > self.end(row) {
            let reason = format!("more nodes than row {row} has");
            return Err(Error::new(ErrorKind::InvalidInput, reason));
        }
        self.bytes.resize(nodes.len() * LEAF_BYTES, 0);
        self.bytes
            .par_chunks_exact_mut(LEAF_BYTES)
            .zip(nodes)
            .with_min_len(NODES_A_TASK)
            .for_each(|(bytes, node)| bytes.copy_from_slice(&node.to_le_bytes()));
        self.target.seek(SeekFrom::Start(offset))?;
        self.target.write_all(&self.bytes)?;
        self.offsets[row] = Some(next);
        Ok(())
    }
}
