// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures in batches, from bytes to verdicts, against blst's pairing context: each signature
//! with a random multiplier of 128 bits, one final exponentiation.

use std::hint::black_box;
use std::sync::Arc;

use blst::min_pk::SecretKey;
use blst::{
    blst_p1_affine, blst_p1_uncompress, blst_p2_affine, blst_p2_uncompress, Pairing, BLST_ERROR,
};
use halimede_bls12_381::signature::{verify_batch, Group, Scheme, Signed, Suite};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::case;
use crate::comparison::Comparison;

const SUITE: Suite = Suite { group: Group::MinPk, scheme: Scheme::ProofOfPossession };

/// A signature in bytes, and the library's multiplier for it.
struct Row {
    key: Vec<u8>,
    message: [u8; 32],
    signature: Vec<u8>,
    multiplier: [u8; 16],
}

/// Signatures under different keys, of this number of messages.
fn rows(batch: usize, messages: usize) -> Result<Vec<Row>, String> {
    let mut random = ChaCha8Rng::seed_from_u64(batch as u64);
    let all: Vec<[u8; 32]> = (0..messages).map(|_| random.gen()).collect();
    let mut row = |message: [u8; 32]| {
        let seed: [u8; 32] = random.gen();
        let secret = SecretKey::key_gen(&seed, &[]).map_err(|error| format!("{error:?}"))?;
        Ok(Row {
            key: secret.sk_to_pk().compress().to_vec(),
            signature: secret.sign(&message, SUITE.domain(), &[]).compress().to_vec(),
            message,
            multiplier: random.gen(),
        })
    };
    all.iter().cycle().take(batch).map(|message| row(*message)).collect()
}

/// Returns `true` if all signatures are valid by the library, which also decodes and checks keys
/// and signatures.
fn by_the_library(rows: &[Row]) -> bool {
    let mut pairing = Pairing::new(true, SUITE.domain());
    let is_batch = rows.len() > 1;
    let aggregated = rows.iter().all(|row| {
        let (mut key, mut signature) = (blst_p1_affine::default(), blst_p2_affine::default());
        // SAFETY: a compressed point has 48 bytes in G1 and 96 in G2, and both results are valid.
        let read = unsafe {
            [
                blst_p1_uncompress(&mut key, row.key.as_ptr()),
                blst_p2_uncompress(&mut signature, row.signature.as_ptr()),
            ]
        };
        let Row { message, multiplier, .. } = row;
        let added = match is_batch {
            true => {
                pairing.mul_n_aggregate(&key, true, &signature, true, multiplier, 128, message, &[])
            }
            false => pairing.aggregate(&key, true, &signature, true, message, &[]),
        };
        read == [BLST_ERROR::BLST_SUCCESS; 2] && added == BLST_ERROR::BLST_SUCCESS
    });
    pairing.commit();
    aggregated && pairing.finalverify(None)
}

fn signed(rows: &[Row]) -> Vec<Signed<'_>> {
    let signed =
        rows.iter().map(|Row { key, message, signature, .. }| Signed { key, message, signature });
    signed.collect()
}

/// The target ratio.
fn aim(batch: usize, messages: usize) -> Option<f64> {
    match (batch, messages) {
        (1, _) => Some(0.97),
        (8, 2) => Some(4.0),
        (128.., 1) => Some(15.0),
        (128.., _) => Some(4.5),
        _ => None,
    }
}

/// Batches of distinct messages, of one message and of two; all keys differ.
///
/// # Errors
/// If the verdicts differ.
pub(super) fn comparisons(comparisons: &mut Vec<Comparison>) -> Result<(), String> {
    let distinct = [1, 2, 8, 64, 128, 1024].map(|batch| (batch, batch, "distinct"));
    let of_one = [2, 8, 64, 128, 1024].map(|batch| (batch, 1, "one-message"));
    // Consensus clients verify the signatures of few messages that arrive together.
    let of_two = [4, 8, 16].map(|batch| (batch, 2, "two-messages"));
    for (batch, messages, kind) in distinct.into_iter().chain(of_one).chain(of_two) {
        let name = format!("signatures-{kind}-{batch}");
        let mut rows = rows(batch, messages)?;
        // Both detect a signature of another message.
        rows[batch / 2].message[3] ^= 1;
        let verdicts = verify_batch(SUITE, &signed(&rows));
        let named =
            verdicts.iter().enumerate().all(|(row, verdict)| verdict.is_ok() != (row == batch / 2));
        if !named || by_the_library(&rows) {
            return Err(format!("{name}: a bad signature is not named"));
        }
        rows[batch / 2].message[3] ^= 1;
        let is_valid = verify_batch(SUITE, &signed(&rows)).iter().all(Result::is_ok);
        if !is_valid || !by_the_library(&rows) {
            return Err(format!("{name}: the verdicts differ"));
        }
        let ours = Arc::new(rows);
        let theirs = Arc::clone(&ours);
        comparisons.push(case(
            name,
            batch,
            aim(batch, messages),
            move || {
                black_box(verify_batch(SUITE, &signed(black_box(&ours))));
            },
            move || {
                black_box(by_the_library(black_box(&theirs)));
            },
        ));
    }
    Ok(())
}
