// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede poseidon tree`: the Merkle root of a file, streamed.

use std::fs::File;
use std::io::{stdin, Read, Write};
use std::path::Path;
use std::time::Instant;

use halimede_poseidon::tree::{require_full_length, root, TreeBuilder, TreeError, LEAF_BYTES};
use halimede_poseidon::Strength;

use crate::arguments::TreeOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::progress::bytes_bar;

pub fn run(options: &TreeOptions, json: bool) -> Result<(), CommandError> {
    let arity: usize = options
        .arity
        .parse()
        .map_err(|_| CommandError::BadInput(format!("--arity {}: not a number", options.arity)))?;
    let tree_error = |source| CommandError::Tree { path: options.file.clone(), source };
    let (input, length) = open_leaves(&options.file, arity)?;
    let device = open(&options.device)?;
    let strength = options.strength.map_or(Strength::Standard, Strength::from);
    let builder = TreeBuilder::new(&device, arity, strength).map_err(tree_error)?;
    let bar = bytes_bar(length);
    let start = Instant::now();
    let mut bytes = 0;
    let root = root(builder, input, |done| {
        bytes = done;
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let root = root.map_err(tree_error)?;
    let seconds = start.elapsed().as_secs_f64();
    let leaves = bytes / LEAF_BYTES as u64;
    let line = if json {
        serde_json::json!({
            "root": root.to_string(), "arity": arity, "leaves": leaves,
            "depth": leaves.ilog(arity as u64), "bytes": bytes, "device": options.device.device,
            "seconds": seconds, "bytes_per_second": bytes as f64 / seconds,
        })
        .to_string()
    } else {
        root.to_string()
    };
    writeln!(std::io::stdout(), "{line}")
        .map_err(|source| CommandError::Stream { stream: "output", source })
}

/// The leaves and, for a regular file, their length, which is refused at once where it is not
/// that of a full tree.
fn open_leaves(path: &Path, arity: usize) -> Result<(Box<dyn Read>, Option<u64>), CommandError> {
    if path == Path::new("-") {
        return Ok((Box::new(stdin().lock()), None));
    }
    let file_error = |source| CommandError::File { path: path.to_path_buf(), source };
    let file = File::open(path).map_err(file_error)?;
    let metadata = file.metadata().map_err(file_error)?;
    if metadata.is_dir() {
        return Err(file_error(std::io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        return Ok((Box::new(file), None));
    }
    require_full_length(metadata.len(), arity)
        .map_err(|source: TreeError| CommandError::Tree { path: path.to_path_buf(), source })?;
    Ok((Box::new(file), Some(metadata.len())))
}
