// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts on signatures and proofs of possession.

use halimede_arith::job::Operation;
use halimede_bls12_381::hash::hash_to_curve;
use halimede_bls12_381::operations::{
    PossessionRequest, SignatureRequest, VerifyPossession, VerifySignature,
};
use halimede_bls12_381::signature::{Group, Rejection, Scheme, Suite};
use halimede_bls12_381::{Curve, CurvePoint, Fr, Point, PointError, G1, G2};
use halimede_cuda::bls12_381::{VerifyPossessionOnGpu, VerifySignatureOnGpu};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{agree, bytes, place, random, reasons};

const SCHEMES: [Scheme; 3] = [Scheme::Basic, Scheme::Augmented, Scheme::ProofOfPossession];

fn secret(random: &mut ChaCha8Rng) -> Fr {
    Fr::from(random.gen::<u64>()) * Fr::from(random.gen::<u64>()) + Fr::from(1)
}

fn sign(secret: &Fr, domain: &[u8], message: &[u8]) -> Point<G2> {
    hash_to_curve::<G2>(domain, message).unwrap().times(secret)
}

/// A valid signature, whose key or signature may be uncompressed.
fn signed(random: &mut ChaCha8Rng, scheme: Scheme, length: usize) -> SignatureRequest {
    let suite = Suite { group: Group::MinPk, scheme };
    let (secret, message) = (secret(random), bytes(random, length));
    let key = Point::<G1>::generator().times(&secret);
    let mut content = if scheme == Scheme::Augmented { key.to_compressed() } else { Vec::new() };
    content.extend(&message);
    let signature = sign(&secret, suite.domain(), &content);
    let key = if random.gen() { key.to_compressed() } else { key.to_uncompressed() };
    let signature =
        if random.gen() { signature.to_compressed() } else { signature.to_uncompressed() };
    SignatureRequest { suite, key, message, signature }
}

/// Encodings that are not points of their groups, and infinity.
fn wrong<C: Curve>() -> Vec<Vec<u8>> {
    let infinity = CurvePoint::<C>::default();
    let mut encodings = vec![infinity.to_compressed(), infinity.to_uncompressed(), Vec::new()];
    let ends = [
        (0x80, 0),
        (0x80, 1),
        (0x80, 2),
        (0x80, 3),
        (0xa0, 1),
        (0xc0, 1),
        (0xe0, 0),
        (0x9f, 1),
        (0x40, 1),
        (0, 0),
        (0, 1),
    ];
    for (first, last) in ends {
        for length in [C::COMPRESSED_BYTES, C::UNCOMPRESSED_BYTES] {
            let mut encoding = vec![0_u8; length];
            encoding[0] = first;
            encoding[length - 1] = last;
            encodings.push(encoding);
        }
    }
    encodings.push(vec![0x80; C::COMPRESSED_BYTES - 1]);
    encodings
}

#[test]
fn signatures_have_the_verdicts_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(11);
    let mut requests: Vec<SignatureRequest> = Vec::new();
    for (number, length) in [0, 1, 20, 63, 64, 200].into_iter().enumerate() {
        requests.push(signed(&mut random, SCHEMES[number % 3], length));
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
    for key in wrong::<G1>() {
        requests.push(SignatureRequest { key, ..good.clone() });
    }
    for signature in wrong::<G2>() {
        requests.push(SignatureRequest { signature, ..good.clone() });
    }
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
        assert!(replies.contains(&Err(wanted.clone())), "{wanted:?}");
    }
}

#[test]
fn possessions_have_the_verdicts_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(12);
    let mut requests: Vec<PossessionRequest> = Vec::new();
    for _ in 0..3 {
        let secret = secret(&mut random);
        let point = Point::<G1>::generator().times(&secret);
        let domain = Group::MinPk.possession_domain();
        let proof = sign(&secret, domain, &point.to_compressed()).to_compressed();
        let key = if random.gen() { point.to_compressed() } else { point.to_uncompressed() };
        requests.push(PossessionRequest { group: Group::MinPk, key, proof });
    }
    let other = requests[0].proof.clone();
    requests.push(PossessionRequest { proof: other, ..requests[1].clone() });
    let replies = agree::<VerifyPossessionOnGpu>(&place, VerifyPossession::batch(&requests));
    assert_eq!(replies, [Ok(()), Ok(()), Ok(()), Err(Rejection::Mismatch)]);
}

#[test]
fn keys_in_g2_are_not_supported() {
    let Some(place) = place() else { return };
    let mut request = signed(&mut random(13), Scheme::Basic, 3);
    let group = Group::MinSig;
    let possession = PossessionRequest { group, key: Vec::new(), proof: Vec::new() };
    let batch = [request.clone(), {
        request.suite.group = group;
        request
    }];
    let refused = reasons::<VerifySignatureOnGpu>(&place, VerifySignature::batch(&batch));
    assert_eq!(refused.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1]);
    let refused =
        reasons::<VerifyPossessionOnGpu>(&place, VerifyPossession::batch(&[possession][..]));
    assert!(refused[0].1.contains("keys are in G1"), "{}", refused[0].1);
}
