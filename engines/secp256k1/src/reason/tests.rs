// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Distinguishes infinity from a mismatch: on every backend, in every lane, single and in batches.

use num_bigint::BigUint;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::testing::{any, bytes, key, n};

/// Under d·G, only e = −rd leads to infinity.
fn failures(random: &mut ChaCha8Rng) -> Vec<(Candidate, Check)> {
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
            failures.push((Candidate { key, r: bytes(&r), s: bytes(&r), digest: bytes(e) }, check));
        };
        let e = (&n - &r * &d % &n) % &n;
        push(&e, Check::Infinity);
        // The same number, not reduced modulo n.
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
fn infinity_is_told_from_its_neighbors() {
    let cases = failures(&mut ChaCha8Rng::seed_from_u64(0x1f));
    for backend in Backend::available_for_fields() {
        // Each length starts at another case, so that each case occurs in each lane.
        let mut start = 0;
        for length in (1..40).cycle() {
            let some = &cases[start..cases.len().min(start + length)];
            let (failures, expected): (Vec<Candidate>, Vec<Check>) = some.iter().cloned().unzip();
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
