// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS signatures of all suites: the verdicts are those of the engine.

use bls12_381::hash_to_curve::{ExpandMsgXmd, HashToCurve};
use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use halimede_bls12_381::signature::{self as engine, Aggregate, Group, Signed, Suite};
use halimede_javascript::signature::{
    aggregate_verify, fast_aggregate_verify, verify, KeyGroup, Scheme,
};
use sha2::Sha256;

type Xmd = ExpandMsgXmd<Sha256>;

fn names_of(suite: Suite) -> (KeyGroup, Scheme) {
    let group = match suite.group {
        Group::MinPk => KeyGroup::MinPk,
        Group::MinSig => KeyGroup::MinSig,
    };
    let scheme = match suite.scheme {
        engine::Scheme::Basic => Scheme::Basic,
        engine::Scheme::Augmented => Scheme::Augmented,
        engine::Scheme::ProofOfPossession => Scheme::ProofOfPossession,
    };
    (group, scheme)
}

/// Returns the key of a signer.
fn key(suite: Suite, signer: u64) -> Vec<u8> {
    let secret = secret(signer);
    match suite.group {
        Group::MinPk => G1Affine::from(G1Affine::generator() * secret).to_compressed().to_vec(),
        Group::MinSig => G2Affine::from(G2Affine::generator() * secret).to_compressed().to_vec(),
    }
}

fn secret(signer: u64) -> Scalar {
    Scalar::from(0x9e37_79b9_7f4a_7c15 ^ signer).square()
}

/// Returns the aggregate of the signatures of messages by signers.
fn sign(suite: Suite, rows: &[(u64, &[u8])]) -> Vec<u8> {
    let (mut first, mut second) = (G1Projective::identity(), G2Projective::identity());
    for (signer, message) in rows {
        let key = key(suite, *signer);
        let prefix = if suite.scheme == engine::Scheme::Augmented { &key[..] } else { &[] };
        let (parts, domain) = ([prefix, message], suite.domain());
        match suite.group {
            Group::MinPk => {
                second += <G2Projective as HashToCurve<Xmd>>::hash_to_curve(parts, domain)
                    * secret(*signer);
            }
            Group::MinSig => {
                first += <G1Projective as HashToCurve<Xmd>>::hash_to_curve(parts, domain)
                    * secret(*signer);
            }
        }
    }
    match suite.group {
        Group::MinPk => G2Affine::from(second).to_compressed().to_vec(),
        Group::MinSig => G1Affine::from(first).to_compressed().to_vec(),
    }
}

/// Returns encodings with a change: bits, lengths, infinity, another group's length.
fn changed(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all =
        vec![Vec::new(), bytes[1..].to_vec(), [bytes, &[0]].concat(), vec![0; bytes.len()]];
    let mut infinity = vec![0; bytes.len()];
    infinity[0] = 0xc0;
    all.push(infinity);
    for bit in [0, 1, 2, 3, 77, 8 * bytes.len() - 1] {
        let mut other = bytes.to_vec();
        other[bit / 8] ^= 0x80 >> (bit % 8);
        all.push(other);
    }
    all
}

#[test]
fn single_verdicts_are_those_of_the_engine() {
    for suite in Suite::ALL {
        let (group, scheme) = names_of(suite);
        let check = |key: &[u8], message: &[u8], signature: &[u8]| {
            let expected = engine::verify(suite, Signed { key, message, signature });
            let got = verify(group, scheme, key, message, signature);
            assert_eq!(got, expected.is_ok(), "{suite:?}: {expected:?}");
            got
        };
        let (key_of_7, message) = (key(suite, 7), b"message");
        let signature = sign(suite, &[(7, message)]);
        assert!(check(&key_of_7, message, &signature));
        assert!(!check(&key_of_7, b"massage", &signature));
        assert!(!check(&key(suite, 8), message, &signature));
        changed(&key_of_7).iter().for_each(|key| assert!(!check(key, message, &signature)));
        changed(&signature).iter().for_each(|other| assert!(!check(&key_of_7, message, other)));
    }
}

#[test]
fn uncompressed_encodings_are_accepted() {
    let suite = Suite::default();
    let secret = secret(3);
    let key = G1Affine::from(G1Affine::generator() * secret).to_uncompressed();
    let hash = <G2Projective as HashToCurve<Xmd>>::hash_to_curve([&b"m"[..]], suite.domain());
    let signature = G2Affine::from(hash * secret).to_uncompressed();
    let (group, scheme) = names_of(suite);
    assert!(verify(group, scheme, &key, b"m", &signature));
    for bit in 0..8 {
        let mut other = key;
        other[0] ^= 1 << bit;
        let signed = Signed { key: &other, message: b"m", signature: &signature };
        let expected = engine::verify(suite, signed).is_ok();
        assert_eq!(verify(group, scheme, &other, b"m", &signature), expected, "bit {bit}");
    }
}

#[test]
fn verdicts_on_aggregates_are_those_of_the_engine() {
    for suite in Suite::ALL {
        let (group, scheme) = names_of(suite);
        let messages: [&[u8]; 4] = [b"a", b"", b"another", b"a"];
        for count in 0..=4 {
            let rows: Vec<_> = (0..count as u64).zip(messages).collect();
            let keys: Vec<_> = (0..count as u64).map(|signer| key(suite, signer)).collect();
            let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
            let signature = sign(suite, &rows);
            for messages in [&messages[..count], &messages[1..], &messages[4 - count..]] {
                let expected = engine::aggregate_verify(suite, &keys, messages, &signature).is_ok();
                let expected = expected && count > 0;
                let got = aggregate_verify(group, scheme, &keys, messages, &signature);
                assert_eq!(got, expected, "{suite:?}, {count} keys, {} messages", messages.len());
            }
        }
    }
}

#[test]
fn verdicts_on_one_message_are_those_of_the_engine() {
    for suite in Suite::ALL.into_iter().filter(|suite| suite.scheme == engine::Scheme::default()) {
        let (group, _) = names_of(suite);
        let message = b"one message";
        for count in 0..4 {
            let rows: Vec<(u64, &[u8])> = (0..count).map(|signer| (signer, &message[..])).collect();
            let signature = sign(suite, &rows);
            let all: Vec<_> = (0..=count).map(|signer| key(suite, signer)).collect();
            let all: Vec<&[u8]> = all.iter().map(|key| &key[..]).collect();
            for keys in [&all[..all.len() - 1], &all, &all[1..]] {
                let aggregate = Aggregate { keys, message, signature: &signature };
                let expected = engine::fast_aggregate_verify(suite.group, aggregate).is_ok();
                let got = fast_aggregate_verify(group, keys, message, &signature);
                assert_eq!(got, expected, "{suite:?}: {count} signers, {} keys", keys.len());
            }
        }
        // Keys that add up to infinity.
        let (first, mut second) = (key(suite, 1), key(suite, 1));
        second[0] ^= 0x20;
        let mut infinity = vec![0; sign(suite, &[]).len()];
        infinity[0] = 0xc0;
        assert!(!fast_aggregate_verify(group, &[&first, &second], message, &infinity));
    }
}
