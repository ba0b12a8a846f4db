// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tree C: a compound tree over the hashes of the columns of all layers.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use halimede_arith::job::Execute;
use halimede_arith::Fr;
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::{ColumnTreeBuilder, TreeBuilder, TreeError, LEAF_BYTES};
use halimede_poseidon::Strength;

use crate::aux_files::TREE_C;
use crate::base_tree::BaseTreeWriter;
use crate::error::Precommit2Error;
use crate::journal::Journal;
use crate::ranges::Range;
use crate::run::Run;

/// Builds the base trees after those with the [stored roots](stored_roots), and records each one.
/// Returns all roots.
pub fn build<D: Execute<FilecoinHash>>(
    run: &Run<'_, D>,
    journal: &mut Journal,
    mut roots: Vec<Fr>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<Fr>, Precommit2Error> {
    let geometry = &run.sector.geometry;
    journal.tree_c.truncate(roots.len());
    let tree_bytes = geometry.base_leaves() * (LEAF_BYTES * geometry.layers()) as u64;
    for tree in roots.len()..geometry.base_trees() {
        let root = build_tree(run, tree, stop, &mut |bytes| {
            progress(tree as u64 * tree_bytes + bytes);
        })?;
        roots.push(root);
        journal.tree_c.push(hex::encode(root.to_le_bytes()));
        journal.save(&run.journal_path)?;
    }
    Ok(roots)
}

/// Returns the roots of the first base trees of the journal, as far as their files are whole.
pub fn stored_roots<D>(run: &Run<'_, D>, journal: &Journal) -> Vec<Fr> {
    let geometry = &run.sector.geometry;
    let stored = |(tree, recorded): (usize, &String)| {
        stored_root(&run.store_path(TREE_C, tree), geometry.base_nodes(), recorded)
    };
    journal.tree_c.iter().take(geometry.base_trees()).enumerate().map_while(stored).collect()
}

/// Returns the root in a file of a base tree, if it has the right length and the recorded root.
fn stored_root(path: &Path, nodes: u64, recorded: &str) -> Option<Fr> {
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

fn build_tree<D: Execute<FilecoinHash>>(
    run: &Run<'_, D>,
    tree: usize,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Fr, Precommit2Error> {
    let geometry = &run.sector.geometry;
    let path = run.store_path(TREE_C, tree);
    let bytes = geometry.base_leaves() * LEAF_BYTES as u64;
    let start = tree as u64 * bytes;
    let layers = &run.inputs.layers;
    let tree_error = |source| {
        // An error of one layer names that layer.
        let (path, source) = match source {
            TreeError::Layer { layer, source } => {
                let layer = layers.get(layer - 1).map(|input| input.path.clone());
                (layer.unwrap_or_else(|| path.clone()), *source)
            }
            source => (path.clone(), source),
        };
        Precommit2Error::Tree { path, start, source }
    };
    let shape = geometry.base_shape().map_err(tree_error)?;
    let output = run.create(&path)?;
    let keep = BaseTreeWriter::start(output, &shape, 0)
        .map_err(|source| tree_error(TreeError::Write { source }))?;
    let ranges = layers.iter().map(|layer| Range::new(&layer.file, start, bytes, stop)).collect();
    let (root, keep) = TreeBuilder::shaped(run.device, shape, Strength::Standard, keep)
        .and_then(|tree| ColumnTreeBuilder::new(tree, layers.len(), Strength::Standard))
        .and_then(|mut columns| {
            columns.read_layers(ranges, progress)?;
            columns.into_tree().finish_kept()
        })
        .map_err(tree_error)?;
    let output = keep.finish().map_err(|source| tree_error(TreeError::Write { source }))?;
    output.complete()?;
    Ok(root)
}
