// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the sealed file with the leaves of tree D, before the sealed file is changed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use halimede_poseidon::tree::LEAF_BYTES;

/// The number of bytes that are compared at a time.
const BLOCK_BYTES: usize = 1 << 20;
/// The length of a sample in bytes.
pub const SAMPLE_BYTES: u64 = 4096;

/// The result of a comparison.
#[derive(Debug)]
pub enum Comparison {
    /// All compared bytes are equal.
    Equal,
    /// The first difference is at this byte offset.
    Differs(u64),
    /// A node at this byte offset is not below 2²⁵⁴.
    TooLarge(u64),
    /// The sealed file cannot be read.
    Sealed(io::Error),
    /// Tree D cannot be read.
    TreeD(io::Error),
}

/// Compares the first `length` bytes, until `is_stopped` returns `true`.
pub fn compare(
    sealed: &File,
    tree_d: &File,
    length: u64,
    is_stopped: impl Fn() -> bool,
) -> Comparison {
    for offset in (0..length).step_by(BLOCK_BYTES) {
        if is_stopped() {
            break;
        }
        match compare_at(sealed, tree_d, offset, BLOCK_BYTES.min((length - offset) as usize)) {
            Comparison::Equal => {}
            difference => return difference,
        }
    }
    Comparison::Equal
}

/// Compares `count` samples of the first `length` bytes.
pub fn compare_samples(sealed: &File, tree_d: &File, length: u64, count: u64) -> Comparison {
    for offset in sample_offsets(length, count) {
        let bytes = SAMPLE_BYTES.min(length - offset) as usize;
        match compare_at(sealed, tree_d, offset, bytes) {
            Comparison::Equal => {}
            difference => return difference,
        }
    }
    Comparison::Equal
}

/// Returns the offsets of at most `count` samples, from the first to the last of a file.
pub fn sample_offsets(length: u64, count: u64) -> impl Iterator<Item = u64> {
    let pages = length.div_ceil(SAMPLE_BYTES);
    let count = count.min(pages);
    let last = pages.saturating_sub(1);
    (0..count).map(move |index| index * last / count.max(2).saturating_sub(1) * SAMPLE_BYTES)
}

fn compare_at(sealed: &File, tree_d: &File, offset: u64, length: usize) -> Comparison {
    let (mut ours, mut theirs) = (vec![0; length], vec![0; length]);
    if let Err(error) = sealed.read_exact_at(&mut ours, offset) {
        return Comparison::Sealed(error);
    }
    if let Err(error) = tree_d.read_exact_at(&mut theirs, offset) {
        return Comparison::TreeD(error);
    }
    if ours != theirs {
        let at = ours.iter().zip(&theirs).position(|(a, b)| a != b).unwrap_or_default();
        return Comparison::Differs(offset + at as u64);
    }
    let nodes = ours.as_chunks::<LEAF_BYTES>().0;
    match nodes.iter().position(|node| node[LEAF_BYTES - 1] & 0xc0 != 0) {
        Some(node) => Comparison::TooLarge(offset + (node * LEAF_BYTES) as u64),
        None => Comparison::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_different_pages_from_the_first_to_the_last() {
        for (length, count) in [(2048, 64), (4096, 64), (8192, 64), (1 << 20, 16), (1 << 35, 64)] {
            let offsets: Vec<u64> = sample_offsets(length, count).collect();
            assert_eq!(offsets.len() as u64, count.min(length.div_ceil(4096)));
            assert_eq!(offsets[0], 0);
            assert_eq!(*offsets.last().unwrap(), (length - 1) / 4096 * 4096);
            assert!(offsets.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn every_changed_byte_and_every_large_node_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let data: Vec<u8> = (0..BLOCK_BYTES + 96).map(|at| (at % 251) as u8 & 0x3f).collect();
        let open = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            File::open(path).unwrap()
        };
        let (go, length) = (|| false, data.len() as u64);
        let tree_d = open("d", &[&data[..], &[9; 64]].concat());
        assert!(matches!(compare(&open("s", &data), &tree_d, length, go), Comparison::Equal));
        for at in [0, 4095, 70_001, BLOCK_BYTES - 1, BLOCK_BYTES, data.len() - 1] {
            let mut changed = data.clone();
            changed[at] ^= 1;
            let found = compare(&open("s", &changed), &tree_d, length, go);
            assert!(matches!(found, Comparison::Differs(offset) if offset == at as u64));
        }
        let mut large = data.clone();
        large[BLOCK_BYTES + 63] = 0x40;
        let found = compare(&open("s", &large), &open("d", &large), length, go);
        assert!(matches!(found, Comparison::TooLarge(offset) if offset == BLOCK_BYTES as u64 + 32));
        let short = open("s", &data[..data.len() - 1]);
        assert!(matches!(compare(&short, &tree_d, length, go), Comparison::Sealed(_)));
    }
}
