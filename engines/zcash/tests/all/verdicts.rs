// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The three verdicts: the gaps that make a block incomplete; with all options given it is valid.

use std::collections::BTreeSet;

use crate::common::real::Real;
use crate::common::sign::{pushes, script_of, spend, Lock};
use crate::common::{
    block_bytes, coinbase, coinbase_draft, main_block, report, with_join_split, Draft, HISTORY_ROOT,
};
use halimede_equihash::Mask;
use halimede_zcash::{Block, BranchId, Gap, Known, Network, SpentOutputs, Verdict};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const HEIGHT: u32 = 200_000;

/// A regtest block with a signed transaction, and the outputs that it spends.
fn signed_block(branch: BranchId, version: u32, random: &mut ChaCha8Rng) -> (Block, SpentOutputs) {
    let locks: Vec<_> = (0..3).map(|_| Lock::random(random)).collect();
    let inputs = locks.iter().map(|lock| spend(lock, random)).collect();
    let draft =
        Draft { version, branch, lock_time: 0, expiry: 0, inputs, outputs: vec![(5, vec![])] };
    let pushes = pushes(&draft, &locks, &[1; 3]);
    let scripts: Vec<_> = pushes.iter().map(|pushes| script_of(pushes)).collect();
    let all = [coinbase(branch, version, HEIGHT), draft.bytes(&scripts)];
    let block = Block::parse(&block_bytes(Network::Regtest, &all), Network::Regtest).unwrap();
    (block, draft.spent(|_| true))
}

fn gaps(block: &Block, spent: &SpentOutputs, known: Known) -> (Verdict, Vec<(Gap, usize)>) {
    let (report, _) = report(block, spent, known);
    let gaps = report.unchecked.iter().map(|of| (of.gap, of.count)).collect();
    (report.verdict(), gaps)
}

#[test]
fn all_that_is_given_makes_a_transparent_block_valid() {
    let mut random = ChaCha8Rng::seed_from_u64(0x7a1);
    for (branch, version) in
        [(BranchId::Sprout, 1), (BranchId::Canopy, 4), (BranchId::Nu6, 4), (BranchId::Nu6_1, 5)]
    {
        let (block, spent) = signed_block(branch, version, &mut random);
        let is_committed = matches!(branch, BranchId::Nu6 | BranchId::Nu6_1);
        let history_root = is_committed.then_some(HISTORY_ROOT);
        let all = Known { height: Some(HEIGHT), branch: Some(branch), history_root };
        assert_eq!(gaps(&block, &spent, all), (Verdict::Valid, vec![]));
        let none = SpentOutputs::default();
        let incomplete = |gap, count| (Verdict::Incomplete, vec![(gap, count)]);
        if is_committed {
            let known = Known { history_root: None, ..all };
            assert_eq!(gaps(&block, &spent, known), incomplete(Gap::HistoryRoot, 1));
        }
        assert_eq!(gaps(&block, &none, all), incomplete(Gap::SpentOutputs, 3));
        let known = Known { height: None, ..all };
        assert_eq!(gaps(&block, &spent, known), incomplete(Gap::Height, 1));
        let known = Known { branch: None, ..all };
        assert_eq!(gaps(&block, &spent, known), incomplete(Gap::Branch, 1));
        // A fault takes precedence over a gap.
        let other = Known { height: Some(HEIGHT + 1), ..Known::default() };
        assert_eq!(gaps(&block, &none, other).0, Verdict::Invalid);
        let unanswered = block.checks(&spent, all).report(Mask::VALID);
        assert_eq!(unanswered.verdict(), Verdict::Incomplete);
        assert!(unanswered.unchecked.iter().all(|of| of.gap == Gap::Answers));
        assert!(!unanswered.needs_chain_state.is_empty());
    }
}

#[test]
fn each_gap_is_in_a_report() {
    let mut random = ChaCha8Rng::seed_from_u64(0x6a9);
    let mut seen = BTreeSet::new();
    let mut see = |block: &Block, known| {
        let (verdict, gaps) = gaps(block, &SpentOutputs::default(), known);
        assert_ne!(verdict, Verdict::Valid);
        seen.extend(gaps.into_iter().map(|(gap, _)| gap));
    };
    let (block, spent) = signed_block(BranchId::Nu6_3, 6, &mut random);
    see(&block, Known::default());
    let later = main_block(BranchId::Nu6_2, 3_400_000, &[]);
    see(&later, Known { height: Some(3_400_000), ..Known::default() });
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/blocks")).unwrap()
    {
        let text = std::fs::read(entry.unwrap().path()).unwrap();
        for network in [Network::Main, Network::Test] {
            see(&Block::parse(&text, network).unwrap(), Known::default());
        }
    }
    let draft = Draft { inputs: vec![], ..coinbase_draft(BranchId::Sprout, 2, 0) };
    let join_split = with_join_split(&draft, &[], 0, &mut random);
    see(&main_block(BranchId::Sprout, 120_000, &[join_split]), Known::default());
    let real = Real::of(1_687_106);
    let shielded = Block::parse(&real.bytes, real.network).unwrap();
    for block in [&block, &shielded] {
        let unanswered = block.checks(&spent, Known::default()).report(Mask::VALID);
        seen.extend(unanswered.unchecked.iter().map(|of| of.gap));
    }
    assert_eq!(seen, Gap::ALL.into_iter().collect());
}
