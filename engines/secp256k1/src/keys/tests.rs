// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys of a batch equal those parsed one by one: on every backend, at every position, with and
//! without a cache.

use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::testing::{any, key, lambda, n};

/// Returns keys of every form, valid and invalid, some of them repeated.
fn keys(random: &mut ChaCha8Rng) -> Vec<Vec<u8>> {
    let mut multiples: Vec<BigUint> = (1..5u8).map(BigUint::from).collect();
    multiples.extend([n() - 1u8, n() - 2u8, lambda(), (n() + 1u8) / 2u8]);
    multiples.extend((0..40).map(|_| any(random)));
    let mut keys = vec![vec![], vec![0], vec![2; 32], vec![5; 33], vec![4; 65]];
    for multiple in multiples {
        let key = key(&multiple);
        keys.push(key.serialize().to_vec());
        let mut other = key.serialize().to_vec();
        other[0] ^= 1;
        keys.push(other.clone());
        // About half of all x belong to no point.
        other[random.gen_range(1..33)] ^= 1 << random.gen_range(0..8);
        keys.push(other);
        let long = key.serialize_uncompressed().to_vec();
        keys.push([&[6 | long[64] & 1], &long[1..]].concat());
        keys.push([&[7 ^ long[64] & 1], &long[1..]].concat());
        keys.push(long);
    }
    // x = 0, the ends of the field, and beyond it.
    let p = BigUint::from_bytes_be(&FIELD_ORDER);
    let mut numbers: Vec<BigUint> = (0..20u8).map(BigUint::from).collect();
    numbers.extend((1..20u8).map(|below| &p - below));
    numbers.extend((0..20u8).map(|above| &p + above));
    for number in numbers {
        let x = crate::testing::bytes(&number);
        keys.extend([2, 3].map(|prefix| [&[prefix], &x[..]].concat()));
    }
    for _ in 0..keys.len() / 3 {
        let copy = keys[random.gen_range(0..keys.len())].clone();
        keys.insert(random.gen_range(0..=keys.len()), copy);
    }
    keys
}

#[test]
fn keys_of_a_batch_are_what_they_are_alone() {
    let keys = keys(&mut ChaCha8Rng::seed_from_u64(0x4f));
    let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
    let alone: Vec<_> = keys.iter().map(|key| parse_key(key)).collect();
    assert!(alone.iter().filter(|key| key.is_ok()).count() > 100);
    assert!(alone.iter().filter(|key| **key == Err(KeyError::NotOnCurve)).count() > 20);
    for backend in Backend::available_for_fields() {
        for length in (0..=40).chain([keys.len()]) {
            for start in (length % 11..=keys.len() - length).step_by(11) {
                let (keys, alone) = (&keys[start..][..length], &alone[start..][..length]);
                let cache = KeyCache::new(1000);
                for cache in [None, Some(&cache), Some(&cache)] {
                    let found = parse_keys(backend, keys.into(), cache);
                    assert_eq!(found, alone, "{backend}, {length} from {start}");
                }
            }
        }
    }
}

#[test]
fn a_cache_counts_as_it_does_one_by_one() {
    let keys = keys(&mut ChaCha8Rng::seed_from_u64(0x5f));
    let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
    for backend in Backend::available_for_fields() {
        let (together, alone) = (KeyCache::new(1000), KeyCache::new(1000));
        for some in keys.chunks(29).chain([&keys[..]]) {
            let found = parse_keys(backend, some.into(), Some(&together));
            let found = found.iter().filter(|key| key.is_ok()).count();
            assert_eq!(some.iter().filter(|key| alone.parse_key(key).is_ok()).count(), found);
            assert_eq!(together.counts(), alone.counts(), "{backend}");
            assert_eq!(together.len(), alone.len(), "{backend}");
        }
    }
}
