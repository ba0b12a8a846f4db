// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rules between the transactions of a block, and a comparison of scripts with an interpreter that
//! verifies signatures itself.

use crate::common::sign::{digest, hash160, push, pushes, script_of, spend, Key, Lock};
use crate::common::{block_bytes, coinbase, main_block, report, Draft, DraftInput};
use halimede_equihash::Check as ProofCheck;
use halimede_equihash::{Mask as ProofMask, TargetError};
use halimede_zcash::{
    merkle_root, AnswerError, Block, BlockFault, BlockTransaction, BranchId, Digests, Hash,
    InputFault, InputVerdict, Known, Network, NotChecked, SpentOutputs, TransactionFault, Verdict,
};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use zcash_script::interpreter::{CallbackTransactionSignatureChecker, Flags};
use zcash_script::script::{Code, Raw};

const HEIGHT: u32 = 1_500_000;
const ERA: BranchId = BranchId::Canopy;

/// Creates a transaction that spends these inputs, with its scripts.
fn signed(
    inputs: Vec<DraftInput>,
    locks: &[Lock],
    outputs: Vec<(u64, Vec<u8>)>,
) -> (Draft, Vec<u8>) {
    let draft = Draft { version: 4, branch: ERA, lock_time: 0, expiry: 0, inputs, outputs };
    let pushes = pushes(&draft, locks, &vec![1; locks.len()]);
    let scripts: Vec<_> = pushes.iter().map(|pushes| script_of(pushes)).collect();
    let bytes = draft.bytes(&scripts);
    (draft, bytes)
}

/// The output of a transaction with this index.
fn made(bytes: &[u8], vout: u32, lock: &Lock) -> DraftInput {
    let transaction = BlockTransaction::parse(bytes).unwrap();
    let outputs = &transaction.transaction().transparent_bundle().unwrap().vout;
    let value = outputs.get(vout as usize).map_or(7, |output| output.value().into_u64());
    DraftInput { txid: transaction.txid(), vout, sequence: 0, value, script: lock.script() }
}

#[test]
fn outputs_of_the_block_itself_need_not_be_given() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let locks: Vec<_> = (0..4).map(|_| Lock::random(&mut random)).collect();
    let outputs = vec![(500, locks[1].script()), (600, locks[2].script())];
    let (first_draft, first) = signed(vec![spend(&locks[0], &mut random)], &locks[..1], outputs);
    let both = vec![made(&first, 1, &locks[2]), made(&first, 0, &locks[1])];
    let (_, second) = signed(both, &[locks[2].clone(), locks[1].clone()], vec![(9, vec![0x51])]);
    let spent = first_draft.spent(|_| true);
    let verdicts_of = |transactions: &[Vec<u8>]| -> Vec<InputVerdict> {
        let (report, _) = report(&main_block(ERA, HEIGHT, transactions), &spent, Known::default());
        let transactions = report.transactions.into_iter();
        transactions.flat_map(|one| one.inputs).map(|input| input.verdict).collect()
    };
    assert_eq!(verdicts_of(&[first.clone(), second.clone()]), vec![InputVerdict::Valid; 3]);

    // In the opposite order they do not exist yet.
    let early = InputVerdict::Invalid(InputFault::NotYetMade { by: 2 });
    let expected = [early.clone(), early, InputVerdict::Valid];
    assert_eq!(verdicts_of(&[second.clone(), first.clone()]), expected);

    // An output that the first transaction does not have.
    let third_lock = Lock::random(&mut random);
    let (_, third) = signed(vec![made(&first, 2, &third_lock)], &[third_lock], vec![]);
    let fault = InputFault::NoSuchOutput { vout: 2, by: 1, outputs: 2 };
    let expected = [InputVerdict::Valid, InputVerdict::Invalid(fault)];
    assert_eq!(verdicts_of(&[first.clone(), third]), expected);

    // An output that is already spent, in another transaction and in the same one.
    let (_, again) = signed(vec![made(&first, 0, &locks[1])], &[locks[1].clone()], vec![]);
    let txid = BlockTransaction::parse(&first).unwrap().txid();
    let twice = InputFault::SpentTwice { txid, vout: 0, by: 2, input: 1 };
    let verdicts = verdicts_of(&[first.clone(), second, again]);
    assert_eq!(verdicts[3], InputVerdict::Invalid(twice));
    let same = vec![made(&first, 0, &locks[1]); 2];
    let (_, same) = signed(same, &[locks[1].clone(), locks[1].clone()], vec![]);
    let twice = InputFault::SpentTwice { txid, vout: 0, by: 2, input: 0 };
    assert_eq!(verdicts_of(&[first, same])[2], InputVerdict::Invalid(twice));
}

#[test]
fn an_input_that_spends_nothing_is_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    let lock = Lock::random(&mut random);
    let mut null = spend(&lock, &mut random);
    (null.txid, null.vout) = (Hash::default(), u32::MAX);
    let inputs = vec![spend(&lock, &mut random), null];
    let (draft, bytes) = signed(inputs, &[lock.clone(), lock], vec![]);
    let block = main_block(ERA, HEIGHT, &[bytes]);
    let (report, _) = report(&block, &draft.spent(|index| index == 0), Known::default());
    let verdicts: Vec<_> =
        report.transactions[1].inputs.iter().map(|input| input.verdict.clone()).collect();
    assert_eq!(verdicts, [InputVerdict::Valid, InputVerdict::Invalid(InputFault::Null)]);
}

#[test]
fn what_a_block_must_be_is_checked() {
    let mut random = ChaCha8Rng::seed_from_u64(13);
    let lock = Lock::random(&mut random);
    let (draft, plain) = signed(vec![spend(&lock, &mut random)], &[lock], vec![(5, vec![])]);
    let spent = draft.spent(|_| true);
    let of = |transactions: &[Vec<u8>]| block_bytes(Network::Main, transactions);
    let run = |bytes: &[u8], known: Known| {
        report(&Block::parse(bytes, Network::Main).unwrap(), &spent, known).0
    };
    let first = coinbase(ERA, 4, HEIGHT);
    let good = of(&[first.clone(), plain.clone()]);
    assert!(run(&good, Known::default()).verdict() != Verdict::Invalid);
    let known = |height| Known { height: Some(height), ..Known::default() };
    assert!(run(&good, known(HEIGHT)).verdict() != Verdict::Invalid);
    let fault = BlockFault::Height { claimed: HEIGHT, given: HEIGHT + 1 };
    assert_eq!(run(&good, known(HEIGHT + 1)).faults, [fault]);

    let mut old = good.clone();
    old[0] = 3;
    let fault = BlockFault::Version { got: 3, least: 4 };
    assert_eq!(run(&old, Known::default()).faults, [fault]);

    let mut easy = good.clone();
    easy[104..108].copy_from_slice(&0x2007_ffffu32.to_le_bytes());
    let fault =
        BlockFault::Target(TargetError::AboveLimit { bits: 0x2007_ffff, limit: 0x1f07_ffff });
    assert_eq!(run(&easy, Known::default()).faults, [fault]);

    let mut root = good.clone();
    root[36 + 31] ^= 0x10;
    let report = run(&root, Known::default());
    assert!(
        matches!(report.faults[..], [BlockFault::MerkleRoot { .. }])
            && report.verdict() == Verdict::Invalid
    );

    // A copy at the end of an odd number of transactions.
    let three = [first.clone(), plain.clone(), coinbase(ERA, 4, HEIGHT)];
    let four = [&three[..], &three[2..]].concat();
    let txids = |all: &[Vec<u8>]| -> Vec<Hash> {
        all.iter().map(|bytes| BlockTransaction::parse(bytes).unwrap().txid()).collect()
    };
    assert_eq!(merkle_root(txids(&three)).root, merkle_root(txids(&four)).root);
    assert_eq!(run(&of(&four), Known::default()).faults, [BlockFault::MerkleAmbiguous]);

    let late = run(&of(&three), Known::default());
    assert_eq!(late.faults, []);
    assert_eq!(late.transactions[2].faults, [TransactionFault::LateCoinbase]);
    let none = run(&of(std::slice::from_ref(&plain)), known(HEIGHT));
    assert_eq!(none.transactions[0].faults, [TransactionFault::NoCoinbase]);
    let empty = run(&of(&[]), Known::default());
    assert!(
        empty.faults.contains(&BlockFault::NoTransactions) && empty.verdict() == Verdict::Invalid
    );
    let failed = |check| {
        let mut mask = ProofMask::VALID;
        mask.set(check);
        let block = Block::parse(&good, Network::Main).unwrap();
        block.checks(&spent, Known::default()).report(mask).verdict() == Verdict::Invalid
    };
    assert!(ProofCheck::ALL.into_iter().all(failed));
}

#[test]
fn versions_and_branches_are_those_of_the_height() {
    let run = |bytes: Vec<u8>, network, known| {
        let block = Block::parse(&block_bytes(network, &[bytes]), network).unwrap();
        let (report, _) = report(&block, &SpentOutputs::default(), known);
        report.transactions[0].faults.clone()
    };
    for (branch, height, versions) in crate::common::ERAS {
        for version in 1..=6 {
            let faults = run(coinbase(branch, version, height), Network::Main, Known::default());
            match versions.contains(&version) {
                true => assert_eq!(faults, [], "{branch:?} {version}"),
                false => assert_eq!(faults, [TransactionFault::Version { version, branch }]),
            }
        }
    }
    let (old, new) = (BranchId::Nu5, BranchId::Nu6);
    let faults = run(coinbase(old, 5, 2_800_000), Network::Main, Known::default());
    assert_eq!(faults, [TransactionFault::Branch { got: old, expected: new }]);
    let faults = run(coinbase(old, 5, 2_800_000), Network::Test, Known::default());
    assert_eq!(faults, [], "another network has the branch at another height");
    let known = Known { branch: Some(BranchId::Canopy), ..Known::default() };
    let faults = run(coinbase(old, 5, 200_000), Network::Regtest, known);
    assert_eq!(faults, [TransactionFault::Version { version: 5, branch: BranchId::Canopy }]);
    assert_eq!(run(coinbase(old, 5, 200_000), Network::Regtest, Known::default()), []);
}

#[test]
fn on_a_network_of_its_own_the_branch_must_be_said() {
    let mut random = ChaCha8Rng::seed_from_u64(14);
    let lock = Lock::random(&mut random);
    let (draft, bytes) = signed(vec![spend(&lock, &mut random)], &[lock], vec![]);
    let verdict = |coinbase: Vec<u8>, branch| {
        let bytes = block_bytes(Network::Regtest, &[coinbase, bytes.clone()]);
        let block = Block::parse(&bytes, Network::Regtest).unwrap();
        let (report, _) =
            report(&block, &draft.spent(|_| true), Known { branch, ..Known::default() });
        report.transactions[1].inputs[0].verdict.clone()
    };
    let unknown = InputVerdict::Incomplete(NotChecked::BranchUnknown);
    assert_eq!(verdict(coinbase(ERA, 4, 200_000), None), unknown);
    assert_eq!(verdict(coinbase(ERA, 4, 200_000), Some(ERA)), InputVerdict::Valid);
    let other = verdict(coinbase(ERA, 4, 200_000), Some(BranchId::Heartwood));
    assert!(matches!(other, InputVerdict::Invalid(_)));
    // A transaction of version 5 names it; here the signed one differs.
    let other = verdict(coinbase(BranchId::Nu5, 5, 200_000), None);
    assert!(matches!(other, InputVerdict::Invalid(_)));
}

#[test]
fn answers_must_be_as_many_as_questions() {
    let mut random = ChaCha8Rng::seed_from_u64(15);
    let lock = Lock::PubKey(Key::random(&mut random));
    let (draft, bytes) = signed(vec![spend(&lock, &mut random)], &[lock], vec![]);
    let block = main_block(ERA, HEIGHT, &[bytes]);
    let spent = draft.spent(|_| true);
    let mut checks = block.checks(&spent, Known::default());
    assert_eq!(checks.requests().len(), 1);
    assert_eq!(checks.answer(&[]), Err(AnswerError { got: 0, expected: 1 }));
    assert_eq!(checks.answer(&[Ok(()); 2]), Err(AnswerError { got: 2, expected: 1 }));
    let unanswered = block.checks(&spent, Known::default()).report(ProofMask::VALID);
    let verdict = &unanswered.transactions[1].inputs[0].verdict;
    assert_eq!(*verdict, InputVerdict::Incomplete(NotChecked::Unanswered));
    checks.answer(&[Ok(())]).unwrap();
    assert_eq!(checks.report(ProofMask::VALID).inputs().valid, 1);
}

/// A transaction of version 1, valid with these outputs: see vectors/README.md.
#[derive(Deserialize)]
struct BitcoinVector {
    name: String,
    spent: Vec<(Hash, u32, String)>,
    tx: String,
}

#[test]
fn published_transactions_of_version_1() {
    let vectors: Vec<BitcoinVector> =
        serde_json::from_str(include_str!("../../vectors/transactions_bitcoin.json")).unwrap();
    assert_eq!(vectors.len(), 7);
    for vector in vectors {
        let mut spent = SpentOutputs::default();
        for (txid, vout, script) in &vector.spent {
            spent.insert(*txid, *vout, 0, hex::decode(script).unwrap()).unwrap();
        }
        let counts = |bytes: &[u8]| {
            let block = main_block(BranchId::Sprout, 120_000, &[bytes.to_vec()]);
            report(&block, &spent, Known::default()).0.inputs()
        };
        let bytes = hex::decode(&vector.tx).unwrap();
        let good = counts(&bytes);
        assert_eq!((good.valid, good.invalid), (vector.spent.len(), 0), "{}", vector.name);
        // All signatures sign the lock time.
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() ^= 1;
        let changed = counts(&changed);
        assert_eq!((changed.valid, changed.invalid), (0, vector.spent.len()), "{}", vector.name);
    }
}

/// A signature that a script pops from the stack.
#[derive(Clone, Copy)]
enum Want {
    /// A signature by the key with this index.
    By(usize),
    /// An empty signature.
    Empty,
}

/// Creates a script that leaves one truth value, and the list of signatures that it pops on one
/// possible path, in order.
fn condition(keys: &[Key], depth: usize, random: &mut ChaCha8Rng) -> (Vec<u8>, Vec<Want>) {
    let any = |random: &mut ChaCha8Rng| random.gen_range(0..keys.len());
    match random.gen_range(0..if depth == 0 { 2 } else { 5 }) {
        0 => {
            let key = any(random);
            let signer = if random.gen_ratio(3, 4) { key } else { any(random) };
            ([push(&keys[key].bytes), vec![0xac]].concat(), vec![Want::By(signer)])
        }
        1 => {
            let order: Vec<_> = (0..random.gen_range(1..=4)).map(|_| any(random)).collect();
            let mut signers: Vec<_> = order.iter().copied().filter(|_| random.gen()).collect();
            let mut script = vec![if signers.is_empty() { 0 } else { 0x50 + signers.len() as u8 }];
            order.iter().for_each(|key| script.extend(push(&keys[*key].bytes)));
            script.extend([0x50 + order.len() as u8, 0xae]);
            if random.gen_ratio(1, 5) {
                signers.shuffle(random);
            }
            let wants = signers.iter().rev().map(|signer| Want::By(*signer));
            (script, wants.chain([Want::Empty]).collect())
        }
        2 => {
            let (script, wants) = condition(keys, depth - 1, random);
            ([script, vec![0x91]].concat(), wants) // NOT
        }
        3 => {
            let (one, wants) = condition(keys, depth - 1, random);
            let (other, more) = condition(keys, depth - 1, random);
            // TOALTSTACK, FROMALTSTACK, BOOLAND or BOOLOR
            let joined =
                [&one[..], &[0x6b], &other, &[0x6c, random.gen_range(0x9a..=0x9b)]].concat();
            (joined, [wants, more].concat())
        }
        _ => {
            let (asked, mut wants) = condition(keys, depth - 1, random);
            let (yes, of_yes) = condition(keys, depth - 1, random);
            let (no, of_no) = condition(keys, depth - 1, random);
            wants.extend(if random.gen() { of_yes } else { of_no });
            ([&asked[..], &[0x63], &yes, &[0x67], &no, &[0x68]].concat(), wants)
        }
    }
}

#[test]
fn scripts_end_as_where_signatures_are_verified_at_once() {
    let mut random = ChaCha8Rng::seed_from_u64(16);
    let keys: Vec<_> = (0..5).map(|_| Key::random(&mut random)).collect();
    let (mut ended_true, mut ended_false, mut failed, mut several_rounds) = (0, 0, 0, 0);
    for _ in 0..1_000 {
        let (script, wants) = condition(&keys, 3, &mut random);
        let wrapped = script.len() <= 520 && random.gen();
        let mut input = spend(&Lock::PubKey(keys[0].clone()), &mut random);
        input.script = match wrapped {
            true => [&[0xa9, 20], &hash160(&script)[..], &[0x87]].concat(),
            false => script.clone(),
        };
        let (inputs, outputs) = (vec![input], vec![(1, vec![])]);
        let draft = Draft { version: 4, branch: ERA, lock_time: 0, expiry: 0, inputs, outputs };
        let digest = digest(&draft, 0, script.clone(), 1);
        let mut pushes: Vec<_> = wants
            .iter()
            .rev()
            .map(|want| match want {
                Want::By(key) => keys[*key].sign(digest, 1),
                Want::Empty => Vec::new(),
            })
            .collect();
        pushes.extend(wrapped.then_some(script));
        let scripts = [script_of(&pushes)];

        let bytes = draft.bytes(&scripts);
        let block = main_block(ERA, HEIGHT, std::slice::from_ref(&bytes));
        let (report, rounds) = report(&block, &draft.spent(|_| true), Known::default());
        several_rounds += usize::from(rounds > 1);
        let theirs = at_once(&draft, &bytes, &scripts[0]);
        match (theirs, report.transactions[1].inputs[0].verdict.clone()) {
            (Ok(true), InputVerdict::Valid) => ended_true += 1,
            (Ok(false), InputVerdict::Invalid(InputFault::False { .. })) => ended_false += 1,
            (Err(error), InputVerdict::Invalid(InputFault::Script { reason, .. })) => {
                assert_eq!(reason, error);
                failed += 1;
            }
            (theirs, ours) => panic!("{theirs:?} {ours:?} {}", hex::encode(bytes)),
        }
    }
    assert!(
        ended_true > 200 && ended_false > 100 && failed > 20,
        "{ended_true} {ended_false} {failed}"
    );
    assert!(several_rounds < 100, "{several_rounds}");
}

/// Returns the result of the scripts of a transaction's only input, with signatures verified
/// immediately.
fn at_once(draft: &Draft, bytes: &[u8], script: &[u8]) -> Result<bool, String> {
    let transaction = BlockTransaction::parse(bytes).unwrap();
    let digests = Digests::new(&transaction, Some(ERA), vec![Some(draft.inputs[0].output())]);
    let sighash = |code: &Code, hash_type: &zcash_script::signature::HashType| {
        digests.digest(0, code, hash_type.raw_bits() as u8).ok()
    };
    let checker = CallbackTransactionSignatureChecker {
        sighash: &sighash,
        lock_time: draft.lock_time.into(),
        is_final: draft.inputs[0].sequence == u32::MAX,
    };
    let raw = Raw::from_raw_parts(script.to_vec(), draft.inputs[0].script.clone());
    let flags = Flags::P2SH | Flags::CHECKLOCKTIMEVERIFY;
    raw.eval(flags, &checker).map_err(|(_, error)| error.to_string())
}
