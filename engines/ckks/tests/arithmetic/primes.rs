// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All primes are 1 modulo 2¹⁷ at every N, so that devices reduce products with small multipliers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use halimede_ckks::params::{
    BootstrapShape, Chain, ChainError, ChainShape, ParametersBuilder, LEAST_LOG_ORDER,
};
use halimede_ckks::ring::{is_prime, primes_below};
use halimede_ckks::Parameters;
use proptest::prelude::*;

/// Bits of a prime.
fn bits(prime: u32) -> u32 {
    u32::BITS - prime.leading_zeros()
}

/// Returns a fault in the primes of a chain, if there is one.
fn flaw(chain: &Chain, log_degree: u32) -> Option<String> {
    let order = 1 << (log_degree + 1).max(17);
    let distinct: BTreeSet<u32> = chain.primes.iter().copied().collect();
    if distinct.len() != chain.primes.len() {
        return Some("a prime is there twice".to_owned());
    }
    let mains = chain.primes.iter().filter(|prime| bits(**prime) == 30).count();
    let terminals = chain.primes.iter().filter(|prime| (25..=26).contains(&bits(**prime))).count();
    if terminals > 5 || mains + terminals != chain.primes.len() {
        return Some(format!("{mains} main and {terminals} terminal primes"));
    }
    let wrong = chain.primes.iter().find(|prime| **prime % order != 1 || !is_prime(**prime));
    wrong.map(|prime| format!("{prime} is not a prime that is 1 modulo {order}"))
}

#[test]
fn of_every_preset() {
    for name in Parameters::presets() {
        let parameters = Parameters::dry_preset(name).unwrap();
        let log_degree = parameters.degree().trailing_zeros();
        assert_eq!(flaw(parameters.chain(), log_degree), None, "{name}");
    }
    // The order for which the card is built.
    assert_eq!(LEAST_LOG_ORDER, 17);
}

/// Up to N = 2¹⁶, chains of the same steps have the same primes: a device needs one set of
/// constants.
#[test]
fn small_rings_have_those_of_large_ones() {
    let chain = |log_degree| {
        let shape = ChainShape { log_degree, base_units: 12, steps: vec![8; 9], digits: 3 };
        Chain::new(&shape).unwrap()
    };
    for log_degree in 5..16 {
        assert_eq!(chain(log_degree), chain(16), "2^{log_degree}");
    }
    assert_ne!(chain(17).primes, chain(16).primes);
}

#[test]
fn there_are_as_many_as_the_documents_say() {
    let count = |bits: u32, log_order: u32| {
        let least = 1 << (bits - 1);
        primes_below(1 << bits, log_order).take_while(|prime| *prime > least).count()
    };
    assert_eq!([25, 26, 30].map(|bits| count(bits, 17)), [18, 22, 395]);
    assert_eq!([25, 26, 30].map(|bits| count(bits, 18)), [8, 10, 211]);
}

#[test]
fn too_few_are_an_error_that_counts_them() {
    for (log_degree, limit, log_order) in [(5, 395, 17), (16, 395, 17), (17, 211, 18)] {
        let shape =
            |depth| ChainShape { log_degree, base_units: 12, steps: vec![12; depth], digits: 20 };
        // A main prime has six units, and the largest digit has the size of the special primes.
        let needed = |depth: usize| 2 + 2 * depth + (2 + 2 * depth).div_ceil(20);
        let deepest = (1..300).rev().find(|depth| needed(*depth) <= limit).unwrap();
        let most = Chain::new(&shape(deepest)).unwrap();
        assert_eq!(flaw(&most, log_degree), None);
        let error = Chain::new(&shape(deepest + 1)).unwrap_err();
        let wanted = needed(deepest + 1);
        assert_eq!(error, ChainError::Primes { bits: 30, log_order, wanted, limit });
        let text = format!("{wanted} primes of 30 bits are needed that are 1 modulo 2^{log_order}");
        assert!(error.to_string().starts_with(&text), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn of_any_chain(
        log_degree in 5u32..=17,
        base_units in 10u32..=24,
        steps in prop::collection::vec(5u32..=12, 0..60),
        digits in 1usize..30,
    ) {
        let shape = ChainShape { log_degree, base_units, steps, digits };
        match Chain::new(&shape) {
            Ok(chain) => prop_assert_eq!(flaw(&chain, log_degree), None, "{:?}", shape),
            // 60 levels of 60 bits and the same number of special primes are fewer than exist.
            Err(error) => {
                prop_assert!(!matches!(error, ChainError::Primes { .. }), "{:?}: {}", shape, error);
            }
        }
    }

    #[test]
    fn of_any_bootstrap(
        log_degree in 5u32..=17,
        levels in 1usize..20,
        level_units in 7u32..=12,
        rounds in 1usize..=2,
        digits in 3usize..=8,
    ) {
        let usual = BootstrapShape::new(log_degree, levels, digits);
        let chain = BootstrapShape { level_units, rounds, ..usual }.chain();
        let Ok(chain) = Chain::new(&chain) else { return Ok(()) };
        prop_assert_eq!(flaw(&chain, log_degree), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn of_what_the_builder_makes(
        log_degree in 5u32..=12, depth in 1usize..24, precision in 1.0..28.0f64,
    ) {
        let builder = ParametersBuilder::new().depth(depth).precision_bits(precision);
        let parameters = builder.build_insecure(log_degree).unwrap();
        prop_assert_eq!(flaw(parameters.chain(), log_degree), None);
        prop_assert!(parameters.expected_precision().product_bits >= precision);
    }

    #[test]
    fn of_what_the_builder_makes_securely(depth in 1usize..6, precision in 1.0..20.0f64) {
        let builder = ParametersBuilder::new().depth(depth).precision_bits(precision);
        let parameters = builder.build().unwrap();
        let log_degree = parameters.degree().trailing_zeros();
        prop_assert!(parameters.is_secure());
        prop_assert_eq!(flaw(parameters.chain(), log_degree), None);
    }
}
