// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures and points as rows of bytes against the engines' own types: the same verdicts, in one
//! piece and in many.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use halimede_bls12_381::operations::Signatures;
use halimede_bls12_381::signature::{verify_batch, Aggregate, Group, Scheme, Signed, Suite};
use halimede_bls12_381::{Point, PointError, G1, G2};
use halimede_device::flat::points::{Curve, ToCurve};
use halimede_device::flat::{bls, ecdsa, points, schnorr, FlatError, Invalid, Outcome, Verdict};
use halimede_device::{interrupt, Device};
use halimede_secp256k1::recovery::{recover, Numbering, Rules};
use halimede_secp256k1::schnorr as engine;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

const BIP_340: &str = include_str!("../../../engines/secp256k1/vectors/bip340.csv");

/// What the work gives where nothing can interrupt it, and in pieces.
fn whole_and_in_pieces<T: PartialEq + std::fmt::Debug>(work: impl Fn() -> T) -> T {
    let whole = work();
    let in_pieces = interrupt::by(&Arc::new(AtomicBool::new(false)), work);
    assert_eq!(whole, in_pieces);
    whole
}

fn reasons(verdicts: &[Verdict]) -> Vec<Result<(), String>> {
    verdicts.iter().map(|verdict| verdict.clone().map_err(|invalid| invalid.reason)).collect()
}

fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

#[test]
fn schnorr_signatures_have_the_engines_verdicts() {
    let cpu = Device::cpu();
    let vectors: Vec<[Vec<u8>; 3]> = BIP_340
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.splitn(8, ',').collect();
            [2, 4, 5].map(|field: usize| bytes(fields[field]))
        })
        .collect();
    // More than a piece.
    let rows = vectors.iter().cycle().take(20_000);
    let rows: Vec<engine::Signed<'_>> =
        rows.map(|[key, message, signature]| engine::Signed { key, message, signature }).collect();
    let found = whole_and_in_pieces(|| schnorr::verify(&cpu, &rows).unwrap());
    let alone: Vec<_> = rows[..vectors.len()].iter().map(|row| engine::verify(*row)).collect();
    for (verdict, alone) in found.iter().zip(alone.iter().cycle()) {
        assert_eq!(verdict.is_ok(), alone.is_ok());
        let reason = alone.as_ref().map_err(ToString::to_string).copied();
        assert_eq!(verdict.clone().map_err(|invalid| invalid.reason), reason);
    }
    let outcomes: Vec<Outcome> = found[5..15].iter().map(Outcome::of).collect();
    use Outcome::{Infinity, Key, Mismatch, OddY, RRange, SRange};
    let expected =
        [Key, OddY, Mismatch, Mismatch, Infinity, Infinity, Mismatch, RRange, SRange, Key];
    assert_eq!(outcomes, expected);
    assert!(schnorr::verify(&cpu, &[]).unwrap().is_empty());
}

#[test]
fn recovered_keys_are_the_engines() {
    let (cpu, mut generator) = (Device::cpu(), ChaCha8Rng::seed_from_u64(7));
    let mut random = |length: usize| {
        let mut bytes = vec![0; length];
        generator.fill_bytes(&mut bytes);
        bytes
    };
    let rows: Vec<(Vec<u8>, Vec<u8>)> = (0..200usize)
        .map(|row| {
            let mut signature = random(if row % 40 == 7 { 64 } else { 65 });
            signature[63] %= 250;
            if let Some(id) = signature.get_mut(64) {
                *id = [0, 1, 27, 28, 2, 4][row % 6];
            }
            (random(20 + row % 20), signature)
        })
        .collect();
    let digests: Vec<&[u8]> = rows.iter().map(|(digest, _)| &digest[..]).collect();
    let signatures: Vec<&[u8]> = rows.iter().map(|(_, signature)| &signature[..]).collect();
    for numbering in [Numbering::Plain, Numbering::Ethereum] {
        let rules = Rules { numbering, low_s: numbering == Numbering::Ethereum };
        let found =
            whole_and_in_pieces(|| ecdsa::recover(&cpu, rules, &digests, &signatures).unwrap());
        assert!(found.iter().any(Result::is_ok));
        for ((digest, signature), found) in rows.iter().zip(&found) {
            let alone = recover(rules, digest, signature);
            let reason = |invalid: &Invalid| invalid.reason.clone();
            assert_eq!(found.as_ref().map_err(reason).copied(), alone.map_err(|e| e.to_string()));
        }
    }
}

/// The published signature, and what is wrong with others, as the engine says it.
#[test]
fn bls_signatures_have_the_engines_verdicts() {
    let key = bytes(
        "a491d1b0ecd9bb917989f0e74f0dea0422eac4a873e5e2644f368dffb9a6e20fd6e10c1b77654d067c0618f6e5\
         a7f79a",
    );
    let signature = bytes(
        "882730e5d03f6b42c3abc26d3372625034e1d871b65a8a6b900a56dae22da98abbe1b68f85e49fe7652a55ec3d\
         0591c20767677e33e5cbb1207315c41a9ac03be39c2e7668edc043d6cb1d9fd93033caa8a1c5b0e84bedaeb6c6\
         4972503a43eb",
    );
    let (cpu, suite) =
        (Device::cpu(), Suite { group: Group::MinPk, scheme: Scheme::ProofOfPossession });
    let infinity = Point::<G1>::default().to_compressed();
    let rows: [[&[u8]; 3]; 5] = [
        [&key, &[0x56; 32], &signature],
        [&key, &[0x57; 32], &signature],
        [&infinity, &[0x56; 32], &signature],
        [&key, &[0x56; 32], &signature[1..]],
        [&key[..40], &[0x56; 32], &signature],
    ];
    let rows: Vec<[&[u8]; 3]> = rows.into_iter().cycle().take(600).collect();
    let [keys, messages, signatures] =
        [0, 1, 2].map(|part| rows.iter().map(|row| row[part]).collect::<Vec<_>>());
    let batch = Signatures::new(suite, &keys[..], &messages[..], &signatures[..]);
    let found = whole_and_in_pieces(|| bls::verify(&cpu, batch).unwrap());
    let signed = rows.iter().map(|[key, message, signature]| Signed { key, message, signature });
    let alone = verify_batch(suite, &signed.collect::<Vec<_>>());
    let alone: Vec<_> =
        alone.into_iter().map(|verdict| verdict.map_err(|why| why.to_string())).collect();
    assert_eq!(reasons(&found), alone);
    let outcomes: Vec<Outcome> = found[..5].iter().map(Outcome::of).collect();
    use Outcome::{Key, Mismatch, Signature, Valid};
    assert_eq!(outcomes, [Valid, Mismatch, Key, Signature, Key]);

    // The same key several times, with as many signatures; and one key more than signatures.
    let (message, most) = (&[0x56; 32][..], 700);
    let many = vec![&key[..]; most + 1];
    let sums: Vec<Vec<u8>> = (1..=6)
        .map(|count| bls::aggregate(Group::MinPk, &vec![&signature[..]; most * count / 6]).unwrap())
        .collect();
    let aggregates: Vec<Aggregate<'_>> = sums
        .iter()
        .enumerate()
        .map(|(row, signature)| {
            let keys = &many[..most * (row + 1) / 6 + usize::from(row == 3)];
            Aggregate { keys, message, signature }
        })
        .collect();
    // Keys of all aggregates are more than a piece.
    let found = whole_and_in_pieces(|| bls::verify_aggregates(Group::MinPk, &aggregates).unwrap());
    let valid: Vec<bool> = found.iter().map(Result::is_ok).collect();
    assert_eq!(valid, [true, true, true, false, true, true]);
    assert!(bls::verify_aggregates(Group::MinPk, &[]).unwrap().is_empty());
    let error = bls::aggregate(Group::MinPk, &[&signature, &key]).unwrap_err();
    assert!(matches!(error, FlatError::Aggregate(_)), "{error}");
}

#[test]
fn points_that_are_refused_are_named() {
    let (cpu, mut generator) = (Device::cpu(), ChaCha8Rng::seed_from_u64(8));
    let to = ToCurve { curve: Curve::G1, domain: (*b"tag").into(), encode: false };
    let messages: Vec<[u8; 3]> = (0..40).map(|_| generator.gen()).collect();
    let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
    let hashes = points::hash_to_curve(&cpu, &to, &messages).unwrap();
    let mut rows: Vec<&[u8]> = hashes.iter().map(|hash| &hash[..]).collect();
    let sum = points::sum(&cpu, Curve::G1, &rows, None).unwrap();
    let two = [&[0; 31][..], &[2]].concat();
    let twos = vec![two.try_into().unwrap(); 40];
    let double = points::sum(&cpu, Curve::G1, &rows, Some(&twos)).unwrap();
    assert_eq!(double, points::sum(&cpu, Curve::G1, &[&sum, &sum], None).unwrap());
    rows[33] = &rows[33][1..];
    for error in [
        points::sum(&cpu, Curve::G1, &rows, None).unwrap_err(),
        points::sum(&cpu, Curve::G1, &rows, Some(&twos)).unwrap_err(),
    ] {
        let FlatError::Point { array: "points", row: 33, error } = error else {
            panic!("{error}");
        };
        assert_eq!(error, PointError::Length { group: "G1", expected: 48, got: 47 });
    }
    let g2 = Point::<G2>::generator().to_compressed();
    let error = points::pairing_product(&cpu, &[&sum, &sum], &[&g2, &sum]).unwrap_err();
    assert!(matches!(error, FlatError::Point { array: "g2", row: 1, .. }), "{error}");
    let elements: Vec<&[u8]> = vec![&[1; 48], &[1; 48], &[0xff; 48]];
    let error = points::map_to_curve(&cpu, Curve::G1, &elements).unwrap_err();
    assert!(matches!(error, FlatError::Hash { row: 2, .. }), "{error}");
}
