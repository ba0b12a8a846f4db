// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Half-aggregate signatures: the vectors of the BIP draft, a reference in plain affine arithmetic,
//! and aggregates that are damaged or out of bounds.

use crate::common::{bytes, number, random, random_scalar, Curve};
use halimede_secp256k1::constants::{FIELD_ORDER, GROUP_ORDER};
use halimede_secp256k1::half_aggregate::{
    aggregate, aggregate_bytes, extend, verify, Rejection, Signer, MOST_SIGNATURES,
};
use halimede_secp256k1::schnorr::{verify as verify_schnorr, SchnorrRequest, Signed};
use halimede_secp256k1::secp256k1::schnorr::sign_with_aux_rand;
use halimede_secp256k1::secp256k1::{Keypair, SecretKey};
use halimede_secp256k1::KeyError;
use num_bigint::BigUint;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
struct Vectors {
    origin: String,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    signers: Vec<VectorSigner>,
    aggregate: String,
}

#[derive(Deserialize)]
struct VectorSigner {
    secret_key: String,
    randomness: String,
    key: String,
    message: String,
}

fn sign(secret: [u8; 32], message: &[u8], randomness: &[u8; 32]) -> SchnorrRequest {
    let pair = Keypair::from_secret_key(&SecretKey::from_secret_bytes(secret).unwrap());
    let signature = sign_with_aux_rand(message, &pair, randomness).to_byte_array().to_vec();
    let key = pair.x_only_public_key().0.to_byte_array().to_vec();
    SchnorrRequest { key, message: message.to_vec(), signature }
}

fn signatures(random: &mut ChaCha8Rng, count: usize) -> Vec<SchnorrRequest> {
    (0..count).map(|_| sign(random.gen(), &random.gen::<[u8; 32]>(), &random.gen())).collect()
}

fn signed(requests: &[SchnorrRequest]) -> Vec<Signed<'_>> {
    requests.iter().map(SchnorrRequest::signed).collect()
}

fn signers(requests: &[SchnorrRequest]) -> Vec<Signer<'_>> {
    signed(requests).iter().map(Signer::from).collect()
}

/// SHA-256 of a tag twice and a message (BIP 340), modulo n.
fn hash(curve: &Curve, tag: &str, message: &[u8]) -> BigUint {
    let tag = Sha256::digest(tag);
    number(&Sha256::digest([&tag[..], &tag[..], message].concat())) % &curve.n
}

/// zᵢ from the whole prefix, as the draft writes it.
fn randomizer(curve: &Curve, prefix: &[u8], number: usize) -> BigUint {
    match number {
        0 => 1u8.into(),
        _ => hash(curve, "HalfAgg/randomizer", prefix),
    }
}

/// VerifyAggregate in plain affine arithmetic.
fn holds(curve: &Curve, aggregate: &[u8], signers: &[Signer<'_>]) -> bool {
    if aggregate.len() != 32 * (signers.len() + 1) {
        return false;
    }
    let even = |x: &[u8]| {
        let x = number(x);
        let point = if x < curve.p { curve.lift(&x) } else { None }?;
        let is_odd = point.1.bit(0);
        Some(if is_odd { curve.negate(&Some(point)) } else { Some(point) })
    };
    let (mut prefix, mut sum) = (Vec::new(), None);
    for (place, Signer { key, message }) in signers.iter().enumerate() {
        let r = &aggregate[32 * place..32 * place + 32];
        let (Some(p), Some(big_r)) = (even(key), even(r)) else { return false };
        prefix.extend_from_slice(&[r, key, message].concat());
        let z = randomizer(curve, &prefix, place);
        let e = hash(curve, "BIP0340/challenge", &[r, key, message].concat());
        let term = curve.add(&big_r, &curve.multiply(&e, &p));
        sum = curve.add(&sum, &curve.multiply(&z, &term));
    }
    let s = number(&aggregate[32 * signers.len()..]);
    s < curve.n && curve.multiply(&s, &curve.g) == sum
}

/// Aggregate in plain arithmetic.
fn aggregated(curve: &Curve, requests: &[SchnorrRequest]) -> Vec<u8> {
    let (mut prefix, mut aggregate, mut s) = (Vec::new(), Vec::new(), BigUint::default());
    for (place, SchnorrRequest { key, message, signature }) in requests.iter().enumerate() {
        let (r, own) = signature.split_at(32);
        prefix.extend_from_slice(&[r, key, message].concat());
        s = (s + randomizer(curve, &prefix, place) * number(own)) % &curve.n;
        aggregate.extend_from_slice(r);
    }
    aggregate.extend_from_slice(&bytes(&s));
    aggregate
}

#[test]
fn vectors_of_the_draft() {
    let vectors = include_str!("../../vectors/half_aggregate.json");
    let vectors: Vectors = serde_json::from_str(vectors).unwrap();
    assert!(vectors.origin.contains("BlockstreamResearch/cross-input-aggregation"));
    let curve = Curve::new();
    for Vector { signers: of_vector, aggregate: expected } in &vectors.vectors {
        let bytes = |digits: &String| -> [u8; 32] {
            let bytes = hex::decode(digits).unwrap();
            bytes.try_into().unwrap()
        };
        let requests: Vec<SchnorrRequest> = of_vector
            .iter()
            .map(|signer| {
                let VectorSigner { secret_key, randomness, message, .. } = signer;
                let request = sign(bytes(secret_key), &bytes(message), &bytes(randomness));
                assert_eq!(request.key, bytes(&signer.key));
                request
            })
            .collect();
        let expected = hex::decode(expected).unwrap();
        assert_eq!(aggregate(&signed(&requests)), Ok(expected.clone()));
        assert_eq!(verify(&expected, &signers(&requests)), Ok(()));
        assert!(holds(&curve, &expected, &signers(&requests)));
    }
    assert_eq!(vectors.vectors.iter().map(|it| it.signers.len()).collect::<Vec<_>>(), [0, 1, 2]);
}

/// Aggregates made at once and in any parts are equal, and equal to the reference.
#[test]
fn parts_make_the_same_aggregate() {
    let (mut random, curve) = (random(60), Curve::new());
    for count in [0, 1, 2, 3, 5, 9] {
        let requests = signatures(&mut random, count);
        let all = aggregate(&signed(&requests)).unwrap();
        assert_eq!(all, aggregated(&curve, &requests));
        assert!(requests.iter().all(|request| verify_schnorr(request.signed()).is_ok()));
        for first in 0..=count {
            let (before, after) = requests.split_at(first);
            let part = aggregate(&signed(before)).unwrap();
            assert_eq!(verify(&part, &signers(before)), Ok(()));
            assert_eq!(extend(&part, &signers(before), &signed(after)), Ok(all.clone()));
        }
        assert_eq!(verify(&all, &signers(&requests)), Ok(()));
        assert!(holds(&curve, &all, &signers(&requests)));
    }
}

/// Every byte of the aggregate, the keys and the messages counts; the reference agrees.
#[test]
fn no_changed_byte_is_valid() {
    let (mut random, curve) = (random(61), Curve::new());
    let requests = signatures(&mut random, 3);
    let valid = aggregate(&signed(&requests)).unwrap();
    let check = |aggregate: &[u8], requests: &[SchnorrRequest], what: &str| {
        let verdict = verify(aggregate, &signers(requests));
        assert!(verdict.is_err(), "{what}");
        if what.ends_with('7') {
            assert!(!holds(&curve, aggregate, &signers(requests)), "{what}");
        }
    };
    for place in 0..valid.len() {
        let mut changed = valid.clone();
        changed[place] ^= random.gen_range(1..=255);
        check(&changed, &requests, &format!("aggregate, byte {place}"));
    }
    for number in 0..3 {
        for place in 0..32 {
            let mut changed = requests.clone();
            changed[number].key[place] ^= random.gen_range(1..=255);
            check(&valid, &changed, &format!("key {number}, byte {place}"));
            let mut changed = requests.clone();
            changed[number].message[place] ^= random.gen_range(1..=255);
            check(&valid, &changed, &format!("message {number}, byte {place}"));
        }
    }
}

#[test]
fn order_and_number_count() {
    let mut random = random(62);
    let requests = signatures(&mut random, 4);
    let valid = aggregate(&signed(&requests)).unwrap();
    let mut changed = requests.clone();
    changed.swap(1, 2);
    assert_eq!(verify(&valid, &signers(&changed)), Err(Rejection::Mismatch));
    // The r and the signers in another order, with the same s.
    let mut other = valid.clone();
    let (left, right) = other[32..96].split_at_mut(32);
    left.swap_with_slice(right);
    assert_eq!(verify(&other, &signers(&changed)), Err(Rejection::Mismatch));
    // Aggregated in that order, it is valid.
    assert_eq!(verify(&aggregate(&signed(&changed)).unwrap(), &signers(&changed)), Ok(()));
    // One signature twice.
    let twice = [&requests[..], &requests[..1]].concat();
    let aggregate_of_twice = aggregate(&signed(&twice)).unwrap();
    assert_eq!(verify(&aggregate_of_twice, &signers(&twice)), Ok(()));
    let length = Err(Rejection::Length { signatures: 5, got: 160 });
    assert_eq!(verify(&valid, &signers(&twice)), length);
    assert_eq!(
        verify(&aggregate_of_twice, &signers(&requests)),
        Err(Rejection::Length { signatures: 4, got: 192 })
    );
    assert_eq!(verify(&valid, &[]), Err(Rejection::Length { signatures: 0, got: 160 }));
    // An r is missing, and another one is twice there.
    let same = [&valid[..32], &valid[..32], &valid[64..]].concat();
    assert_eq!(verify(&same, &signers(&requests)), Err(Rejection::Mismatch));
}

#[test]
fn numbers_out_of_range_are_named() {
    let mut random = random(63);
    let requests = signatures(&mut random, 3);
    let valid = aggregate(&signed(&requests)).unwrap();
    let with = |place: usize, half: &[u8; 32]| {
        let mut changed = valid.clone();
        changed[32 * place..32 * place + 32].copy_from_slice(half);
        verify(&changed, &signers(&requests))
    };
    let mut no_point = [0; 32];
    no_point[31] = 5;
    assert_eq!(with(1, &FIELD_ORDER), Err(Rejection::RRange { number: 1 }));
    assert_eq!(with(2, &[0xff; 32]), Err(Rejection::RRange { number: 2 }));
    assert_eq!(with(0, &no_point), Err(Rejection::NotOnCurve { number: 0 }));
    assert_eq!(with(3, &GROUP_ORDER), Err(Rejection::SRange));
    // s + n has 256 bits for a small s only: an unreduced s is out of range.
    assert_eq!(with(3, &[0xff; 32]), Err(Rejection::SRange));
    assert_eq!(with(3, &[0; 32]), Err(Rejection::Mismatch));
    let mut changed = requests.clone();
    changed[2].key = FIELD_ORDER.to_vec();
    let reason = KeyError::XRange;
    assert_eq!(verify(&valid, &signers(&changed)), Err(Rejection::Key { number: 2, reason }));
    changed[2].key = no_point.to_vec();
    let reason = KeyError::NotOnCurve;
    assert_eq!(verify(&valid, &signers(&changed)), Err(Rejection::Key { number: 2, reason }));
    let mut changed = requests.clone();
    changed[1].key.push(0);
    let expected = Rejection::KeyLength { number: 1, got: 33 };
    assert_eq!(verify(&valid, &signers(&changed)), Err(expected));
    assert_eq!(aggregate(&signed(&changed)), Err(expected));
    let mut changed = requests.clone();
    changed[1].message.pop();
    let expected = Rejection::MessageLength { number: 1, got: 31 };
    assert_eq!(verify(&valid, &signers(&changed)), Err(expected));
    assert_eq!(aggregate(&signed(&changed)), Err(expected));
    for length in [0, 31, 63, 65] {
        let mut changed = requests.clone();
        changed[2].signature.resize(length, 1);
        let expected = Rejection::SignatureLength { number: 2, got: length };
        assert_eq!(aggregate(&signed(&changed)), Err(expected));
    }
    let mut changed = requests.clone();
    changed[1].signature[32..].copy_from_slice(&GROUP_ORDER);
    let expected = Rejection::SignatureSRange { number: 1 };
    assert_eq!(aggregate(&signed(&changed)), Err(expected));
    let mut before = vec![0; 32];
    before.copy_from_slice(&GROUP_ORDER);
    assert_eq!(extend(&before, &[], &signed(&requests)), Err(Rejection::SRange));
}

/// Aggregates of no signatures, of wrong lengths and of the largest number.
#[test]
fn the_bounds_of_the_draft() {
    assert_eq!(aggregate(&[]), Ok(vec![0; 32]));
    assert_eq!(extend(&[0; 32], &[], &[]), Ok(vec![0; 32]));
    assert_eq!(verify(&[0; 32], &[]), Ok(()));
    let mut one = [0; 32];
    one[31] = 1;
    assert_eq!(verify(&one, &[]), Err(Rejection::Mismatch));
    for got in [0, 1, 31, 33, 64] {
        let expected = Err(Rejection::Length { signatures: 0, got });
        assert_eq!(verify(&vec![0; got], &[]), expected);
        assert_eq!(extend(&vec![0; got], &[], &[]).map(|_| ()), expected);
    }
    let request = &signatures(&mut random(64), 1)[0];
    let many = vec![request.signed(); MOST_SIGNATURES + 1];
    let signers: Vec<Signer<'_>> = many.iter().map(Signer::from).collect();
    let too_many = Rejection::TooMany { got: MOST_SIGNATURES + 1 };
    assert_eq!(aggregate(&many), Err(too_many));
    assert_eq!(extend(&[0; 32], &signers, &[]), Err(too_many));
    assert_eq!(extend(&[0; 32], &signers[1..], &many[..1]), Err(too_many));
    assert_eq!(verify(&[0; 32], &signers), Err(too_many));
    let most = aggregate(&many[1..]).unwrap();
    assert_eq!(most.len(), aggregate_bytes(MOST_SIGNATURES));
    assert_eq!(verify(&most, &signers[1..]), Ok(()));
}

/// Two invalid signatures whose aggregate is valid (`test_aggregate_verify_strange` of the draft):
/// an aggregate says nothing about the s of its signatures.
#[test]
fn s_of_the_signatures_is_not_bound() {
    let (mut random, curve) = (random(65), Curve::new());
    let mut requests = signatures(&mut random, 2);
    let valid = aggregate(&signed(&requests)).unwrap();
    let mut prefix = Vec::new();
    for request in &requests {
        prefix.extend_from_slice(
            &[&request.signature[..32], &request.key, &request.message].concat(),
        );
    }
    let z = randomizer(&curve, &prefix, 1);
    let second = random_scalar(&mut random);
    let first = (number(&valid[64..]) + &curve.n - z * &second % &curve.n) % &curve.n;
    requests[0].signature[32..].copy_from_slice(&bytes(&first));
    requests[1].signature[32..].copy_from_slice(&bytes(&second));
    assert!(requests.iter().all(|request| verify_schnorr(request.signed()).is_err()));
    assert_eq!(aggregate(&signed(&requests)), Ok(valid.clone()));
    assert_eq!(verify(&valid, &signers(&requests)), Ok(()));
}
