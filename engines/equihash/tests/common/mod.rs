// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shared parts of the tests of this crate: published solutions, and ways to damage them.

#![allow(dead_code)] // no test uses all items
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_arith::EngineBackend;
use halimede_equihash::{
    minimal_from_indices, reference, Check, LaneBackend, Mask, Params, Rejection, Verifier,
};
use rand::seq::SliceRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

/// A solution with its puzzle.
#[derive(Clone, Debug)]
pub struct Case {
    pub params: Params,
    pub input: Vec<u8>,
    pub indices: Vec<u32>,
    /// The check that fails, according to the source of the case.
    pub failed: Option<Check>,
}

impl Case {
    pub fn minimal(&self) -> Vec<u8> {
        minimal_from_indices(self.params, &self.indices).unwrap()
    }

    /// The verdict of the reference.
    pub fn by_the_reference(&self) -> Mask {
        reference::mask_of_indices(self.params, &self.input, &self.indices).unwrap()
    }

    /// Returns `true` if the crate `equihash` accepts the solution.
    pub fn is_valid_by_the_crate(&self) -> bool {
        let (n, k) = (self.params.n(), self.params.k());
        equihash::is_valid_solution(n, k, &self.input, &[], &self.minimal()).is_ok()
    }
}

/// The vectors of the crate `equihash`.
pub fn published() -> Vec<Case> {
    #[derive(Deserialize)]
    struct File {
        cases: Vec<Row>,
    }
    #[derive(Deserialize)]
    struct Row {
        n: u32,
        k: u32,
        input: String,
        indices: Vec<u32>,
        verdict: String,
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/equihash.json");
    let file: File = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let case = |row: Row| Case {
        params: Params::new(row.n, row.k).unwrap(),
        input: hex::decode(row.input).unwrap(),
        indices: row.indices,
        failed: match row.verdict.as_str() {
            "valid" => None,
            "duplicate" => Some(Check::Duplicate),
            "index_order" => Some(Check::IndexOrder),
            "collision" => Some(Check::Collision),
            "xor" => Some(Check::Xor),
            verdict => panic!("unknown verdict {verdict}"),
        },
    };
    file.cases.into_iter().map(case).collect()
}

/// Header and solution of a block of Zcash's main network.
pub fn block_346() -> (Vec<u8>, Vec<u8>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/zcash_block_346.hex");
    let block = hex::decode(std::fs::read_to_string(path).unwrap().trim()).unwrap();
    assert_eq!(block[140..143], [0xfd, 0x40, 0x05]);
    (block[..140].to_vec(), block[143..143 + 1344].to_vec())
}

/// One valid solution for each parameter set, including block 346.
pub fn valid_ones() -> Vec<Case> {
    let (header, solution) = block_346();
    let params = Params::ZCASH;
    let indices = halimede_equihash::indices_from_minimal(params, &solution).unwrap();
    let mut cases = vec![Case { params, input: header, indices, failed: None }];
    for case in published() {
        let is_new = |known: &Case| known.params != case.params || known.params == params;
        if case.failed.is_none() && cases.iter().all(is_new) {
            cases.push(case);
        }
    }
    cases
}

/// Checks that every backend returns the reference's mask, and its first failure.
pub fn check(case: &Case, what: &str) -> Mask {
    let expected = case.by_the_reference();
    let answer = expected.first().map_or(Ok(()), |check| Err(Rejection::Failed(check)));
    for backend in LaneBackend::available() {
        let verifier = Verifier::with_backend(case.params, &case.input, backend).unwrap();
        assert_eq!(verifier.mask_of_indices(&case.indices), Ok(expected), "{backend}: {what}");
        assert_eq!(verifier.mask(&case.minimal()), Ok(expected), "{backend}: {what}");
        assert_eq!(verifier.verify(&case.minimal()), answer, "{backend}: {what}");
    }
    expected
}

/// The number of ways to damage a solution.
pub const MUTATIONS: usize = 9;

/// Damages the solution in one of the ways, at random places.
pub fn mutate(case: &Case, way: usize, random: &mut ChaCha8Rng) -> Case {
    let mut spoilt = case.clone();
    let (indices, count) = (&mut spoilt.indices, case.params.indices());
    let limit = u32::MAX >> (32 - case.params.index_bits());
    let [one, other] = [random.gen_range(0..count), random.gen_range(1..count)];
    let other = (one + other) % count;
    match way {
        0 => indices.swap(one, other),
        1 => indices[one] = indices[other],
        2 => indices[one] = random.gen_range(0..=limit),
        3 => indices[one] = (indices[one] + 1) & limit,
        4 => {
            // Two subtrees of the same level, next to each other or not.
            let leaves = 1usize << random.gen_range(0..case.params.k());
            let [one, other] = [one / leaves * leaves, other / leaves * leaves];
            for leaf in 0..leaves {
                indices.swap(one + leaf, other + leaf);
            }
        }
        5 => {
            // Repeats the first half of a subtree.
            let half = 1usize << random.gen_range(0..case.params.k());
            let begin = one / (2 * half) * (2 * half);
            indices.copy_within(begin..begin + half, begin + half);
        }
        6 => indices.shuffle(random),
        7 => indices.sort_unstable(),
        _ => {
            let byte = random.gen_range(0..spoilt.input.len());
            spoilt.input[byte] ^= 1 << random.gen_range(0..8);
        }
    }
    spoilt
}
