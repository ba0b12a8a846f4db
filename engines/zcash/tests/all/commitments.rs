// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The header's commitment to the history of the chain, and to signatures and proofs.

use crate::common::real::Real;
use crate::common::{block_bytes, coinbase, report, COMMITMENT_AT};
use halimede_zcash::{
    Block, BlockFault, BranchId, Gap, Hash, Known, Network, Report, SpentOutputs,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn report_on(block: &Block, height: u32, history_root: Option<Hash>) -> Report {
    let known = Known { height: Some(height), history_root, ..Known::default() };
    report(block, &SpentOutputs::default(), known).0
}

fn is_committed(report: &Report) -> bool {
    !report.faults.iter().any(|fault| matches!(fault, BlockFault::Commitment { .. }))
}

/// A block with this commitment.
fn committed(network: Network, branch: BranchId, height: u32, commitment: Hash) -> Block {
    let version = if branch == BranchId::Nu6 { 5 } else { 4 };
    let mut bytes = block_bytes(network, &[coinbase(branch, version, height)]);
    bytes[COMMITMENT_AT..COMMITMENT_AT + 32].copy_from_slice(&commitment.0);
    Block::parse(&bytes, network).unwrap()
}

#[test]
fn headers_commit_to_history_and_proofs() {
    let mut random = ChaCha8Rng::seed_from_u64(0x244);
    let (root, other) = (Hash(random.gen()), Hash(random.gen()));
    // The first block of Heartwood.
    for (network, height) in [(Network::Main, 903_000), (Network::Test, 903_800)] {
        for (commitment, holds) in [(Hash([0; 32]), true), (root, false)] {
            let block = committed(network, BranchId::Heartwood, height, commitment);
            assert_eq!(is_committed(&report_on(&block, height, None)), holds);
        }
    }
    // Later blocks until NU5.
    for (branch, height) in [(BranchId::Heartwood, 903_001), (BranchId::Canopy, 1_500_000)] {
        let block = committed(Network::Main, branch, height, root);
        assert!(is_committed(&report_on(&block, height, None)));
        assert!(is_committed(&report_on(&block, height, Some(root))));
        assert!(!is_committed(&report_on(&block, height, Some(other))));
    }
    // From NU5 on.
    let (branch, height) = (BranchId::Nu6, 2_800_000);
    let commitment = committed(Network::Main, branch, height, root).commitment(root);
    let block = committed(Network::Main, branch, height, commitment);
    let gaps = |report: &Report| report.unchecked.iter().any(|of| of.gap == Gap::HistoryRoot);
    let unknown = report_on(&block, height, None);
    assert!(is_committed(&unknown) && gaps(&unknown));
    let known = report_on(&block, height, Some(root));
    assert!(is_committed(&known) && !gaps(&known));
    assert!(!is_committed(&report_on(&block, height, Some(other))));
    // A byte of the first script, which the identifier does not cover.
    let mut bytes = block_bytes(Network::Main, &[coinbase(branch, 5, height)]);
    let script = [&[3][..], &height.to_le_bytes()[..3], &[0]].concat();
    let at = bytes.windows(5).position(|window| window == script).unwrap() + 4;
    bytes[COMMITMENT_AT..COMMITMENT_AT + 32].copy_from_slice(&commitment.0);
    bytes[at] ^= 1;
    let changed = Block::parse(&bytes, Network::Main).unwrap();
    assert_eq!(changed.transactions()[0].txid(), block.transactions()[0].txid());
    assert!(!is_committed(&report_on(&changed, height, Some(root))));
}

/// Real blocks, with the commitment to a made-up history root: a bit of a binding
/// signature of version 5, which no identifier covers, breaks it.
#[test]
fn a_changed_signature_breaks_the_commitment() {
    let (mut seen, root) = (0, Hash([7; 32]));
    for real in Real::all().iter().filter(|real| real.height >= 1_687_106) {
        let block = Block::parse(&real.bytes, real.network).unwrap();
        let mut bytes = real.bytes.clone();
        bytes[COMMITMENT_AT..COMMITMENT_AT + 32].copy_from_slice(&block.commitment(root).0);
        let intact = Block::parse(&bytes, real.network).unwrap();
        assert!(is_committed(&report_on(&intact, real.height, Some(root))));
        for of in block.transactions().iter().filter(|of| of.bytes()[0] == 5).take(2) {
            let data = of.transaction();
            let sapling = data.sapling_bundle();
            let sapling = sapling.map(|of| <[u8; 64]>::from(of.authorization().binding_sig));
            let orchard = data.orchard_bundle();
            let orchard =
                orchard.map(|of| <[u8; 64]>::from(of.authorization().binding_signature()));
            for signature in sapling.into_iter().chain(orchard) {
                let at = bytes.windows(64).position(|window| window == signature).unwrap();
                let mut changed = bytes.clone();
                changed[at + 40] ^= 1;
                let changed = Block::parse(&changed, real.network).unwrap();
                assert!(!is_committed(&report_on(&changed, real.height, Some(root))));
                seen += 1;
            }
        }
    }
    assert!(seen > 5, "{seen}");
}
