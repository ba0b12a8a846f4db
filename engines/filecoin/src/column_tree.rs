// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tree C: a compound tree over the hashes of the columns of all layers.

use std::io::{Seek, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use halimede_arith::job::Execute;
use halimede_arith::Fr;
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::{ColumnTreeBuilder, Shape, TreeBuilder, TreeError, LEAF_BYTES};
use halimede_poseidon::Strength;

use crate::aux_files::TREE_C;
use crate::base_tree::{RowWriter, StoredRows};
use crate::error::Precommit2Error;
use crate::files::Files;
use crate::journal::Journal;
use crate::ranges::Range;

/// Builds the base trees after those with these roots, and records each one. Returns all roots.
pub fn build<D: Execute<FilecoinHash>>(
    device: &D,
    files: &Files,
    journal: &mut Journal,
    mut roots: Vec<Fr>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<Fr>, Precommit2Error> {
    let geometry = &files.sector.geometry;
    journal.tree_c.truncate(roots.len());
    let tree_bytes = geometry.base_leaves() * (LEAF_BYTES * geometry.layers()) as u64;
    for tree in roots.len()..geometry.base_trees() {
        let root = build_tree(device, files, tree, stop, &mut |bytes| {
            progress(tree as u64 * tree_bytes + bytes);
        })?;
        roots.push(root);
        journal.tree_c.push(hex::encode(root.to_le_bytes()));
        journal.save(&files.journal_path)?;
    }
    Ok(roots)
}

fn build_tree<D: Execute<FilecoinHash>>(
    device: &D,
    files: &Files,
    tree: usize,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Fr, Precommit2Error> {
    let geometry = &files.sector.geometry;
    let path = files.store_path(TREE_C, tree);
    let shape = geometry.base_shape().map_err(|source| tree_error(&path, 0, source))?;
    let rows = StoredRows::new(&shape, 0).places_below(&shape, 0);
    let output = files.create(&path)?;
    let part =
        Part { device, files, path: &path, shape, start: tree as u64 * geometry.base_bytes() };
    let (root, output) = part.hash_columns(output, rows, stop, progress)?;
    output.complete()?;
    Ok(root)
}

/// A subtree of a base tree, with the columns below it.
pub struct Part<'p, D> {
    pub device: &'p D,
    pub files: &'p Files,
    /// The file of the tree.
    pub path: &'p Path,
    /// The shape of the subtree.
    pub shape: Shape,
    /// The offset of its labels in each layer, in bytes.
    pub start: u64,
}

impl<D: Execute<FilecoinHash>> Part<'_, D> {
    /// Hashes columns and nodes, and writes the rows to their places in `output`.
    pub fn hash_columns<W: Write + Seek + Send + 'static>(
        self,
        output: W,
        rows: Vec<Option<(u64, u64)>>,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(Fr, W), Precommit2Error> {
        let Self { device, files, path, shape, start } = self;
        let bytes = shape.leaves() * LEAF_BYTES as u64;
        let layers = &files.inputs.layers;
        let tree_error = |source| {
            // An error of one layer names that layer.
            let (path, source) = match source {
                TreeError::Layer { layer, source } => {
                    let layer = layers.get(layer - 1).map(|input| input.path.as_path());
                    (layer.unwrap_or(path), *source)
                }
                source => (path, source),
            };
            tree_error(path, start, source)
        };
        let write_error = |source| tree_error(TreeError::Write { source });
        let keep = RowWriter::start(output, rows).map_err(write_error)?;
        let ranges =
            layers.iter().map(|layer| Range::new(&layer.file, start, bytes, stop)).collect();
        let (root, keep) = TreeBuilder::shaped(device, shape, Strength::Standard, keep)
            .and_then(|tree| ColumnTreeBuilder::new(tree, layers.len(), Strength::Standard))
            .and_then(|mut columns| {
                columns.read_layers(ranges, progress)?;
                columns.into_tree().finish_kept()
            })
            .map_err(tree_error)?;
        Ok((root, keep.finish().map_err(write_error)?))
    }
}

/// Names the file and the offset of an error.
pub fn tree_error(path: &Path, start: u64, source: TreeError) -> Precommit2Error {
    Precommit2Error::Tree { path: path.into(), start, source }
}
