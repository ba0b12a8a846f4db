// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schnorr signatures (BIP 340) verified and keys recovered, in batches from bytes to answers,
//! against a loop over libsecp256k1.

use std::hint::black_box;
use std::sync::Arc;

use halimede_arith::job::Compute;
use halimede_arith::Backend;
use halimede_secp256k1::recovery::{Recover, RecoverRequest, Rules};
use halimede_secp256k1::schnorr::{SchnorrRequest, VerifySchnorr};
use halimede_secp256k1::secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use halimede_secp256k1::secp256k1::schnorr::{sign_no_aux_rand, Signature};
use halimede_secp256k1::secp256k1::{Keypair, Message, PublicKey, SecretKey, XOnlyPublicKey};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::PEER;
use crate::comparison::{in_a_loop, Comparison};

const BATCHES: [usize; 5] = [1, 3, 8, 64, 1024];

/// A case of `requests` on `threads`.
fn case<R: Sync + Send + 'static>(
    name: &str,
    requests: Vec<R>,
    threads: usize,
    ours: impl Fn(&[R]) + 'static,
    theirs: impl Fn(&R) -> bool + Sync + Send + 'static,
) -> Comparison {
    // The target, as for ECDSA: full lanes are four times as fast.
    let batch = requests.len();
    let in_lanes = batch >= 64 && Backend::active() == Backend::Avx512Ifma;
    let our_requests = Arc::new(requests);
    let their_requests = Arc::clone(&our_requests);
    Comparison {
        engine: "ecdsa",
        case: format!("{name}, batch of {batch}"),
        threads,
        units_a_call: batch,
        unit: "us/signature",
        unit_ns: 1000.0,
        backend: Backend::active().name(),
        ours: Box::new(move || ours(black_box(&our_requests))),
        peer: PEER,
        theirs: Some(Box::new(move || {
            black_box(in_a_loop(black_box(&their_requests), &theirs));
        })),
        theirs_factor: 1.0,
        aim: Some(if in_lanes { 4.0 } else { 0.97 }),
    }
}

/// A random key and digest.
fn secret(random: &mut ChaCha8Rng) -> Result<(SecretKey, [u8; 32]), String> {
    let secret = SecretKey::from_secret_bytes(random.gen()).map_err(|error| error.to_string())?;
    Ok((secret, random.gen()))
}

/// Schnorr signatures of random messages under random keys; of other messages unless `is_valid`.
pub(super) fn schnorr_requests(
    batch: usize,
    is_valid: bool,
) -> Result<Vec<SchnorrRequest>, String> {
    let mut random = ChaCha8Rng::seed_from_u64(batch as u64);
    let mut request = |number: usize| {
        let (secret, mut message) = secret(&mut random)?;
        let pair = Keypair::from_secret_key(&secret);
        let signature = sign_no_aux_rand(&message, &pair).to_byte_array().to_vec();
        message[number % 32] ^= u8::from(!is_valid);
        let key = pair.x_only_public_key().0.to_byte_array().to_vec();
        Ok(SchnorrRequest { key, message: message.to_vec(), signature })
    };
    (0..batch).map(&mut request).collect()
}

pub(super) fn schnorr_by_the_library(request: &SchnorrRequest) -> bool {
    let (Ok(key), Ok(signature)) =
        (request.key.as_slice().try_into(), request.signature.as_slice().try_into())
    else {
        return false;
    };
    XOnlyPublicKey::from_byte_array(key).is_ok_and(|key| {
        Signature::from_byte_array(signature).verify(&request.message, &key).is_ok()
    })
}

fn schnorr(batch: usize, is_valid: bool, threads: usize) -> Result<Comparison, String> {
    let name = if is_valid { "Schnorr" } else { "Schnorr, none valid" };
    let requests = schnorr_requests(batch, is_valid)?;
    let replies = VerifySchnorr::compute_batch(&requests);
    let is_named = replies.iter().all(|reply| reply.is_ok() == is_valid);
    if !is_named || requests.iter().any(|request| schnorr_by_the_library(request) != is_valid) {
        return Err(format!("{name}, batch of {batch}: the verdicts differ"));
    }
    let ours = |requests: &[SchnorrRequest]| {
        black_box(VerifySchnorr::compute_batch(requests));
    };
    Ok(case(name, requests, threads, ours, schnorr_by_the_library))
}

/// Recoverable signatures of random digests under random keys.
fn recovery_requests(batch: usize) -> Result<Vec<RecoverRequest>, String> {
    let mut random = ChaCha8Rng::seed_from_u64(batch as u64);
    let mut request = |_| {
        let (secret, digest) = secret(&mut random)?;
        let message = Message::from_digest(digest);
        let signature = RecoverableSignature::sign_ecdsa_recoverable(message, &secret);
        let (id, compact) = signature.serialize_compact();
        let signature = [&compact[..], &[id.to_u8()]].concat();
        Ok(RecoverRequest { rules: Rules::default(), digest: digest.to_vec(), signature })
    };
    (0..batch).map(&mut request).collect()
}

fn recovered_by_the_library(request: &RecoverRequest) -> Option<PublicKey> {
    let (id, compact) = request.signature.split_last()?;
    let id = RecoveryId::from_u8_masked(*id);
    let signature = RecoverableSignature::from_compact(compact, id).ok()?;
    let digest = request.digest.as_slice().try_into().ok()?;
    signature.recover(Message::from_digest(digest)).ok()
}

fn recovery(batch: usize, threads: usize) -> Result<Comparison, String> {
    let requests = recovery_requests(batch)?;
    let replies = Recover::compute_batch(&requests);
    let is_equal = requests.iter().zip(&replies).all(|(request, reply)| {
        let theirs = recovered_by_the_library(request).map(|key| key.serialize_uncompressed());
        matches!((reply, theirs), (Ok(ours), Some(theirs)) if ours.0 == theirs[1..])
    });
    if !is_equal {
        return Err(format!("recovery, batch of {batch}: the keys differ"));
    }
    let ours = |requests: &[RecoverRequest]| {
        black_box(Recover::compute_batch(requests));
    };
    let theirs = |request: &RecoverRequest| {
        black_box(recovered_by_the_library(request).map(|key| key.serialize_uncompressed()))
            .is_some()
    };
    Ok(case("recovery", requests, threads, ours, theirs))
}

/// Batches on the current pool of `threads`, with the peer's loop divided over the same threads.
///
/// # Errors
/// If ours and the peer give different answers.
pub(super) fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let mut comparisons = Vec::new();
    for batch in BATCHES {
        comparisons.push(schnorr(batch, true, threads)?);
    }
    comparisons.push(schnorr(1024, false, threads)?);
    for batch in BATCHES {
        comparisons.push(recovery(batch, threads)?);
    }
    Ok(comparisons)
}
