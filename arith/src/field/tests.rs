// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every operation against `num-bigint`, for all moduli, on edge and random values.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::{batch_inverse, Felt, Field, FieldError, Fr, LazySum, Modulus};

fn modulus<M: Modulus>() -> BigUint {
    integer(M::VALUE)
}

fn integer(limbs: [u64; 4]) -> BigUint {
    BigUint::from_slice(&limbs.map(|l| [l as u32, (l >> 32) as u32]).concat())
}

fn limbs(value: &BigUint) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, digit) in limbs.iter_mut().zip(value.iter_u64_digits()) {
        *limb = digit;
    }
    limbs
}

/// Returns the element `seed mod p` and the same integer.
fn element<M: Modulus>(seed: [u64; 4]) -> (Field<M>, BigUint) {
    let value = integer(seed) % modulus::<M>();
    (Field::from_canonical_limbs(limbs(&value)).unwrap(), value)
}

/// Seeds that hit the edges (0, 1, p−1 of each field, powers of two, runs of ones) as often as
/// random values.
fn seed() -> impl Strategy<Value = [u64; 4]> {
    let minus_one = |mut value: [u64; 4]| {
        value[0] -= 1;
        value
    };
    prop_oneof![
        any::<[u64; 4]>(),
        (0..256u32).prop_map(|bit| limbs(&(BigUint::from(1u8) << bit))),
        (1..=256u32).prop_map(|bit| limbs(&((BigUint::from(1u8) << bit) - 1u8))),
        Just(minus_one(super::Bls12381Scalar::VALUE)),
        Just(minus_one(super::StarkPrime::VALUE)),
        Just(minus_one(super::PallasBase::VALUE)),
        Just(minus_one(super::VestaBase::VALUE)),
        Just([0, 0, 0, 0]),
        Just([1, 0, 0, 0]),
        Just(super::Bls12381Scalar::R),
        Just(super::StarkPrime::R),
        Just(super::PallasBase::R),
        Just(super::VestaBase::R),
    ]
}

fn check_ring<M: Modulus>(a: [u64; 4], b: [u64; 4]) {
    let p = modulus::<M>();
    let ((x, a), (y, b)) = (element::<M>(a), element::<M>(b));
    assert_eq!(integer((x + y).canonical_limbs()), (&a + &b) % &p);
    assert_eq!(integer((x - y).canonical_limbs()), (&a + &p - &b) % &p);
    assert_eq!(integer((-x).canonical_limbs()), (&p - &a) % &p);
    assert_eq!(integer((x * y).canonical_limbs()), (&a * &b) % &p);
    assert_eq!(integer(x.square().canonical_limbs()), (&a * &a) % &p);
    assert_eq!(integer(x.double().canonical_limbs()), (&a + &a) % &p);
    assert_eq!(integer(x.montgomery_limbs()), (&a << 256) % &p);
}

fn check_power_and_inverse<M: Modulus>(a: [u64; 4], exponent: [u64; 4]) {
    let p = modulus::<M>();
    let (x, a) = element::<M>(a);
    let expected = a.modpow(&integer(exponent), &p);
    assert_eq!(integer(x.pow(&exponent).canonical_limbs()), expected);
    match x.inverse() {
        Some(inverse) => assert_eq!(x * inverse, Field::ONE),
        None => assert!(x.is_zero()),
    }
}

fn check_batch_inverse<M: Modulus>(seeds: &[[u64; 4]]) {
    let elements: Vec<Field<M>> = seeds.iter().map(|seed| element(*seed).0).collect();
    let mut inverses = elements.clone();
    batch_inverse(&mut inverses);
    for (element, inverse) in elements.iter().zip(inverses) {
        assert_eq!(inverse, element.inverse().unwrap_or_default());
    }
}

fn check_inner_product<M: Modulus>(pairs: &[([u64; 4], [u64; 4])]) {
    let p = modulus::<M>();
    let (x, a): (Vec<_>, Vec<_>) = pairs.iter().map(|(a, _)| element::<M>(*a)).unzip();
    let (y, b): (Vec<_>, Vec<_>) = pairs.iter().map(|(_, b)| element::<M>(*b)).unzip();
    let expected = a.iter().zip(&b).map(|(a, b)| a * b).sum::<BigUint>() % p;
    assert_eq!(integer(Field::inner_product(&x, &y).canonical_limbs()), expected);
    let (first, last) = x.split_at(x.len() / 3);
    let (first_factors, last_factors) = y.split_at(first.len());
    let both = Field::two_inner_products([first, last], [first_factors, last_factors]);
    assert_eq!(integer(both.canonical_limbs()), expected);
}

fn check_from_integer<M: Modulus>(limbs: [u64; 4]) {
    let element = Field::<M>::from_integer(limbs);
    assert_eq!(integer(element.canonical_limbs()), integer(limbs) % modulus::<M>());
    assert_eq!(Field::from_montgomery_limbs(element.montgomery_limbs()), Ok(element));
}

#[test]
fn integers_of_any_size_are_reduced() {
    fn check<M: Modulus>() {
        for limbs in [[0; 4], [u64::MAX; 4], M::VALUE, [0, 0, 0, u64::MAX], [u64::MAX, 0, 0, 1]] {
            check_from_integer::<M>(limbs);
        }
        assert!(Field::<M>::from_montgomery_limbs(M::VALUE).is_err());
    }
    check::<super::Bls12381Scalar>();
    check::<super::Bn254Scalar>();
    check::<super::PallasBase>();
    check::<super::VestaBase>();
    check::<super::StarkPrime>();
}

/// Leaves out terms whose multiples would exceed the limit.
fn check_lazy_sum<M: Modulus>(terms: &[(i64, [u64; 4])]) {
    let p = modulus::<M>();
    let (mut sum, mut expected, mut magnitude) = (LazySum::<M>::ZERO, BigUint::ZERO, 0);
    for (k, seed) in terms {
        magnitude += k.unsigned_abs();
        if magnitude > LazySum::<M>::LIMIT {
            break;
        }
        let (x, a) = element::<M>(*seed);
        sum = if *k == 1 { sum.plus(&x) } else { sum.plus_multiple(*k, &x) };
        let term = a * k.unsigned_abs() % &p;
        expected += if *k < 0 { &p - term } else { term };
    }
    assert_eq!(integer(sum.reduce().canonical_limbs()), expected % p);
}

fn check_bytes<M: Modulus>(raw: [u8; 32]) {
    let value = BigUint::from_bytes_le(&raw);
    let mut reversed = raw;
    reversed.reverse();
    let text = format!("0x{value:x}");
    if value < modulus::<M>() {
        let x = Field::<M>::from_le_bytes(&raw).unwrap();
        assert_eq!(x.to_le_bytes(), raw);
        assert_eq!(x.to_be_bytes(), reversed);
        assert_eq!(Field::from_be_bytes(&reversed), Ok(x));
        assert_eq!(text.parse(), Ok(x));
        assert_eq!(x.to_string(), format!("0x{value:064x}"));
        assert_eq!(Field::from_montgomery_le_bytes(&x.to_montgomery_le_bytes()), Ok(x));
    } else {
        let refused = |error| matches!(error, FieldError::NotReduced { .. });
        assert!(refused(Field::<M>::from_le_bytes(&raw).unwrap_err()));
        assert!(refused(Field::<M>::from_be_bytes(&reversed).unwrap_err()));
        assert!(refused(Field::<M>::from_montgomery_le_bytes(&raw).unwrap_err()));
        assert!(refused(text.parse::<Field<M>>().unwrap_err()));
    }
}

proptest! {
    #[test]
    fn ring_operations_agree_with_integers(a in seed(), b in seed()) {
        check_ring::<super::Bls12381Scalar>(a, b);
        check_ring::<super::StarkPrime>(a, b);
        check_ring::<super::PallasBase>(a, b);
        check_ring::<super::VestaBase>(a, b);
        check_ring::<super::Bn254Scalar>(a, b);
    }

    #[test]
    fn powers_and_inverses_agree_with_integers(a in seed(), exponent in seed()) {
        check_power_and_inverse::<super::Bls12381Scalar>(a, exponent);
        check_power_and_inverse::<super::StarkPrime>(a, exponent);
        check_power_and_inverse::<super::PallasBase>(a, exponent);
        check_power_and_inverse::<super::VestaBase>(a, exponent);
        check_power_and_inverse::<super::Bn254Scalar>(a, exponent);
    }

    #[test]
    fn batch_inverse_agrees_with_single(seeds in prop::collection::vec(seed(), 0..20)) {
        check_batch_inverse::<super::Bls12381Scalar>(&seeds);
        check_batch_inverse::<super::StarkPrime>(&seeds);
        check_batch_inverse::<super::PallasBase>(&seeds);
        check_batch_inverse::<super::VestaBase>(&seeds);
        check_batch_inverse::<super::Bn254Scalar>(&seeds);
    }

    #[test]
    fn inner_products_agree_with_integers(
        pairs in prop::collection::vec((seed(), seed()), 0..70),
    ) {
        check_inner_product::<super::Bls12381Scalar>(&pairs);
        check_inner_product::<super::StarkPrime>(&pairs);
        check_inner_product::<super::PallasBase>(&pairs);
        check_inner_product::<super::VestaBase>(&pairs);
        check_inner_product::<super::Bn254Scalar>(&pairs);
    }

    #[test]
    fn lazy_sums_agree_with_integers(
        terms in prop::collection::vec((-5..=5i64, seed()), 0..40),
        large in -63..=63i64,
        x in seed(),
    ) {
        check_lazy_sum::<super::Bls12381Scalar>(&terms);
        check_lazy_sum::<super::StarkPrime>(&terms);
        check_lazy_sum::<super::PallasBase>(&terms);
        check_lazy_sum::<super::VestaBase>(&terms);
        check_lazy_sum::<super::Bn254Scalar>(&terms);
        check_lazy_sum::<super::Bls12381Scalar>(&[(large, x)]);
        check_lazy_sum::<super::StarkPrime>(&[(large, x)]);
        check_lazy_sum::<super::PallasBase>(&[(large, x)]);
        check_lazy_sum::<super::VestaBase>(&[(large, x)]);
        check_lazy_sum::<super::Bn254Scalar>(&[(large, x)]);
    }

    #[test]
    fn bytes_and_hex_round_trip_or_are_refused(raw in any::<[u8; 32]>(), top in 0..=255u8) {
        let mut raw = raw;
        raw[31] = top;
        check_bytes::<super::Bls12381Scalar>(raw);
        check_bytes::<super::StarkPrime>(raw);
        check_bytes::<super::PallasBase>(raw);
        check_bytes::<super::VestaBase>(raw);
        check_bytes::<super::Bn254Scalar>(raw);
        raw[31] &= 0x07; // most random values are above StarkWare's prime
        check_bytes::<super::StarkPrime>(raw);
        check_bytes::<super::PallasBase>(raw);
        check_bytes::<super::VestaBase>(raw);
        check_bytes::<super::Bn254Scalar>(raw);
    }

    #[test]
    fn any_text_parses_or_is_refused(text in "(0x)?[0-9a-fA-F]{0,70}|.{0,20}") {
        let _ = text.parse::<Fr>();
        let _ = text.parse::<Felt>();
    }
}

#[test]
fn inner_product_of_the_largest_elements_stays_in_range() {
    for terms in [1, 2, 29, 30, 31, 60, 61] {
        let largest = (-Fr::ONE, -Felt::ONE);
        let fr = Fr::inner_product(&vec![largest.0; terms], &vec![largest.0; terms]);
        let felt = Felt::inner_product(&vec![largest.1; terms], &vec![largest.1; terms]);
        assert_eq!((fr, felt), (Fr::from(terms as u64), Felt::from(terms as u64)));
        // The largest Montgomery forms, not only the largest values.
        let raw = |limbs: [u64; 4]| {
            let mut bytes = [0; 32];
            for (chunk, limb) in bytes.chunks_exact_mut(8).zip(limbs) {
                chunk.copy_from_slice(&limb.to_le_bytes());
            }
            bytes[0] -= 1;
            bytes
        };
        let x = Fr::from_montgomery_le_bytes(&raw(super::Bls12381Scalar::VALUE)).unwrap();
        let expected: Fr = std::iter::repeat_n(x * x, terms).sum();
        assert_eq!(Fr::inner_product(&vec![x; terms], &vec![x; terms]), expected);
    }
}

#[test]
fn the_modulus_itself_is_refused_and_named() {
    let error = Felt::from_canonical_limbs(super::StarkPrime::VALUE).unwrap_err();
    assert!(error.to_string().contains("not below the Felt modulus 0x0800000000000011"));
    assert!(Fr::from_canonical_limbs(super::Bls12381Scalar::VALUE).is_err());
}

#[test]
fn malformed_text_is_named() {
    assert_eq!("12".parse::<Fr>(), Err(FieldError::NoPrefix { got: "12".into() }));
    assert_eq!("0x".parse::<Fr>(), Err(FieldError::DigitCount { got: 0 }));
    let long = format!("0x{}", "0".repeat(65));
    assert_eq!(long.parse::<Fr>(), Err(FieldError::DigitCount { got: 65 }));
    let wrong = FieldError::NotADigit { character: 'g', position: 3 };
    assert_eq!("0x1g".parse::<Fr>(), Err(wrong));
}
