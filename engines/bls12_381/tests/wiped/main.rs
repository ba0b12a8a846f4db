// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks that no list of a witness' values stays in the process's memory after a proof. A separate
//! program with one test, since all of the memory is searched.
//!
//! Patterns are pairs of neighboring values, so that a single value on a stack is not found:
//! `SECURITY.md` does not promise that those are overwritten.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use halimede_bls12_381::groth16::prove::circom::{read_witness, CircomKey};
use halimede_bls12_381::groth16::prove::{PointChecks, Secrets};
use halimede_bls12_381::groth16::PROOF_BYTES;
use halimede_bls12_381::Fr;

const WTNS: &[u8] = include_bytes!("../../vectors/circom/small.wtns");
const ZKEY: &[u8] = include_bytes!("../../vectors/circom/small.zkey");

const PATTERN_BYTES: usize = 64;

/// A pattern with all bits flipped, so that the searched memory does not contain it.
struct Pattern(Vec<u8>);

impl Pattern {
    fn of(bytes: impl Iterator<Item = u8>) -> Self {
        let flipped: Vec<u8> = bytes.map(|byte| !byte).collect();
        assert_eq!(flipped.len(), PATTERN_BYTES);
        Self(flipped)
    }

    fn is_at(&self, memory: &[u8]) -> bool {
        memory.iter().zip(&self.0).all(|(byte, flipped)| *byte == !*flipped)
    }

    fn plain(&self) -> Vec<u8> {
        self.0.iter().map(|byte| !byte).collect()
    }
}

/// Returns `true` if the heap or another anonymous mapping has a pattern. Values are aligned to
/// eight bytes.
fn find(patterns: &[Pattern]) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mut memory = File::open("/proc/self/mem").unwrap();
    // Outside the heap of the searched process as far as possible: overwritten at each mapping.
    let mut bytes = Vec::new();
    for line in maps.lines() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let is_anonymous = fields.len() == 5 || fields[5] == "[heap]";
        if !fields[1].starts_with("rw") || !is_anonymous {
            continue;
        }
        let (start, end) = fields[0].split_once('-').unwrap();
        let [start, end] = [start, end].map(|text| u64::from_str_radix(text, 16).unwrap());
        const PART: u64 = 1 << 16;
        let mut at = start;
        while at < end {
            let length = (end - at).min(PART + PATTERN_BYTES as u64);
            bytes.clear();
            bytes.resize(length as usize, 0);
            memory.seek(SeekFrom::Start(at)).unwrap();
            let is_read = memory.read_exact(&mut bytes).is_ok();
            let here = bytes.as_ptr() as u64;
            for place in (0..bytes.len().saturating_sub(PATTERN_BYTES)).step_by(8) {
                // The copy that is being searched is not searched itself.
                let address = at + place as u64;
                let is_copy = (here..here + PART + PATTERN_BYTES as u64).contains(&address);
                if is_read
                    && !is_copy
                    && patterns.iter().any(|pattern| pattern.is_at(&bytes[place..]))
                {
                    bytes.fill(0);
                    return true;
                }
            }
            at += PART;
        }
    }
    bytes.fill(0);
    false
}

/// Returns the patterns of neighboring values that are large: as bytes, and in Montgomery form.
fn patterns(witness: &Secrets) -> [Vec<Pattern>; 2] {
    let is_large = |value: &Fr| value.to_le_bytes()[24..] != [0; 8];
    let pairs = || witness.windows(2).filter(|pair| pair.iter().all(is_large));
    let canonical = pairs().map(|pair| Pattern::of(pair.iter().flat_map(Fr::to_le_bytes)));
    let montgomery =
        pairs().map(|pair| Pattern::of(pair.iter().flat_map(Fr::to_montgomery_le_bytes)));
    [canonical.collect(), montgomery.collect()]
}

#[test]
fn no_list_of_a_witness_stays_in_memory() {
    let key = CircomKey::read(ZKEY, PointChecks::Curve).unwrap();
    let witness = read_witness(WTNS).unwrap();
    let [canonical, montgomery] = patterns(&witness);
    assert!(canonical.len() > 5);
    assert!(find(&montgomery), "the witness is there");
    assert!(!find(&canonical), "its bytes are nowhere");
    let planted = canonical[0].plain();
    assert!(find(&canonical), "planted bytes are found");
    drop(zeroize::Zeroizing::new(planted));
    assert!(!find(&canonical), "wiped bytes are not found");

    let assignment = key.assign(&witness).unwrap();
    let copy = assignment.clone();
    drop(witness);
    assert!(find(&montgomery), "the assignment is there");
    let proofs: Vec<[u8; PROOF_BYTES]> =
        [assignment, copy].map(|assignment| key.key().prove(assignment).unwrap()).to_vec();
    assert_ne!(proofs[0], proofs[1]);
    assert!(!find(&canonical), "no bytes of the witness are left");
    assert!(!find(&montgomery), "no value of the witness is left");
}
