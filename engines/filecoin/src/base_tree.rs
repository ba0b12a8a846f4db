// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The file of a base tree (`DiskStore` and `LevelCacheStore` of `merkletree` 0.23): its rows from
//! the leaves or from a higher row up to the root, 32 bytes a node, little-endian, no header.

use std::fs::File;
use std::io::{self, ErrorKind, Seek, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use halimede_arith::Fr;
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

/// Returns the path of a base tree that workers still fill.
pub fn partial_path(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(".parts");
    name.into()
}

/// Returns the root in a file of a base tree, if it has the right length and the recorded root.
pub fn stored_root(path: &Path, nodes: u64, recorded: &str) -> Option<Fr> {
    let file = File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() != nodes * LEAF_BYTES as u64 {
        return None;
    }
    let mut root = [0; LEAF_BYTES];
    file.read_exact_at(&mut root, (nodes - 1) * LEAF_BYTES as u64).ok()?;
    (hex::encode(root) == recorded).then_some(())?;
    Fr::from_le_bytes(&root).ok()
}

/// The places of the rows in the file of a base tree.
pub struct StoredRows {
    /// The offset and the end of each row in bytes; `None` for rows that are not stored.
    rows: Vec<Option<(u64, u64)>>,
    bytes: u64,
}

impl StoredRows {
    /// The rows from `first_row` on.
    pub fn new(shape: &Shape, first_row: usize) -> Self {
        let mut bytes = 0;
        let row = |row: usize| {
            let start = bytes;
            (row >= first_row).then(|| {
                bytes += shape.row_nodes(row) * LEAF_BYTES as u64;
                (start, bytes)
            })
        };
        let rows = (0..=shape.root_row()).map(row).collect();
        Self { rows, bytes }
    }

    /// The length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The offset and the end of `count` nodes of a row from node `first` on, in bytes; `None` if
    /// the row is not stored or has fewer nodes.
    pub fn place(&self, row: usize, first: u64, count: u64) -> Option<(u64, u64)> {
        let (start, end) = (*self.rows.get(row)?)?;
        let from = start + first * LEAF_BYTES as u64;
        let to = from + count * LEAF_BYTES as u64;
        (to <= end).then_some((from, to))
    }

    /// The places of the rows of a subtree, from the row of its leaves on. Node `number` of row
    /// `height` is its root.
    pub fn places_below(&self, subtree: &Shape, number: u64) -> Vec<Option<(u64, u64)>> {
        let row = |row: usize| {
            let nodes = subtree.row_nodes(row);
            self.place(row, number * nodes, nodes)
        };
        (0..=subtree.root_row()).map(row).collect()
    }
}

/// Writes rows of a base tree while they are computed.
pub struct RowWriter<W> {
    writer: BackgroundWriter<W>,
    /// The offset of the next node of each row and the end of the row; `None` for rows that are not
    /// stored.
    rows: Vec<Option<(u64, u64)>>,
}

impl<W: Write + Seek + Send + 'static> RowWriter<W> {
    /// Begins to write rows at their places, from the leaves on.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(output: W, rows: Vec<Option<(u64, u64)>>) -> io::Result<Self> {
        Ok(Self { writer: BackgroundWriter::start(output)?, rows })
    }

    /// Waits until all rows are written.
    ///
    /// # Errors
    /// Errors of writing; [`ErrorKind::InvalidInput`] if nodes are missing.
    pub fn finish(self) -> io::Result<W> {
        let output = self.writer.finish()?;
        match self.rows.iter().flatten().all(|(next, end)| next == end) {
            true => Ok(output),
            false => Err(io::Error::new(ErrorKind::InvalidInput, "a row is not complete")),
        }
    }
}

impl<W: Write + Seek + Send + 'static> Keep for RowWriter<W> {
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
