// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Real blocks, intact and damaged: none is invalid, and none with unchecked items is valid.

use crate::common::answer;
use halimede_equihash::{verify_batch, Mask};
use halimede_secp256k1::verdict;
use halimede_zcash::{Block, Gap, Known, Network, Report, SpentOutputs, Unchecked, Verdict};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The length of a header with its solution in bytes.
const HEADER_BYTES: usize = 1_487;

/// A block: see vectors/README.md.
struct Real {
    network: Network,
    height: u32,
    bytes: Vec<u8>,
}

impl Real {
    fn all() -> Vec<Self> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors");
        let read = |path: &str| hex::decode(std::fs::read_to_string(path).unwrap().trim()).unwrap();
        let bytes = read(&format!("{folder}/zcash_block_346.hex"));
        let mut all = vec![Self { network: Network::Main, height: 346, bytes }];
        for entry in std::fs::read_dir(format!("{folder}/blocks")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let (network, height) = name.split_once('_').unwrap();
            all.push(Self {
                network: network.parse().unwrap(),
                height: height.parse().unwrap(),
                bytes: read(path.to_str().unwrap()),
            });
        }
        all.sort_by_key(|real| (real.network.name(), real.height));
        assert_eq!(all.len(), 27);
        all
    }

    fn of(height: u32) -> Self {
        Self::all().into_iter().find(|real| real.height == height).unwrap()
    }

    /// Returns the report on these bytes, whose header is this block's; `None` if they are not a
    /// block.
    fn report(&self, bytes: &[u8]) -> Option<Report> {
        let block = Block::parse(bytes, self.network).ok()?;
        let known = Known { height: Some(self.height), branch: None };
        let spent = SpentOutputs::default();
        let mut checks = block.checks(&spent, known);
        while !checks.requests().is_empty() {
            let requests = checks.requests();
            let answers: Vec<_> = requests.iter().map(|of| verdict(answer(of))).collect();
            checks.answer(&answers).unwrap();
        }
        Some(checks.report(Mask::VALID))
    }
}

/// Returns `true` if the coinbase transaction has shielded outputs.
fn has_notes(block: &Block) -> bool {
    let first = block.transactions()[0].transaction();
    first.sapling_bundle().is_some() || first.orchard_bundle().is_some()
}

fn counts(report: &Report) -> Vec<(&'static str, usize)> {
    report.unchecked.iter().map(|of: &Unchecked| (of.gap.name(), of.count)).collect()
}

#[test]
fn whole_blocks_are_valid_or_say_what_is_not_checked() {
    let mut alone = 0;
    for real in Real::all() {
        let block = Block::parse(&real.bytes, real.network).unwrap();
        assert_eq!(verify_batch(&[block.header().request().row()]), [Ok(())]);
        assert_eq!(block.height(), Some(real.height));
        let report = real.report(&real.bytes).unwrap();
        // A wrong identifier of any version would cause a fault of the root.
        assert_eq!(report.faults, []);
        assert!(report.transactions.iter().all(|of| of.verdict() != Verdict::Invalid));
        // Blocks with only a transparent coinbase transaction have nothing that is not checked.
        let is_alone = block.transactions().len() == 1 && !has_notes(&block);
        let expected = if is_alone { Verdict::Valid } else { Verdict::Incomplete };
        assert_eq!(report.verdict(), expected, "{} {}", real.network.name(), real.height);
        alone += usize::from(is_alone);
        // The coinbase transaction repeats the inputs that decide its fees.
        let fees = report.transactions[0].unchecked.iter();
        let fees = fees.filter(|of| of.gap == Gap::SpentOutputs).map(|of| of.count).sum::<usize>();
        let total: usize =
            report.transactions.iter().flat_map(|of| &of.unchecked).map(|of| of.count).sum();
        let all: usize = report.unchecked.iter().map(|of| of.count).sum();
        assert_eq!(all + fees, total, "{}", real.height);
        let sections: Vec<_> = report.needs_chain_state.iter().map(|rule| rule.section).collect();
        assert!(["7.6", "3.3"].iter().all(|section| sections.contains(section)));
    }
    assert!(alone >= 14, "{alone}");
    let real = Real::of(1_687_106);
    let expected = [
        ("Sapling points", 11),
        ("Sapling spend proofs", 6),
        ("Sapling spend authorization signatures", 6),
        ("Sapling output proofs", 5),
        ("Sapling binding signatures", 4),
    ];
    assert_eq!(counts(&real.report(&real.bytes).unwrap()), expected);
}

/// A block of version 5 with a damaged proof: byte 3,000 after the start of its first transaction
/// of that version.
#[test]
fn a_bit_of_a_proof_is_not_called_valid() {
    let real = Real::of(1_687_106);
    let block = Block::parse(&real.bytes, real.network).unwrap();
    let is_of_version_5 = |of: &&halimede_zcash::BlockTransaction| of.bytes()[0] == 5;
    let begins = block.transactions().iter().find(is_of_version_5).unwrap().range().start;
    for bit in 0..8 {
        let mut damaged = real.bytes.clone();
        damaged[begins + 3_000] ^= 1 << bit;
        let report = real.report(&damaged).unwrap();
        assert_eq!(report.verdict(), Verdict::Incomplete);
        assert_eq!(counts(&report), counts(&real.report(&real.bytes).unwrap()));
    }
}

#[test]
fn damaged_blocks_are_never_valid() {
    let mut random = ChaCha8Rng::seed_from_u64(0x253);
    let times = if std::env::var_os("HALIMEDE_SWEEP").is_some() { 1_000 } else { 14 };
    let (mut all, mut refused, mut verdicts) = (0, 0, [0; 3]);
    for real in Real::all() {
        for _ in 0..times {
            let bit = random.gen_range(8 * (HEADER_BYTES + 1)..8 * real.bytes.len());
            let mut damaged = real.bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            all += 1;
            match real.report(&damaged).map(|report| report.verdict()) {
                None => refused += 1,
                Some(Verdict::Valid) => panic!("{} of {}", bit, real.height),
                Some(verdict) => verdicts[verdict as usize] += 1,
            }
        }
    }
    println!("{all} damaged: {refused} rejected, {verdicts:?} valid, invalid, incomplete");
    assert!(refused > 0 && verdicts[1] > all / 2 && verdicts[2] > 0, "{refused} {verdicts:?}");
}
