// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The file of a base tree (`DiskStore` and `LevelCacheStore` of `merkletree` 0.23): its rows from
//! the leaves or from a higher row up to the root, 32 bytes a node, little-endian, no header.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use halimede_arith::Fr;
use halimede_files::Output;
use halimede_poseidon::tree::{Keep, Shape, LEAF_BYTES};
use rayon::prelude::*;

use crate::background::BackgroundWriter;

/// The fewest nodes that are worth a separate thread.
const NODES_A_TASK: usize = 1024;

/// Returns the path of a store in the cache folder; its number is part of the name if there are
/// several trees.
pub fn store_path(cache: &Path, id: &str, tree: Option<usize>) -> PathBuf {
    let number = tree.map_or(String::new(), |tree| format!("-{tree}"));
    cache.join(format!("sc-02-data-{id}{number}.dat"))
}

/// Writes the rows of a base tree while it is built.
pub struct BaseTreeWriter {
    writer: BackgroundWriter<Output>,
    /// The offset of the next node of each row and the end of the row; `None` for rows that are not
    /// stored.
    rows: Vec<Option<(u64, u64)>>,
}

impl BaseTreeWriter {
    /// Writes the rows from `first_row` on.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(output: Output, shape: &Shape, first_row: usize) -> io::Result<Self> {
        let mut end = 0;
        let row = |row: usize| {
            let start = end;
            if row >= first_row {
                end += shape.row_nodes(row) * LEAF_BYTES as u64;
                return Some((start, end));
            }
            None
        };
        let rows = (0..=shape.root_row()).map(row).collect();
        Ok(Self { writer: BackgroundWriter::start(output)?, rows })
    }

    /// Waits until all rows are written.
    ///
    /// # Errors
    /// Errors of writing; [`ErrorKind::InvalidInput`] if nodes are missing.
    pub fn finish(self) -> io::Result<Output> {
        let output = self.writer.finish()?;
        match self.rows.iter().flatten().all(|(next, end)| next == end) {
            true => Ok(output),
            false => Err(io::Error::new(ErrorKind::InvalidInput, "a row is not complete")),
        }
    }
}

impl Keep for BaseTreeWriter {
    fn keep(&mut self, row: usize, nodes: &[Fr]) -> io::Result<()> {
        let Some(Some((offset, end))) = self.rows.get_mut(row) else { return Ok(()) };
        let next = *offset + (nodes.len() * LEAF_BYTES) as u64;
        if next > *end {
            let reason = format!("more nodes than row {row} has");
            return Err(io::Error::new(ErrorKind::InvalidInput, reason));
        }
        let mut bytes = vec![0; nodes.len() * LEAF_BYTES];
        bytes
            .par_chunks_exact_mut(LEAF_BYTES)
            .zip(nodes)
            .with_min_len(NODES_A_TASK)
            .for_each(|(bytes, node)| bytes.copy_from_slice(&node.to_le_bytes()));
        self.writer.write(*offset, bytes)?;
        *offset = next;
        Ok(())
    }
}
