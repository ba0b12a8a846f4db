// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares streamed roots with trees built level by level, and checks the errors for invalid
//! leaves.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{elements, random_leaves, rows, Processor, Trickle};
use halimede_arith::job::{Answered, DeviceError, Execute, Limits, Session, Timing};
use halimede_arith::Fr;
use halimede_poseidon::filecoin::Preimage;
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::{
    require_full_length, root, LeafRule, Nothing, Shape, TreeBuilder, TreeError,
};
use halimede_poseidon::Strength;

fn level_by_level(leaves: &[u8], arity: usize, strength: Strength) -> Fr {
    let shape = Shape::uniform(arity, leaves.len() as u64 / 32).unwrap();
    rows(elements(leaves), &shape, strength).last().unwrap()[0]
}

fn streamed(leaves: &[u8], arity: usize, strength: Strength) -> Result<Fr, TreeError> {
    root(TreeBuilder::new(&Processor, arity, strength)?, Trickle(leaves, 0), |_| ())
}

#[test]
fn streamed_roots_equal_roots_built_level_by_level() {
    // 2^15 leaves are more than one batch of arity 2, so levels are hashed while leaves arrive.
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

#[test]
fn base_trees_are_joined_by_other_arities() {
    for (base, base_leaves, top, seed) in
        [(8, 64, &[8, 2][..], 10), (8, 512, &[2], 11), (2, 8, &[11, 4], 12), (4, 256, &[8, 8], 13)]
    {
        let shape = Shape::joined(base, base_leaves, top).unwrap();
        let bytes = random_leaves(shape.leaves() as usize, seed);
        let expected = rows(elements(&bytes), &shape, Strength::Standard);
        let tree = TreeBuilder::shaped(&Processor, shape.clone(), Strength::Standard, Nothing);
        assert_eq!(root(tree.unwrap(), &bytes[..], |_| ()).unwrap(), expected.last().unwrap()[0]);
        // The roots of the base trees are one row of the whole tree.
        let first = level_by_level(&bytes[..base_leaves as usize * 32], base, Strength::Standard);
        assert_eq!(expected[shape.root_row() - top.len()][0], first);
    }
}

#[test]
fn leaves_come_in_pieces_of_any_size_and_kind() {
    let bytes = random_leaves(4096, 14);
    let expected = level_by_level(&bytes, 8, Strength::Standard);
    for piece in [1, 7, 64, 4096] {
        let mut tree = TreeBuilder::new(&Processor, 8, Strength::Standard).unwrap();
        for (index, part) in bytes.chunks(piece * 32).enumerate() {
            match index % 3 {
                0 => tree.push_bytes(part).unwrap(),
                1 => tree.push_leaves(&elements(part)).unwrap(),
                _ => elements(part).into_iter().for_each(|leaf| tree.push(leaf).unwrap()),
            }
        }
        assert_eq!(tree.finish().unwrap(), expected, "pieces of {piece}");
    }
}

#[test]
fn a_shape_takes_its_leaves_and_no_others() {
    let bytes = random_leaves(65, 15);
    let tree = || {
        let shape = Shape::joined(4, 16, &[2, 2]).unwrap();
        TreeBuilder::shaped(&Processor, shape, Strength::Standard, Nothing).unwrap()
    };
    for count in [0, 1, 32, 63] {
        let error = root(tree(), &bytes[..count * 32], |_| ()).unwrap_err();
        let got = count as u64;
        assert!(matches!(error, TreeError::LeafCount { got: g, expected: 64 } if g == got));
    }
    let error = root(tree(), &bytes[..], |_| ()).unwrap_err();
    assert!(matches!(error, TreeError::LeafCount { got: 65, expected: 64 }), "{error}");
    let mut full = tree();
    full.push_bytes(&bytes[..64 * 32]).unwrap();
    assert!(full.push(Fr::ONE).is_err());
    assert_eq!(full.leaves(), 64);
}

#[test]
fn a_refused_leaf_leaves_the_tree_as_it_was() {
    let mut bytes = random_leaves(8, 16);
    let expected = level_by_level(&bytes, 8, Strength::Standard);
    let mut tree = TreeBuilder::new(&Processor, 8, Strength::Standard).unwrap();
    tree.push_bytes(&bytes[..5 * 32]).unwrap();
    let last = bytes.split_off(5 * 32);
    let mut bad = last.clone();
    bad[63] |= 0x40;
    assert!(matches!(tree.push_bytes(&bad), Err(TreeError::Leaf { offset: 192, .. })));
    assert!(matches!(tree.push_bytes(&bad[..40]), Err(TreeError::PartialLeaf { bytes: 200 })));
    tree.push_bytes(&last).unwrap();
    assert_eq!(tree.finish().unwrap(), expected);
}

#[test]
fn elements_from_two_to_the_254_on_are_leaves_where_the_rule_says_so() {
    let last = Fr::ZERO - Fr::ONE;
    let bytes = [last.to_le_bytes(), Fr::from(7).to_le_bytes()].concat();
    assert!(matches!(streamed(&bytes, 2, Strength::Standard), Err(TreeError::Leaf { .. })));
    let tree = TreeBuilder::new(&Processor, 2, Strength::Standard).unwrap();
    let root = root(tree.leaf_rule(LeafRule::Elements), &bytes[..], |_| ()).unwrap();
    assert_eq!(root, level_by_level(&bytes, 2, Strength::Standard));
}

/// A device that fails at its third batch, or omits one of its replies.
struct Failing(AtomicUsize, bool);

impl Execute<FilecoinHash> for Failing {
    fn execute(&self, requests: &[Preimage]) -> Result<Answered<Vec<Fr>>, DeviceError> {
        let batch = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let mut replies = vec![Fr::ONE; requests.len()];
        if batch == 3 {
            if self.1 {
                let (device, reason) = ("test".into(), "gone".into());
                return Err(DeviceError::Unavailable { device, reason });
            }
            replies.pop();
        }
        Ok(Answered { replies, timing: Timing::default() })
    }
}

#[test]
fn failures_of_the_device_end_the_tree() {
    for fails in [true, false] {
        let bytes = random_leaves(1 << 16, 17);
        let device = Failing(0.into(), fails);
        let tree = TreeBuilder::new(&device, 2, Strength::Standard).unwrap();
        let error = root(tree, &bytes[..], |_| ()).unwrap_err();
        assert!(error.is_of_device(), "{error}");
    }
}

/// A reader that fails after some bytes have been read.
struct Breaking(usize);

impl std::io::Read for Breaking {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::ErrorKind::ConnectionReset.into());
        }
        let count = self.0.min(buffer.len()).min(1000);
        self.0 -= count;
        buffer[..count].fill(3);
        Ok(count)
    }
}

#[test]
fn a_reader_that_fails_is_named_by_the_offset() {
    for length in [0, 1000, 2_000_000] {
        let tree = TreeBuilder::new(&Processor, 8, Strength::Standard).unwrap();
        let error = root(tree, Breaking(length), |_| ()).unwrap_err();
        let expected = length as u64;
        assert!(matches!(error, TreeError::Read { offset, .. } if offset == expected), "{error}");
    }
}

#[test]
fn an_endless_input_is_left_at_the_first_bad_leaf() {
    let tree = TreeBuilder::new(&Processor, 8, Strength::Standard).unwrap();
    let error = root(tree, std::io::repeat(0xff), |_| ()).unwrap_err();
    assert!(matches!(error, TreeError::Leaf { offset: 0, last_byte: 0xff }), "{error}");
}

/// A device that takes four batches of three before it returns the first.
#[derive(Default)]
struct Deep {
    most_outstanding: AtomicUsize,
}

struct DeepSession<'d> {
    device: &'d Deep,
    batches: VecDeque<Vec<Preimage>>,
}

impl Execute<FilecoinHash> for Deep {
    fn execute(&self, requests: &[Preimage]) -> Result<Answered<Vec<Fr>>, DeviceError> {
        Processor.execute(requests)
    }

    fn limits(&self) -> Limits {
        Limits { batch: Some(3), ..Limits::default() }
    }

    fn session(&self) -> Box<dyn Session<FilecoinHash> + '_> {
        Box::new(DeepSession { device: self, batches: VecDeque::new() })
    }
}

impl Session<FilecoinHash> for DeepSession<'_> {
    fn wants_more(&self) -> bool {
        self.batches.len() < 4
    }

    fn submit(&mut self, requests: &[Preimage]) -> Result<(), DeviceError> {
        assert!((1..=3).contains(&requests.len()) && self.wants_more());
        self.batches.push_back(requests.to_vec());
        self.device.most_outstanding.fetch_max(self.batches.len(), Ordering::Relaxed);
        Ok(())
    }

    fn collect(&mut self) -> Result<Option<Vec<Fr>>, DeviceError> {
        let Some(batch) = self.batches.pop_front() else { return Ok(None) };
        self.device.execute(&batch).map(|batch| Some(batch.replies))
    }

    fn timing(&mut self) -> Result<Timing, DeviceError> {
        Ok(Timing::default())
    }
}

#[test]
fn levels_interleave_on_a_device_that_takes_several_batches() {
    for (arity, leaves, seed) in [(2, 2, 20), (2, 1024, 21), (8, 512, 22), (11, 121, 23)] {
        let bytes = random_leaves(leaves, seed);
        let device = Deep::default();
        let tree = TreeBuilder::new(&device, arity, Strength::Standard).unwrap();
        let got = root(tree, Trickle(&bytes, 0), |_| ()).unwrap();
        assert_eq!(got, level_by_level(&bytes, arity, Strength::Standard), "arity {arity}");
        let expected = (leaves / arity).div_ceil(3).min(4);
        assert_eq!(device.most_outstanding.load(Ordering::Relaxed), expected);
    }
}
