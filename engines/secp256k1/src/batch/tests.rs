// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches give the same verdicts as single signatures: on every backend, with every kind of
//! signature at every position, and for thread counts from one signature per thread to all on one.

use halimede_arith::job::Compute;
use halimede_arith::serial::limbs::Limbs;
use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use secp256k1::{ecdsa, Message, SecretKey};

use super::*;
use crate::curve::Digits;
use crate::operations::{verdicts, KeptRequest, Verify, VerifyBatch, VerifyRequest};
use crate::testing::{any, bytes, inverse, key, n, point, words};
use crate::{check, verdict, Check, KeyError, Rejection, SignatureError};

fn integer(limbs: &Limbs) -> BigUint {
    limbs.iter().rev().fold(BigUint::default(), |sum, limb| (sum << 64) + limb)
}

/// Returns a request under the key d·G.
fn request(r: &BigUint, s: &BigUint, e: &BigUint, d: &BigUint) -> VerifyRequest {
    let [x, y] = point(d).map(|limbs| bytes(&integer(&limbs)));
    VerifyRequest { r: bytes(r), s: bytes(s), digest: bytes(e), x, y }
}

/// Returns a signature that leads to u₁G + u₂Q, with r of that point.
fn forged(u1: &BigUint, u2: &BigUint, d: &BigUint) -> VerifyRequest {
    let n = n();
    let r = integer(&point(&((u1 + u2 * d) % &n))[0]) % &n;
    let s = &r * inverse(u2) % &n;
    request(&r, &s, &(u1 * &s % &n), d)
}

/// Returns the multiple of G that lanes add first for u₁.
fn first_digit(u1: &BigUint) -> BigUint {
    let Digits { windows, is_opposite } = Digits::of(&words(u1));
    let value = BigUint::from(2 * u32::from(windows[0])) + n() - 255u32;
    (if is_opposite { n() - value % n() } else { value }) % n()
}

/// Returns signatures of each kind with their verdicts.
fn kinds(random: &mut ChaCha8Rng) -> Vec<(KeptRequest, Result<(), Rejection>)> {
    let n = n();
    let failed = |checks: &[Check]| {
        let mut mask = Mask::VALID;
        checks.iter().for_each(|check| mask.set(*check));
        Err(Rejection::Check(mask))
    };
    let mut numbers = || [any(random), any(random), any(random)];
    let mut kinds = Vec::new();
    let mut push = |request, verdict| kinds.push((Ok(request), verdict));
    for _ in 0..3 {
        let [u1, u2, d] = numbers();
        let valid = forged(&u1, &u2, &d);
        let s = n.clone() - BigUint::from_bytes_be(&valid.s);
        push(VerifyRequest { s: bytes(&s), ..valid.clone() }, Ok(()));
        let mut changed = valid.clone();
        changed.digest[31] ^= 1;
        push(changed, failed(&[Check::Match]));
        let mut off_curve = valid.clone();
        off_curve.y[0] ^= 0x40;
        push(off_curve.clone(), failed(&[Check::OnCurve]));
        off_curve.r = [0; 32];
        push(off_curve, failed(&[Check::RRange, Check::OnCurve]));
        push(VerifyRequest { r: bytes(&n), ..valid.clone() }, failed(&[Check::RRange]));
        push(VerifyRequest { s: [0; 32], ..valid.clone() }, failed(&[Check::SRange]));
        push(VerifyRequest { r: valid.s, ..valid.clone() }, failed(&[Check::Match]));
        push(valid, Ok(()));
        push(forged(&BigUint::default(), &u2, &d), Ok(()));
        let r = any(&mut ChaCha8Rng::from_seed(bytes(&u1)));
        let opposite = &n - &r * &d % &n;
        push(request(&r, &u2, &opposite, &d), failed(&[Check::Infinity]));
        push(request(&r, &u2, &(opposite + 1u8), &d), failed(&[Check::Match]));
        // The formulas of the lanes fail: the first point added is u₂Q or its opposite.
        let digit = first_digit(&u1);
        for u2 in [digit.clone(), &n - digit] {
            let u2 = u2 * inverse(&d) % &n;
            push(forged(&u1, &u2, &d), Ok(()));
            let s = &r * inverse(&u2) % &n;
            push(request(&r, &s, &(&u1 * &s % &n), &d), failed(&[Check::Match]));
        }
        for d in [BigUint::from(1u8), &n - 1u8, BigUint::from(2u8)] {
            push(forged(&u1, &u2, &d), Ok(()));
        }
    }
    for rejection in [
        Rejection::Key(KeyError::Infinity),
        Rejection::Signature(SignatureError::CompactLength { got: 63 }),
        Rejection::HighS,
    ] {
        kinds.push((Err(rejection), Err(rejection)));
    }
    kinds
}

#[test]
fn every_kind_in_every_place() {
    let kinds = kinds(&mut ChaCha8Rng::seed_from_u64(0x3f));
    for (kept, verdict_of_kind) in &kinds {
        if let Ok(request) = kept {
            assert_eq!(verdict(check(request)), *verdict_of_kind, "{request:?}");
        }
    }
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for backend in Backend::available_for_fields() {
            for length in (0..=40).chain([63, 64, 65, 300]) {
                // Each length starts at another kind, so that each kind occurs in each lane.
                for start in (length % 7..kinds.len()).step_by(7) {
                    let around = kinds.iter().cycle().skip(start).take(length);
                    let (kept, expected): (Vec<KeptRequest>, Vec<_>) = around.cloned().unzip();
                    let found = pool.install(|| verdicts(backend, VerifyBatch::Kept(&kept)));
                    assert_eq!(found, expected, "{backend}, {length} from {start}");
                }
            }
        }
    }
}

/// Returns valid signatures, mismatches, infinities and earlier failures, mixed.
fn mixed(random: &mut ChaCha8Rng, length: usize) -> Vec<VerifyRequest> {
    let request = |number: usize| {
        let d = any(random);
        let key = key(&d).serialize_uncompressed();
        let mut digest: [u8; 32] = random.gen();
        let secret = SecretKey::from_secret_bytes(bytes(&d)).unwrap();
        let signature = ecdsa::sign(Message::from_digest(digest), &secret).serialize_compact();
        let half = |half: &[u8]| <[u8; 32]>::try_from(half).unwrap();
        let (mut r, s) = (half(&signature[..32]), half(&signature[32..]));
        match (number + random.gen_range(0..2)) % 7 {
            0 | 1 => digest[number % 32] ^= 1 << (number % 8),
            2 => digest = bytes(&((n() - BigUint::from_bytes_be(&r) * d % n()) % n())),
            3 => r = [0; 32],
            4 => digest = [0; 32],
            _ => {}
        }
        VerifyRequest { r, s, digest, x: half(&key[1..33]), y: half(&key[33..]) }
    };
    (0..length).map(request).collect()
}

#[test]
fn a_batch_is_what_its_signatures_are_alone() {
    let mut random = ChaCha8Rng::seed_from_u64(0x2f);
    let mut seen = std::collections::HashMap::new();
    for length in (0..=40).chain([200]) {
        let requests = mixed(&mut random, length);
        let replies = Verify::compute_batch(requests[..].into());
        let alone: Vec<_> = requests.iter().map(|request| verdict(check(request))).collect();
        assert_eq!(replies, alone, "{length} signatures");
        for reply in replies {
            *seen.entry(format!("{reply:?}")).or_insert(0) += 1;
        }
    }
    assert!(seen.len() >= 4 && seen.values().all(|count| *count > 50), "{seen:?}");
}
