// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares signature hashes with published ones.

use serde::Deserialize;
use zcash_protocol::value::Zatoshis;

use super::*;
use crate::hash::Hash;

/// A transaction of version 3 or 4 (vectors/README.md).
#[derive(Deserialize)]
struct BranchVector {
    tx: String,
    script: String,
    input: usize,
    hash_type: u8,
    value: u64,
    branch: String,
    sighash: String,
}

/// A transaction of version 5.
#[derive(Deserialize)]
struct AllSpentVector {
    tx: String,
    txid: String,
    values: Vec<u64>,
    scripts: Vec<String>,
    input: usize,
    all: Option<String>,
    none: Option<String>,
    single: Option<String>,
    all_anyone: Option<String>,
    none_anyone: Option<String>,
    single_anyone: Option<String>,
}

/// A transaction before Overwinter.
#[derive(Deserialize)]
struct LegacyVector {
    tx: String,
    script: String,
    input: usize,
    hash_type: u32,
    sighash: Hash,
}

fn transaction(hex_digits: &str) -> BlockTransaction {
    BlockTransaction::parse(&hex::decode(hex_digits).unwrap()).unwrap()
}

fn output(value: u64, script: &str) -> TxOut {
    let script = Script(Code(hex::decode(script).unwrap()));
    TxOut::new(Zatoshis::from_u64(value).unwrap(), script)
}

#[test]
fn before_overwinter_as_zcashd() {
    let vectors: Vec<LegacyVector> =
        serde_json::from_str(include_str!("../../vectors/sighash_zcashd.json")).unwrap();
    assert!(!vectors.is_empty());
    for vector in vectors {
        let transaction = transaction(&vector.tx);
        let script = hex::decode(&vector.script).unwrap();
        let digest = Legacy::new(&transaction).digest(vector.input, &script, vector.hash_type);
        assert_eq!(Hash(digest), vector.sighash);
    }
}

#[test]
fn from_overwinter_on_as_zip_143_and_zip_243() {
    let vectors =
        [include_str!("../../vectors/zip_0143.json"), include_str!("../../vectors/zip_0243.json")];
    let vectors = vectors.map(|text| serde_json::from_str::<Vec<BranchVector>>(text).unwrap());
    assert_eq!(vectors.each_ref().map(Vec::len), [6, 2]);
    for vector in vectors.into_iter().flatten() {
        let transaction = transaction(&vector.tx);
        let branch = match vector.branch.as_str() {
            "Overwinter" => BranchId::Overwinter,
            "Sapling" => BranchId::Sapling,
            other => panic!("{other}"),
        };
        let inputs = transaction.transaction().transparent_bundle().unwrap().vin.len();
        // The other spent outputs are not signed.
        let mut spent = vec![None; inputs];
        spent[vector.input] = Some(output(vector.value, "51"));
        let code = Code(hex::decode(&vector.script).unwrap());
        let digest = |branch, spent| {
            let digests = Digests::new(&transaction, branch, spent);
            digests.digest(vector.input, &code, vector.hash_type)
        };
        let expected = hex::decode(&vector.sighash).unwrap();
        assert_eq!(digest(Some(branch), spent.clone()).unwrap().to_vec(), expected);
        // The value is signed, and so is the branch; version 3 has only one.
        spent[vector.input] = Some(output(vector.value + 1, "51"));
        assert_ne!(digest(Some(branch), spent.clone()).unwrap().to_vec(), expected);
        spent[vector.input] = Some(output(vector.value, "51"));
        let other = digest(Some(BranchId::Canopy), spent.clone()).unwrap().to_vec();
        assert_eq!(other == expected, branch == BranchId::Overwinter);
        let unknown = Err(DigestError::NotChecked(NotChecked::BranchUnknown));
        assert_eq!(digest(None, spent.clone()) == unknown, branch == BranchId::Sapling);
        spent[vector.input] = None;
        let unknown = NotChecked::SpentOutputUnknown { input: vector.input };
        assert_eq!(digest(Some(branch), spent), Err(DigestError::NotChecked(unknown)));
    }
}

#[test]
fn from_version_5_on_as_zip_244() {
    let vectors: Vec<AllSpentVector> =
        serde_json::from_str(include_str!("../../vectors/zip_0244.json")).unwrap();
    assert_eq!(vectors.len(), 6);
    for vector in vectors {
        let transaction = transaction(&vector.tx);
        assert_eq!(hex::encode(transaction.txid().0), vector.txid);
        let pairs = vector.values.iter().zip(&vector.scripts);
        let spent: Vec<_> = pairs.map(|(value, script)| Some(output(*value, script))).collect();
        let all_spent = Digests::new(&transaction, None, spent.clone());
        let code = Code(vec![0x51]); // not signed: the output's script is
        let types = [
            (1, &vector.all),
            (2, &vector.none),
            (3, &vector.single),
            (0x81, &vector.all_anyone),
            (0x82, &vector.none_anyone),
            (0x83, &vector.single_anyone),
        ];
        for (hash_type, expected) in types {
            let digest = all_spent.digest(vector.input, &code, hash_type);
            let Some(expected) = expected else {
                let fault = SignatureFault::NoSuchOutput { input: vector.input };
                assert_eq!(digest, Err(DigestError::Fault(fault)));
                continue;
            };
            assert_eq!(&hex::encode(digest.unwrap()), expected, "{hash_type:#x}");
            // Without another input's output, signatures that commit to it have no digest.
            for missing in (0..spent.len()).filter(|index| *index != vector.input) {
                let mut fewer = spent.clone();
                fewer[missing] = None;
                let digests = Digests::new(&transaction, None, fewer);
                let digest = digests.digest(vector.input, &code, hash_type);
                let unknown = NotChecked::SpentOutputUnknown { input: missing };
                match hash_type & SIGHASH_ANYONECANPAY {
                    0 => assert_eq!(digest, Err(DigestError::NotChecked(unknown))),
                    _ => assert_eq!(&hex::encode(digest.unwrap()), expected),
                }
            }
        }
        for hash_type in (0..=255).filter(|hash_type| !matches!(hash_type & 0x7f, 1..=3)) {
            let fault = SignatureFault::UndefinedHashType(hash_type);
            let digest = all_spent.digest(vector.input, &code, hash_type);
            assert_eq!(digest, Err(DigestError::Fault(fault)));
        }
    }
}
