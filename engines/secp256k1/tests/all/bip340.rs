// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the test vectors of BIP 340, and the reasons of invalid ones.

use crate::common::random;
use halimede_arith::job::Compute;
use halimede_secp256k1::schnorr::{verify, Check, Rejection, SchnorrRequest, VerifySchnorr};
use halimede_secp256k1::secp256k1::schnorr::{sign_with_aux_rand, Signature};
use halimede_secp256k1::secp256k1::{Keypair, SecretKey, XOnlyPublicKey};
use halimede_secp256k1::KeyError;
use rand::Rng;

const VECTORS: &str = include_str!("../../vectors/bip340.csv");

/// A line of the file.
struct Vector {
    secret: Vec<u8>,
    randomness: Vec<u8>,
    request: SchnorrRequest,
    holds: bool,
}

fn vectors() -> Vec<Vector> {
    let vector = |line: &str| {
        let fields: Vec<&str> = line.splitn(8, ',').collect();
        let bytes = |field: usize| hex::decode(fields[field]).unwrap();
        let request = SchnorrRequest { key: bytes(2), message: bytes(4), signature: bytes(5) };
        let holds = fields[6] == "TRUE";
        Vector { secret: bytes(1), randomness: bytes(3), request, holds }
    };
    VECTORS.lines().skip(1).map(vector).collect()
}

/// Returns the reason why a vector is invalid.
fn reason(index: usize) -> Option<Rejection> {
    let check = |check: Check| Some(Rejection::from(check));
    match index {
        5 => Some(Rejection::Key(KeyError::NotOnCurve)),
        6 => check(Check::EvenY),
        7 | 8 | 11 => check(Check::Match),
        9 | 10 => check(Check::Infinity),
        12 => check(Check::RRange),
        13 => check(Check::SRange),
        14 => Some(Rejection::Key(KeyError::XRange)),
        _ => None,
    }
}

/// The library agrees with the file; vectors with a secret key are signed again.
#[test]
fn the_library_agrees_with_the_vectors() {
    let mut signed = 0;
    for Vector { secret, randomness, request, holds } in vectors() {
        let signature = Signature::from_byte_array(request.signature[..].try_into().unwrap());
        let key = XOnlyPublicKey::from_byte_array(request.key[..].try_into().unwrap());
        let verdict = key.is_ok_and(|key| signature.verify(&request.message, &key).is_ok());
        assert_eq!(verdict, holds);
        if let Ok(secret) = secret.try_into() {
            let pair = Keypair::from_secret_key(&SecretKey::from_secret_bytes(secret).unwrap());
            let randomness = randomness[..].try_into().unwrap();
            assert_eq!(sign_with_aux_rand(&request.message, &pair, randomness), signature);
            assert_eq!(pair.x_only_public_key().0.to_byte_array()[..], request.key);
            signed += 1;
        }
    }
    assert_eq!((vectors().len(), signed), (19, 8));
}

#[test]
fn vectors_hold_or_say_why_not() {
    let vectors = vectors();
    for (index, Vector { request, holds, .. }) in vectors.iter().enumerate() {
        let expected = reason(index).map_or(Ok(()), Err);
        assert_eq!(verify(request.signed()), expected, "vector {index}");
        assert_eq!(expected.is_ok(), *holds, "vector {index}");
    }
    // In every lane.
    for start in 0..vectors.len() {
        let numbers = (start..start + 5 * vectors.len()).map(|number| number % vectors.len());
        let requests: Vec<SchnorrRequest> =
            numbers.clone().map(|number| vectors[number].request.clone()).collect();
        let replies = VerifySchnorr::compute_batch(&requests);
        for (number, reply) in numbers.zip(replies) {
            assert_eq!(reply, reason(number).map_or(Ok(()), Err), "vector {number} from {start}");
        }
    }
}

#[test]
fn no_changed_byte_is_valid() {
    let mut random = random(340);
    for Vector { request, holds, .. } in vectors() {
        if !holds {
            continue;
        }
        let mut changed = Vec::new();
        let parts: [fn(&mut SchnorrRequest) -> &mut Vec<u8>; 3] =
            [|it| &mut it.key, |it| &mut it.message, |it| &mut it.signature];
        for part in parts {
            for place in 0..part(&mut request.clone()).len() {
                let mut request = request.clone();
                part(&mut request)[place] ^= random.gen_range(1..=255);
                changed.push(request);
            }
        }
        assert!(VerifySchnorr::compute_batch(&changed).iter().all(Result::is_err));
    }
}
