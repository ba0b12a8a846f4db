// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keys as bytes: every form, every kind of invalid key, and the cache, which gives the same
//! answers.

use crate::common::cases::first_point;
use crate::common::{bytes, random, random_bytes, random_scalar, Curve, FIELD_ORDER};
use halimede_secp256k1::{parse_key, secp256k1, CacheCounts, KeyCache, KeyError};
use num_bigint::BigUint;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

fn random_point(random: &mut ChaCha8Rng) -> (BigUint, BigUint) {
    let curve = Curve::new();
    curve.multiply(&random_scalar(random), &curve.g).unwrap()
}

/// Returns compressed keys of successive points, each with one more addition.
fn keys(count: usize, random: &mut ChaCha8Rng) -> Vec<Vec<u8>> {
    let curve = Curve::new();
    let mut point = Some(random_point(random));
    let mut next = || {
        point = curve.add(&point, &curve.g);
        let (x, y) = point.as_ref().unwrap();
        compressed(2 + u8::from(y.bit(0)), x)
    };
    (0..count).map(|_| next()).collect()
}

fn uncompressed(prefix: u8, x: &BigUint, y: &BigUint) -> Vec<u8> {
    [&[prefix][..], &bytes(x), &bytes(y)].concat()
}

fn compressed(prefix: u8, x: &BigUint) -> Vec<u8> {
    [&[prefix][..], &bytes(x)].concat()
}

#[test]
fn every_form_is_read() {
    let mut random = random(20);
    for _ in 0..20 {
        let (x, y) = random_point(&mut random);
        let is_odd = u8::from(y.bit(0));
        let plain = parse_key(&uncompressed(4, &x, &y)).unwrap();
        assert_eq!(plain.serialize_uncompressed()[..], uncompressed(4, &x, &y));
        assert_eq!(parse_key(&compressed(2 + is_odd, &x)), Ok(plain));
        assert_eq!(parse_key(&uncompressed(6 + is_odd, &x, &y)), Ok(plain));
        let opposite = parse_key(&compressed(3 - is_odd, &x)).unwrap();
        assert_eq!(opposite, plain.negate());
        let says_odd = is_odd == 0;
        let wrong_parity = uncompressed(6 + u8::from(says_odd), &x, &y);
        assert_eq!(parse_key(&wrong_parity), Err(KeyError::Parity { says_odd }));
    }
}

#[test]
fn what_is_no_key_is_told_why() {
    let curve = Curve::new();
    let mut random = random(21);
    let (x, y) = random_point(&mut random);
    let high = &curve.p + 1u8;
    let top = BigUint::from_bytes_be(&[0xff; 32]);
    for above in [&curve.p, &high, &top] {
        assert_eq!(parse_key(&compressed(2, above)), Err(KeyError::XRange));
        for prefix in [4, 6, 7] {
            assert_eq!(parse_key(&uncompressed(prefix, above, &y)), Err(KeyError::XRange));
            assert_eq!(parse_key(&uncompressed(prefix, &x, above)), Err(KeyError::YRange));
        }
    }
    // A coordinate that is equal to another modulo p.
    let (small, point) = first_point(&curve, &1u8.into());
    let (_, small_y) = point.unwrap();
    assert!(parse_key(&uncompressed(4, &small, &small_y)).is_ok());
    let renamed = uncompressed(4, &(&small + &curve.p), &small_y);
    assert_eq!(parse_key(&renamed), Err(KeyError::XRange));
    let mut absent = BigUint::from(1u8);
    while curve.lift(&absent).is_some() {
        absent += 1u8;
    }
    assert_eq!(parse_key(&compressed(2, &absent)), Err(KeyError::NotOnCurve));
    assert_eq!(parse_key(&compressed(3, &absent)), Err(KeyError::NotOnCurve));
    assert_eq!(parse_key(&uncompressed(4, &x, &(&y + 2u8))), Err(KeyError::NotOnCurve));
    let same_parity = 6 + u8::from(y.bit(0));
    let beside = uncompressed(same_parity, &x, &(&y + 2u8));
    assert_eq!(parse_key(&beside), Err(KeyError::NotOnCurve));
    assert_eq!(parse_key(&[0]), Err(KeyError::Infinity));
    for got in (0..=255).filter(|prefix| !matches!(prefix, 2 | 3)) {
        let expected = KeyError::Prefix { got, bytes: 33 };
        assert_eq!(parse_key(&compressed(got, &x)), Err(expected));
        if !matches!(got, 4 | 6 | 7) {
            let expected = KeyError::Prefix { got, bytes: 65 };
            assert_eq!(parse_key(&uncompressed(got, &x, &y)), Err(expected));
        }
    }
    let whole = uncompressed(4, &x, &y);
    for got in (0..65).filter(|bytes| *bytes != 33) {
        assert_eq!(parse_key(&whole[..got]), Err(KeyError::Length { got }));
    }
    let longer = [&whole[..], &[0]].concat();
    assert_eq!(parse_key(&longer), Err(KeyError::Length { got: 66 }));
}

#[test]
fn messages_tell_parities_apart() {
    let message = KeyError::Parity { says_odd: true }.to_string();
    assert_eq!(message, "the key's y is even, its prefix says odd");
}

#[test]
fn the_cache_gives_the_same_answers_and_counts() {
    let mut random = random(22);
    let cache = KeyCache::new(1024);
    let keys = keys(100, &mut random);
    for round in 0..3 {
        for key in &keys {
            assert_eq!(cache.parse_key(key), parse_key(key));
        }
        assert_eq!(cache.counts(), CacheCounts { hits: round * 100, misses: 100 });
    }
    assert_eq!((cache.len(), cache.is_empty()), (100, false));
    assert!((cache.counts().hit_rate() - 2.0 / 3.0).abs() < 1e-12);
    // Invalid keys are not cached, and uncompressed keys are not looked up.
    let none = [&[2][..], &FIELD_ORDER].concat();
    for _ in 0..2 {
        assert_eq!(cache.parse_key(&none), Err(KeyError::XRange));
    }
    let uncompressed = parse_key(&keys[0]).unwrap().serialize_uncompressed();
    assert_eq!(cache.parse_key(&uncompressed), parse_key(&keys[0]));
    assert_eq!(cache.parse_key(&[]), Err(KeyError::Length { got: 0 }));
    assert_eq!(cache.counts(), CacheCounts { hits: 200, misses: 102 });
    assert_eq!(cache.len(), 100);
}

#[test]
fn a_full_cache_stays_within_its_capacity_and_drops_what_was_not_asked_for() {
    let mut random = random(23);
    // With a single set the order of eviction is known.
    let cache = KeyCache::new(1);
    assert_eq!(cache.capacity(), 8);
    let nine = keys(9, &mut random);
    for key in &nine[..8] {
        cache.parse_key(key).unwrap();
    }
    cache.parse_key(&nine[0]).unwrap();
    cache.parse_key(&nine[8]).unwrap(); // evicts nine[1]
    assert_eq!((cache.len(), cache.counts()), (8, CacheCounts { hits: 1, misses: 9 }));
    for key in [&nine[0], &nine[2], &nine[7], &nine[8]] {
        cache.parse_key(key).unwrap();
    }
    assert_eq!(cache.counts(), CacheCounts { hits: 5, misses: 9 });
    cache.parse_key(&nine[1]).unwrap();
    assert_eq!((cache.len(), cache.counts().misses), (8, 10));
    let larger = KeyCache::new(100);
    assert_eq!(larger.capacity(), 104);
    for key in keys(600, &mut random) {
        larger.parse_key(&key).unwrap();
    }
    assert!(larger.len() <= 104 && larger.len() > 80, "{}", larger.len());
}

#[test]
fn threads_share_a_cache() {
    let mut random = random(24);
    let keys: Vec<Vec<u8>> = (0..40).map(|_| compressed(3, &random_point(&mut random).0)).collect();
    let cache = KeyCache::new(16); // smaller than the number of keys: entries are evicted
    (0..20_000usize).into_par_iter().for_each(|turn| {
        let key = &keys[turn * 7 % 40];
        assert_eq!(cache.parse_key(key), parse_key(key));
    });
    let counts = cache.counts();
    assert_eq!(counts.hits + counts.misses, 20_000);
    assert!(cache.len() <= 16);
}

proptest! {
    /// Bytes close to a key: no panic, and an error exactly if libsecp256k1 reports one.
    #[test]
    fn any_bytes_are_a_key_or_not(
        prefix in prop_oneof![0..9u8, any::<u8>()],
        mut rest in prop::collection::vec(any::<u8>(), 0..80),
        length in prop_oneof![Just(32usize), Just(64), 0..80usize],
        seed in any::<u64>(),
    ) {
        rest.resize(length, 0);
        if length >= 32 && seed % 2 == 0 {
            let mut random = rand::SeedableRng::seed_from_u64(seed);
            rest[..32].copy_from_slice(&random_bytes(&mut random));
        }
        let bytes = [&[prefix][..], &rest].concat();
        let library = secp256k1::PublicKey::from_slice(&bytes).ok();
        let ours = parse_key(&bytes);
        prop_assert_eq!(ours.ok(), library);
        prop_assert_eq!(KeyCache::new(8).parse_key(&bytes), ours);
    }
}
