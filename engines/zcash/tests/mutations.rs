// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Blocks that are truncated, spliced or given other lengths: they are parsed or rejected with a
//! position, with memory and time bounded by their length, and verification of parsed ones
//! terminates.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;
#[path = "../../equihash/tests/common/memory.rs"]
mod memory;

use std::time::{Duration, Instant};

use common::regtest::solved;
use common::sign::{pushes, script_of, spend, Lock};
use common::{coinbase, Draft};
use halimede_equihash::Mask as ProofMask;
use halimede_secp256k1::{verdict, Check, Mask};
use halimede_zcash::{Block, BlockError, BranchId, Known, Network, SpentOutputs};
use memory::most_held;
use proptest::prelude::*;
use proptest::sample::{select, Index};
use proptest::test_runner::{Config, TestRunner};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Block 346 of the main chain: see vectors/README.md.
const BLOCK_346: &str = include_str!("../vectors/zcash_block_346.hex");
const HEIGHT: u32 = 40_961;
/// The time limit of a case, also on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);
/// The most rounds of requests of a script.
const MOST_ROUNDS: usize = 250;

/// A valid block, with the outputs that it spends.
struct Base {
    bytes: Vec<u8>,
    network: Network,
    known: Known,
    spent: SpentOutputs,
    /// The positions of lengths and counts.
    sizes: Vec<usize>,
}

impl Base {
    fn new(bytes: Vec<u8>, network: Network, known: Known, spent: SpentOutputs) -> Self {
        let block = Block::parse(&bytes, network).unwrap();
        let mut sizes = vec![140, block.transactions()[0].range().start - 1];
        for transaction in block.transactions() {
            let data = transaction.transaction();
            // Version, group, branch, lock time and expiry, if they come first.
            let before = match data.version().header() {
                0x8000_0005.. => 20,
                0x8000_0003.. => 8,
                _ => 4,
            };
            let mut at = transaction.range().start + before;
            sizes.push(at);
            at += 1;
            for input in &data.transparent_bundle().unwrap().vin {
                sizes.push(at + 36);
                let script = input.script_sig().0 .0.len();
                at += 36 + 1 + if script < 0xfd { 0 } else { 2 } + script + 4;
            }
            sizes.push(at);
            sizes.push(at + 1 + 8);
            sizes.push(transaction.range().end - 1);
        }
        Self { bytes, network, known, spent, sizes }
    }

    /// Creates a regtest block with transactions of this version and all kinds of scripts.
    fn regtest(branch: BranchId, version: u32, random: &mut ChaCha8Rng) -> Self {
        let mut spent = SpentOutputs::default();
        let mut transactions = vec![coinbase(branch, version, HEIGHT)];
        for _ in 0..3 {
            let locks: Vec<_> = (0..4).map(|_| Lock::random(random)).collect();
            let inputs: Vec<_> = locks.iter().map(|lock| spend(lock, random)).collect();
            let outputs = locks.iter().map(|lock| (random.gen_range(0..99), lock.script()));
            let outputs = outputs.collect();
            let draft = Draft { version, branch, lock_time: 0, expiry: 0, inputs, outputs };
            let scripts = pushes(&draft, &locks, &[1; 4]);
            let scripts: Vec<_> = scripts.iter().map(|pushes| script_of(pushes)).collect();
            transactions.push(draft.bytes(&scripts));
            for input in draft.inputs {
                spent.insert(input.txid, input.vout, input.value, input.script).unwrap();
            }
        }
        let bytes = solved(&transactions, |_| {}, random);
        let known = Known { branch: Some(branch), ..Known::default() };
        Self::new(bytes, Network::Regtest, known, spent)
    }
}

fn bases() -> Vec<Base> {
    let mut random = ChaCha8Rng::seed_from_u64(0xba5e);
    let main = hex::decode(BLOCK_346.trim()).unwrap();
    let main = Base::new(main, Network::Main, Known::default(), SpentOutputs::default());
    let eras = [
        (BranchId::Sprout, 1),
        (BranchId::Sprout, 2),
        (BranchId::Overwinter, 3),
        (BranchId::Canopy, 4),
        (BranchId::Nu6, 5),
        (BranchId::Nu6_3, 6),
    ];
    let regtest = eras.map(|(branch, version)| Base::regtest(branch, version, &mut random));
    [main].into_iter().chain(regtest).collect()
}

/// A change of a block.
#[derive(Clone, Debug)]
enum Edit {
    Truncate(Index),
    Cut(Index, Index),
    Repeat(Index, Index, Index),
    /// Inserts a piece of another block.
    Splice(Index, Index, Index, Index),
    Flip(Index, u8),
    /// Replaces a length at its position, or a byte anywhere.
    Size(Index, bool, Vec<u8>),
}

/// Lengths: too long, in too many bytes, and others.
fn size() -> impl Strategy<Value = Vec<u8>> {
    let wide =
        |prefix: u8, value: u64, bytes: usize| [&[prefix], &value.to_le_bytes()[..bytes]].concat();
    prop_oneof![
        any::<u8>().prop_map(|value| vec![value.min(0xfc)]),
        any::<u16>().prop_map(move |value| wide(0xfd, value.into(), 2)),
        any::<u32>().prop_map(move |value| wide(0xfe, value.into(), 4)),
        any::<u64>().prop_map(move |value| wide(0xff, value, 8)),
        select(vec![0x0200_0000, 0x01ff_ffff, 0x0200_0001, 1 << 31, u32::MAX, 5])
            .prop_map(move |value| wide(0xfe, value.into(), 4)),
        select(vec![1 << 32, 1 << 63, u64::MAX, 5]).prop_map(move |value| wide(0xff, value, 8)),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = any::<Index>;
    prop_oneof![
        1 => place().prop_map(Edit::Truncate),
        2 => (place(), place()).prop_map(|(at, to)| Edit::Cut(at, to)),
        2 => (place(), place(), place()).prop_map(|(from, to, at)| Edit::Repeat(from, to, at)),
        3 => (place(), place(), place(), place())
            .prop_map(|(of, from, to, at)| Edit::Splice(of, from, to, at)),
        2 => (place(), 0..8u8).prop_map(|(at, bit)| Edit::Flip(at, bit)),
        4 => (place(), any::<bool>(), size()).prop_map(|(at, real, size)| Edit::Size(at, real, size)),
    ]
}

/// A piece between two positions, of at most 600 bytes.
fn piece<'b>(bytes: &'b [u8], from: &Index, to: &Index) -> &'b [u8] {
    let from = from.index(bytes.len());
    &bytes[from..from + to.index((bytes.len() - from).min(600))]
}

fn apply(bytes: &mut Vec<u8>, edit: &Edit, base: &Base, bases: &[Base]) {
    if bytes.is_empty() {
        return;
    }
    let insert = |bytes: &mut Vec<u8>, at: &Index, piece: Vec<u8>| {
        let at = at.index(bytes.len());
        drop(bytes.splice(at..at, piece));
    };
    match edit {
        Edit::Truncate(at) => bytes.truncate(at.index(bytes.len())),
        Edit::Cut(from, to) => {
            let length = piece(bytes, from, to).len();
            let from = from.index(bytes.len());
            drop(bytes.drain(from..from + length));
        }
        Edit::Repeat(from, to, at) => {
            let piece = piece(bytes, from, to).to_vec();
            insert(bytes, at, piece);
        }
        Edit::Splice(of, from, to, at) => {
            let other = &bases[of.index(bases.len())].bytes;
            insert(bytes, at, piece(other, from, to).to_vec());
        }
        Edit::Flip(at, bit) => {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        Edit::Size(at, real, size) => {
            let places = if *real { base.sizes.len() } else { bytes.len() };
            let place = at.index(places);
            let place = if *real { base.sizes[place] } else { place };
            let place = place.min(bytes.len() - 1);
            drop(bytes.splice(place..=place, size.iter().copied()));
        }
    }
}

/// Parses the block, and verifies it if it is one; returns whether it is.
fn read_and_judge(bytes: &[u8], base: &Base) -> bool {
    let start = Instant::now();
    let (read, held) = most_held(|| Block::parse(bytes, base.network));
    // An output takes nine bytes, and 32 bytes in memory, in a list that may grow to twice its
    // size.
    let limit = 16 * bytes.len() + 16_384;
    assert!(held < limit, "{held} bytes to read {}", bytes.len());
    let is_block = match read {
        Ok(block) => {
            let end = block.transactions().last().map_or(bytes.len(), |last| last.range().end);
            assert_eq!(end, bytes.len());
            let kept: usize = block.transactions().iter().map(|each| each.bytes().len()).sum();
            assert!(held >= kept, "{held} bytes for {kept}: the held memory is not counted");
            let ((), held) = most_held(|| judge(&block, base));
            let limit = 200 * bytes.len() + (8 << 20);
            assert!(held < limit, "{held} bytes to judge {}", bytes.len());
            true
        }
        Err(error) => {
            check_place(&error, bytes.len());
            false
        }
    };
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    is_block
}

/// Answers requests until none are left, some with "valid" and some with "invalid".
fn judge(block: &Block, base: &Base) {
    let mut checks = block.checks(&base.spent, base.known);
    let mut wrong = Mask::VALID;
    wrong.set(Check::Match);
    for _ in 0..MOST_ROUNDS {
        let requests = checks.requests();
        if requests.is_empty() {
            let report = checks.report(ProofMask::VALID);
            assert_eq!(report.transactions.len(), block.transactions().len());
            return;
        }
        let answer = |request: &halimede_secp256k1::operations::VerifyRequest| {
            if request.r[31].is_multiple_of(3) {
                verdict(wrong)
            } else {
                Ok(())
            }
        };
        checks.answer(&requests.iter().map(answer).collect::<Vec<_>>()).unwrap();
    }
    panic!("too many rounds of requests");
}

/// Checks that the position of an error lies within the block.
fn check_place(error: &BlockError, length: usize) {
    let at = match error {
        BlockError::Truncated { at, .. }
        | BlockError::Length { at, .. }
        | BlockError::Transaction { at, .. }
        | BlockError::Trailing { at, .. }
        | BlockError::HexDigit { at, .. }
        | BlockError::HexLength { at, .. } => *at,
        BlockError::Header(error) => error.at(),
        _ => 0,
    };
    assert!(at <= length, "{error}, of {length} bytes");
    assert!(!error.to_string().is_empty());
}

/// The only test: allocations of others would be counted.
#[test]
fn edited_blocks_are_read_or_refused_within_bounds() {
    let bases = bases();
    for base in &bases {
        assert!(read_and_judge(&base.bytes, base));
        let none = [&base.bytes[..base.sizes[1]], &[0]].concat();
        assert!(read_and_judge(&none, base), "a block without transactions");
        // Counts that would need gigabytes, at the position of each count.
        for place in &base.sizes {
            for size in [
                &[0xfe, 0xff, 0xff, 0xff, 1][..],
                &[0xfe, 0, 0, 0, 2],
                &[0xfe, 1, 0, 0, 2],
                &[0xfe, 0xff, 0xff, 0xff, 0xff],
                &[0xff, 0, 0, 0, 0, 1, 0, 0, 0],
                &[0xff; 9],
            ] {
                let edited = [&base.bytes[..*place], size, &base.bytes[place + 1..]].concat();
                assert!(!read_and_judge(&edited, base), "{size:02x?} at byte {place}");
            }
        }
    }
    let config = Config { cases: 20_000, failure_persistence: None, ..Config::default() };
    let edits = (any::<Index>(), prop::collection::vec(edit(), 1..5));
    let blocks = std::cell::Cell::new(0);
    let run = TestRunner::new(config).run(&edits, |(which, edits)| {
        let base = &bases[which.index(bases.len())];
        let mut bytes = base.bytes.clone();
        edits.iter().for_each(|edit| apply(&mut bytes, edit, base, &bases));
        blocks.set(blocks.get() + usize::from(read_and_judge(&bytes, base)));
        Ok(())
    });
    run.unwrap();
    // Most are rejected; some are still blocks, and are verified.
    assert!((500..15_000).contains(&blocks.get()), "{}", blocks.get());
}
