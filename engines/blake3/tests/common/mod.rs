// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shared parts of the tests of this crate: modes, messages, oracles.

#![allow(dead_code)] // no test uses all items

use halimede_blake3::{reference, Digest, Mode};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub const KEY: [u8; 32] = *b"a key of thirty-two bytes, 0..31";
pub const CONTEXT: &str = "halimede 2026-11-22 tests of many messages";

pub fn modes() -> [Mode; 3] {
    [Mode::Hash, Mode::Keyed(KEY), Mode::derive_key(CONTEXT)]
}

/// Random bytes: no two blocks, chunks or messages are equal.
pub fn random_bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; count];
    ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}

/// Random messages of these lengths.
pub fn messages(lengths: &[usize], seed: u64) -> Vec<Vec<u8>> {
    let seeds = seed * 1_000_003..;
    lengths.iter().zip(seeds).map(|(length, seed)| random_bytes(*length, seed)).collect()
}

/// The digest from the crate `blake3`.
pub fn by_the_crate(mode: &Mode, message: &[u8]) -> Digest {
    *mode.hasher().update(message).finalize().as_bytes()
}

/// The digest from the reference.
pub fn by_the_reference(mode: &Mode, message: &[u8]) -> Digest {
    let mut digest = [0; 32];
    match mode {
        Mode::Hash => reference::hash(message, 0, &mut digest),
        Mode::Keyed(key) => reference::keyed_hash(key, message, 0, &mut digest),
        Mode::DeriveKey(_) => reference::derive_key(CONTEXT, message, 0, &mut digest),
    }
    digest
}
