// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cases with the answers of libsecp256k1, one a line: the function, inputs and results.

use std::cmp::Ordering;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use secp256k1::ecdsa::{self, RecoverableSignature, RecoveryId};
use secp256k1::{schnorr, Keypair, Message, PublicKey, SecretKey, XOnlyPublicKey};
use sha2::{Digest, Sha256};

mod encodings;

use crate::common::replacement::line;

/// The upper half of the group's order n, and that of p.
const UPPER: [u8; 16] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
];
/// The lower half of n.
const LOWER: u128 = 0xbaae_dce6_af48_a03b_bfd2_5e8c_d036_4141;

/// n + `offset`.
fn near_order(offset: i32) -> [u8; 32] {
    let lower = LOWER.wrapping_add_signed(offset.into());
    [UPPER, lower.to_be_bytes()].concat().try_into().unwrap()
}

/// Numbers at the bounds of ranges.
fn bounds() -> Vec<[u8; 32]> {
    let small = |number: u8| {
        let mut bytes = [0; 32];
        bytes[31] = number;
        bytes
    };
    // (n − 1)/2 and (n + 1)/2.
    let mut half = near_order(-1);
    let mut carry = 0;
    for byte in &mut half {
        (*byte, carry) = (*byte >> 1 | carry << 7, *byte & 1);
    }
    let mut above_half = half;
    above_half[31] += 1;
    let mut prime = [0xff; 32];
    prime[27..].copy_from_slice(&[0xfe, 0xff, 0xff, 0xfc, 0x2f]);
    let near = [-1, 0, 1].map(near_order);
    [&[small(0), small(1), small(2), half, above_half, prime, [0xff; 32]][..], &near].concat()
}

fn key(bytes: &[u8]) -> String {
    let Ok(key) = PublicKey::from_slice(bytes) else { return line("key", &[bytes, &[0]]) };
    let (x, parity) = key.x_only_public_key();
    let (compressed, uncompressed) = (key.serialize(), key.serialize_uncompressed());
    line("key", &[bytes, &[1], &compressed, &uncompressed, &x.to_byte_array(), &[parity.to_u8()]])
}

fn compare(first: &PublicKey, second: &PublicKey) -> String {
    let sign = |order| match order {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => 2,
    };
    let x = |key: &PublicKey| key.x_only_public_key().0;
    let orders = [sign(first.cmp(second)), sign(x(first).cmp(&x(second)))];
    let keys = [first.serialize(), second.serialize()];
    line("compare", &[&keys[0], &keys[1], &orders[..1], &orders[1..]])
}

/// A signature as the function `name` parses it.
fn signature(name: &str, bytes: &[u8]) -> String {
    let parsed = match name {
        "der" => ecdsa::Signature::from_der(bytes),
        _ => ecdsa::Signature::from_compact(bytes),
    };
    // A signature that was not parsed has zeros.
    let read = parsed.unwrap_or(ecdsa::Signature::from_compact(&[0; 64]).unwrap());
    let mut normal = read;
    normal.normalize_s();
    let (compact, der, low) =
        (read.serialize_compact(), read.serialize_der(), normal.serialize_compact());
    let was_high = u8::from(low != compact);
    line(name, &[bytes, &[parsed.is_ok().into()], &compact, &der, &low, &[was_high]])
}

fn verify(compact: &[u8; 64], digest: &[u8; 32], key: &PublicKey) -> String {
    let holds = ecdsa::Signature::from_compact(compact)
        .is_ok_and(|signature| signature.verify(Message::from_digest(*digest), key).is_ok());
    line("verify", &[compact, digest, &key.serialize(), &[holds.into()]])
}

fn schnorr(signature: &[u8; 64], message: &[u8], x: &[u8; 32]) -> String {
    let key = XOnlyPublicKey::from_byte_array(*x);
    let signed = schnorr::Signature::from_byte_array(*signature);
    let holds = key.is_ok_and(|key| signed.verify(message, &key).is_ok());
    line("schnorr", &[signature, message, x, &[key.is_ok().into()], &[holds.into()]])
}

fn recover(compact: &[u8; 64], id: u8, digest: &[u8; 32]) -> String {
    let parsed = RecoverableSignature::from_compact(compact, RecoveryId::from_u8_masked(id));
    let is_parsed = parsed.is_ok();
    let key = parsed.and_then(|signature| signature.recover(Message::from_digest(*digest)));
    let found = key.map(|key| key.serialize_uncompressed().to_vec()).unwrap_or_default();
    let is_found = !found.is_empty();
    line("recover", &[compact, &[id], digest, &[is_parsed.into()], &[is_found.into()], &found])
}

/// Flips one random bit.
fn flip(random: &mut ChaCha8Rng, bytes: &mut [u8]) {
    let at = random.gen_range(0..bytes.len());
    bytes[at] ^= 1 << random.gen_range(0..8);
}

/// The cases of one random key.
fn of_key(random: &mut ChaCha8Rng, other: &PublicKey) -> (PublicKey, Vec<String>) {
    let secret = SecretKey::from_secret_bytes(random.gen()).unwrap();
    let pair = Keypair::from_secret_key(&secret);
    let public = pair.public_key();
    let digest: [u8; 32] = random.gen();
    let message = Message::from_digest(digest);
    let signed = ecdsa::sign(message, &secret).serialize_compact();
    let (id, recoverable) =
        RecoverableSignature::sign_ecdsa_recoverable(message, &secret).serialize_compact();
    let id = id.to_u8();
    let mut lines = vec![compare(&public, other), compare(other, &public)];
    lines.push(compare(&public, &public.negate()));
    lines.extend(encodings::of_key(random, &public));
    lines.extend([verify(&signed, &digest, &public), verify(&signed, &digest, other)]);
    lines.extend([verify(&signed, &digest, &public.negate()), signature("compact", &signed)]);
    lines.push(verify(&high(&signed), &digest, &public));
    lines.push(signature("compact", &high(&signed)));
    for id in 0..4 {
        lines.push(recover(&recoverable, id, &digest));
        lines.push(recover(&high(&recoverable), id, &digest));
    }
    let length = random.gen_range(0..100);
    let text: Vec<u8> = (0..length).map(|_| random.gen()).collect();
    let x = pair.x_only_public_key().0.to_byte_array();
    let of_text = schnorr::sign_with_aux_rand(&text, &pair, &random.gen()).to_byte_array();
    lines.extend([schnorr(&of_text, &text, &x), schnorr(&of_text, &digest, &x)]);
    for _ in 0..3 {
        let (mut compact, mut other_digest, mut ecdsa) = (signed, digest, recoverable);
        flip(random, &mut compact);
        flip(random, &mut other_digest);
        flip(random, &mut ecdsa);
        lines.extend([verify(&compact, &digest, &public), signature("compact", &compact)]);
        lines.push(verify(&signed, &other_digest, &public));
        lines.extend([recover(&ecdsa, id, &digest), recover(&recoverable, id, &other_digest)]);
        let (mut changed, mut other_x) = (of_text, x);
        flip(random, &mut changed);
        flip(random, &mut other_x);
        lines.extend([schnorr(&changed, &text, &x), schnorr(&of_text, &text, &other_x)]);
    }
    let tag = random.gen_range(0..80);
    let tag: Vec<u8> = (0..tag).map(|_| random.gen()).collect();
    let inner = Sha256::digest(&tag);
    let hash = Sha256::new().chain_update(inner).chain_update(inner).chain_update(&text);
    lines.push(line("tagged", &[&tag, &text, &hash.finalize()]));
    (public, lines)
}

/// Returns the signature with n − s, computed by the peer from the secret key −1.
fn high(compact: &[u8; 64]) -> [u8; 64] {
    let mut negated = *compact;
    let s = SecretKey::from_secret_bytes(compact[32..].try_into().unwrap()).unwrap();
    negated[32..].copy_from_slice(&s.negate().to_secret_bytes());
    negated
}

/// Signatures of numbers at the bounds of ranges, and signatures of digests there.
fn of_bounds(random: &mut ChaCha8Rng, public: &PublicKey) -> Vec<String> {
    let secret = SecretKey::from_secret_bytes(random.gen()).unwrap();
    let own = PublicKey::from_secret_key(&secret);
    let x = public.x_only_public_key().0.to_byte_array();
    let mut lines = Vec::new();
    for first in bounds() {
        let signed = ecdsa::sign(Message::from_digest(first), &secret).serialize_compact();
        lines.extend([verify(&signed, &first, &own), verify(&high(&signed), &first, &own)]);
        lines.extend([schnorr(&signed, &first, &first), key(&[&[2], &first[..]].concat())]);
        for second in bounds() {
            let compact: [u8; 64] = [first, second].concat().try_into().unwrap();
            let digest: [u8; 32] = random.gen();
            lines.extend([signature("compact", &compact), verify(&compact, &digest, public)]);
            lines.extend((0..4).map(|id| recover(&compact, id, &digest)));
            lines.push(schnorr(&compact, &digest, &x));
            lines.push(signature("der", &encodings::der(&first, &second)));
        }
    }
    lines
}

/// All cases.
pub fn lines(seed: u64) -> Vec<String> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let secret = SecretKey::from_secret_bytes(random.gen()).unwrap();
    let mut public = PublicKey::from_secret_key(&secret);
    let mut lines = of_bounds(&mut random, &public);
    for _ in 0..60 {
        let (key, cases) = of_key(&mut random, &public);
        public = key;
        lines.extend(cases);
    }
    lines.extend(encodings::of_signatures(&mut random));
    lines
}
