// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the chain: what nodes print is read or refused, and decides rules.

use crate::common::real::Real;
use crate::common::{main_block, Here, HISTORY_ROOT};
use halimede_zcash::{
    verify_blocks, Block, BlockFault, BranchId, ChainState, Gap, Hash, Known, Report, SpentOutputs,
    Submission, TransactionFault, Verdict,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{json, Value};

fn read(objects: &[Value]) -> ChainState {
    let text: String = objects.iter().map(|object| format!("{object:#}\n")).collect();
    ChainState::read(text.as_bytes()).unwrap()
}

fn report(block: &Block, height: Option<u32>, state: &ChainState) -> Report {
    let (spent, known) = (SpentOutputs::default(), Known { height, ..Known::default() });
    let submission = Submission { block, spent: &spent, known, state: Some(state) };
    verify_blocks(&Here, &[submission]).unwrap().0.pop().unwrap()
}

fn real(height: u32) -> Block {
    let real = Real::of(height);
    Block::parse(&real.bytes, real.network).unwrap()
}

/// Returns `true` if the report leaves a rule with this text to the chain.
fn is_open(report: &Report, text: &str) -> bool {
    report.needs_chain_state.iter().any(|rule| rule.text.contains(text))
}

/// Bytes as nodes print hashes.
fn printed(bytes: [u8; 32]) -> String {
    Hash(bytes).to_string()
}

/// Until Heartwood, headers have the final Sapling treestate of their block.
#[test]
fn anchors_of_earlier_blocks_are_known() {
    let (before, block) = (real(419_201), real(419_202));
    let root = printed(before.header().commitment());
    let rule = "a spend's anchor";
    let after = |height: u32, root: &str| {
        let state = read(&[json!({ "height": height, "finalsaplingroot": root })]);
        is_open(&report(&block, Some(419_202), &state), rule)
    };
    assert!(!after(419_201, &root), "a real spend");
    assert!(!after(3, &root));
    assert!(after(419_202, &root), "only earlier blocks count");
    assert!(after(419_201, &"ab".repeat(32)));
    let state = read(&[json!({ "height": 419_201, "finalsaplingroot": root })]);
    assert!(is_open(&report(&block, None, &state), rule), "the height is not known");
    // Without a height, a root proves nothing.
    let state = read(&[json!({ "finalsaplingroot": root })]);
    assert!(is_open(&report(&block, Some(419_202), &state), rule));
    // Each pool has its own treestates.
    for (height, text, name) in [
        (1_687_107, "the Orchard anchor", "finalorchardroot"),
        (1_046_401, "a spend's anchor", "finalsaplingroot"),
        (419_201, "the first JoinSplit's anchor", "anchor"),
    ] {
        let block = real(height);
        let mut objects = Vec::new();
        for of in block.transactions() {
            let data = of.transaction();
            let root = match name {
                "finalorchardroot" => {
                    data.orchard_bundle().map(|bundle| hex::encode(bundle.anchor().to_bytes()))
                }
                "finalsaplingroot" => data.sapling_bundle().and_then(|bundle| {
                    let spend = bundle.shielded_spends().first()?;
                    Some(printed(spend.anchor().to_bytes()))
                }),
                _ => data.sprout_bundle().map(|of| printed(*of.joinsplits[0].anchor())),
            };
            objects.extend(root.map(|root| json!({ "height": 400_000, name: root })));
        }
        assert!(!objects.is_empty(), "{height}");
        let open = |objects: &[Value]| is_open(&report(&block, Some(height), &read(objects)), text);
        assert!(!open(&objects), "{height} {name}");
        let others = objects.iter().filter(|object| **object != objects[0]);
        let others: Vec<_> = others.cloned().collect();
        assert!(open(&others), "{height} {name}: one is missing");
    }
}

/// The change of a pool by a block, from its transactions' balances.
fn change(block: &Block, pool: &str) -> i64 {
    let transactions = block.transactions().iter().map(|of| of.transaction());
    let changes = transactions.map(|data| match pool {
        "Sapling" => data.sapling_bundle().map_or(0, |of| -i64::from(*of.value_balance())),
        "Orchard" => data.orchard_bundle().map_or(0, |of| -i64::from(*of.value_balance())),
        _ => data.sprout_bundle().map_or(0, |of| {
            let parts = of.joinsplits.iter();
            parts.map(|part| i64::from(part.vpub_old()) - i64::from(part.vpub_new())).sum()
        }),
    });
    changes.sum()
}

#[test]
fn pools_are_not_negative() {
    let mut seen = [false; 3];
    for real in Real::all() {
        let block = Block::parse(&real.bytes, real.network).unwrap();
        for (index, pool) in ["Sprout", "Sapling", "Orchard"].into_iter().enumerate() {
            let change = change(&block, pool);
            if change >= 0 || seen[index] {
                continue;
            }
            seen[index] = true;
            let with = |balance: i64| {
                let state = read(&[json!({
                    "hash": block.header().previous().to_string(),
                    "valuePools": [
                        { "id": pool.to_lowercase(), "chainValueZat": balance, "monitored": true },
                        { "id": "lockbox", "chainValueZat": 5 },
                        { "id": "transparent" },
                    ],
                })]);
                report(&block, Some(real.height), &state)
            };
            let rule = format!("the balance of the {pool} pool");
            let enough = with(-change);
            assert_eq!(enough.faults, []);
            assert!(!is_open(&enough, &rule));
            let before = -change - 1;
            let fault = BlockFault::PoolNegative { pool, before, change: change.into() };
            assert_eq!((fault.section(), &with(before).faults[..]), ("4.17", &[fault.clone()][..]));
            assert!(is_open(&report(&block, Some(real.height), &ChainState::default()), &rule));
        }
    }
    assert!(seen[0] && seen[1], "{seen:?}");
}

#[test]
fn the_previous_block_has_the_height_before() {
    let block = real(419_201);
    let rule = "the previous block is valid";
    let with = |before: u32, height: Option<u32>| {
        let previous = block.header().previous().to_string();
        let state = read(&[json!({ "hash": previous, "height": before, "confirmations": 7 })]);
        report(&block, height, &state)
    };
    let right = with(419_200, Some(419_201));
    assert_eq!(right.faults, []);
    assert!(!is_open(&right, rule));
    let wrong = with(419_199, Some(419_201));
    let fault = BlockFault::PreviousHeight { before: 419_199, height: 419_201 };
    assert_eq!((fault.section(), &wrong.faults[..]), ("3.3", &[fault.clone()][..]));
    // The state tells the height, which the block must claim.
    let told = with(419_200, None);
    assert!(told.unchecked.iter().all(|of| of.gap != Gap::Height) && !is_open(&told, rule));
    let other = with(419_300, None);
    assert!(matches!(other.faults[0], BlockFault::Height { given: 419_301, .. }));
    let unknown = report(&block, Some(419_201), &ChainState::default());
    assert!(is_open(&unknown, rule));
}

#[test]
fn nullifiers_of_the_chain_are_named() {
    let block = real(1_046_401);
    let spend = |data: &zcash_primitives::transaction::Transaction| {
        data.sapling_bundle().and_then(|of| of.shielded_spends().first()).map(|of| of.nullifier().0)
    };
    let number = block.transactions().iter().position(|of| spend(of.transaction()).is_some());
    let number = number.unwrap();
    let nullifier = spend(block.transactions()[number].transaction()).unwrap();
    let revealed = |pool: &str| {
        let all = [hex::encode(nullifier), "cd".repeat(32)];
        report(&block, Some(1_046_401), &read(&[json!({ "nullifiers": { pool: all } })]))
    };
    let found = revealed("sapling");
    let fault =
        TransactionFault::NullifierKnown { pool: "Sapling", nullifier: hex::encode(nullifier) };
    assert_eq!((fault.section(), found.verdict()), ("3.9", Verdict::Invalid));
    assert_eq!(found.transactions[number].faults, [fault]);
    let others = found.transactions.iter().enumerate().filter(|(other, _)| *other != number);
    assert!(others.into_iter().all(|(_, of)| of.faults.is_empty()));
    assert!(is_open(&found, "no Sapling nullifier"), "a list does not show that it is whole");
    assert_ne!(revealed("orchard").verdict(), Verdict::Invalid);
}

#[test]
fn the_state_has_the_root_of_the_history() {
    let block = main_block(BranchId::Nu5, 1_700_000, &[]);
    let with = |root: Hash| {
        let (hash, root) = (block.hash().to_string(), root.to_string());
        let object = json!({ "hash": hash, "height": 1_700_000, "chainhistoryroot": root });
        report(&block, None, &read(&[object]))
    };
    let whole = with(HISTORY_ROOT);
    assert_eq!((&whole.unchecked[..], &whole.faults[..]), (&[][..], &[][..]));
    assert!(matches!(with(Hash([8; 32])).faults[..], [BlockFault::Commitment { .. }]));
}

#[test]
fn states_are_read_or_named() {
    let hash = "ab".repeat(32);
    for (text, reason) in [
        ("{", "object 1: EOF"),
        ("{} 5", "object 2: invalid type"),
        (r#"{"hash": "ab"}"#, "object 1: \"ab\" is not a hash"),
        (r#"{"height": -1}"#, "object 1: invalid value"),
        (r#"{"nullifiers": {"moon": []}}"#, "object 1: unknown variant `moon`"),
        (r#"{"nullifiers": {"sprout": ["xy"]}}"#, "object 1: `nullifiers`: \"xy\""),
        (r#"{}{"finalorchardroot": "00"}"#, "object 2: `finalorchardroot`"),
    ] {
        let error = ChainState::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(reason), "{text}: {error}");
    }
    let whole = format!(
        r#"{{"hash": "{hash}", "height": 7, "tx": [1, {{"deep": []}}], "anchor": "{hash}",
            "finalsaplingroot": "{hash}", "finalorchardroot": "{hash}", "chainhistoryroot": "{hash}",
            "valuePools": [{{"id": "sprout", "chainValueZat": 3, "chainValue": 0.00000003}}]}}
        {{"nullifiers": {{"orchard": ["{hash}"]}}}}"#
    );
    assert!(ChainState::read(whole.as_bytes()).is_ok());
    assert!(ChainState::read(&b" \n"[..]).is_ok());
    let deep = format!("{{\"tx\": {}", "[".repeat(100_000));
    assert!(ChainState::read(deep.as_bytes()).is_err());
    let mut random = ChaCha8Rng::seed_from_u64(0x57a7e);
    let mut refused = 0;
    for _ in 0..2_000 {
        let mut bytes = whole.clone().into_bytes();
        let at = random.gen_range(0..bytes.len());
        match random.gen() {
            true => bytes[at] = random.gen(),
            false => bytes.truncate(at),
        }
        refused += usize::from(ChainState::read(&bytes[..]).is_err());
    }
    assert!(refused > 1_000, "{refused}");
}
