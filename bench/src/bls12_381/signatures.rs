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

/// Signatures under different keys, of different messages or of one message.
fn rows(batch: usize, one_message: bool) -> Result<Vec<Row>, String> {
    let mut random = ChaCha8Rng::seed_from_u64(batch as u64);
    let first: [u8; 32] = random.gen();
    let mut row = || {
        let seed: [u8; 32] = random.gen();
        let secret = SecretKey::key_gen(&seed, &[]).map_err(|error| format!("{error:?}"))?;
        let message = if one_message { first } else { random.gen() };
        Ok(Row {
            key: secret.sk_to_pk().compress().to_vec(),
            signature: secret.sign(&message, SUITE.domain(), &[]).compress().to_vec(),
            message,
            multiplier: random.gen(),
        })
    };
    (0..batch).map(|_| row()).collect()
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
fn aim(batch: usize, one_message: bool) -> Option<f64> {
    match (batch, one_message) {
        (1, _) => Some(0.97),
        (128.., true) => Some(15.0),
        (128.., false) => Some(4.5),
        _ => None,
    }
}

/// Batches of distinct messages, and of one message; all keys differ.
///
/// # Errors
/// If the verdicts differ.
pub(super) fn comparisons(comparisons: &mut Vec<Comparison>) -> Result<(), String> {
    for one_message in [false, true] {
        for batch in [1, 2, 8, 64, 128, 1024] {
            if batch == 1 && one_message {
                continue;
            }
            let kind = if one_message { "one-message" } else { "distinct" };
            let name = format!("signatures-{kind}-{batch}");
            let mut rows = rows(batch, one_message)?;
            // Both detect a signature of another message.
            rows[batch / 2].message[3] ^= 1;
            let verdicts = verify_batch(SUITE, &signed(&rows));
            let named = verdicts
                .iter()
                .enumerate()
                .all(|(row, verdict)| verdict.is_ok() != (row == batch / 2));
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
                aim(batch, one_message),
                move || {
                    black_box(verify_batch(SUITE, &signed(black_box(&ours))));
                },
                move || {
                    black_box(by_the_library(black_box(&theirs)));
                },
            ));
        }
    }
    Ok(())
}
