// SPDX-License-Identifier: Apache-2.0 OR MIT
//! RedJubjub signatures of Sapling in batches, from bytes to verdicts, against the batch of the
//! crate `redjubjub`. The peer's batch has one verdict for all; ours has one for each signature.

use std::hint::black_box;
use std::sync::Arc;

use chacha20::rand_core::{Rng, SeedableRng};
use chacha20::ChaCha20Rng;
use halimede_arith::Backend;
use halimede_zcash::jubjub::{which_hold, Role, Signed};
use redjubjub::batch::Verifier;
use redjubjub::{Binding, Signature, SigningKey, SpendAuth, VerificationKey, VerificationKeyBytes};

use crate::comparison::Comparison;

const PEER: &str = "redjubjub 0.9";

/// The numbers of signatures of a batch, with the target ratio with AVX-512 IFMA.
const BATCHES: [(usize, Option<f64>); 5] =
    [(1, None), (8, None), (64, None), (1000, Some(4.0)), (10_000, None)];

/// Without AVX-512, no batch may be slower than the peer's.
const AIM_WITHOUT_LANES: f64 = 1.0;

/// Signatures of random messages, two of three by keys of spends.
fn signatures(count: usize) -> Vec<Signed> {
    let mut random = ChaCha20Rng::seed_from_u64(count as u64);
    let mut signed = |number: usize| {
        let mut message = [0; 32];
        random.fill_bytes(&mut message);
        if number % 3 == 2 {
            let secret = SigningKey::<Binding>::new(&mut random);
            let signature = secret.sign(&mut random, &message).into();
            let key = VerificationKey::from(&secret).into();
            return Signed { role: Role::Binding, key, signature, message };
        }
        let secret = SigningKey::<SpendAuth>::new(&mut random);
        let signature = secret.sign(&mut random, &message).into();
        let key = VerificationKey::from(&secret).into();
        Signed { role: Role::SpendAuthorization, key, signature, message }
    };
    (0..count).map(&mut signed).collect()
}

/// Returns the peer's verdict.
fn by_theirs(signed: &[Signed], random: &mut ChaCha20Rng) -> bool {
    let mut verifier = Verifier::new();
    for Signed { role, key, signature, message } in signed {
        match role {
            Role::SpendAuthorization => {
                let key = VerificationKeyBytes::<SpendAuth>::from(*key);
                verifier.queue((key, Signature::from(*signature), message));
            }
            Role::Binding => {
                let key = VerificationKeyBytes::<Binding>::from(*key);
                verifier.queue((key, Signature::from(*signature), message));
            }
        }
    }
    verifier.verify(random).is_ok()
}

/// Compares the verdicts on valid signatures, and on those with one failed.
fn check(name: &str, signed: &[Signed], random: &mut ChaCha20Rng) -> Result<(), String> {
    let verdicts = which_hold(Backend::active(), signed);
    let mut changed = signed.to_vec();
    let middle = changed.len() / 2;
    changed[middle].message[0] ^= 1;
    let failed: Vec<usize> = which_hold(Backend::active(), &changed)
        .iter()
        .enumerate()
        .filter_map(|(row, holds)| (!holds).then_some(row))
        .collect();
    let agree = verdicts.iter().all(|holds| *holds) && by_theirs(signed, random);
    if !agree || failed != [middle] || by_theirs(&changed, random) {
        return Err(format!("{name}: the verdicts differ"));
    }
    Ok(())
}

/// All cases.
///
/// # Errors
/// If the verdicts differ.
pub fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let backend = Backend::active();
    let mut comparisons = Vec::new();
    for (batch, with_ifma) in BATCHES {
        let mut random = ChaCha20Rng::seed_from_u64(1);
        let signed = Arc::new(signatures(batch));
        let name = format!("redjubjub-{batch}");
        check(&name, &signed, &mut random)?;
        let theirs = Arc::clone(&signed);
        let aim = match backend {
            Backend::Avx512Ifma => with_ifma,
            Backend::Avx512 => None,
            _ => Some(AIM_WITHOUT_LANES),
        };
        comparisons.push(Comparison {
            engine: "zcash",
            case: name,
            threads,
            units_a_call: batch,
            unit: "us/item",
            unit_ns: 1000.0,
            backend: backend.name(),
            ours: Box::new(move || {
                black_box(which_hold(backend, black_box(&signed)));
            }),
            peer: PEER,
            theirs: Some(Box::new(move || {
                black_box(by_theirs(black_box(&theirs), &mut random));
            })),
            theirs_factor: 1.0,
            aim,
        });
    }
    Ok(comparisons)
}
