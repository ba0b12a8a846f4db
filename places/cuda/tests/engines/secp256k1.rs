// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts of signatures, and recovered keys.

use halimede_arith::job::Operation;
use halimede_cuda::secp256k1::{RecoverOnGpu, VerifyOnGpu, VerifySchnorrOnGpu};
use halimede_secp256k1::operations::{
    KeptRequest, Recover, RecoverRequest, SchnorrRequest, Verify, VerifyRequest, VerifySchnorr,
};
use halimede_secp256k1::recovery::{Numbering, Rejection as NoKey, Rules};
use halimede_secp256k1::schnorr::Rejection as NotSchnorr;
use halimede_secp256k1::secp256k1::{Keypair, Message, PublicKey, SecretKey};
use halimede_secp256k1::{KeyError, Rejection};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{agree, bytes, place, random};

fn array(random: &mut ChaCha8Rng) -> [u8; 32] {
    random.gen()
}

fn secret(random: &mut ChaCha8Rng) -> SecretKey {
    SecretKey::from_secret_bytes(array(random)).unwrap()
}

/// The numbers of a valid signature.
fn signed(random: &mut ChaCha8Rng) -> VerifyRequest {
    let (key, digest) = (secret(random), array(random));
    let signature = halimede_secp256k1::secp256k1::ecdsa::sign(Message::from_digest(digest), &key);
    let signature = signature.serialize_compact();
    let public = PublicKey::from_secret_key(&key).serialize_uncompressed();
    let number = |bytes: &[u8]| <[u8; 32]>::try_from(bytes).unwrap();
    VerifyRequest {
        r: number(&signature[..32]),
        s: number(&signature[32..]),
        digest,
        x: number(&public[1..33]),
        y: number(&public[33..]),
    }
}

/// The published checks with their masks.
fn published() -> Vec<(VerifyRequest, u64)> {
    let text = include_str!("../../../../engines/secp256k1/vectors/checks.json");
    let all: serde_json::Value = serde_json::from_str(text).unwrap();
    let number = |check: &serde_json::Value, name: &str| -> [u8; 32] {
        hex::decode(check[name].as_str().unwrap()).unwrap().try_into().unwrap()
    };
    let request = |check: &serde_json::Value| VerifyRequest {
        r: number(check, "r"),
        s: number(check, "s"),
        digest: number(check, "digest"),
        x: number(check, "x"),
        y: number(check, "y"),
    };
    let checks = all["checks"].as_array().unwrap();
    checks.iter().map(|check| (request(check), check["mask"].as_u64().unwrap())).collect()
}

#[test]
fn ecdsa_has_the_published_masks() {
    let Some(place) = place() else { return };
    let mut random = random(1);
    let (requests, masks): (Vec<_>, Vec<_>) = published().into_iter().unzip();
    let mut kept: Vec<KeptRequest> = requests.into_iter().map(Ok).collect();
    for place in 0..12 {
        let mut request = signed(&mut random);
        kept.push(Ok(request.clone()));
        let numbers =
            [&mut request.r, &mut request.s, &mut request.digest, &mut request.x, &mut request.y];
        numbers[place % 5][random.gen_range(0..32)] ^= 1 << random.gen_range(0..8);
        kept.push(Ok(request));
    }
    kept.push(Err(Rejection::HighS));
    kept.push(Err(Rejection::Key(KeyError::Infinity)));
    let replies = agree::<VerifyOnGpu>(&place, Verify::batch(&kept));
    for (reply, mask) in replies.iter().zip(masks) {
        let found = match reply {
            Ok(()) => 0,
            Err(Rejection::Check(mask)) => u64::from(mask.bits()),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(found, mask);
    }
    assert!(replies.iter().filter(|reply| reply.is_ok()).count() >= 12);
}

#[test]
fn schnorr_has_every_verdict() {
    let Some(place) = place() else { return };
    let mut random = random(2);
    let mut requests = Vec::new();
    for length in [0, 1, 31, 32, 55, 56, 63, 64, 65, 200] {
        let pair = Keypair::from_secret_key(&secret(&mut random));
        let message = bytes(&mut random, length);
        let signature = halimede_secp256k1::secp256k1::schnorr::sign_no_aux_rand(&message, &pair);
        let key = pair.x_only_public_key().0.to_byte_array().to_vec();
        requests.push(SchnorrRequest {
            key,
            message,
            signature: signature.as_byte_array().to_vec(),
        });
    }
    let valid = requests.clone();
    for (place, request) in valid.iter().enumerate() {
        let mut changed = request.clone();
        match place % 4 {
            0 => changed.signature[place] ^= 4,
            1 => changed.signature[32 + place] ^= 4,
            2 => changed.key[place] ^= 4,
            _ => changed.message[place] ^= 4,
        }
        requests.push(changed);
    }
    let with = |key: Vec<u8>, signature: Vec<u8>| SchnorrRequest {
        key,
        message: b"message".to_vec(),
        signature,
    };
    let (key, signature) = (valid[0].key.clone(), valid[0].signature.clone());
    requests.push(with(key.clone(), vec![0xff; 64]));
    requests.push(with(key.clone(), [&[0xff; 32][..], &signature[32..]].concat()));
    requests.push(with(key.clone(), vec![0; 64]));
    requests.push(with(key.clone(), signature[..63].to_vec()));
    requests.push(with(vec![0xff; 32], signature[..1].to_vec()));
    requests.push(with(key[1..].to_vec(), signature.clone()));
    for x in 0..6 {
        requests.push(with([vec![0; 31], vec![x]].concat(), signature.clone()));
    }
    let replies = agree::<VerifySchnorrOnGpu>(&place, VerifySchnorr::batch(&requests));
    assert!(replies[..valid.len()].iter().all(Result::is_ok));
    let has = |wanted: fn(&NotSchnorr) -> bool| {
        replies.iter().filter_map(|reply| reply.as_ref().err()).any(wanted)
    };
    assert!(has(|error| matches!(error, NotSchnorr::Key(_))));
    assert!(has(|error| matches!(error, NotSchnorr::KeyLength { .. })));
    assert!(has(|error| matches!(error, NotSchnorr::SignatureLength { .. })));
    assert!(has(|error| matches!(error, NotSchnorr::Check(mask) if mask.bits() == 3)));
}

#[test]
fn recovery_has_every_verdict() {
    let Some(place) = place() else { return };
    let mut random = random(3);
    let mut requests = Vec::new();
    for round in 0..16 {
        let (key, digest) = (secret(&mut random), array(&mut random));
        let signature =
            halimede_secp256k1::secp256k1::ecdsa::RecoverableSignature::sign_ecdsa_recoverable(
                Message::from_digest(digest),
                &key,
            );
        let (id, compact) = signature.serialize_compact();
        let numbering = if round % 2 == 0 { Numbering::Plain } else { Numbering::Ethereum };
        let base = if round % 2 == 0 { 0 } else { 27 };
        let rules = Rules { numbering, low_s: round % 3 == 0 };
        let byte = base + id.to_u8();
        let mut bytes = [&compact[..], &[byte]].concat();
        requests.push(RecoverRequest { rules, digest: digest.to_vec(), signature: bytes.clone() });
        match round % 8 {
            0 => bytes[64] = 2 + round as u8 % 2,
            1 => bytes[64] = 29,
            2 => bytes[..32].fill(0xff),
            3 => bytes[32..64].fill(0),
            4 => bytes[64] = 4,
            5 => bytes.truncate(64),
            6 => bytes[32..64].fill(0x80),
            _ => bytes[random.gen_range(0..32)] ^= 1,
        }
        requests.push(RecoverRequest { rules, digest: digest[..round].to_vec(), signature: bytes });
    }
    let replies = agree::<RecoverOnGpu>(&place, Recover::batch(&requests));
    assert!(replies.iter().step_by(2).all(Result::is_ok));
    for wanted in [NoKey::RRange, NoKey::SRange, NoKey::XRange, NoKey::Length { got: 64 }] {
        assert!(replies.contains(&Err(wanted)), "{wanted}");
    }
}
