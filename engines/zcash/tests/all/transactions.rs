// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signed inputs of transactions: unchanged ones are valid, changed ones are not.

use crate::common::sign::{digest, pushes, script_of, spend, Key, Lock};
use crate::common::{
    all_valid, main_block, main_block_with_fees, report, verdicts, Draft, ERAS, TIME,
};
use halimede_secp256k1::{Check, Rejection};
use halimede_zcash::{
    BranchId, Hash, InputFault, InputReport, InputVerdict, Kind, Known, NotChecked, SignatureFault,
    SpentOutputs, Verdict,
};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const HASH_TYPES: [u8; 6] = [0x01, 0x02, 0x03, 0x81, 0x82, 0x83];

/// A transaction that spends these locks, with one more output than inputs.
fn draft(version: u32, branch: BranchId, locks: &[Lock], random: &mut ChaCha8Rng) -> Draft {
    let inputs = locks.iter().map(|lock| spend(lock, random)).collect();
    let outputs = (0..=locks.len()).map(|_| {
        let script: Vec<u8> = (0..random.gen_range(0..40)).map(|_| random.gen()).collect();
        (random.gen_range(0..1_000_000_000), script)
    });
    let outputs = outputs.collect();
    let lock_time = random.gen_range(500_000_000..TIME);
    Draft { version, branch, lock_time, expiry: 0, inputs, outputs }
}

/// Every version under each branch that allows it.
fn versions() -> impl Iterator<Item = (u32, BranchId)> + Clone {
    ERAS.iter().flat_map(|(branch, _, versions)| versions.iter().map(move |v| (*v, *branch)))
}

/// Returns the signature fault of an input.
fn fault(report: &InputReport) -> Option<SignatureFault> {
    match &report.verdict {
        InputVerdict::Invalid(
            InputFault::False { signature } | InputFault::Script { signature, .. },
        ) => signature.clone(),
        _ => None,
    }
}

fn is_mismatch(report: &InputReport) -> bool {
    let Some(SignatureFault::Check(Rejection::Check(mask))) = fault(report) else { return false };
    mask.first() == Some(Check::Match)
}

fn is_invalid(report: &InputReport) -> bool {
    matches!(report.verdict, InputVerdict::Invalid(_))
}

#[test]
fn what_is_signed_is_valid_in_one_round() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for (version, branch) in versions().cycle().take(120) {
        let locks: Vec<_> =
            (0..random.gen_range(1..5)).map(|_| Lock::random(&mut random)).collect();
        let draft = draft(version, branch, &locks, &mut random);
        let types: Vec<_> =
            locks.iter().map(|_| *HASH_TYPES.choose(&mut random).unwrap()).collect();
        let scripts: Vec<_> =
            pushes(&draft, &locks, &types).iter().map(|pushes| script_of(pushes)).collect();
        let (_, height, _) = ERAS.iter().find(|(era, ..)| *era == branch).unwrap();
        let transactions = [draft.bytes(&scripts)];
        let block = main_block_with_fees(branch, *height, draft.fee(), &transactions);
        let (report, rounds) = report(&block, &draft.spent(|_| true), Known::default());
        assert!(report.verdict() != Verdict::Invalid, "version {version}, {branch:?}: {report:#?}");
        assert_eq!((report.inputs().valid, rounds), (locks.len(), 1));
    }
}

#[test]
fn the_kinds_of_scripts_are_named() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut key = || Key::random(&mut random);
    let multisig = Lock::MultiSig(vec![key(), key(), key()], vec![0, 2]);
    let other = Lock::After(vec![0x61], Box::new(Lock::PubKey(key())));
    let locks = [Lock::PubKeyHash(key()), Lock::PubKey(key()), multisig, other];
    let wrapped = locks.clone().map(|lock| Lock::ScriptHash(Box::new(lock)));
    let names = ["P2PKH", "P2PK", "2-of-3 multisig", "other script"];
    for (prefix, locks) in [("", locks), ("P2SH ", wrapped)] {
        for (lock, name) in locks.into_iter().zip(names) {
            let draft = draft(4, BranchId::Canopy, std::slice::from_ref(&lock), &mut random);
            let pushes = pushes(&draft, &[lock], &[1]);
            let report = verdicts(&draft, &[script_of(&pushes[0])], &draft.spent(|_| true));
            assert!(all_valid(&report));
            assert_eq!(
                report[0].kind.as_ref().map(Kind::to_string),
                Some(format!("{prefix}{name}"))
            );
        }
    }
}

#[test]
fn other_signatures_keys_and_types_are_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for (version, branch) in versions().cycle().take(60) {
        let lock = Lock::PubKeyHash(Key::random(&mut random));
        let lock = if random.gen() { Lock::ScriptHash(Box::new(lock)) } else { lock };
        let draft = draft(version, branch, std::slice::from_ref(&lock), &mut random);
        let hash_type = *HASH_TYPES.choose(&mut random).unwrap();
        let good = pushes(&draft, &[lock], &[hash_type]).remove(0);
        let spent = draft.spent(|_| true);
        let one = |pushes: &[Vec<u8>]| verdicts(&draft, &[script_of(pushes)], &spent).remove(0);
        assert_eq!(one(&good).verdict, InputVerdict::Valid);

        let mut flipped = good.clone();
        let at = flipped[0].len() - 2 - random.gen_range(0..20); // within s
        flipped[0][at] ^= 1 << random.gen_range(0..8);
        assert!(is_mismatch(&one(&flipped)), "version {version}");

        let mut other_type = good.clone();
        let other = HASH_TYPES.into_iter().find(|other| *other != hash_type).unwrap();
        *other_type[0].last_mut().unwrap() = other;
        assert!(is_mismatch(&one(&other_type)), "version {version}");

        // Undefined hash types: version 5 rejects them, earlier versions sign the byte unchanged.
        let mut undefined = good.clone();
        *undefined[0].last_mut().unwrap() = 0x41;
        match version {
            5.. => {
                assert_eq!(fault(&one(&undefined)), Some(SignatureFault::UndefinedHashType(0x41)))
            }
            _ => assert!(is_mismatch(&one(&undefined))),
        }

        let mut other_key = good.clone();
        other_key[1] = Key::random(&mut random).bytes;
        let InputVerdict::Invalid(InputFault::Script { reason, .. }) = one(&other_key).verdict
        else {
            panic!("another key");
        };
        assert_eq!(reason, "during interpretation: verify operation failed");

        let mut broken = good.clone();
        broken[0][0] = 0x31;
        assert!(is_invalid(&one(&broken)), "not DER");
        assert!(is_invalid(&one(&good[..1])), "no key");
        assert!(is_invalid(&one(&[])), "nothing");
    }
}

#[test]
fn what_is_signed_cannot_be_changed() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for (version, branch) in versions().cycle().take(60) {
        let locks: Vec<_> = (0..3).map(|_| Lock::random(&mut random)).collect();
        let draft = draft(version, branch, &locks, &mut random);
        let input = random.gen_range(0..3);
        let hash_type = *HASH_TYPES.choose(&mut random).unwrap();
        let types: Vec<_> = (0..3).map(|at| if at == input { hash_type } else { 1 }).collect();
        let scripts: Vec<_> =
            pushes(&draft, &locks, &types).iter().map(|pushes| script_of(pushes)).collect();
        let is_valid = |draft: &Draft| {
            let reports = verdicts(draft, &scripts, &draft.spent(|_| true));
            reports[input].verdict == InputVerdict::Valid
        };
        assert!(is_valid(&draft));
        let anyone = hash_type & 0x80 != 0;
        let (all, none) = (hash_type & 3 == 1, hash_type & 3 == 2);

        let mut changed = draft.clone();
        changed.inputs[input].value ^= 1;
        assert_eq!(is_valid(&changed), version < 3, "own value, {version} {hash_type:#x}");
        let other = (input + 1) % 3;
        let mut changed = draft.clone();
        changed.inputs[other].value ^= 1;
        assert_eq!(is_valid(&changed), version < 5 || anyone, "other value, {version}");
        let mut changed = draft.clone();
        changed.inputs[other].vout ^= 1;
        assert_eq!(is_valid(&changed), anyone, "other output, {version}");
        let mut changed = draft.clone();
        changed.inputs[input].sequence ^= 1;
        assert!(!is_valid(&changed), "own sequence, {version}");
        let mut changed = draft.clone();
        changed.inputs[other].sequence ^= 1;
        // Version 5 commits to all sequence numbers, with NONE and SINGLE too.
        let keeps = anyone || version < 5 && !all;
        assert_eq!(is_valid(&changed), keeps, "other sequence, {version} {hash_type:#x}");
        let mut changed = draft.clone();
        changed.outputs[input].0 ^= 1;
        assert_eq!(is_valid(&changed), none, "output of its number, {version}");
        let mut changed = draft.clone();
        changed.outputs[other].0 ^= 1;
        assert_eq!(is_valid(&changed), !all, "other output, {version} {hash_type:#x}");
        let mut changed = draft.clone();
        changed.lock_time ^= 1;
        assert!(!is_valid(&changed), "lock time, {version}");
        let mut changed = draft.clone();
        changed.inputs[input].script = Lock::random(&mut random).script();
        assert!(!is_valid(&changed), "another spent script, {version}");
    }
}

#[test]
fn multisig_wants_the_order_of_the_keys() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for round in 0..40 {
        let keys: Vec<_> = (0..5).map(|_| Key::random(&mut random)).collect();
        let mut signers: Vec<usize> = (0..5).collect();
        signers.shuffle(&mut random);
        signers.truncate(3);
        signers.sort_unstable();
        let lock = Lock::MultiSig(keys.clone(), signers.clone());
        let lock = if round % 2 == 0 { Lock::ScriptHash(Box::new(lock)) } else { lock };
        let (version, branch) = [(1, BranchId::Sprout), (5, BranchId::Nu6)][round % 2];
        let draft = draft(version, branch, std::slice::from_ref(&lock), &mut random);
        let good = pushes(&draft, &[lock], &[1]).remove(0);
        let spent = draft.spent(|_| true);
        let one = |pushes: &[Vec<u8>]| verdicts(&draft, &[script_of(pushes)], &spent).remove(0);
        assert_eq!(one(&good).verdict, InputVerdict::Valid, "{signers:?}");
        let swapped = |a: usize, b: usize| {
            let mut pushes = good.clone();
            pushes.swap(a, b);
            pushes
        };
        for (a, b) in [(1, 2), (2, 3), (1, 3)] {
            assert!(is_mismatch(&one(&swapped(a, b))), "{signers:?}");
        }
        let mut doubled = good.clone();
        doubled[2] = doubled[1].clone();
        assert!(is_mismatch(&one(&doubled)), "the same signature twice");
        let mut fewer = good.clone();
        fewer.remove(2);
        assert!(is_invalid(&one(&fewer)), "one signature fewer");
        let mut no_dummy = good.clone();
        no_dummy.remove(0);
        assert!(is_invalid(&one(&no_dummy)), "nothing to pop at the end");
        let mut empty = good.clone();
        empty[2].clear();
        assert!(is_invalid(&one(&empty)), "an empty signature");
        // The extra value that it pops may be anything.
        let mut dummy = good.clone();
        dummy[0] = vec![random.gen(); 3];
        assert_eq!(one(&dummy).verdict, InputVerdict::Valid);
    }
}

#[test]
fn the_largest_multisig_is_asked_in_one_round() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    for required in [1, 7, 10, 20] {
        let keys: Vec<_> = (0..20).map(|_| Key::random(&mut random)).collect();
        let mut signers = rand::seq::index::sample(&mut random, 20, required).into_vec();
        signers.sort_unstable();
        // Numbers above 16 are pushed as bytes.
        let number = |number: usize| match number {
            0..=16 => vec![0x50 + number as u8],
            _ => vec![1, number as u8],
        };
        let mut script = number(required);
        keys.iter().for_each(|key| script.extend(crate::common::sign::push(&key.bytes)));
        script.extend(number(20));
        script.push(crate::common::sign::OP_CHECKMULTISIG);
        let mut draft = draft(4, BranchId::Canopy, &[Lock::PubKey(keys[0].clone())], &mut random);
        draft.inputs[0].script = script.clone();
        let digest = digest(&draft, 0, script, 1);
        let mut pushes = vec![vec![]];
        pushes.extend(signers.iter().map(|signer| keys[*signer].sign(digest, 1)));
        let block = main_block(BranchId::Canopy, 1_500_000, &[draft.bytes(&[script_of(&pushes)])]);
        let spent = draft.spent(|_| true);
        let questions = block.checks(&spent, Known::default()).requests().len();
        assert_eq!(questions, required * (21 - required));
        let (report, rounds) = report(&block, &spent, Known::default());
        assert_eq!((report.inputs().valid, rounds), (1, 1), "{required}");
    }
}

#[test]
fn single_without_an_output_of_its_number() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for (version, branch) in versions() {
        let locks: Vec<_> = (0..2).map(|_| Lock::PubKey(Key::random(&mut random))).collect();
        let mut draft = draft(version, branch, &locks, &mut random);
        draft.outputs.truncate(2);
        let code = locks[1].script();
        let signed = |draft: &Draft, types: [u8; 2], digest| {
            let first = pushes(draft, &locks[..1], &types[..1]);
            let second = locks[1].pushes(digest, types[1]);
            [script_of(&first[0]), script_of(&second)]
        };
        let types = [1, 3];
        draft.outputs.truncate(1);
        let digests: Vec<[u8; 32]> = match version {
            // The digest of Bitcoin for this case, 1 in either byte order, is never valid.
            1 | 2 | 5.. => vec![Hash::default().0, one(0), one(31)],
            _ => vec![digest(&draft, 1, code, 3)],
        };
        for digest in digests {
            let scripts = signed(&draft, types, digest);
            let reports = verdicts(&draft, &scripts, &draft.spent(|_| true));
            assert_eq!(reports[0].verdict, InputVerdict::Valid);
            match version {
                3 | 4 => assert_eq!(reports[1].verdict, InputVerdict::Valid, "{version}"),
                _ => assert_eq!(
                    fault(&reports[1]),
                    Some(SignatureFault::NoSuchOutput { input: 1 }),
                    "{version}"
                ),
            }
        }
    }

    fn one(at: usize) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes[at] = 1;
        bytes
    }
}

#[test]
fn without_the_spent_output_an_input_is_not_checked() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for (version, branch) in versions() {
        let locks: Vec<_> = (0..3).map(|_| Lock::random(&mut random)).collect();
        let draft = draft(version, branch, &locks, &mut random);
        let types = [1, 0x81, 2];
        let scripts: Vec<_> =
            pushes(&draft, &locks, &types).iter().map(|pushes| script_of(pushes)).collect();
        let reports = verdicts(&draft, &scripts, &draft.spent(|index| index != 2));
        let unknown = InputVerdict::Incomplete(NotChecked::SpentOutputUnknown { input: 2 });
        // From version 5 on signatures commit to all spent outputs, except with ANYONECANPAY.
        let first = if version >= 5 { unknown.clone() } else { InputVerdict::Valid };
        let verdicts: Vec<_> = reports.into_iter().map(|report| report.verdict).collect();
        assert_eq!(verdicts, [first, InputVerdict::Valid, unknown], "version {version}");
        let reports = crate::common::verdicts(&draft, &scripts, &SpentOutputs::default());
        let all = reports.iter().all(|report| {
            report.kind.is_none() && matches!(report.verdict, InputVerdict::Incomplete(_))
        });
        assert!(all);
    }
}

#[test]
fn lock_times_are_compared_as_consensus_has_it() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    // A height, CHECKLOCKTIMEVERIFY, DROP
    let prefix = [&[3][..], &1_000u32.to_le_bytes()[..3], &[0xb1, 0x75]].concat();
    let lock = Lock::After(prefix, Box::new(Lock::PubKeyHash(Key::random(&mut random))));
    for (version, branch) in versions() {
        for (lock_time, sequence, expected) in
            [(1_000, 0, true), (999, 0, false), (1_001, u32::MAX, false), (500_000_000, 0, false)]
        {
            let mut draft = draft(version, branch, std::slice::from_ref(&lock), &mut random);
            draft.lock_time = lock_time;
            draft.inputs[0].sequence = sequence;
            let pushes = pushes(&draft, std::slice::from_ref(&lock), &[1]);
            let report = verdicts(&draft, &[script_of(&pushes[0])], &draft.spent(|_| true));
            assert_eq!(all_valid(&report), expected, "{lock_time} {sequence}");
        }
    }
}
