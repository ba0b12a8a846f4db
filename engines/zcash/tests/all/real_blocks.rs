// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Real blocks, intact and damaged: none is invalid, and none with unchecked items is valid.

use crate::common::real::{page, Real};
use halimede_equihash::verify_batch;
use halimede_zcash::{Block, Gap, Unchecked, Verdict};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The length of a header with its solution in bytes.
const HEADER_BYTES: usize = 1_487;

#[test]
fn whole_blocks_are_valid_or_say_what_is_not_checked() {
    let mut valid = 0;
    for real in Real::all() {
        let block = Block::parse(&real.bytes, real.network).unwrap();
        assert_eq!(verify_batch(&[block.header().request().row()]), [Ok(())]);
        assert_eq!(block.height(), Some(real.height));
        let report = real.report(&real.bytes).unwrap();
        // A wrong identifier of any version would cause a fault of the root.
        assert_eq!(report.faults, []);
        assert!(report.transactions.iter().all(|of| of.verdict() != Verdict::Invalid));
        // Everything that is open needs chain state, or is a proof from before Sapling.
        let expected = match report.unchecked.is_empty() {
            true => Verdict::Valid,
            false => Verdict::Incomplete,
        };
        assert_eq!(report.verdict(), expected, "{} {}", real.network.name(), real.height);
        let is_known = |of: &Unchecked| {
            of.gap.option().is_some() && !matches!(of.gap, Gap::Height | Gap::Branch)
                || of.gap == Gap::OldJoinSplitProofs
        };
        assert!(report.unchecked.iter().all(is_known), "{:?}", report.unchecked);
        valid += usize::from(expected == Verdict::Valid);
        // The coinbase transaction repeats the inputs that decide its fees.
        let fees = report.transactions[0].unchecked.iter();
        let fees = fees.filter(|of| of.gap == Gap::SpentOutputs).map(|of| of.count).sum::<usize>();
        let total: usize =
            report.transactions.iter().flat_map(|of| &of.unchecked).map(|of| of.count).sum();
        let of_transactions = report.unchecked.iter().filter(|of| of.gap != Gap::HistoryRoot);
        let all: usize = of_transactions.map(|of| of.count).sum();
        assert_eq!(all + fees, total, "{}", real.height);
        let sections: Vec<_> = report.needs_chain_state.iter().map(|rule| rule.section).collect();
        assert!(["7.6", "3.3"].iter().all(|section| sections.contains(section)));
    }
    assert!(valid >= 30, "{valid}");
}

#[test]
fn the_page_of_blocks_has_their_verdicts() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/BLOCKS.md");
    let there = std::fs::read_to_string(path).unwrap();
    assert!(there == page(), "run `cargo run -p halimede-zcash --example blocks` again");
}

#[test]
fn damaged_blocks_are_never_valid() {
    let mut random = ChaCha8Rng::seed_from_u64(0x253);
    let times = if std::env::var_os("HALIMEDE_SWEEP").is_some() { 1_000 } else { 5 };
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
