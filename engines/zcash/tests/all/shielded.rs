// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shielded parts: encodings, amounts, flags and nullifiers. Their proofs and signatures are not
//! checked, and reports say so.

use crate::common::{coinbase, coinbase_draft, main_block, report, Draft};
use halimede_zcash::{BlockTransaction, BranchId, Known, SpentOutputs, TransactionFault};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

const MAX_MONEY: u64 = 2_100_000_000_000_000;

/// A transaction of version 4 or 5: see vectors/README.md.
#[derive(Deserialize)]
struct Vector {
    tx: String,
}

fn vectors() -> Vec<Vec<u8>> {
    let files =
        [include_str!("../../vectors/zip_0243.json"), include_str!("../../vectors/zip_0244.json")];
    let read = |file: &&str| -> Vec<Vector> { serde_json::from_str(file).unwrap() };
    let all = files.iter().flat_map(read);
    all.map(|vector| hex::decode(vector.tx).unwrap()).collect()
}

/// Returns the position of a field.
fn place(bytes: &[u8], field: &[u8]) -> usize {
    bytes.windows(field.len()).position(|window| window == field).unwrap()
}

/// Replaces bytes from a position on.
fn patched(bytes: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + with.len()].copy_from_slice(with);
    bytes
}

fn is_refused(bytes: &[u8]) -> bool {
    BlockTransaction::parse(bytes).is_err()
}

/// The faults of a transaction that follows another one.
fn faults(branch: BranchId, height: u32, transactions: &[Vec<u8>]) -> Vec<TransactionFault> {
    let block = main_block(branch, height, transactions);
    let (report, _) = report(&block, &SpentOutputs::default(), Known::default());
    report.transactions.last().unwrap().faults.clone()
}

#[test]
fn version_zero_is_none() {
    let bytes = coinbase(BranchId::Sprout, 1, 120_000);
    assert!(!is_refused(&bytes));
    assert!(is_refused(&patched(&bytes, 0, &[0])));
}

#[test]
fn encodings_of_sapling() {
    let (high, identity) = ([0xff; 32], [&[1][..], &[0; 31]].concat());
    let mut seen = [0; 2];
    for bytes in vectors() {
        let parsed = BlockTransaction::parse(&bytes).unwrap();
        let Some(bundle) = parsed.transaction().sapling_bundle() else { continue };
        for spend in bundle.shielded_spends() {
            seen[0] += 1;
            let cv = place(&bytes, &spend.cv().to_bytes());
            let rk = place(&bytes, &<[u8; 32]>::from(*spend.rk()));
            let anchor = place(&bytes, &spend.anchor().to_bytes());
            for at in [cv, rk, anchor] {
                assert!(is_refused(&patched(&bytes, at, &high)));
            }
            assert!(is_refused(&patched(&bytes, cv, &identity)));
        }
        for output in bundle.shielded_outputs() {
            seen[1] += 1;
            let cv = place(&bytes, &output.cv().to_bytes());
            let cmu = place(&bytes, &output.cmu().to_bytes());
            for at in [cv, cmu] {
                assert!(is_refused(&patched(&bytes, at, &high)));
            }
            assert!(is_refused(&patched(&bytes, cv, &identity)));
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

#[test]
fn encodings_of_orchard() {
    let mut seen = 0;
    for bytes in vectors() {
        let parsed = BlockTransaction::parse(&bytes).unwrap();
        let Some(bundle) = parsed.transaction().orchard_bundle() else { continue };
        for action in bundle.actions() {
            seen += 1;
            let fields = [
                action.cv_net().to_bytes(),
                action.nullifier().to_bytes(),
                <[u8; 32]>::from(action.rk()),
                action.cmx().to_bytes(),
                bundle.anchor().to_bytes(),
            ];
            for field in fields {
                assert!(is_refused(&patched(&bytes, place(&bytes, &field), &[0xff; 32])));
            }
        }
    }
    assert!(seen > 0);
}

#[test]
fn flags_of_orchard() {
    let mut seen = 0;
    for bytes in vectors() {
        let parsed = BlockTransaction::parse(&bytes).unwrap();
        let Some(bundle) = parsed.transaction().orchard_bundle() else { continue };
        seen += 1;
        let at = place(&bytes, &bundle.anchor().to_bytes()) - 8 - 1; // before balance and anchor
        let flags = u8::from(bundle.flags().spends_enabled())
            | u8::from(bundle.flags().outputs_enabled()) << 1;
        assert_eq!(bytes[at], flags);
        for bit in 2..8 {
            assert!(is_refused(&patched(&bytes, at, &[bytes[at] | 1 << bit])));
        }
        let idle = faults(BranchId::Nu5, 1_700_000, &[patched(&bytes, at, &[0])]);
        assert!(idle.contains(&TransactionFault::OrchardFlags), "{idle:?}");
        let awake = faults(BranchId::Nu5, 1_700_000, &[patched(&bytes, at, &[2])]);
        assert!(!awake.contains(&TransactionFault::OrchardFlags), "{awake:?}");
    }
    assert!(seen > 0);
}

#[test]
fn balances_are_no_more_than_all_the_money() {
    let most = i64::try_from(MAX_MONEY).unwrap();
    let check = |bytes: &[u8], at: usize| {
        for (balance, refused) in
            [(most, false), (-most, false), (most + 1, true), (-most - 1, true), (i64::MIN, true)]
        {
            assert_eq!(is_refused(&patched(bytes, at, &balance.to_le_bytes())), refused);
        }
    };
    let mut seen = [0; 2];
    for bytes in vectors() {
        let parsed = BlockTransaction::parse(&bytes).unwrap();
        let (data, is_v5) = (parsed.transaction(), bytes[0] == 5);
        let spend = data.sapling_bundle().and_then(|bundle| bundle.shielded_spends().first());
        if let Some(spend) = spend.filter(|_| is_v5) {
            check(&bytes, place(&bytes, &spend.anchor().to_bytes()) - 8);
            seen[0] += 1;
        }
        if let Some(bundle) = data.orchard_bundle() {
            check(&bytes, place(&bytes, &bundle.anchor().to_bytes()) - 8);
            seen[1] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
    let bytes = coinbase(BranchId::Canopy, 4, 1_500_000);
    check(&bytes, bytes.len() - 3 - 8); // before the numbers of spends, outputs and JoinSplits
}

/// A transaction with a JoinSplit of these amounts, which has this nullifier once or twice.
fn with_join_split(
    version: u32,
    [takes, gives]: [u64; 2],
    nullifiers: [[u8; 32]; 2],
    random: &mut ChaCha8Rng,
) -> Vec<u8> {
    let branch = if version == 4 { BranchId::Canopy } else { BranchId::Sprout };
    let draft = Draft { version, inputs: vec![], ..coinbase_draft(branch, version, 0) };
    let mut bytes = draft.bytes(&[]);
    assert_eq!(bytes.pop(), Some(0)); // the number of JoinSplits
    bytes.push(1);
    bytes.extend(takes.to_le_bytes());
    bytes.extend(gives.to_le_bytes());
    bytes.extend((0..32).map(|_| random.gen::<u8>()));
    bytes.extend(nullifiers.concat());
    let proof = if version == 4 { 192 } else { 296 };
    let rest = 64 + 32 + 32 + 64 + proof + 1_202 + 32 + 64;
    bytes.extend((0..rest).map(|_| random.gen::<u8>()));
    bytes
}

#[test]
fn amounts_of_join_splits() {
    let mut random = ChaCha8Rng::seed_from_u64(0x105);
    let eras = [(2, BranchId::Sprout, 120_000), (4, BranchId::Canopy, 1_500_000)];
    for (version, branch, height) in eras {
        let mut values = |amounts| {
            let nullifiers = [random.gen(), random.gen()];
            let bytes = with_join_split(version, amounts, nullifiers, &mut random);
            let faults = faults(branch, height, &[bytes]);
            let is_of_values = |fault: &TransactionFault| {
                matches!(fault, TransactionFault::JoinSplitValues { .. })
            };
            faults.iter().any(is_of_values)
        };
        assert_eq!([values([0, 0]), values([0, 7]), values([7, 7])], [false, false, true]);
        assert_eq!(values([7, 0]), version == 4);
        for amounts in [[MAX_MONEY + 1, 0], [0, MAX_MONEY + 1], [u64::MAX, 0]] {
            let bytes = with_join_split(version, amounts, [[1; 32], [2; 32]], &mut random);
            assert!(is_refused(&bytes), "{amounts:?}");
        }
    }
}

#[test]
fn a_nullifier_is_revealed_once() {
    let mut random = ChaCha8Rng::seed_from_u64(0x2e7);
    let nullifiers: [[u8; 32]; 3] = [random.gen(), random.gen(), random.gen()];
    let mut of = |which: [usize; 2]| {
        let pair = which.map(|which| nullifiers[which]);
        with_join_split(2, [0, 7], pair, &mut random)
    };
    let repeated = |transactions: &[Vec<u8>], branch, height| -> Vec<(&'static str, usize)> {
        let faults = faults(branch, height, transactions);
        let of = |fault: &TransactionFault| match fault {
            TransactionFault::NullifierRepeated { pool, by, .. } => Some((*pool, *by)),
            _ => None,
        };
        faults.iter().filter_map(of).collect()
    };
    let (sprout, height) = (BranchId::Sprout, 120_000);
    assert_eq!(repeated(&[of([0, 1])], sprout, height), []);
    assert_eq!(repeated(&[of([0, 0])], sprout, height), [("Sprout", 1)]);
    assert_eq!(repeated(&[of([0, 1]), of([2, 1])], sprout, height), [("Sprout", 1)]);
    let mut seen = [0; 2];
    for bytes in vectors().into_iter().filter(|bytes| bytes[0] == 5) {
        let parsed = BlockTransaction::parse(&bytes).unwrap();
        let data = parsed.transaction();
        let spends = data.sapling_bundle().map_or(0, |bundle| bundle.shielded_spends().len());
        let actions = data.orchard_bundle().map_or(0, |bundle| bundle.actions().len());
        let other = patched(&bytes, 12, &[bytes[12] ^ 1]); // another lock time
        let found = repeated(&[bytes, other], BranchId::Nu5, 1_700_000);
        let count = |pool| found.iter().filter(|found| **found == (pool, 1)).count();
        assert_eq!([count("Sapling"), count("Orchard")], [spends, actions]);
        seen[0] += spends;
        seen[1] += actions;
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}
