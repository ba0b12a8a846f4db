// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Infinity is told from a mismatch: on every backend, in every lane, alone and in company.

use halimede_arith::job::Compute;
use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use secp256k1::{ecdsa, Message, SecretKey};

use super::*;
use crate::constants::GROUP_ORDER;
use crate::digest::leftmost_bits;
use crate::operations::{Verify, VerifyRequest};
use crate::{check, verdict};

fn bytes(number: &BigUint) -> [u8; 32] {
    leftmost_bits(&number.to_bytes_be())
}

fn n() -> BigUint {
    BigUint::from_bytes_be(&GROUP_ORDER)
}

fn any(random: &mut ChaCha8Rng) -> BigUint {
    BigUint::from_bytes_be(&random.gen::<[u8; 32]>()) % (n() - 1u8) + 1u8
}

fn key(d: &BigUint) -> PublicKey {
    PublicKey::from_secret_key(&SecretKey::from_secret_bytes(bytes(d)).unwrap())
}

/// Under d·G, e = −rd leads to infinity, and no other e does.
fn failures(random: &mut ChaCha8Rng) -> Vec<(Failure, Check)> {
    let n = n();
    let mut cases: Vec<_> = (0..100).map(|_| (any(random), any(random))).collect();
    let small = || (1..5u8).map(BigUint::from);
    let large = || (1..5u8).map(|below| &n - below);
    for d in small().chain(large()) {
        cases.extend(small().chain(large()).map(|r| (d.clone(), r)));
    }
    // The multiple of G whose last addition is a doubling, and its opposite.
    let doubling = (BigUint::from(510u32) << 248u32) - &n;
    for d in [&n - &doubling, doubling] {
        cases.extend([(d.clone(), BigUint::from(1u8)), (d, any(random))]);
    }
    let mut failures = Vec::new();
    for (d, r) in cases {
        let key = key(&d);
        let mut push = |e: &BigUint, check| {
            failures.push((Failure { key, r: bytes(&r), digest: bytes(e) }, check));
        };
        let e = (&n - &r * &d % &n) % &n;
        push(&e, Check::Infinity);
        // The same number, not reduced.
        let above = &e + &n;
        if above.bits() <= 256 {
            push(&above, Check::Infinity);
        }
        let opposite = (&n - &e) % &n;
        for other in [&e + 1u8, (&e + &n - 1u8) % &n, opposite, BigUint::default()] {
            push(&other, Check::Match);
        }
    }
    failures
}

#[test]
fn infinity_is_told_from_its_neighbours() {
    let cases = failures(&mut ChaCha8Rng::seed_from_u64(0x1f));
    for backend in Backend::available_for_fields() {
        // Of each length, from another place: each case is in each lane.
        let mut start = 0;
        for length in (1..40).cycle() {
            let some = &cases[start..cases.len().min(start + length)];
            let (failures, expected): (Vec<Failure>, Vec<Check>) = some.iter().cloned().unzip();
            let found = reasons(backend, &failures);
            let found: Vec<Check> = found.iter().filter_map(|mask| mask.first()).collect();
            assert_eq!(found, expected, "{backend}, from {start}, {length}");
            start += 1;
            if start == cases.len() {
                break;
            }
        }
        assert!(reasons(backend, &[]).is_empty());
    }
}

/// Valid signatures, mismatches, infinities and what fails earlier, mixed.
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
