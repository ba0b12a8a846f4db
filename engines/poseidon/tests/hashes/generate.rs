// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares generated parameters with published permutations and the built-in instances; checks
//! their JSON and the errors.

#![cfg(feature = "generate")]

use halimede_arith::field::Bls12381Scalar;
use halimede_arith::Fr;
use halimede_poseidon::generate::{
    is_prime, Convention, DocumentError, GeneratedParameters, Margin, NamedField, PartialRounds,
    PermuteError, Sbox, Specification, SpecificationError,
};
use halimede_poseidon::{plain, Family, Instance, PoseidonField, RoundNumbers, Strength};
use num_bigint::BigUint;
use proptest::prelude::*;
use serde_json::Value;

fn number(text: &str) -> BigUint {
    BigUint::parse_bytes(text.strip_prefix("0x").unwrap().as_bytes(), 16).unwrap()
}

fn numbers(list: &Value) -> Vec<BigUint> {
    list.as_array().unwrap().iter().map(|text| number(text.as_str().unwrap())).collect()
}

fn named(field: &str, width: usize) -> Specification {
    NamedField::find(field).unwrap().specification(width).unwrap()
}

#[test]
fn published_permutations_follow_from_field_and_width() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/generated.json");
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let vectors = vectors["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), 6);
    for vector in vectors {
        let field = vector["field"].as_str().unwrap();
        let width = vector["width"].as_u64().unwrap() as usize;
        let parameters = named(field, width).generate().unwrap();
        let rounds = parameters.rounds();
        assert_eq!(rounds.full as u64, vector["full_rounds"].as_u64().unwrap(), "{field}");
        assert_eq!(rounds.partial as u64, vector["partial_rounds"].as_u64().unwrap(), "{field}");
        let alpha = vector["alpha"].as_u64().unwrap() as u32;
        assert_eq!(parameters.specification().sbox, Sbox::Power(alpha));
        for permutation in vector["permutations"].as_array().unwrap() {
            let mut state = numbers(&permutation["input"]);
            parameters.permute(&mut state).unwrap();
            assert_eq!(state, numbers(&permutation["output"]), "{field}, width {width}");
        }
    }
}

fn canonical(element: &Fr) -> BigUint {
    BigUint::from_bytes_le(&element.to_le_bytes())
}

#[test]
fn filecoins_instances_are_generated_alike() {
    for (width, strength) in [
        (3, Strength::Standard),
        (5, Strength::Strengthened),
        (12, Strength::Standard),
        (17, Strength::Standard),
    ] {
        let instance = Instance::new(Family::Filecoin(strength), width).unwrap();
        let ours = Bls12381Scalar::parameters(instance).unwrap();
        let rounds =
            RoundNumbers { full: instance.full_rounds(), partial: instance.partial_rounds() };
        let specification = Specification {
            convention: Convention::Filecoin,
            rounds: Some(rounds),
            ..named("bls12-381", width)
        };
        let generated = specification.generate().unwrap();
        assert_eq!(generated.rounds(), rounds);
        let constants: Vec<BigUint> = ours.round_constants.iter().map(canonical).collect();
        assert_eq!(generated.round_constants(), constants, "{instance}");
        let rows = ours.mds.rows().iter().map(|row| row.iter().map(canonical).collect());
        assert_eq!(generated.mds(), rows.collect::<Vec<Vec<_>>>(), "{instance}");

        let mut state: Vec<Fr> = (0..width as u64).map(|i| Fr::from(i + 7).pow(&[i + 3])).collect();
        let mut big: Vec<BigUint> = state.iter().map(canonical).collect();
        plain::permute(&ours, &mut state);
        generated.permute(&mut big).unwrap();
        assert_eq!(big, state.iter().map(canonical).collect::<Vec<_>>(), "{instance}");
    }
}

#[test]
fn rounds_follow_margin_and_rule() {
    let rounds = |specification: &Specification| {
        let rounds = specification.round_numbers().unwrap();
        (rounds.full, rounds.partial)
    };
    // circomlib's table of partial rounds for widths 2 to 17.
    let circomlib = [56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65, 70, 60, 64, 68];
    for (width, partial) in (2..).zip(circomlib) {
        assert_eq!(rounds(&named("bn254", width)), (8, partial), "width {width}");
    }
    let fewest = Specification { partial_rounds: PartialRounds::Fewest, ..named("bn254", 3) };
    assert_eq!(rounds(&fewest), (8, 56));
    let bare = Specification { margin: Margin::None, ..fewest.clone() };
    assert_eq!(rounds(&bare), (6, 52));
    let stronger = Specification { security_bits: 256, ..fewest.clone() };
    assert_eq!(rounds(&stronger).0, 8);
    assert!(rounds(&stronger).1 > 100);
    // More rounds than needed are accepted unchanged.
    let asked = RoundNumbers { full: 12, partial: 100 };
    assert_eq!(rounds(&Specification { rounds: Some(asked), ..fewest }), (12, 100));
}

#[test]
fn inverses_and_all_sizes_of_primes_give_permutations() {
    // MNT6-753's scalar field, whose instances use x⁻¹.
    let mnt =
        "0x1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d12\
               4d9a15af79db117e776f218059db80f0da5cb537e38685acce9767254a4638810719ac425f0e39d54522\
               cdd119f5e9063de245e8001";
    let specifications = [
        Specification::new(number(mnt), 3, Sbox::Inverse),
        Specification { convention: Convention::Filecoin, ..named("pallas", 2) },
        Specification { sbox: Sbox::Inverse, ..named("mersenne31", 16) },
        named("goldilocks", 8),
        named("koalabear", 24),
    ];
    for specification in specifications {
        let parameters = specification.generate().unwrap();
        let width = specification.width;
        let mut states: Vec<Vec<BigUint>> = (0..4u32)
            .map(|i| (0..width).map(|j| BigUint::from(if j == 0 { i } else { 0 })).collect())
            .collect();
        for state in &mut states {
            parameters.permute(state).unwrap();
            assert!(state.iter().all(|element| element < parameters.field().modulus()));
        }
        states.sort();
        states.dedup();
        assert_eq!(states.len(), 4);
    }
}

#[test]
fn json_is_read_back_and_checked() {
    let parameters = named("babybear", 16).generate().unwrap();
    let text = parameters.to_json().unwrap();
    let read = GeneratedParameters::from_json(&text).unwrap();
    assert_eq!(read.round_constants(), parameters.round_constants());
    assert_eq!((read.mds(), read.rounds()), (parameters.mds(), parameters.rounds()));
    assert_eq!(read.to_json().unwrap(), text);

    let inverse = Specification { sbox: Sbox::Inverse, ..named("goldilocks", 8) };
    let text = inverse.generate().unwrap().to_json().unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&document["alpha"], &document["field_bits"]), (&(-1).into(), &64.into()));
    assert_eq!(GeneratedParameters::from_json(&text).unwrap().to_json().unwrap(), text);
}

#[test]
fn altered_json_is_refused() {
    let text = named("goldilocks", 8).generate().unwrap().to_json().unwrap();
    let original: Value = serde_json::from_str(&text).unwrap();
    let changes: [(&str, Value, &str); 14] = [
        ("/modulus", "0xffffffff00000003".into(), "0xffffffff00000003 is not prime"),
        ("/modulus", "18446744069414584321".into(), "got \"18446744069414584321\""),
        ("/field_bits", 63.into(), "field_bits is 63, expected 64"),
        ("/width", 7.into(), "round_constants has 240 entries, expected 210"),
        ("/alpha", 5.into(), "common divisor 5"),
        ("/alpha", (-2).into(), "alpha is -2"),
        ("/security_bits", 512.into(), "need a state of 1024 bits, got 8 elements of 64 bits"),
        ("/full_rounds", 9.into(), "the number of full rounds must be even"),
        ("/partial_rounds", 3.into(), "8 full and 3 partial rounds are not enough"),
        ("/partial_sbox_index", 1.into(), "partial_sbox_index is 1, expected 0"),
        ("/round_constants/17", "0xffffffff00000001".into(), "round_constants[17]"),
        ("/round_constants/0", "0x".into(), "round_constants[0]: expected 0x"),
        ("/mds/3/5", "0x0".into(), "not MDS"),
        ("/mds/3", Value::Array(vec![]), "mds[3] has 0 entries, expected 8"),
    ];
    for (pointer, value, reason) in changes {
        let mut document = original.clone();
        *document.pointer_mut(pointer).unwrap() = value;
        let error = GeneratedParameters::from_json(&document.to_string()).unwrap_err().to_string();
        assert!(error.contains(reason), "{pointer}: {error}");
    }
    for cut in [0, 1, text.len() / 2, text.len() - 1] {
        let error = GeneratedParameters::from_json(&text[..cut]).unwrap_err();
        assert!(matches!(error, DocumentError::Json { .. }));
    }
    // An MDS matrix with a trail: only the sum of elements 1 and 2 acts on element 0.
    let text = named("pallas", 3).generate().unwrap().to_json().unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["mds"] =
        serde_json::json!([["0x2", "0x3", "0x3"], ["0x3", "0x2", "0x3"], ["0x3", "0x3", "0x2"]]);
    let error = GeneratedParameters::from_json(&document.to_string()).unwrap_err();
    assert!(matches!(error, DocumentError::Trail { .. }), "{error}");
}

#[test]
fn bad_specifications_are_refused_with_numbers() {
    let good = named("bn254", 3);
    let with_prime = |prime: BigUint| Specification { prime, ..good.clone() };
    let two_to = |exponent: u32| BigUint::from(1u32) << exponent;
    let cases = [
        (with_prime(BigUint::ZERO), "the prime has 0 bits; 31 to 768"),
        (with_prime(BigUint::from(1_073_741_789u32)), "the prime has 30 bits"),
        (with_prime(two_to(768) + 183u32), "the prime has 769 bits"),
        (
            with_prime(&good.prime + 2u32),
            "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f59",
        ),
        (Specification { width: 0, ..good.clone() }, "the width must be in 2..=64, got 0"),
        (Specification { width: 1, ..good.clone() }, "got 1"),
        (Specification { width: 65, ..good.clone() }, "got 65"),
        (Specification { width: usize::MAX, ..good.clone() }, "got 18446744073709551615"),
        (Specification { sbox: Sbox::Power(0), ..good.clone() }, "from 3 to 257, got 0"),
        (Specification { sbox: Sbox::Power(1), ..good.clone() }, "got 1"),
        (Specification { sbox: Sbox::Power(4), ..good.clone() }, "got 4"),
        (Specification { sbox: Sbox::Power(259), ..good.clone() }, "got 259"),
        (
            Specification { sbox: Sbox::Power(3), ..good.clone() },
            "x^3 is not a permutation: 3 and p",
        ),
        (Specification { sbox: Sbox::Power(15), ..good.clone() }, "common divisor 3"),
        (Specification { security_bits: 63, ..good.clone() }, "64 to 512 bits, got 63"),
        (Specification { security_bits: 513, ..good.clone() }, "got 513"),
        (Specification { security_bits: 400, ..good.clone() }, "a state of 800 bits, got 3"),
        (named("mersenne31", 8), "128 bits of security need a state of 256 bits"),
    ];
    for (specification, reason) in cases {
        let error = specification.generate().unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(specification.round_numbers().unwrap_err(), error);
    }
    for number in [0u32, 1, 2, 3] {
        // Not a prime of the supported range: an error, not a panic.
        let prime = BigUint::from(number);
        let sbox = Specification::smallest_exponent(&prime).unwrap_or(Sbox::Inverse);
        let error = Specification::new(prime, 3, sbox).generate().unwrap_err();
        assert!(matches!(error, SpecificationError::PrimeBits { .. }));
    }
    let asked = |full, partial| {
        let rounds = Some(RoundNumbers { full, partial });
        Specification { rounds, ..good.clone() }.generate().unwrap_err()
    };
    assert!(matches!(asked(7, 60), SpecificationError::Rounds { .. }));
    assert!(matches!(asked(8, 1024), SpecificationError::Rounds { .. }));
    let needed = RoundNumbers { full: 6, partial: 52 };
    let rounds = RoundNumbers { full: 6, partial: 51 };
    assert_eq!(asked(6, 51), SpecificationError::InsecureRounds { rounds, needed });
}

#[test]
fn states_that_are_no_states_are_left_alone() {
    let parameters = named("goldilocks", 8).generate().unwrap();
    let modulus = parameters.field().modulus().clone();
    for count in [0, 7, 9] {
        let mut state = vec![BigUint::from(5u32); count];
        let error = parameters.permute(&mut state).unwrap_err();
        assert_eq!(error, PermuteError::Length { got: count, wanted: 8 });
    }
    let mut state: Vec<BigUint> = (0..8u32).map(BigUint::from).collect();
    state[6] = modulus;
    let before = state.clone();
    let error = parameters.permute(&mut state).unwrap_err();
    assert_eq!((error, state), (PermuteError::NotReduced { position: 6 }, before));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Arbitrary values, with mostly prime moduli, give an error or parameters of the requested
    /// sizes, and never a panic.
    #[test]
    fn any_specification_is_answered(
        prime_bits in 28u32..90,
        offset in any::<u32>(),
        next_prime in 0..5,
        width in 0usize..9,
        alpha in 0u32..12,
        security_bits in 50usize..140,
    ) {
        let mut prime = (BigUint::from(1u32) << prime_bits) + offset;
        while next_prime > 0 && !is_prime(&prime) {
            prime += 1u32;
        }
        let sbox = if alpha == 2 { Sbox::Inverse } else { Sbox::Power(alpha) };
        let mut specification = Specification::new(prime.clone(), width, sbox);
        specification.security_bits = security_bits;
        if let Ok(parameters) = specification.generate() {
            let rounds = parameters.rounds();
            prop_assert_eq!(parameters.round_constants().len(), (rounds.full + rounds.partial) * width);
            prop_assert!(parameters.round_constants().iter().all(|constant| *constant < prime));
            prop_assert!(rounds.full >= 8 && rounds.full % 2 == 0);
            prop_assert_eq!(parameters.mds().len(), width);
        }
    }
}
