// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `p_aux` and `t_aux`: `PersistentAux` and `TemporaryAux` of `storage-proofs-porep` 19 in bincode
//! 1, whose numbers are little-endian, lengths and sizes of 8 bytes each.

use std::io::Write;
use std::path::Path;

use halimede_files::Options;

use crate::error::Precommit2Error;
use crate::geometry::Geometry;
use crate::phase1::{StoreConfig, TREE_D};

/// The identifier of tree C.
pub const TREE_C: &str = "tree-c";
/// The identifier of tree R.
pub const TREE_R: &str = "tree-r-last";

/// Encodes `p_aux`: both roots.
pub fn persistent(comm_c: &[u8; 32], comm_r_last: &[u8; 32]) -> Vec<u8> {
    [comm_c.as_slice(), comm_r_last].concat()
}

/// Encodes `t_aux`: the layers, tree D, tree R and tree C, all of them in the folder `cache`.
pub fn temporary(cache: &str, labels: &[StoreConfig], geometry: &Geometry) -> Vec<u8> {
    let mut bytes = (labels.len() as u64).to_le_bytes().to_vec();
    for layer in labels {
        push_store(&mut bytes, cache, &layer.id, layer.size, layer.rows_to_discard);
    }
    let base = Some(geometry.base_nodes());
    push_store(&mut bytes, cache, TREE_D, Some(geometry.tree_d_nodes()), 0);
    push_store(&mut bytes, cache, TREE_R, base, geometry.discarded_rows() as u64);
    push_store(&mut bytes, cache, TREE_C, base, 0);
    bytes
}

fn push_store(bytes: &mut Vec<u8>, path: &str, id: &str, size: Option<u64>, discarded: u64) {
    for text in [path, id] {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    match size {
        Some(size) => {
            bytes.push(1);
            bytes.extend(size.to_le_bytes());
        }
        None => bytes.push(0),
    }
    bytes.extend(discarded.to_le_bytes());
}

/// Writes a file that appears when it is complete.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Precommit2Error> {
    let mut output = halimede_files::create(path, &Options::default())?;
    let written = output.write_all(bytes);
    written.map_err(|source| Precommit2Error::Write { path: path.into(), source })?;
    Ok(output.complete()?)
}
