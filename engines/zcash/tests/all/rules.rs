// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Consensus rules for blocks and transactions, except signatures: each rule at its limit.

use crate::common::sign::{hash160, push, pushes, script_of, spend, Key, Lock};
use crate::common::{block_bytes, coinbase, coinbase_draft, height_script, main_block};
use crate::common::{main_block_with_fees, push_size, report, with_join_split};
use crate::common::{Draft, DraftInput, ERAS, TIME};
use halimede_zcash::{
    Block, BlockError, BlockFault, BlockTransaction, BranchId, Hash, InputFault, InputVerdict,
    Known, Network, NotChecked, Report, ShieldedFault, SpentOutputs, TransactionFault, Verdict,
    MOST_BLOCK_BYTES, MOST_SIGNATURE_OPERATIONS,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

const HEIGHT: u32 = 1_500_000;
const ERA: BranchId = BranchId::Canopy;
const MAX_MONEY: u64 = 2_100_000_000_000_000;

/// A transaction that spends an anyone-can-spend output of `value`, and creates these outputs.
fn open_draft(value: u64, outputs: Vec<(u64, Vec<u8>)>, random: &mut ChaCha8Rng) -> Draft {
    let input = DraftInput {
        txid: Hash(random.gen()),
        vout: random.gen_range(0..9),
        sequence: 0,
        value,
        script: vec![0x51],
    };
    Draft { version: 4, branch: ERA, lock_time: 0, expiry: 0, inputs: vec![input], outputs }
}

/// The bytes of a transaction with empty input scripts.
fn bytes_of(draft: &Draft) -> Vec<u8> {
    draft.bytes(&vec![Vec::new(); draft.inputs.len()])
}

/// The report on a block at this height, with this transaction after a valid coinbase transaction.
fn report_at(branch: BranchId, height: u32, draft: &Draft) -> Report {
    let block = main_block_with_fees(branch, height, draft.fee(), &[bytes_of(draft)]);
    report(&block, &draft.spent(|_| true), Known::default()).0
}

/// The faults of a transaction in such a block.
fn faults_at(branch: BranchId, height: u32, draft: &Draft) -> Vec<TransactionFault> {
    let report = report_at(branch, height, draft);
    assert_eq!((&report.faults[..], &report.transactions[0].faults[..]), (&[][..], &[][..]));
    report.transactions[1].faults.clone()
}

/// The faults of this coinbase transaction.
fn coinbase_faults(bytes: Vec<u8>, known: Known) -> Vec<TransactionFault> {
    let block = Block::parse(&block_bytes(Network::Main, &[bytes]), Network::Main).unwrap();
    report(&block, &SpentOutputs::default(), known).0.transactions[0].faults.clone()
}

#[test]
fn a_block_has_twenty_thousand_signature_operations_at_most() {
    let mut random = ChaCha8Rng::seed_from_u64(0x20_000);
    // Five keys that are never checked: counted as twenty, or as five in a redeem script.
    let keys: Vec<_> = (0..5).map(|_| Key::random(&mut random)).collect();
    let lock = Lock::MultiSig(keys.clone(), vec![1, 3]);
    let redeem = Lock::ScriptHash(Box::new(lock.clone()));
    let inputs: Vec<_> = (0..7).map(|_| spend(&redeem, &mut random)).collect();
    let value = 1_000;
    let mut draft = open_draft(5_000, vec![], &mut random);
    draft.inputs.extend(inputs);
    draft.inputs.push(spend(&lock, &mut random));
    // 11 scripts of 1,000 operations, pushes that resemble operations, and 40 + 2 + 35 of inputs.
    let many: Vec<u8> = (0..100).flat_map(|_| [0xae, 0x02, 0xac, 0xae, 0xad, 0xac]).collect();
    let per_script = 100 * (20 + 2);
    let redeemed = 7 * 5;
    // A spent multisig counts in the output that created it, not in its input.
    let scripts = |draft: &Draft| -> Vec<Vec<u8>> {
        let redeemed = draft.inputs.iter().map(|input| match input.script.len() {
            23 => script_of(&[vec![], lock.script()]),
            _ => vec![0x00],
        });
        redeemed.collect()
    };
    let block = |outputs: u64, singles: u64, known: bool| {
        let mut draft = draft.clone();
        draft.outputs = (0..outputs).map(|at| (value + at, many.clone())).collect();
        draft.outputs.push((1, vec![0xac; singles as usize]));
        let bytes = draft.bytes(&scripts(&draft));
        let block = main_block(ERA, HEIGHT, &[bytes]);
        report(&block, &draft.spent(|_| known), Known::default()).0
    };
    let limit = MOST_SIGNATURE_OPERATIONS;
    assert_eq!(limit, 20_000);
    let outputs = (limit - redeemed) / per_script;
    let singles = limit - redeemed - outputs * per_script;
    let full = block(outputs, singles, true);
    assert_eq!((full.signature_operations, &full.faults[..]), (limit, &[][..]));
    let over = block(outputs, singles + 1, true);
    assert_eq!(over.faults, [BlockFault::SignatureOperations { got: limit + 1, limit }]);
    assert!(over.verdict() == Verdict::Invalid);
    assert_eq!(
        over.faults[0].to_string(),
        "20001 signature operations, but a block has at most 20000"
    );
    // Redeem scripts for outputs that are not known are not counted.
    let unknown = block(outputs, singles + 1, false);
    assert_eq!((unknown.signature_operations, &unknown.faults[..]), (limit + 1 - 35, &[][..]));
}

#[test]
fn scripts_of_inputs_and_of_the_coinbase_transaction_count_as_well() {
    let mut random = ChaCha8Rng::seed_from_u64(0x51);
    let mut operations = |coinbase_script: &[u8], scripts: Vec<Vec<u8>>| {
        let input = spend(&Lock::PubKey(Key::random(&mut random)), &mut random);
        let mut draft = open_draft(9, vec![(7, vec![])], &mut random);
        draft.inputs.push(input);
        let first = coinbase_draft(ERA, 4, HEIGHT);
        let script = [&height_script(HEIGHT), coinbase_script].concat();
        let all = [first.bytes(&[script]), draft.bytes(&scripts)];
        let block = Block::parse(&block_bytes(Network::Main, &all), Network::Main).unwrap();
        report(&block, &draft.spent(|_| true), Known::default()).0.signature_operations
    };
    let none = operations(&[], vec![vec![], vec![]]);
    assert_eq!(none, 0);
    // A miner's own bytes count if they are operations: the push before covers three.
    let hidden = operations(&[0xac, 0xae, 3, 0xac, 0xac, 0xac, 0xad], vec![vec![], vec![]]);
    assert_eq!(hidden, 1 + 20 + 1);
    assert_eq!(operations(&[], vec![vec![0xaf], vec![0xac, 0xac]]), 22);
    // After a push that exceeds the limit of scripts, operations count as well.
    let long = [&[0x4d, 0x58, 2][..], &[0x61; 600], &[0xac]].concat();
    assert_eq!(operations(&[], vec![vec![], long]), 1);
}

#[test]
fn blocks_of_the_largest_size_are_read() {
    let with_output = |bytes: usize| {
        let first = coinbase(ERA, 4, HEIGHT);
        let mut draft = open_draft(1, vec![], &mut ChaCha8Rng::seed_from_u64(3));
        draft.outputs = vec![(1, vec![])];
        let empty = block_bytes(Network::Main, &[first.clone(), bytes_of(&draft)]).len();
        // Scripts of 60,000 bytes, each with 11 bytes of overhead, and one that fills the rest.
        let mut left = bytes - empty;
        while left > 0 {
            let script = if left > 130_000 { 60_000 } else { (left - 11).min(60_000) };
            draft.outputs.push((0, (0..script).map(|at| (at % 0x4b) as u8).collect()));
            left -= script + 11;
        }
        block_bytes(Network::Main, &[first, bytes_of(&draft)])
    };
    let largest = with_output(MOST_BLOCK_BYTES);
    assert_eq!(largest.len(), 2_000_000);
    assert_eq!(Block::parse(&largest, Network::Main).unwrap().bytes(), MOST_BLOCK_BYTES);
    let error = Block::parse(&with_output(MOST_BLOCK_BYTES + 1), Network::Main).unwrap_err();
    assert_eq!(error, BlockError::TooLong { got: 2_000_001, limit: 2_000_000 });
}

#[test]
fn transactions_were_short_before_sapling() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for (branch, height, version) in [
        (BranchId::Sprout, 120_000, 1),
        (BranchId::Overwinter, 350_000, 3),
        (BranchId::Sapling, 500_000, 4),
    ] {
        let sized = |bytes: usize, random: &mut ChaCha8Rng| {
            let mut draft = open_draft(10, vec![(1, vec![]), (1, vec![])], random);
            (draft.version, draft.branch) = (version, branch);
            for output in [0, 1] {
                let missing = (bytes - bytes_of(&draft).len()).min(60_002);
                draft.outputs[output].1 = vec![0x61; missing - 2]; // the length needs two more
            }
            assert_eq!(bytes_of(&draft).len(), bytes);
            let report = report_at(branch, height, &draft);
            let of = &report.transactions[1];
            (of.faults.clone(), of.inputs[0].verdict.clone())
        };
        let fine = (vec![], InputVerdict::Valid);
        assert_eq!(sized(100_000, &mut random), fine);
        let fault = TransactionFault::TooLong { got: 100_001, limit: 100_000 };
        let long = (vec![fault], InputVerdict::Incomplete(NotChecked::TooLong));
        let expected = if version < 4 { long } else { fine };
        assert_eq!(sized(100_001, &mut random), expected, "{branch:?}");
    }
}

#[test]
fn money_comes_from_somewhere_and_goes_somewhere() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for (branch, height, versions) in ERAS {
        for version in versions.iter().filter(|version| **version < 6) {
            let mut draft = open_draft(10, vec![(3, vec![0x51])], &mut random);
            (draft.version, draft.branch) = (*version, branch);
            assert_eq!(faults_at(branch, height, &draft), []);
            draft.outputs.clear();
            assert_eq!(faults_at(branch, height, &draft), [TransactionFault::NoOutputs]);
            let mut draft = open_draft(10, vec![(0, vec![0x51])], &mut random);
            (draft.version, draft.branch) = (*version, branch);
            draft.inputs.clear();
            let faults = faults_at(branch, height, &draft);
            assert_eq!(faults, [TransactionFault::NoInputs], "{branch:?} {version}");
        }
    }
    // JoinSplits suffice, and a coinbase transaction must not have any.
    let none = Draft { version: 2, ..open_draft(0, vec![], &mut random) };
    let none = Draft { inputs: vec![], branch: BranchId::Sprout, ..none };
    let join_split = with_join_split(&none, &[], 0, &mut random);
    let block = main_block(BranchId::Sprout, 120_000, &[join_split]);
    let (report, _) = report(&block, &SpentOutputs::default(), Known::default());
    // Its random signature is invalid.
    let signature = TransactionFault::Shielded(ShieldedFault::JoinSplitSignature);
    assert_eq!(report.transactions[1].faults, [signature]);
    let first = coinbase_draft(BranchId::Sprout, 2, 120_000);
    let first = with_join_split(&first, &[height_script(120_000)], 0, &mut random);
    let fault = TransactionFault::CoinbaseHas { what: "JoinSplits" };
    assert!(coinbase_faults(first, Known::default()).contains(&fault));
}

#[test]
fn amounts_add_up() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    let mut faults = |inputs: &[u64], outputs: &[u64]| {
        let outputs = outputs.iter().map(|value| (*value, vec![0x51])).collect();
        let mut draft = open_draft(inputs[0], outputs, &mut random);
        for value in &inputs[1..] {
            draft.inputs.extend(open_draft(*value, vec![], &mut random).inputs);
        }
        faults_at(ERA, HEIGHT, &draft)
    };
    assert_eq!(faults(&[500, 30], &[400, 130]), []);
    let fault = TransactionFault::Overspent { inputs: 530, outputs: 531 };
    assert_eq!(faults(&[500, 30], &[400, 131]), [fault]);
    assert_eq!(faults(&[MAX_MONEY], &[MAX_MONEY - 1, 1]), []);
    let fault = TransactionFault::OutputTotal { got: MAX_MONEY as u128 + 1, limit: MAX_MONEY };
    assert_eq!(faults(&[MAX_MONEY], &[MAX_MONEY, 1]), [fault]);
    let fault = TransactionFault::MoreThanMoney { limit: MAX_MONEY };
    assert_eq!(faults(&[MAX_MONEY, 1], &[5]), [fault]);
    // A single amount above it cannot be read.
    let draft = open_draft(1, vec![(MAX_MONEY + 1, vec![])], &mut random);
    let bytes = block_bytes(Network::Main, &[coinbase(ERA, 4, HEIGHT)]);
    let (head, first) = bytes.split_at(bytes.len() - coinbase(ERA, 4, HEIGHT).len());
    let mut bytes = [head, first, &bytes_of(&draft)].concat();
    bytes[head.len() - 1] = 2;
    let error = Block::parse(&bytes, Network::Main).unwrap_err().to_string();
    assert!(error.contains("transaction 1, which begins at byte") && error.contains("value"));

    // Unknown inputs may suffice.
    let draft = open_draft(5, vec![(6, vec![0x51])], &mut random);
    let block = main_block(ERA, HEIGHT, &[bytes_of(&draft)]);
    let (unknown, _) = report(&block, &SpentOutputs::default(), Known::default());
    assert_eq!(unknown.transactions[1].faults, []);

    // A coinbase transaction's outputs are counted together as well.
    let mut first = coinbase_draft(ERA, 4, HEIGHT);
    first.outputs = vec![(MAX_MONEY - 5, vec![]), (6, vec![])];
    let faults = coinbase_faults(first.bytes(&[height_script(HEIGHT)]), Known::default());
    let fault = TransactionFault::OutputTotal { got: MAX_MONEY as u128 + 1, limit: MAX_MONEY };
    assert_eq!(faults[0], fault);
}

#[test]
fn what_a_join_split_takes_must_have_come_in() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for (taken, outputs, expected) in
        [(70, 30, vec![]), (71, 30, vec![TransactionFault::Overspent { inputs: 100, outputs: 30 }])]
    {
        let mut draft = open_draft(100, vec![(outputs, vec![0x51])], &mut random);
        (draft.version, draft.branch) = (2, BranchId::Sprout);
        let bytes = with_join_split(&draft, &[vec![]], taken, &mut random);
        let block = main_block(BranchId::Sprout, 120_000, &[bytes]);
        let (report, _) = report(&block, &draft.spent(|_| true), Known::default());
        let faults = report.transactions[1].faults.iter();
        let faults = faults.filter(|fault| !matches!(fault, TransactionFault::Shielded(_)));
        assert!(faults.eq(&expected), "{taken}");
    }
}

#[test]
fn a_balance_of_sapling_needs_something_there() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let draft = open_draft(9, vec![(4, vec![0x51])], &mut random);
    let mut bytes = bytes_of(&draft);
    let balance_at = bytes.len() - 3 - 8; // before the counts of spends, outputs and JoinSplits
    for balance in [1i64, -1, 5_000] {
        bytes[balance_at..balance_at + 8].copy_from_slice(&balance.to_le_bytes());
        let block = main_block(ERA, HEIGHT, &[bytes.clone()]);
        let (report, _) = report(&block, &draft.spent(|_| true), Known::default());
        assert_eq!(report.transactions[1].faults, [TransactionFault::SaplingBalance]);
    }
}

#[test]
fn transactions_expire() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    for (branch, height, versions) in ERAS {
        for version in versions.iter().filter(|version| **version >= 3) {
            let mut draft = open_draft(9, vec![(4, vec![0x51])], &mut random);
            (draft.version, draft.branch) = (*version, branch);
            let mut faults = |expiry: u32| {
                draft.expiry = expiry;
                faults_at(branch, height, &draft)
            };
            for expiry in [0, height, height + 1, 499_999_999] {
                assert_eq!(faults(expiry), []);
            }
            for expiry in [1, height - 1] {
                assert_eq!(faults(expiry), [TransactionFault::Expired { expiry, height }]);
            }
            let (expiry, limit) = (500_000_000, 499_999_999);
            assert_eq!(faults(expiry), [TransactionFault::LateExpiry { expiry, limit }]);

            let mut first = coinbase_draft(branch, *version, height);
            let mut faults = |expiry: u32| {
                first.expiry = expiry;
                coinbase_faults(first.bytes(&[height_script(height)]), Known::default())
            };
            let nu5 = height >= 1_687_104;
            assert_eq!(faults(height), []);
            for expiry in [0, height + 1, 500_000_000] {
                let expected = match (nu5, expiry > limit) {
                    (true, _) => vec![TransactionFault::CoinbaseExpiry { expiry, height }],
                    (false, true) => vec![TransactionFault::LateExpiry { expiry, limit }],
                    (false, false) => vec![],
                };
                assert_eq!(faults(expiry), expected, "{branch:?} {version}");
            }
        }
    }
}

#[test]
fn lock_times_must_be_over_unless_all_inputs_waive_them() {
    let mut random = ChaCha8Rng::seed_from_u64(10);
    let two = open_draft(9, vec![(4, vec![0x51])], &mut random);
    let mut two = Draft { inputs: [&two.inputs[..], &two.inputs[..]].concat(), ..two };
    two.inputs[1].vout ^= 1;
    for (lock_time, over) in [
        (0, true),
        (1, true),
        (HEIGHT - 1, true),
        (HEIGHT, false),
        (499_999_999, false),
        (500_000_000, true),
        (TIME - 1, true),
        (TIME, false),
    ] {
        two.lock_time = lock_time;
        for sequences in [[0, 0], [u32::MAX, 7], [7, u32::MAX], [u32::MAX; 2]] {
            (two.inputs[0].sequence, two.inputs[1].sequence) = (sequences[0], sequences[1]);
            let is_final = over || sequences == [u32::MAX; 2];
            let expected =
                if is_final { vec![] } else { vec![TransactionFault::NotFinal { lock_time }] };
            assert_eq!(faults_at(ERA, HEIGHT, &two), expected, "{lock_time} {sequences:x?}");
        }
    }
}

#[test]
fn the_scripts_of_coinbase_transactions_have_bounds() {
    let first = coinbase_draft(ERA, 4, HEIGHT);
    let faults = |script: Vec<u8>| coinbase_faults(first.bytes(&[script]), Known::default());
    let sized = |bytes: usize| {
        let mut script = height_script(HEIGHT);
        script.resize(bytes, 0x17);
        script
    };
    assert_eq!((faults(sized(4)), faults(sized(100))), (vec![], vec![]));
    assert_eq!(faults(sized(101)), [TransactionFault::CoinbaseScript { got: 101 }]);
    let known = Known { height: Some(7), branch: Some(ERA), ..Known::default() };
    let one = coinbase_draft(ERA, 4, 7).bytes(&[vec![0x57]]);
    assert_eq!(coinbase_faults(one, known), [TransactionFault::CoinbaseScript { got: 1 }]);
    let none = coinbase_draft(ERA, 4, 7).bytes(&[vec![]]);
    let expected = [TransactionFault::CoinbaseScript { got: 0 }, TransactionFault::NoHeight];
    assert_eq!(coinbase_faults(none, known), expected);
}

/// A transaction of version 5: see vectors/README.md.
#[derive(Deserialize)]
struct ShieldedVector {
    tx: String,
}

#[test]
fn coinbase_transactions_take_no_shielded_money() {
    let vectors: Vec<ShieldedVector> =
        serde_json::from_str(include_str!("../../vectors/zip_0244.json")).unwrap();
    let mut seen = [0; 2];
    for vector in vectors {
        let bytes = hex::decode(vector.tx).unwrap();
        let parsed = BlockTransaction::parse(&bytes).unwrap();
        let data = parsed.transaction();
        let bundle = data.transparent_bundle().unwrap();
        let mut transparent = Vec::new();
        push_size(&mut transparent, bundle.vin.len());
        bundle.vin.iter().for_each(|input| input.write(&mut transparent).unwrap());
        push_size(&mut transparent, bundle.vout.len());
        bundle.vout.iter().for_each(|output| output.write(&mut transparent).unwrap());
        // A coinbase transaction with the shielded parts of this transaction.
        let first = coinbase(BranchId::Nu5, 5, 1_700_000);
        let shielded = &bytes[20 + transparent.len()..];
        let swapped = [&first[..first.len() - 3], shielded].concat();
        let spends = data.sapling_bundle().map_or(0, |bundle| bundle.shielded_spends().len());
        let orchard = data.orchard_bundle().is_some_and(|bundle| bundle.flags().spends_enabled());
        let mut faults = coinbase_faults(swapped, Known::default());
        faults.retain(|fault| !matches!(fault, TransactionFault::Shielded(_)));
        let has = |what| faults.contains(&TransactionFault::CoinbaseHas { what });
        assert_eq!(has("Sapling spends"), spends > 0);
        assert_eq!(has("Orchard spends enabled"), orchard);
        assert_eq!(faults.len(), usize::from(spends > 0) + usize::from(orchard), "{faults:?}");
        seen[0] += usize::from(spends > 0);
        seen[1] += usize::from(orchard);
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

#[test]
fn money_just_made_cannot_be_spent() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let first = coinbase(ERA, 4, HEIGHT);
    let made = BlockTransaction::parse(&first).unwrap();
    let mut draft = open_draft(1_250_000_000, vec![(4, vec![0x51])], &mut random);
    (draft.inputs[0].txid, draft.inputs[0].vout) = (made.txid(), 0);
    let report = report_at(ERA, HEIGHT, &draft);
    let verdict = &report.transactions[1].inputs[0].verdict;
    assert_eq!(*verdict, InputVerdict::Invalid(InputFault::Immature));
    assert!(report.verdict() == Verdict::Invalid);
}

/// Copies of a transaction spend outputs twice. This also holds if only their signatures differ,
/// which identifiers of version 5 do not cover.
#[test]
fn copies_of_a_transaction_are_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    for (version, branch, height) in [(4, ERA, HEIGHT), (5, BranchId::Nu5, 1_700_000)] {
        let lock = Lock::PubKeyHash(Key::random(&mut random));
        let redeem = Lock::ScriptHash(Box::new(lock.clone()));
        assert_eq!(redeem.script()[2..22], hash160(&lock.script()));
        let inputs = vec![spend(&redeem, &mut random)];
        let outputs = vec![(3, vec![0x51])];
        let draft = Draft { version, branch, lock_time: 0, expiry: 0, inputs, outputs };
        let signed = pushes(&draft, &[redeem], &[1]);
        let good = draft.bytes(&[script_of(&signed[0])]);
        // An extra push, below the values that the scripts use.
        let longer = [push(&[9; 4]), script_of(&signed[0])].concat();
        let other = draft.bytes(&[longer]);
        let run = |all: &[Vec<u8>]| {
            let block = main_block(branch, height, all);
            let (report, _) = report(&block, &draft.spent(|_| true), Known::default());
            let of = |index: usize| report.transactions[index].inputs[0].verdict.clone();
            (of(1), of(all.len()), report.faults.clone())
        };
        let txid = draft.inputs[0].txid;
        let vout = draft.inputs[0].vout;
        let twice = InputFault::SpentTwice { txid, vout, by: 1, input: 0 };
        let (first, last, faults) = run(&[good.clone(), other.clone()]);
        assert_eq!((first, last), (InputVerdict::Valid, InputVerdict::Invalid(twice.clone())));
        assert_eq!(faults, [], "they do not form a pair");
        let between = open_draft(9, vec![(1, vec![0x51])], &mut random);
        let between = bytes_of(&Draft { version, branch, ..between });
        let (_, last, faults) = run(&[good.clone(), between, good.clone()]);
        assert_eq!((last, faults), (InputVerdict::Invalid(twice), vec![]));
    }
}

#[test]
fn the_output_of_the_genesis_block_cannot_be_spent() {
    let mut random = ChaCha8Rng::seed_from_u64(13);
    let mut draft = open_draft(0, vec![(0, vec![0x51])], &mut random);
    let genesis = "c4eaa58879081de3c24a7b117ed2b28300e7ec4c4c1dff1d3f1268b7857a4ddb";
    (draft.inputs[0].txid, draft.inputs[0].vout) = (genesis.parse().unwrap(), 0);
    let report = report_at(ERA, HEIGHT, &draft);
    let verdict = &report.transactions[1].inputs[0].verdict;
    assert_eq!(*verdict, InputVerdict::Invalid(InputFault::Genesis));
}

#[test]
fn orchard_was_suspended_before_nu6_2() {
    let vectors: Vec<ShieldedVector> =
        serde_json::from_str(include_str!("../../vectors/zip_0244.json")).unwrap();
    let mut seen = 0;
    for vector in vectors {
        let bytes = hex::decode(vector.tx).unwrap();
        let parsed = BlockTransaction::parse(&bytes).unwrap();
        let has_actions = parsed.transaction().orchard_bundle().is_some();
        let networks =
            [(Network::Main, 3_363_426, 3_364_600), (Network::Test, 4_048_500, 4_052_000)];
        for (network, since, end) in networks {
            for (height, is_suspended) in
                [(since - 1, false), (since, true), (end - 1, true), (end, false)]
            {
                let all = [coinbase(BranchId::Nu6_1, 5, height), bytes.clone()];
                let block = Block::parse(&block_bytes(network, &all), network).unwrap();
                let (report, _) = report(&block, &SpentOutputs::default(), Known::default());
                let fault = TransactionFault::ActionsSuspended { since, end };
                let is_named = report.transactions[1].faults.contains(&fault);
                assert_eq!(is_named, has_actions && is_suspended, "{height}");
            }
        }
        seen += usize::from(has_actions);
    }
    assert!(seen > 0);
}
