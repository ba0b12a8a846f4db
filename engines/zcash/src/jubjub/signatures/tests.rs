// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts on every backend, in batches and alone, against the crate `redjubjub`.

use std::cell::Cell;

use chacha20::rand_core::SeedableRng;
use chacha20::ChaCha20Rng;
use halimede_arith::field::Modulus;
use jubjub::{AffinePoint, ExtendedPoint};
use rand::Rng;
use redjubjub::{Binding, SigningKey, SpendAuth, VerificationKey, VerificationKeyBytes};

use super::*;
use crate::jubjub::scalars::Order;
use crate::jubjub::testing::{bytes, random, small_order_points};

/// Signs random messages, two of three with keys of spends.
fn signed(seed: u8, count: usize) -> Vec<Signed> {
    let mut random = ChaCha20Rng::from_seed([seed; 32]);
    let mut messages = crate::jubjub::testing::random(u64::from(seed));
    let mut one = |number: usize| {
        let message: [u8; 32] = messages.gen();
        if number % 3 == 2 {
            let key = SigningKey::<Binding>::new(&mut random);
            let signature = key.sign(&mut random, &message).into();
            let key = VerificationKey::from(&key).into();
            return Signed { role: Role::Binding, key, signature, message };
        }
        let key = SigningKey::<SpendAuth>::new(&mut random);
        let signature = key.sign(&mut random, &message).into();
        let key = VerificationKey::from(&key).into();
        Signed { role: Role::SpendAuthorization, key, signature, message }
    };
    (0..count).map(&mut one).collect()
}

/// The reference's verdict.
fn holds(signed: &Signed) -> bool {
    let Signed { role, key, signature, message } = signed;
    match role {
        Role::SpendAuthorization => VerificationKeyBytes::<SpendAuth>::from(*key)
            .try_into()
            .and_then(|key: VerificationKey<_>| key.verify(message, &(*signature).into()))
            .is_ok(),
        Role::Binding => VerificationKeyBytes::<Binding>::from(*key)
            .try_into()
            .and_then(|key: VerificationKey<_>| key.verify(message, &(*signature).into()))
            .is_ok(),
    }
}

/// Compares the verdicts of all backends with the reference; returns the number of failures.
fn check(signed: &[Signed], alone: bool) -> usize {
    let expected: Vec<bool> = signed.iter().map(holds).collect();
    for backend in Backend::available() {
        assert_eq!(which_hold(backend, signed), expected, "{backend}");
        if alone {
            let verdicts: Vec<bool> =
                signed.chunks(1).flat_map(|one| which_hold(backend, one)).collect();
            assert_eq!(verdicts, expected, "{backend}, alone");
        }
    }
    expected.iter().filter(|holds| !**holds).count()
}

#[test]
fn valid_signatures_hold() {
    for count in [0, 1, 2, 3, 7, 16, 65, 300] {
        assert_eq!(check(&signed(1, count), count < 10), 0);
    }
}

#[test]
fn mutated_signatures_fail_as_with_the_reference() {
    let mut random = random(11);
    let mut mutated = signed(2, 60);
    for (number, signed) in mutated.iter_mut().enumerate() {
        let bit = random.gen_range(0..256);
        let flip = |bytes: &mut [u8]| bytes[bit / 8] ^= 1 << (bit % 8);
        match number % 6 {
            0 => flip(&mut signed.signature[..32]),
            1 => flip(&mut signed.signature[32..]),
            2 => flip(&mut signed.key),
            3 => flip(&mut signed.message),
            4 => {
                signed.role = match signed.role {
                    Role::Binding => Role::SpendAuthorization,
                    Role::SpendAuthorization => Role::Binding,
                }
            }
            _ => (),
        }
    }
    assert_eq!(check(&mutated, true), 50);
}

/// Adds the order to a number below 2²⁵⁵.
fn plus_order(number: &[u8]) -> [u8; 32] {
    let (mut sum, mut carry) = ([0; 32], 0u16);
    for (place, (a, b)) in sum.iter_mut().zip(number.iter().zip(bytes(Order::VALUE))) {
        carry += u16::from(*a) + u16::from(b);
        (*place, carry) = (carry as u8, carry >> 8);
    }
    sum
}

#[test]
fn a_response_above_the_order_is_refused() {
    let mut signed = signed(3, 20);
    for signed in signed.iter_mut().step_by(2) {
        let response = plus_order(&signed.signature[32..]);
        signed.signature[32..].copy_from_slice(&response);
    }
    assert_eq!(check(&signed, true), 10);
}

/// Parts of small order vanish: keys and R may have them, and may be nothing else.
#[test]
fn points_of_small_order_are_accepted_as_by_the_reference() {
    let mut all = Vec::new();
    for (number, small) in small_order_points().iter().enumerate() {
        // A key of small order, and R = s·G + a point of small order, for any message.
        let response = jubjub::Scalar::from(1000 + number as u64);
        let generator = AffinePoint::from_bytes(GENERATORS[number % ROLES]).unwrap();
        let small = ExtendedPoint::from(*small);
        let nonce = AffinePoint::from(ExtendedPoint::from(generator) * response + small);
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&nonce.to_bytes());
        signature[32..].copy_from_slice(&response.to_bytes());
        let role = [Role::SpendAuthorization, Role::Binding][number % ROLES];
        let key = AffinePoint::from(small).to_bytes();
        let valid = Signed { role, key, signature, message: [number as u8; 32] };
        let mut invalid = valid;
        invalid.signature[32] ^= 1;
        all.extend([valid, invalid]);
        // The neutral element and the point of order two have a second encoding (ZIP 216).
        let mut second = valid;
        second.key[31] ^= 0x80;
        all.push(second);
    }
    assert_eq!(check(&all, true), 10);
}

#[test]
fn each_set_of_failed_rows_is_named() {
    let valid = signed(4, 6);
    for set in 0..1u32 << valid.len() {
        let mut some = valid.clone();
        for (row, signed) in some.iter_mut().enumerate() {
            signed.message[row] ^= u8::from(set >> row & 1 == 1);
        }
        let expected: Vec<bool> = (0..valid.len()).map(|row| set >> row & 1 == 0).collect();
        assert_eq!(which_hold(Backend::active(), &some), expected, "{set:b}");
    }
}

#[test]
fn failed_rows_of_a_large_batch_are_named_on_every_backend() {
    let mut batch = signed(5, 520);
    let failed = [0, 77, 255, 256, 511, 519];
    for row in failed {
        batch[row].signature[33] ^= 4;
    }
    let expected: Vec<bool> = (0..batch.len()).map(|row| !failed.contains(&row)).collect();
    for backend in Backend::available() {
        assert_eq!(which_hold(backend, &batch), expected, "{backend}");
    }
}

#[test]
fn errors_that_cancel_are_found() {
    // The responses of two signatures differ by opposite numbers: their plain sum is unchanged.
    let mut batch = signed(6, 9);
    let change = |signed: &mut Signed, by: Scalar| {
        let response = signed.response().unwrap() + by;
        signed.signature[32..].copy_from_slice(&response.to_le_bytes());
    };
    change(&mut batch[0], Scalar::from(5));
    change(&mut batch[6], -Scalar::from(5));
    let with_one = equations(Backend::Portable, &batch, &vec![ONE; batch.len()]);
    let with_one: Vec<Equation> = with_one.into_iter().flatten().collect();
    let search = Search { backend: Backend::Portable, equations: &with_one };
    assert!(search.sum(0..batch.len()).has_small_order());
    assert_eq!(search.failed_alone(), [0, 6]);
    assert_eq!(check(&batch, false), 2);
}

#[test]
fn one_failed_row_costs_at_most_one_more_sum() {
    let point = generators()[0];
    let one = Extended::IDENTITY.add_niels(&point);
    for count in [1usize, 2, 3, 100, 1000, 1024] {
        for failed in [0, count / 3, count - 1] {
            let terms = Cell::new(0);
            let sum = |rows: Range<usize>| {
                terms.set(terms.get() + rows.len());
                if rows.contains(&failed) {
                    one
                } else {
                    Extended::IDENTITY
                }
            };
            assert_eq!(bisect(count, sum), [failed]);
            assert!(terms.get() <= 2 * count, "{count}, {failed}: {} terms", terms.get());
        }
        let terms = Cell::new(0);
        let sum = |rows: Range<usize>| {
            terms.set(terms.get() + rows.len());
            Extended::IDENTITY
        };
        assert!(bisect(count, sum).is_empty());
        assert_eq!(terms.get(), count);
    }
}

#[test]
fn multipliers_differ_and_are_never_zero() {
    let drawn = multipliers(1000).unwrap();
    let mut magnitudes: Vec<u128> = drawn.iter().map(|drawn| drawn.magnitude).collect();
    magnitudes.sort_unstable();
    magnitudes.dedup();
    assert_eq!(magnitudes.len(), 1000);
    assert!(magnitudes[0] != 0 && magnitudes[999] < 1 << 127);
    let negative = drawn.iter().filter(|drawn| drawn.is_negative).count();
    assert!((300..700).contains(&negative), "{negative}");
    assert_ne!(multipliers(1000).unwrap(), drawn);
}

#[test]
fn the_generators_are_those_of_sapling() {
    use sapling_crypto::constants::{
        SPENDING_KEY_GENERATOR, VALUE_COMMITMENT_RANDOMNESS_GENERATOR,
    };
    let expected = [SPENDING_KEY_GENERATOR, VALUE_COMMITMENT_RANDOMNESS_GENERATOR];
    for (encoding, expected) in GENERATORS.iter().zip(expected) {
        assert_eq!(*encoding, AffinePoint::from(ExtendedPoint::from(expected)).to_bytes());
    }
}
