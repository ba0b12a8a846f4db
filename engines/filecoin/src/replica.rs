// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The replica and tree R. A node of the replica is a node of the data plus the label of the last
//! layer, in the scalar field of BLS12-381; the nodes are the leaves of tree R.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, SyncSender};

use halimede_arith::job::Execute;
use halimede_arith::Fr;
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::{TreeBuilder, TreeError, LEAF_BYTES};
use halimede_poseidon::Strength;
use rayon::prelude::*;

use crate::aux_files::TREE_R;
use crate::background::BackgroundWriter;
use crate::base_tree::{RowWriter, StoredRows};
use crate::column_tree::{tree_error, Part};
use crate::error::Precommit2Error;
use crate::files::Files;
use crate::inputs::Input;
use crate::ranges::Range;

/// The number of bytes that are added and written at a time: the leaves of a whole batch of hashes.
const BLOCK_BYTES: usize = 1 << 21;
/// The blocks that are read ahead.
const BLOCKS_AHEAD: usize = 2;
/// The fewest nodes that are worth a separate thread.
const NODES_A_TASK: usize = 1024;

/// Writes the replica and tree R, and returns the roots of its base trees. The sealed file is on
/// disk when this function returns.
pub fn encode<D: Execute<FilecoinHash>>(
    device: &D,
    files: &Files,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<Fr>, Precommit2Error> {
    let mut writer = SealedWriter::start(&files.inputs.sealed)?;
    let mut roots = Vec::new();
    for tree in 0..files.sector.geometry.base_trees() {
        roots.push(encode_tree(device, files, tree, &mut writer, stop, progress)?);
    }
    writer.finish()?;
    Ok(roots)
}

fn encode_tree<D: Execute<FilecoinHash>>(
    device: &D,
    files: &Files,
    tree: usize,
    writer: &mut SealedWriter,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Fr, Precommit2Error> {
    let geometry = &files.sector.geometry;
    let path = files.store_path(TREE_R, tree);
    let shape = geometry.base_shape().map_err(|source| tree_error(&path, 0, source))?;
    let rows = StoredRows::new(&shape, geometry.first_row_of_tree_r()).places_below(&shape, 0);
    let output = files.create(&path)?;
    let part =
        Part { device, files, path: &path, shape, start: tree as u64 * geometry.base_bytes() };
    let (root, output) = part.encode(output, rows, writer, stop, progress)?;
    output.complete()?;
    Ok(root)
}

/// The sealed file, written on a separate thread.
pub struct SealedWriter {
    path: PathBuf,
    writer: BackgroundWriter<File>,
}

impl SealedWriter {
    pub fn start(sealed: &Input) -> Result<Self, Precommit2Error> {
        let path = sealed.path.clone();
        let writer = sealed.file.try_clone().and_then(BackgroundWriter::start);
        match writer {
            Ok(writer) => Ok(Self { path, writer }),
            Err(source) => Err(Precommit2Error::Write { path, source }),
        }
    }

    fn write(&mut self, offset: u64, bytes: Vec<u8>) -> Result<(), Precommit2Error> {
        let written = self.writer.write(offset, bytes);
        written.map_err(|source| Precommit2Error::Write { path: self.path.clone(), source })
    }

    /// Waits until everything is on disk.
    pub fn finish(self) -> Result<(), Precommit2Error> {
        let Self { path, writer } = self;
        let written = writer.finish().and_then(|file| file.sync_all());
        written.map_err(|source| Precommit2Error::Write { path, source })
    }
}

impl<D: Execute<FilecoinHash>> Part<'_, D> {
    /// Writes the nodes of the replica below a subtree of tree R, hashes them, and writes the rows
    /// of the subtree to their places in `output`.
    pub fn encode<W: Write + Seek + Send + 'static>(
        self,
        output: W,
        rows: Vec<Option<(u64, u64)>>,
        writer: &mut SealedWriter,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(Fr, W), Precommit2Error> {
        let Self { device, files, path, shape, start } = self;
        let length = shape.leaves() * LEAF_BYTES as u64;
        let tree_error = |source| tree_error(path, start, source);
        let write_error = |source| tree_error(TreeError::Write { source });
        let keep = RowWriter::start(output, rows).map_err(write_error)?;
        let mut builder =
            TreeBuilder::shaped(device, shape, Strength::Standard, keep).map_err(tree_error)?;
        let (data, labels) = (&files.inputs.tree_d, files.last_layer()?);
        read_blocks((data, labels), start, length, stop, |offset, block| {
            let (leaves, bytes) = add_block(data, labels, offset, &block)?;
            writer.write(offset, bytes)?;
            builder.push_leaves(&leaves).map_err(tree_error)?;
            progress(2 * (offset + block.data.len() as u64));
            Ok(())
        })?;
        let (root, keep) = builder.finish_kept().map_err(tree_error)?;
        Ok((root, keep.finish().map_err(write_error)?))
    }
}

/// Data and labels of the same range.
struct Block {
    data: Vec<u8>,
    labels: Vec<u8>,
}

/// Passes the blocks of a range of both files to `consume`, with their offsets; the next blocks are
/// read meanwhile.
fn read_blocks(
    (data, labels): (&Input, &Input),
    start: u64,
    length: u64,
    stop: &AtomicBool,
    mut consume: impl FnMut(u64, Block) -> Result<(), Precommit2Error>,
) -> Result<(), Precommit2Error> {
    std::thread::scope(|scope| {
        let (send, blocks) = sync_channel(BLOCKS_AHEAD);
        let read = move || read_ahead(data, labels, start, length, stop, &send);
        std::thread::Builder::new()
            .name("read-ahead".into())
            .spawn_scoped(scope, read)
            .map_err(|error| data.read_error(error))?;
        let mut offset = start;
        while let Ok(block) = blocks.recv() {
            let block: Block = block?;
            let bytes = block.data.len() as u64;
            consume(offset, block).inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            offset += bytes;
        }
        match offset == start + length {
            true => Ok(()),
            false => Err(data.read_error(ErrorKind::UnexpectedEof.into())),
        }
    })
}

fn read_ahead(
    data: &Input,
    labels: &Input,
    start: u64,
    length: u64,
    stop: &AtomicBool,
    send: &SyncSender<Result<Block, Precommit2Error>>,
) {
    let mut data_range = Range::new(&data.file, start, length, stop);
    let mut label_range = Range::new(&labels.file, start, length, stop);
    let mut left = length;
    while left > 0 {
        let bytes = left.min(BLOCK_BYTES as u64) as usize;
        let mut block = Block { data: vec![0; bytes], labels: vec![0; bytes] };
        let read = data_range
            .read_exact(&mut block.data)
            .map_err(|error| data.read_error(error))
            .and_then(|()| {
                let read = label_range.read_exact(&mut block.labels);
                read.map_err(|error| labels.read_error(error))
            });
        let is_last = read.is_err();
        if send.send(read.map(|()| block)).is_err() || is_last {
            return;
        }
        left -= bytes as u64;
    }
}

/// Adds data and labels; returns the sums as elements and as bytes.
fn add_block(
    data: &Input,
    labels: &Input,
    offset: u64,
    block: &Block,
) -> Result<(Vec<Fr>, Vec<u8>), Precommit2Error> {
    let (data_path, label_path) = (&data.path, &labels.path);
    let (data, labels) = (block.data.as_chunks().0, block.labels.as_chunks().0);
    let modulus = modulus();
    let mut bytes = vec![0; block.data.len()];
    let mut leaves = vec![Fr::ZERO; data.len()];
    let at = |index: usize| offset + (index * LEAF_BYTES) as u64;
    let node_error = |path: &std::path::Path, index| Precommit2Error::Node {
        path: path.into(),
        offset: at(index),
    };
    bytes
        .as_chunks_mut::<LEAF_BYTES>()
        .0
        .par_iter_mut()
        .zip(&mut leaves)
        .zip(data.par_iter().zip(labels))
        .enumerate()
        .with_min_len(NODES_A_TASK)
        .try_for_each(|(index, ((sum, leaf), (data, label)))| {
            if label[LEAF_BYTES - 1] & 0xc0 != 0 {
                return Err(node_error(label_path, index));
            }
            if data[LEAF_BYTES - 1] & 0xc0 != 0 {
                return Err(node_error(data_path, index));
            }
            let limbs = add(data, label, &modulus);
            for (bytes, limb) in sum.as_chunks_mut().0.iter_mut().zip(limbs) {
                *bytes = limb.to_le_bytes();
            }
            // The sum is below the modulus.
            *leaf = Fr::from_canonical_limbs(limbs).unwrap_or_default();
            Ok(())
        })?;
    Ok((leaves, bytes))
}

/// The modulus r of the field as limbs, least significant first.
fn modulus() -> [u64; 4] {
    let mut limbs = (Fr::ZERO - Fr::ONE).canonical_limbs();
    // r − 1 is even.
    limbs[0] += 1;
    limbs
}

/// Adds two integers below 2²⁵⁴ modulo r, which is above 2²⁵⁴: one subtraction is enough.
fn add(a: &[u8; LEAF_BYTES], b: &[u8; LEAF_BYTES], modulus: &[u64; 4]) -> [u64; 4] {
    let limbs = |bytes: &[u8; LEAF_BYTES]| {
        let chunks = bytes.as_chunks().0;
        [chunks[0], chunks[1], chunks[2], chunks[3]].map(u64::from_le_bytes)
    };
    let (a, b) = (limbs(a), limbs(b));
    let (mut sum, mut carry) = ([0; 4], false);
    for place in 0..4 {
        let (low, first) = a[place].overflowing_add(b[place]);
        let (low, second) = low.overflowing_add(u64::from(carry));
        (sum[place], carry) = (low, first | second);
    }
    let (mut reduced, mut borrow) = ([0; 4], false);
    for place in 0..4 {
        let (low, first) = sum[place].overflowing_sub(modulus[place]);
        let (low, second) = low.overflowing_sub(u64::from(borrow));
        (reduced[place], borrow) = (low, first | second);
    }
    if borrow {
        sum
    } else {
        reduced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn masked(mut bytes: [u8; 32]) -> [u8; 32] {
        bytes[31] &= 0x3f;
        bytes
    }

    fn check(a: [u8; 32], b: [u8; 32]) {
        let field = Fr::from_le_bytes(&a).unwrap() + Fr::from_le_bytes(&b).unwrap();
        assert_eq!(add(&a, &b, &modulus()), field.canonical_limbs());
    }

    #[test]
    fn sums_at_the_bounds_are_those_of_the_field() {
        let largest = masked([255; 32]);
        let half = ((Fr::ZERO - Fr::ONE) * Fr::from(2).inverse().unwrap()).to_le_bytes();
        let above = (Fr::from_le_bytes(&half).unwrap() + Fr::ONE).to_le_bytes();
        let one = Fr::ONE.to_le_bytes();
        for a in [[0; 32], one, half, above, largest] {
            for b in [[0; 32], one, half, above, largest] {
                check(a, b);
            }
        }
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_field(a in any::<[u8; 32]>(), b in any::<[u8; 32]>()) {
            check(masked(a), masked(b));
        }
    }
}
