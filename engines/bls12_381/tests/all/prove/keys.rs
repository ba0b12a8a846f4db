// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proving keys that are damaged.

use halimede_bls12_381::groth16::prove::{PointChecks, ProvingKey, ProvingKeyError};
use halimede_bls12_381::groth16::KeyError;
use halimede_bls12_381::{Point, PointError, G1, G2};
use rand::Rng;

use super::circuit_with_key;
use crate::common::{generator, stray_point};

/// Returns the offset of each list's number of points, and its end.
fn lists(key: &[u8]) -> Vec<(&'static str, usize, usize)> {
    let number = |at: usize| u32::from_be_bytes(key[at..at + 4].try_into().unwrap()) as usize;
    let mut offset = 864 + 4 + 96 * number(864);
    let names = [("h", 96), ("l", 96), ("a", 96), ("b_g1", 96), ("b_g2", 192)];
    names
        .into_iter()
        .map(|(name, bytes)| {
            let start = offset;
            offset += 4 + bytes * number(start);
            (name, start, offset)
        })
        .collect()
}

#[test]
fn every_shorter_or_longer_key_is_refused() {
    let (_, _, good) = circuit_with_key();
    let key = ProvingKey::read(&good, PointChecks::Group).unwrap();
    assert_eq!(lists(&good).last().unwrap().2, good.len());
    let mut rng = generator();
    for _ in 0..200 {
        let length = rng.gen_range(0..good.len());
        let error = ProvingKey::read(&good[..length], PointChecks::Curve).unwrap_err();
        let is_truncated = matches!(error, ProvingKeyError::Truncated { got, expected, .. }
            if got == length as u64 && expected > got);
        assert!(is_truncated, "{error}");
    }
    let long = [&good[..], &[0]].concat();
    let surplus =
        ProvingKeyError::Surplus { expected: good.len() as u64, got: good.len() as u64 + 1 };
    assert_eq!(ProvingKey::read(&long, PointChecks::Curve).unwrap_err(), surplus);
    let (read, rest) = ProvingKey::read_prefix(&long, PointChecks::Curve).unwrap();
    assert_eq!((rest, read.domain_size()), (&[0][..], key.domain_size()));
}

#[test]
fn points_that_are_infinity_or_outside_their_groups_are_named() {
    let (_, _, good) = circuit_with_key();
    let mut rng = generator();
    for (name, start, end) in lists(&good) {
        let (infinity, stray) = match name {
            "b_g2" => (
                Point::<G2>::default().to_uncompressed(),
                stray_point::<G2>(&mut rng).to_uncompressed(),
            ),
            _ => (
                Point::<G1>::default().to_uncompressed(),
                stray_point::<G1>(&mut rng).to_uncompressed(),
            ),
        };
        let count = (end - start - 4) / infinity.len();
        let index = rng.gen_range(0..count);
        let place = start + 4 + index * infinity.len();
        let with = |bytes: &[u8]| {
            let mut key = good.clone();
            key[place..place + bytes.len()].copy_from_slice(bytes);
            key
        };
        let error = |error| ProvingKeyError::Point { name, index, error };
        for checks in [PointChecks::Group, PointChecks::Curve] {
            let found = ProvingKey::read(&with(&infinity), checks).unwrap_err();
            assert_eq!(found, error(PointError::Infinity));
            let mut off = good[place..place + infinity.len()].to_vec();
            *off.last_mut().unwrap() ^= 1;
            let found = ProvingKey::read(&with(&off), checks).unwrap_err();
            assert_eq!(found, error(PointError::NotOnCurve));
        }
        let found = ProvingKey::read(&with(&stray), PointChecks::Group).unwrap_err();
        assert_eq!(found, error(PointError::WrongSubgroup));
        assert!(ProvingKey::read(&with(&stray), PointChecks::Curve).is_ok());
    }
    let mut key = good;
    key[0] ^= 0x40;
    let found = ProvingKey::read(&key, PointChecks::Curve).unwrap_err();
    assert!(matches!(found, ProvingKeyError::Verifying(KeyError::Point { name: "alpha_g1", .. })));
}

#[test]
fn numbers_of_points_that_fit_no_circuit_are_refused() {
    let (_, _, good) = circuit_with_key();
    let drop_point = |list: usize| {
        let (_, start, end) = lists(&good)[list];
        let mut key = good.clone();
        let count = u32::from_be_bytes(key[start..start + 4].try_into().unwrap());
        let bytes = (end - start - 4) / count as usize;
        key[start..start + 4].copy_from_slice(&(count - 1).to_be_bytes());
        key.drain(start + 4..start + 4 + bytes);
        ProvingKey::read(&key, PointChecks::Curve)
    };
    assert!(matches!(drop_point(0).unwrap_err(), ProvingKeyError::Domain { .. }));
    assert!(drop_point(1).is_ok() && drop_point(2).is_ok());
    for list in [3, 4] {
        assert!(matches!(drop_point(list).unwrap_err(), ProvingKeyError::LengthsOfB { .. }));
    }
    for (_, start, _) in lists(&good) {
        let mut key = good.clone();
        key[start..start + 4].fill(0xff);
        let error = ProvingKey::read(&key, PointChecks::Curve).unwrap_err();
        assert!(matches!(error, ProvingKeyError::Truncated { .. }), "{error}");
    }
}
