// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schnorr signatures verified and keys recovered, in batches on one thread, beside a loop over
//! libsecp256k1, in turns: medians in microseconds.
//!
//! `cargo run --release -p halimede-secp256k1 --example rates`

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it prints what it measures")]

use std::hint::black_box;
use std::time::Instant;

use halimede_arith::job::Compute;
use halimede_arith::Backend;
use halimede_secp256k1::recovery::{Recover, RecoverRequest, Rules};
use halimede_secp256k1::schnorr::{SchnorrRequest, VerifySchnorr};
use halimede_secp256k1::secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use halimede_secp256k1::secp256k1::schnorr::{sign_no_aux_rand, Signature};
use halimede_secp256k1::secp256k1::{Keypair, Message, SecretKey, XOnlyPublicKey};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Signatures that a round verifies at least.
const ROUND: usize = 256;
const ROUNDS: usize = 41;
const BATCHES: [usize; 5] = [1, 3, 8, 64, 1024];

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    println!("{}: µs of libsecp256k1, ours, ratio", Backend::active().name());
    for length in BATCHES {
        pool.install(|| schnorr(length, false));
    }
    pool.install(|| schnorr(1024, true));
    for length in BATCHES {
        pool.install(|| recovery(length));
    }
}

/// The medians of both, in turns.
fn compare(name: &str, length: usize, mut peer: impl FnMut(), mut ours: impl FnMut()) {
    let calls = ROUND.div_ceil(length);
    let time = |call: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        start.elapsed().as_secs_f64() * 1e6 / (calls * length) as f64
    };
    let rounds: Vec<[f64; 2]> = (0..ROUNDS).map(|_| [time(&mut peer), time(&mut ours)]).collect();
    let [peer, ours] = [0, 1].map(|which| {
        let mut times: Vec<f64> = rounds.iter().map(|round| round[which]).collect();
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    println!("{name}, batch of {length}: {peer:.2}, {ours:.2}, {:.2}", peer / ours);
}

fn schnorr(length: usize, invalid: bool) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let request = |_| {
        let secret = SecretKey::from_secret_bytes(random.gen()).unwrap();
        let pair = Keypair::from_secret_key(&secret);
        let mut message: [u8; 32] = random.gen();
        let signature = sign_no_aux_rand(&message, &pair).to_byte_array().to_vec();
        message[0] ^= u8::from(invalid);
        let key = pair.x_only_public_key().0.to_byte_array().to_vec();
        SchnorrRequest { key, message: message.to_vec(), signature }
    };
    let requests: Vec<SchnorrRequest> = (0..length).map(request).collect();
    let by_the_library = |request: &SchnorrRequest| {
        let key = XOnlyPublicKey::from_byte_array(request.key[..].try_into().unwrap()).unwrap();
        let signature = Signature::from_byte_array(request.signature[..].try_into().unwrap());
        signature.verify(&request.message, &key).is_ok()
    };
    assert!(requests.iter().all(|request| by_the_library(request) != invalid));
    let ours = || VerifySchnorr::compute_batch(black_box(&requests));
    assert!(ours().iter().all(|reply| reply.is_ok() != invalid));
    let peer = || requests.iter().for_each(|it| _ = black_box(by_the_library(black_box(it))));
    let name = if invalid { "Schnorr, none valid" } else { "Schnorr" };
    compare(name, length, peer, || _ = black_box(ours()));
}

fn recovery(length: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let request = |_| {
        let secret = SecretKey::from_secret_bytes(random.gen()).unwrap();
        let digest: [u8; 32] = random.gen();
        let message = Message::from_digest(digest);
        let signature = RecoverableSignature::sign_ecdsa_recoverable(message, &secret);
        let (id, compact) = signature.serialize_compact();
        let signature = [&compact[..], &[id.to_u8()]].concat();
        RecoverRequest { rules: Rules::default(), digest: digest.to_vec(), signature }
    };
    let requests: Vec<RecoverRequest> = (0..length).map(request).collect();
    let by_the_library = |request: &RecoverRequest| {
        let id = RecoveryId::from_u8_masked(request.signature[64]);
        let signature = RecoverableSignature::from_compact(&request.signature[..64], id).unwrap();
        let message = Message::from_digest(request.digest[..].try_into().unwrap());
        signature.recover(message).unwrap().serialize_uncompressed()
    };
    let ours = || Recover::compute_batch(black_box(&requests));
    for (request, reply) in requests.iter().zip(ours()) {
        assert_eq!(reply.unwrap().0, by_the_library(request)[1..]);
    }
    let peer = || requests.iter().for_each(|it| _ = black_box(by_the_library(black_box(it))));
    compare("recovery", length, peer, || _ = black_box(ours()));
}
