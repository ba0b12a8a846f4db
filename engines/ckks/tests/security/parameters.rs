// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parameters are as secure as they claim: larger claims are rejected in every way.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashSet;

use halimede_ckks::params::{
    most_modulus_bits, BootstrapShape, BuilderError, Chain, ChainShape, EncapsulationError,
    ParametersBuilder, ParametersError, SecretKind, SecurityLevel,
};
use halimede_ckks::{FileError, Parameters};

/// The byte of a file with the claimed level of security.
const SECURITY_BYTE: usize = 13;

/// Returns a bootstrap with few levels, so that N = 2¹⁵ has room for it; it is not precise.
fn small_shape(log_degree: u32) -> BootstrapShape {
    let usual = BootstrapShape::new(log_degree, 1, 3);
    BootstrapShape { coeff_to_slot: 1, degree: 3, doublings: 0, ..usual }
}

fn saved(parameters: &Parameters) -> Vec<u8> {
    let mut bytes = Vec::new();
    parameters.save(&mut bytes).unwrap();
    bytes
}

/// Returns a file of parameters with changed bytes and a matching hash, as a forger would write it.
fn forged(file: &[u8], primes: &[u32], changes: &[(usize, u8)]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    changes.iter().for_each(|(at, byte)| bytes[*at] = *byte);
    let hash = bytes.len() - 32;
    let mut hasher = blake3::Hasher::new_derive_key("Halimede CKKS parameters, format 4");
    hasher.update(&bytes[11..hash]);
    for prime in primes {
        hasher.update(&prime.to_le_bytes());
    }
    bytes[hash..].copy_from_slice(hasher.finalize().as_bytes());
    bytes
}

/// Returns the error of a file that claims security that its parameters do not have.
fn refused(bytes: &[u8]) -> ParametersError {
    // Insecure parameters are only accepted as such if they claim nothing else.
    let errors =
        [Parameters::load(bytes), Parameters::load_insecure(bytes)].map(Result::unwrap_err);
    let [FileError::Parameters(error), FileError::Parameters(other)] = errors else {
        panic!("{errors:?}");
    };
    assert_eq!(error, other);
    error
}

#[test]
fn bootstraps_of_the_presets_are_within_what_a_sparse_secret_admits() {
    for (levels, level_units, rounds, bits) in [(9, 8, 1, 119.943), (6, 12, 2, 119.941)] {
        let usual = BootstrapShape::new(16, levels, 4);
        let shape = BootstrapShape { level_units, rounds, ..usual };
        let got = Chain::new(&shape.chain()).unwrap().encapsulated_modulus_bits();
        assert!((got - bits).abs() < 1e-3, "{shape:?}: {got}");
        assert_eq!(shape.weight, 32);
    }
}

#[test]
fn a_sparse_secret_of_little_weight_is_not_secure() {
    for weight in [1, 8, 31] {
        let shape = BootstrapShape { weight, ..BootstrapShape::new(16, 9, 4) };
        let error = Parameters::new(shape, SecretKind::Ternary).unwrap_err();
        let expected = EncapsulationError::Weight { got: weight, least: 32 };
        assert_eq!(error, ParametersError::Encapsulation(expected));
        let text = error.to_string();
        assert!(text.contains(&format!("weight {weight} has less than 128 bits")), "{text}");
        assert!(text.contains("take a weight of 32 or more"), "{text}");
    }
}

#[test]
fn files_that_claim_security_under_such_a_secret_are_refused() {
    let shape = small_shape(16);
    let parameters = Parameters::insecure(shape, SecretKind::Ternary).unwrap();
    let (file, primes) = (saved(&parameters), &parameters.chain().primes);
    // After the levels: the mark of bootstraps, and five numbers of them.
    let weight = 19 + parameters.shape().chain().steps.len() + 5;
    assert_eq!(file[weight], 32);
    let claiming =
        |level: u8, by: u8| forged(&file, primes, &[(SECURITY_BYTE, level), (weight, by)]);
    for by in [1, 8, 31] {
        let expected = EncapsulationError::Weight { got: by.into(), least: 32 };
        assert_eq!(refused(&claiming(1, by)), ParametersError::Encapsulation(expected));
        // A file without a claim is accepted.
        assert!(!Parameters::load_insecure(&claiming(0, by)[..]).unwrap().is_secure());
    }
    let loaded = Parameters::load(&claiming(1, 32)[..]).unwrap();
    assert_eq!((loaded.security_bits(), loaded.is_secure()), (Some(128), true));
    for (level, got) in [(2, SecurityLevel::Bits192), (3, SecurityLevel::Bits256)] {
        let error = refused(&claiming(level, 32));
        assert_eq!(error, ParametersError::Encapsulation(EncapsulationError::Level { got }));
        assert!(error.to_string().contains("at most 128 bits of security"), "{error}");
    }
    let error = Parameters::load(&claiming(4, 32)[..]).unwrap_err();
    assert!(error.to_string().contains("byte 13: unknown security level"), "{error}");
}

#[test]
fn bootstraps_take_a_large_ring() {
    let shape = small_shape(15);
    let error = Parameters::new(shape.clone(), SecretKind::Ternary).unwrap_err();
    let expected = EncapsulationError::Ring { got: 15, least: 16 };
    assert_eq!(error, ParametersError::Encapsulation(expected));
    assert!(error.to_string().contains("take N = 2^16 or larger"), "{error}");
    // The table by itself would admit it.
    let parameters = Parameters::insecure(shape.clone(), SecretKind::Ternary).unwrap();
    let most = most_modulus_bits(15, SecretKind::Ternary, SecurityLevel::Bits128).unwrap();
    assert!(parameters.modulus_bits() < most.into(), "{}", parameters.modulus_bits());
    let file = forged(&saved(&parameters), &parameters.chain().primes, &[(SECURITY_BYTE, 1)]);
    assert_eq!(refused(&file), error);
    let chain = ChainShape::clone(&shape.chain());
    assert!(Parameters::new(chain, SecretKind::Ternary).unwrap().is_secure());
}

#[test]
fn bootstraps_have_128_bits_at_most() {
    for security in [SecurityLevel::Bits192, SecurityLevel::Bits256] {
        let shape = small_shape(16);
        let error = Parameters::with_security(shape, SecretKind::Ternary, security).unwrap_err();
        let expected = EncapsulationError::Level { got: security };
        assert_eq!(error, ParametersError::Encapsulation(expected));
        let builder = ParametersBuilder::new().bootstrapping(true).security_bits(security);
        let error = builder.build().unwrap_err();
        assert_eq!(error, BuilderError::Parameters(ParametersError::Encapsulation(expected)));
        let text = error.to_string();
        assert!(text.contains(&format!("{security} were requested")), "{text}");
        // Impossible alternatives are not proposed.
        let error =
            ParametersBuilder::new().depth(150).security_bits(security).build().unwrap_err();
        let text = error.to_string();
        assert!(text.contains("is possible") && !text.contains("bootstrapping"), "{text}");
    }
}

#[test]
fn a_range_must_fit_the_weight() {
    let usual = BootstrapShape::new(10, 1, 4);
    // Sums of few numbers never exceed half their number; sums of many hardly ever do.
    for (log_degree, weight, least) in [
        (10, 1, 1),
        (10, 2, 2),
        (16, 8, 5),
        (10, 32, 15),
        (16, 32, 15),
        (17, 32, 15),
        (16, 192, 36),
    ] {
        let shape = BootstrapShape { log_degree, weight, ..usual.clone() };
        assert_eq!(shape.least_range(), least, "weight {weight}");
        for range in [least as u32, least as u32 + 1, 255] {
            let shape = BootstrapShape { range, ..shape.clone() };
            assert!(shape.check().is_ok(), "{shape:?}");
        }
        let error = BootstrapShape { range: least as u32 - 1, ..shape }.check().unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&format!("must lie in {least}..=255")), "{text}");
    }
    for (weight, range) in [(32, 8), (64, 16), (255, 16), (8, 4)] {
        let shape = BootstrapShape { weight, range, ..usual.clone() };
        let error = Parameters::insecure(shape, SecretKind::Ternary).unwrap_err();
        assert!(matches!(error, ParametersError::Bootstrap(_)), "{error}");
    }
}

#[test]
fn the_bound_of_the_range_is_one() {
    // P(|sum of n| ≥ t) = 2/n! · Σ (−1)^k · C(n, k) · (n/2 − t − k)^n, for n numbers that are
    // uniform on (−1/2, 1/2) (Irwin, Hall): exact if few terms are left.
    for (weight, log_degree) in [(8, 10), (16, 16), (24, 17), (32, 16), (32, 17)] {
        let shape = BootstrapShape { weight, ..BootstrapShape::new(log_degree, 1, 4) };
        let (n, room) = (weight + 1, (weight as f64 + 1.0) / 2.0 - shape.least_range() as f64);
        let mut binomial = 1.0;
        let mut sum = 0.0;
        for k in 0..n {
            let base = room - k as f64;
            if base <= 0.0 {
                break;
            }
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            sum += sign * binomial * base.powi(n as i32);
            binomial *= (n - k) as f64 / (k + 1) as f64;
        }
        let factorial: f64 = (1..=n).map(|k| k as f64).product();
        let probability = 2.0 * sum / factorial * f64::from(log_degree + 1).exp2();
        assert!(probability < 2f64.powi(-40), "weight {weight}: 2^{}", probability.log2());
    }
}

#[test]
fn limits_of_older_tables_are_refused() {
    // Within 438 bits at N = 2¹⁴, the limit of the standard of 2018, and above 430.
    let is_between = |bits: f64| bits > 430.0 && bits <= 438.0;
    let shapes = (5..=12).flat_map(|step| (1..=9).map(move |digits| (step, digits))).flat_map(
        |(step, digits)| {
            (1..70).map(move |levels| ChainShape {
                log_degree: 14,
                base_units: 12,
                steps: vec![step; levels],
                digits,
            })
        },
    );
    let bits = |shape: &ChainShape| Chain::new(shape).ok().map(|chain| chain.modulus_bits());
    let mut of_2018 = shapes.filter(|shape| bits(shape).is_some_and(is_between));
    let shape = of_2018.next().expect("there are such chains");
    let error = Parameters::new(shape.clone(), SecretKind::Ternary).unwrap_err();
    let expected = SecurityLevel::Bits128;
    let ParametersError::Insecure { got, most: 430, log_degree: 14, security } = error else {
        panic!("{error}");
    };
    assert!(is_between(got) && security == expected, "{shape:?}");
    let text = error.to_string();
    assert!(text.contains("which it may have 430; take fewer levels"), "{text}");
}

#[test]
fn more_security_is_built_within_its_table() {
    for (security, slots, depth, precision) in [
        (SecurityLevel::Bits128, 1, 2, 12.0),
        (SecurityLevel::Bits192, 1, 1, 8.0),
        (SecurityLevel::Bits192, 4000, 2, 15.0),
        (SecurityLevel::Bits192, 1, 5, 20.0),
        (SecurityLevel::Bits256, 1, 1, 8.0),
        (SecurityLevel::Bits256, 1, 3, 18.0),
        (SecurityLevel::Bits256, 8000, 4, 12.5),
    ] {
        let builder = ParametersBuilder::new().slots(slots).depth(depth).precision_bits(precision);
        let parameters = builder.security_bits(security).build().unwrap();
        let log_degree = parameters.shape().chain().log_degree;
        let most = |of| most_modulus_bits(log_degree, SecretKind::Ternary, of).unwrap();
        let bits = parameters.modulus_bits();
        assert!(bits <= most(security).into(), "{bits} at N = 2^{log_degree}");
        assert_eq!(parameters.security(), Some(security));
        assert_eq!(parameters.security_bits(), Some(security.bits()));
        assert!(parameters.is_secure());
        assert!(parameters.expected_precision().product_bits >= precision);
        let text = parameters.to_string();
        let line = format!("security         {security}, classical");
        assert!(text.contains(&line), "{text}");
        // The next security level has no room in this ring, or is reached.
        let (shape, secret) = (parameters.shape().clone(), SecretKind::Ternary);
        for other in SecurityLevel::ALL {
            let made = Parameters::with_security(shape.clone(), secret, other);
            assert_eq!(made.is_ok(), bits <= most(other).into(), "{security}, {other}");
            if let Err(error) = made {
                assert!(error.to_string().contains(&format!("less than {other}")), "{error}");
            }
        }
    }
    // No table has that number of slots for 256 bits.
    let builder = ParametersBuilder::new().slots(1 << 16).security_bits(SecurityLevel::Bits256);
    let text = builder.build().unwrap_err().to_string();
    assert!(text.contains("is not tabled: take N from 2^11 to 2^16"), "{text}");
    let builder = ParametersBuilder::new().secret(SecretKind::Sparse);
    let builder = builder.security_bits(SecurityLevel::Bits192);
    let text = builder.build().unwrap_err().to_string();
    assert!(text.contains("is not tabled: take ternary secrets"), "{text}");
}

#[test]
fn files_keep_the_level_and_are_held_to_it() {
    let builder = ParametersBuilder::new().depth(1).precision_bits(8.0);
    let parameters = builder.security_bits(SecurityLevel::Bits256).build().unwrap();
    let (shape, secret) = (parameters.shape().clone(), SecretKind::Ternary);
    let mut all = vec![Parameters::insecure(shape.clone(), secret).unwrap()];
    let of = |level| Parameters::with_security(shape.clone(), secret, level).unwrap();
    all.extend(SecurityLevel::ALL.map(of));
    let hashes: HashSet<_> = all.iter().map(Parameters::hash).collect();
    assert_eq!(hashes.len(), 4);
    for (place, made) in all.iter().enumerate() {
        let file = saved(made);
        assert_eq!(usize::from(file[SECURITY_BYTE]), place);
        let loaded = Parameters::load_insecure(&file[..]).unwrap();
        assert_eq!(loaded.security(), made.security());
        assert_eq!((loaded.hash(), loaded.name()), (made.hash(), made.name()));
        assert_eq!(Parameters::load(&file[..]).is_ok(), made.is_secure());
        // The hash depends on the security level.
        for other in (0..4u8).filter(|other| usize::from(*other) != place) {
            let mut changed = file.clone();
            changed[SECURITY_BYTE] = other;
            let error = Parameters::load_insecure(&changed[..]).unwrap_err();
            assert!(
                error.to_string().contains("the hash of the parameters does not match"),
                "{error}"
            );
        }
    }
    assert!(all[3].name().ends_with(", 256 bits of security"), "{}", all[3].name());
    // Parameters of 128 bits that claim more.
    let parameters = Parameters::preset("n14").unwrap();
    for (byte, most) in [(2, 297), (3, 230)] {
        let primes = &parameters.chain().primes;
        let error = refused(&forged(&saved(&parameters), primes, &[(SECURITY_BYTE, byte)]));
        let is_it = matches!(error, ParametersError::Insecure { most: got, .. } if got == most);
        assert!(is_it, "{error}");
    }
}
