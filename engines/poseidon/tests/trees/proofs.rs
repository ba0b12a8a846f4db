// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs and their text form: changes are detected, malformed parts are named in the error.

#![cfg(feature = "serde")]

use crate::common::{elements, random_leaves, rows};
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::tree::{Invalid, Proof, ProofError, Shape, Step};
use halimede_poseidon::Strength;
use proptest::prelude::*;
use serde_json::{json, Value};

/// The proof of leaf 9 of a tree of arities 2, 4, 2, whose leaves are hashes of pairs.
fn small_proof() -> Proof {
    let shape = Shape::joined(2, 2, &[4, 2]).unwrap();
    let labels = elements(&random_leaves(32, 1));
    let hasher = Hasher::new(2, Strength::Standard, HashType::MerkleTree).unwrap();
    let leaves = labels.chunks(2).map(|column| hasher.hash(column).unwrap()).collect();
    let rows = rows(leaves, &shape, Strength::Standard);
    let path = vec![
        Step { position: 1, siblings: vec![rows[0][8]] },
        Step { position: 0, siblings: rows[1][5..8].to_vec() },
        Step { position: 1, siblings: vec![rows[2][0]] },
    ];
    let column = labels[18..20].to_vec();
    Proof::new(Strength::Standard, rows[0][9], column, path, rows[3][0]).unwrap()
}

#[test]
fn a_proof_holds_for_its_root_and_survives_its_text() {
    let proof = small_proof();
    proof.verify(&proof.root()).unwrap();
    assert_eq!((proof.leaf_index(), proof.leaves()), (9, 16));
    let text = serde_json::to_string(&proof).unwrap();
    assert_eq!(serde_json::from_str::<Proof>(&text).unwrap(), proof);
    let pretty = serde_json::to_string_pretty(&proof).unwrap();
    assert_eq!(serde_json::from_str::<Proof>(&pretty).unwrap(), proof);
}

#[test]
fn a_changed_bit_anywhere_in_the_text_is_seen() {
    let proof = small_proof();
    let text = serde_json::to_vec_pretty(&proof).unwrap();
    for bit in 0..text.len() * 8 {
        let mut changed = text.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let holds = serde_json::from_slice::<Proof>(&changed)
            .is_ok_and(|changed| changed.verify(&proof.root()).is_ok());
        assert!(!holds, "bit {bit}: {}", String::from_utf8_lossy(&changed));
    }
}

#[test]
fn a_proof_of_other_parts_does_not_hold() {
    let proof = small_proof();
    let root = proof.root();
    type Change<'a> = &'a dyn Fn(&mut Fr, &mut Vec<Fr>, &mut Vec<Step>);
    let with = |change: Change<'_>| {
        let (mut leaf, mut column) = (proof.leaf(), proof.column().to_vec());
        let mut path = proof.path().to_vec();
        change(&mut leaf, &mut column, &mut path);
        Proof::new(Strength::Standard, leaf, column, path, root).unwrap().verify(&root)
    };
    with(&|_, _, _| ()).unwrap();
    assert!(matches!(with(&|leaf, _, _| *leaf += Fr::ONE), Err(Invalid::WrongColumn { .. })));
    assert!(matches!(
        with(&|leaf, column, _| {
            *leaf += Fr::ONE;
            column.clear();
        }),
        Err(Invalid::WrongPath { .. })
    ));
    assert!(matches!(with(&|_, column, _| column.swap(0, 1)), Err(Invalid::WrongColumn { .. })));
    for level in 0..3 {
        for sibling in 0..proof.path()[level].siblings.len() {
            let changed = with(&|_, _, path| path[level].siblings[sibling] += Fr::ONE);
            assert!(matches!(changed, Err(Invalid::WrongPath { .. })));
        }
        for position in 0..=proof.path()[level].siblings.len() {
            if position != proof.path()[level].position {
                assert!(with(&|_, _, path| path[level].position = position).is_err());
            }
        }
        assert!(with(&|_, _, path| drop(path.remove(level))).is_err());
    }
    let other = proof.verify(&(root + Fr::ONE)).unwrap_err();
    assert!(matches!(other, Invalid::OtherRoot { stated, .. } if stated == root));
    let parts = (proof.leaf(), proof.column().to_vec(), proof.path().to_vec());
    let stronger = Proof::new(Strength::Strengthened, parts.0, parts.1, parts.2, root).unwrap();
    assert!(stronger.verify(&root).is_err());
}

#[test]
fn malformed_texts_are_refused_by_name() {
    let good = serde_json::to_value(small_proof()).unwrap();
    let r = "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
    let short = good["leaf"].as_str().unwrap()[..65].to_string();
    let upper = good["leaf"].as_str().unwrap().to_uppercase().replace("0X", "0x");
    let cases: Vec<(&str, Value, &str)> = vec![
        ("/leaf", json!(r), "leaf: 0x73eda753"),
        ("/root", json!(r), "root: 0x73eda753"),
        ("/path/1/siblings/2", json!(r), "sibling of level 1, 2: 0x73eda753"),
        ("/column/1", json!(r), "label of the column, 1"),
        ("/leaf", json!(short), "0x and 64 lower-case digits"),
        ("/leaf", json!(upper), "0x and 64 lower-case digits"),
        ("/leaf", json!("17"), "beginning with 0x"),
        ("/leaf", json!(17), "invalid type"),
        ("/root", json!(null), "invalid type"),
        ("/column", json!(["0x1"]), "0x and 64"),
        ("/column", json!([good["leaf"]]), "the column"),
        ("/column", json!([good["leaf"], good["leaf"], good["leaf"]]), "the column"),
        ("/path", json!([]), "1 to 64 levels, got 0"),
        ("/path", json!(vec![&good["path"][0]; 65]), "got 65"),
        ("/path", json!(vec![&good["path"][0]; 64]), "2^64"),
        ("/path/0/siblings", json!([]), "level 0 of the path has 0 siblings"),
        ("/path/1/siblings", json!(vec![&good["leaf"]; 99]), "level 1 of the path has 99 siblings"),
        ("/path/1/position", json!(4), "position 4 in a group of 4"),
        ("/path/0/position", json!(u64::MAX), "in a group of 2"),
        ("/path/0/position", json!(-1), "invalid value"),
        ("/path/0/position", json!(0), "leaf_index is 9, but the positions are those of leaf 8"),
        ("/leaf_index", json!(25), "leaf_index is 25"),
        ("/strength", json!("weak"), "unknown strength \"weak\""),
        ("/format", json!("halimede-poseidon-proof-2"), "format is"),
    ];
    for (place, value, reason) in cases {
        let mut changed = good.clone();
        *changed.pointer_mut(place).unwrap() = value;
        let error = serde_json::from_value::<Proof>(changed).unwrap_err();
        assert!(error.to_string().contains(reason), "{place}: {error}");
    }
    for missing in ["format", "strength", "leaf_index", "leaf", "path", "root"] {
        let mut changed = good.clone();
        changed.as_object_mut().unwrap().remove(missing);
        let error = serde_json::from_value::<Proof>(changed).unwrap_err();
        assert!(error.to_string().contains(missing), "{error}");
    }
    let mut extra = good.clone();
    extra["note"] = json!("x");
    assert!(serde_json::from_value::<Proof>(extra).is_err());
    let text = good.to_string();
    for length in 0..text.len() {
        assert!(serde_json::from_str::<Proof>(&text[..length]).is_err());
    }
}

#[test]
fn parts_that_are_no_proof_are_refused() {
    let step = |siblings: usize, position| Step { position, siblings: vec![Fr::ONE; siblings] };
    let make = |path, column: usize| {
        Proof::new(Strength::Standard, Fr::ONE, vec![Fr::ONE; column], path, Fr::ONE)
    };
    assert!(make(vec![step(7, 7)], 11).is_ok());
    assert!(matches!(make(vec![], 0), Err(ProofError::Levels { got: 0 })));
    assert!(matches!(make(vec![step(7, 8)], 0), Err(ProofError::Position { arity: 8, .. })));
    assert!(matches!(make(vec![step(0, 0)], 0), Err(ProofError::Siblings { siblings: 0, .. })));
    assert!(matches!(make(vec![step(7, 0); 22], 0), Err(ProofError::TooManyLeaves)));
    assert!(matches!(make(vec![step(7, 0)], 3), Err(ProofError::Column(_))));
}

proptest! {
    /// Any text gives an error, a proof that does not hold, or the original proof.
    #[test]
    fn any_text_is_a_proof_or_refused(
        place in any::<prop::sample::Index>(),
        replacement in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut text = serde_json::to_vec(&small_proof()).unwrap();
        let start = place.index(text.len());
        let end = (start + replacement.len()).min(text.len());
        text.splice(start..end, replacement);
        if let Ok(proof) = serde_json::from_slice::<Proof>(&text) {
            let holds = proof.verify(&small_proof().root()).is_ok();
            prop_assert!(!holds || proof == small_proof());
        }
    }
}
