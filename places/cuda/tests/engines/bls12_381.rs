// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts on signatures and proofs of possession.

use halimede_arith::job::Operation;
use halimede_bls12_381::hash::hash_to_curve;
use halimede_bls12_381::operations::{
    PossessionRequest, SignatureRequest, VerifyPossession, VerifySignature,
};
use halimede_bls12_381::signature::{Group, Rejection, Scheme, Suite};
use halimede_bls12_381::{Curve, CurvePoint, Fr, Point, PointError, G1, G2};
use halimede_cuda::bls12_381::{
    VerifyPossessionOnGpu, VerifyPossessions, VerifySignatureOnGpu, VerifySignatures,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{agree, bytes, place, random};

pub const SCHEMES: [Scheme; 3] = [Scheme::Basic, Scheme::Augmented, Scheme::ProofOfPossession];
pub const GROUPS: [Group; 2] = [Group::MinPk, Group::MinSig];

pub fn secret(random: &mut ChaCha8Rng) -> Fr {
    Fr::from(random.gen::<u64>()) * Fr::from(random.gen::<u64>()) + Fr::from(1)
}

/// The compressed or the uncompressed encoding.
fn encoded<C: Curve>(random: &mut ChaCha8Rng, point: &Point<C>) -> Vec<u8> {
    if random.gen() {
        point.to_compressed()
    } else {
        point.to_uncompressed()
    }
}

/// The public key of a secret one, in some form.
pub fn key_of(random: &mut ChaCha8Rng, group: Group, secret: &Fr) -> Vec<u8> {
    match group {
        Group::MinPk => encoded(random, &Point::<G1>::generator().times(secret)),
        Group::MinSig => encoded(random, &Point::<G2>::generator().times(secret)),
    }
}

/// The compressed form of a key.
pub fn compressed_key(group: Group, key: &[u8]) -> Vec<u8> {
    match group {
        Group::MinPk => Point::<G1>::from_bytes(key).unwrap().to_compressed(),
        Group::MinSig => Point::<G2>::from_bytes(key).unwrap().to_compressed(),
    }
}

/// The sum of signatures of messages, in some form.
pub fn sign(
    random: &mut ChaCha8Rng,
    (group, domain): (Group, &[u8]),
    signed: &[(Fr, Vec<u8>)],
) -> Vec<u8> {
    fn sum<C: Curve>(domain: &[u8], signed: &[(Fr, Vec<u8>)]) -> Point<C> {
        let one = |(secret, message): &(Fr, Vec<u8>)| {
            hash_to_curve::<C>(domain, message).unwrap().times(secret)
        };
        signed.iter().fold(Point::default(), |sum, signed| sum.plus(&one(signed)))
    }
    match group {
        Group::MinPk => encoded(random, &sum::<G2>(domain, signed)),
        Group::MinSig => encoded(random, &sum::<G1>(domain, signed)),
    }
}

/// A valid signature, whose key or signature may be uncompressed.
fn signed(random: &mut ChaCha8Rng, suite: Suite, length: usize) -> SignatureRequest {
    let (secret, message) = (secret(random), bytes(random, length));
    let key = key_of(random, suite.group, &secret);
    let mut content = match suite.scheme {
        Scheme::Augmented => compressed_key(suite.group, &key),
        _ => Vec::new(),
    };
    content.extend(&message);
    let signature = sign(random, (suite.group, suite.domain()), &[(secret, content)]);
    SignatureRequest { suite, key, message, signature }
}

/// Encodings that are not points of their groups, and infinity.
pub fn wrong<C: Curve>() -> Vec<Vec<u8>> {
    let infinity = CurvePoint::<C>::default();
    let mut encodings = vec![infinity.to_compressed(), Vec::new()];
    let (compressed, uncompressed) = (C::COMPRESSED_BYTES, C::UNCOMPRESSED_BYTES);
    let mut add = |first, last, length| {
        let mut encoding = vec![0_u8; length];
        encoding[0] = first;
        encoding[length - 1] = last;
        encodings.push(encoding);
    };
    for last in 0..4 {
        add(0x80, last, compressed);
    }
    add(0xc0, 1, compressed);
    add(0, 1, uncompressed);
    if is_sweep() {
        for first in [0, 0x40, 0x80, 0x9f, 0xa0, 0xc0, 0xe0] {
            for last in 0..2 {
                add(first, last, compressed);
                add(first, last, uncompressed);
            }
        }
        encodings.push(infinity.to_uncompressed());
        encodings.push(vec![0x80; compressed - 1]);
    }
    encodings
}

/// Returns `true` if the environment asks for long tests.
pub fn is_sweep() -> bool {
    std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1")
}

/// Requests of a group: valid ones, as many as returned, and then invalid ones.
fn signatures(random: &mut ChaCha8Rng, group: Group) -> (Vec<SignatureRequest>, usize) {
    let mut requests: Vec<SignatureRequest> = Vec::new();
    for (number, length) in [0, 1, 20, 63, 64, 200].into_iter().enumerate() {
        let suite = Suite { group, scheme: SCHEMES[number % 3] };
        requests.push(signed(random, suite, length));
    }
    let valid = requests.len();
    for number in 0..4 {
        let mut changed = requests[number].clone();
        match number {
            0 => changed.message.push(1),
            1 => changed.suite.scheme = Scheme::Basic,
            2 => changed.signature.clone_from(&requests[0].signature),
            _ => changed.key.clone_from(&requests[0].key),
        }
        requests.push(changed);
    }
    let good = requests[0].clone();
    let (first, second) = (wrong::<G1>(), wrong::<G2>());
    let (keys, signatures) = match group {
        Group::MinPk => (first, second),
        Group::MinSig => (second, first),
    };
    requests.extend(keys.into_iter().map(|key| SignatureRequest { key, ..good.clone() }));
    let signed = |signature| SignatureRequest { signature, ..good.clone() };
    requests.extend(signatures.into_iter().map(signed));
    (requests, valid)
}

#[test]
fn signatures_have_the_verdicts_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(11);
    for group in GROUPS {
        let (requests, valid) = signatures(&mut random, group);
        let replies = agree::<VerifySignatureOnGpu>(&place, VerifySignature::batch(&requests));
        assert!(replies[..valid].iter().all(Result::is_ok));
        assert!(replies[valid..].iter().all(Result::is_err));
        for wanted in [
            Rejection::Mismatch,
            Rejection::Key(PointError::Infinity),
            Rejection::Key(PointError::NotOnCurve),
            Rejection::Key(PointError::WrongSubgroup),
            Rejection::Key(PointError::BadInfinity),
            Rejection::Signature(PointError::NotOnCurve),
            Rejection::Signature(PointError::WrongSubgroup),
        ] {
            assert!(replies.contains(&Err(wanted.clone())), "{group:?}: {wanted:?}");
        }
    }
}

#[test]
fn a_batch_may_have_keys_of_both_groups() {
    let Some(place) = place() else { return };
    let mut random = random(13);
    let mut requests: Vec<SignatureRequest> = Vec::new();
    for number in 0..6 {
        let suite = Suite { group: GROUPS[number % 2], scheme: SCHEMES[number / 2] };
        requests.push(signed(&mut random, suite, number));
    }
    // The other group's key, and nothing.
    requests[3].suite.group = Group::MinPk;
    requests[4].key.clear();
    let replies = agree::<VerifySignatureOnGpu>(&place, VerifySignature::batch(&requests));
    let valid: Vec<bool> = replies.iter().map(Result::is_ok).collect();
    assert_eq!(valid, [true, true, true, false, false, true]);
}

/// Five valid proofs, and two of another key.
fn possessions(random: &mut ChaCha8Rng) -> Vec<PossessionRequest> {
    let mut requests: Vec<PossessionRequest> = Vec::new();
    for number in 0..5 {
        let (group, secret) = (GROUPS[number % 2], secret(random));
        let key = key_of(random, group, &secret);
        let signed = [(secret, compressed_key(group, &key))];
        let proof = sign(random, (group, group.possession_domain()), &signed);
        requests.push(PossessionRequest { group, key, proof });
    }
    for (number, other) in [(2, 0), (3, 1)] {
        let proof = requests[other].proof.clone();
        requests.push(PossessionRequest { proof, ..requests[number].clone() });
    }
    requests
}

#[test]
fn possessions_have_the_verdicts_of_the_processor() {
    let Some(place) = place() else { return };
    let requests = possessions(&mut random(12));
    let replies = agree::<VerifyPossessionOnGpu>(&place, VerifyPossession::batch(&requests));
    assert!(replies[..5].iter().all(Result::is_ok));
    assert_eq!(replies[5..], [Err(Rejection::Mismatch), Err(Rejection::Mismatch)]);
}

/// Rows of a group with a common message, with a common key, and with neither.
fn related(random: &mut ChaCha8Rng, group: Group, of_message: usize) -> Vec<SignatureRequest> {
    let mut requests = Vec::new();
    let suite = Suite { group, scheme: Scheme::ProofOfPossession };
    let (shared, message) = (secret(random), bytes(random, 21));
    for row in 0..of_message + 4 {
        let (secret, message) = match row {
            0 | 1 => (shared, bytes(random, row)),
            2 | 3 => (secret(random), bytes(random, row)),
            _ => (secret(random), message.clone()),
        };
        let key = key_of(random, group, &secret);
        let signed = [(secret, message.clone())];
        let signature = sign(random, (group, suite.domain()), &signed);
        requests.push(SignatureRequest { suite, key, message, signature });
    }
    requests
}

#[test]
fn combinations_have_the_verdicts_of_single_rows() {
    let Some(place) = place() else { return };
    let mut random = random(16);
    for (group, of_message) in GROUPS.into_iter().zip([17, 3]) {
        let mut requests = related(&mut random, group, of_message);
        // Rows that are not points do not count.
        requests[1].key = wrong::<G1>()[0].clone();
        requests[3].signature.clear();
        let replies = agree::<VerifySignatures<2, 1024>>(&place, VerifySignature::batch(&requests));
        let valid: Vec<usize> = (0..replies.len()).filter(|row| replies[*row].is_ok()).collect();
        assert_eq!(valid[..2], [0, 2]);
        assert_eq!(valid.len(), of_message + 2);
        // The sum of signatures is the same if two of them are exchanged.
        let last = requests.len() - 1;
        let signature = requests[last].signature.clone();
        requests[last].signature = std::mem::replace(&mut requests[last - 1].signature, signature);
        let few = &requests[last - 4..];
        let replies = agree::<VerifySignatures<2, 1024>>(&place, VerifySignature::batch(few));
        assert_eq!(replies[3..], [Err(Rejection::Mismatch), Err(Rejection::Mismatch)]);
        // More messages than keys.
        let mut of_key = Vec::new();
        let secret = secret(&mut random);
        let key = key_of(&mut random, group, &secret);
        for row in 0..4 {
            let (suite, message) = (requests[0].suite, bytes(&mut random, row + 1));
            let signed = [(secret, message.clone())];
            let signature = sign(&mut random, (group, suite.domain()), &signed);
            of_key.push(SignatureRequest { suite, key: key.clone(), message, signature });
        }
        let replies = agree::<VerifySignatures<2, 3>>(&place, VerifySignature::batch(&of_key));
        assert!(replies.iter().all(Result::is_ok));
    }
}

#[test]
fn products_have_verdicts_of_their_rows() {
    let Some(place) = place() else { return };
    let mut random = random(20);
    // Products of five rows, the last of which has two.
    let mut requests = related(&mut random, Group::MinPk, 2);
    requests.rotate_left(2);
    requests.extend(related(&mut random, Group::MinPk, 2));
    let replies = agree::<VerifySignatures<2, 5>>(&place, VerifySignature::batch(&requests));
    assert!(replies.iter().all(Result::is_ok));
    // A row of the last product is bad.
    requests[11].message.push(1);
    let replies = agree::<VerifySignatures<2, 5>>(&place, VerifySignature::batch(&requests));
    let bad: Vec<usize> = (0..replies.len()).filter(|row| replies[*row].is_err()).collect();
    assert_eq!(bad, [11]);
}

#[test]
fn possessions_are_combined() {
    let Some(place) = place() else { return };
    let requests = possessions(&mut random(17));
    let replies = agree::<VerifyPossessions<2, 1024>>(&place, VerifyPossession::batch(&requests));
    assert!(replies[..5].iter().all(Result::is_ok));
    assert!(replies[5..].iter().all(Result::is_err));
}

#[test]
fn large_batches_have_several_products() {
    if !is_sweep() {
        eprintln!("skipped: a test of thousands of signatures runs with HALIMEDE_SWEEP=1");
        return;
    }
    let Some(place) = place() else { return };
    let mut random = random(18);
    for group in GROUPS {
        let mut requests = related(&mut random, group, 1100);
        requests.extend(related(&mut random, group, 700));
        let replies =
            agree::<VerifySignatures<100, 1024>>(&place, VerifySignature::batch(&requests));
        assert!(replies.iter().all(Result::is_ok));
        // A row of the second product is bad.
        requests[1200].message.push(1);
        let replies =
            agree::<VerifySignatures<100, 1024>>(&place, VerifySignature::batch(&requests));
        let bad: Vec<usize> = (0..replies.len()).filter(|row| replies[*row].is_err()).collect();
        assert_eq!(bad, [1200]);
    }
}
