// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streamed roots against trees built level by level, and what the leaves may not be.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_arith::job::{Batch, Compute, DeviceError, Execute, Timing};
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher, Preimage};
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::{require_full_length, root, TreeBuilder, TreeError};
use halimede_poseidon::Strength;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Processor;

impl Execute<FilecoinHash> for Processor {
    fn execute(&self, requests: &[Preimage]) -> Result<Batch<Fr>, DeviceError> {
        let replies = FilecoinHash::compute_batch(requests);
        Ok(Batch { replies, timing: Timing::default() })
    }
}

/// A reader that gives a few bytes at a time, never whole leaves.
struct Trickle<'a>(&'a [u8], usize);

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = self.1 % 97 + 7;
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn random_leaves(count: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0u8; count * 32];
    ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes.iter_mut().skip(31).step_by(32).for_each(|top| *top &= 0x3f);
    bytes
}

fn level_by_level(leaves: &[u8], arity: usize, strength: Strength) -> Fr {
    let hasher = Hasher::new(arity, strength, HashType::MerkleTree).unwrap();
    let leaf = |bytes: &[u8]| Fr::from_le_bytes(bytes.try_into().unwrap()).unwrap();
    let mut level: Vec<Fr> = leaves.chunks(32).map(leaf).collect();
    while level.len() > 1 {
        level = level.chunks(arity).map(|children| hasher.hash(children).unwrap()).collect();
    }
    level[0]
}

fn streamed(leaves: &[u8], arity: usize, strength: Strength) -> Result<Fr, TreeError> {
    root(TreeBuilder::new(&Processor, arity, strength)?, Trickle(leaves, 0), |_| ())
}

#[test]
fn streamed_roots_equal_roots_built_level_by_level() {
    // 2^15 leaves are more than one batch of arity 2, so levels are hashed while leaves come.
    for (arity, leaves, seed) in
        [(2, 2, 1), (2, 1 << 15, 2), (4, 256, 3), (8, 512, 4), (11, 121, 5)]
    {
        for strength in [Strength::Standard, Strength::Strengthened] {
            let bytes = random_leaves(leaves, seed);
            let expected = level_by_level(&bytes, arity, strength);
            assert_eq!(streamed(&bytes, arity, strength).unwrap(), expected, "arity {arity}");
        }
    }
}

#[test]
fn progress_ends_at_the_length() {
    let bytes = random_leaves(64, 6);
    let mut last = 0;
    let tree = TreeBuilder::new(&Processor, 8, Strength::Standard).unwrap();
    root(tree, &bytes[..], |done| last = done).unwrap();
    assert_eq!(last, 64 * 32);
}

#[test]
fn inputs_that_are_no_full_tree_are_refused() {
    let bytes = random_leaves(65, 7);
    for (length, arity) in [(0, 8), (1, 8), (7, 8), (9, 8), (65, 8), (6, 2), (8, 4)] {
        let error = streamed(&bytes[..length * 32], arity, Strength::Standard).unwrap_err();
        assert!(matches!(error, TreeError::NotFull { leaves, .. } if leaves == length as u64));
        assert!(require_full_length(length as u64 * 32, arity).is_err());
    }
    for length in [1, 31, 33, 8 * 32 - 1] {
        let error = streamed(&bytes[..length], 8, Strength::Standard).unwrap_err();
        assert!(matches!(error, TreeError::PartialLeaf { bytes } if bytes == length as u64));
        assert!(require_full_length(length as u64, 8).is_err());
    }
    assert!(matches!(streamed(&bytes, 37, Strength::Standard), Err(TreeError::Arity(_))));
}

#[test]
fn a_leaf_with_a_top_bit_is_named_by_its_offset() {
    for (leaf, top) in [(0, 0x40), (5, 0x80), (63, 0xc0)] {
        let mut bytes = random_leaves(64, 8);
        bytes[leaf * 32 + 31] |= top;
        let error = streamed(&bytes, 8, Strength::Standard).unwrap_err();
        assert!(error.to_string().contains(&format!("byte offset {} ", leaf * 32)), "{error}");
    }
}
