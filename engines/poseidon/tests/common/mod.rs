// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shared parts of the tests of trees: a device, leaves, and trees hashed level by level.

// Each test file uses only some of these items.
#![allow(dead_code)]

use halimede_arith::job::{Answered, Compute, DeviceError, Execute, Timing};
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher, Preimage};
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::Shape;
use halimede_poseidon::Strength;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub struct Processor;

impl Execute<FilecoinHash> for Processor {
    fn execute(&self, requests: &[Preimage]) -> Result<Answered<Vec<Fr>>, DeviceError> {
        let replies = FilecoinHash::compute_batch(requests);
        Ok(Answered { replies, timing: Timing::default() })
    }
}

/// A reader that returns a few bytes at a time, never whole leaves.
pub struct Trickle<'a>(pub &'a [u8], pub usize);

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = self.1 % 97 + 7;
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// Random leaves below 2²⁵⁴.
pub fn random_leaves(count: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0u8; count * 32];
    ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes.iter_mut().skip(31).step_by(32).for_each(|top| *top &= 0x3f);
    bytes
}

pub fn elements(bytes: &[u8]) -> Vec<Fr> {
    let leaf = |bytes: &[u8]| Fr::from_le_bytes(bytes.try_into().unwrap()).unwrap();
    bytes.chunks(32).map(leaf).collect()
}

/// All rows of a tree, from the leaves up, each node hashed individually.
pub fn rows(leaves: Vec<Fr>, shape: &Shape, strength: Strength) -> Vec<Vec<Fr>> {
    let mut rows = vec![leaves];
    for &arity in shape.arities() {
        let hasher = Hasher::new(arity, strength, HashType::MerkleTree).unwrap();
        let below = rows.last().unwrap();
        rows.push(below.chunks(arity).map(|children| hasher.hash(children).unwrap()).collect());
    }
    assert_eq!(rows.last().unwrap().len(), 1);
    rows
}
