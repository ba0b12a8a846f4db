// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples, by each method and on every backend, against the crate `jubjub`.

use super::*;
use crate::jubjub::testing::{normalized, Sum};

fn check(expected: &Sum, name: &str) {
    for backend in Backend::available() {
        expected.check(&sum(backend, &expected.terms), &format!("{name}, {backend}"));
        let interleaved = serial::run(backend, Interleaved(&expected.terms));
        expected.check(&interleaved, &format!("{name}, interleaved, {backend}"));
        let buckets = serial::run(backend, Buckets(&expected.terms));
        expected.check(&buckets, &format!("{name}, buckets, {backend}"));
    }
}

#[test]
fn random_sums_are_those_of_the_reference() {
    for (short, long) in
        [(0, 0), (1, 0), (0, 1), (1, 2), (11, 11), (12, 13), (50, 49), (3, 100), (300, 301)]
    {
        let seed = 100 * short as u64 + long as u64;
        check(&Sum::random(seed, short, long), &format!("{short} and {long} terms"));
    }
}

#[test]
fn extreme_factors_and_points_are_summed() {
    check(&Sum::extreme(), "extreme");
}

#[test]
fn a_changed_factor_changes_the_sum() {
    let Sum { mut terms, .. } = Sum::random(9, 60, 60);
    let before = normalized(&sum(Backend::Portable, &terms));
    for backend in Backend::available() {
        terms.short[59].factor[1] ^= 1 << 62;
        assert_ne!(normalized(&sum(backend, &terms)), before, "{backend}");
        terms.short[59].factor[1] ^= 1 << 62;
        terms.long[59].factor[3] ^= 1 << 59;
        assert_ne!(normalized(&sum(backend, &terms)), before, "{backend}");
        terms.long[59].factor[3] ^= 1 << 59;
        assert_eq!(normalized(&sum(backend, &terms)), before, "{backend}");
    }
}
