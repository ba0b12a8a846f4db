// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs contract tests, and cases with the answers of the crate `secp256k1`, through the C
//! interface: every available compiler compiles the programs without warnings, which are linked
//! with the shared library, in C also with the static one.
//!
//! Without a compiler, the tests report it and pass; with `HALIMEDE_REQUIRE_C=1` they fail.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../tests/common/mod.rs"]
mod common;
mod peer;

use std::path::Path;

use common::replacement;
use tempfile::TempDir;

/// Runs a program, and checks its output.
fn check(source: &str, arguments: &[&Path], expected: &str) {
    replacement::check("halimede_secp256k1", source, &[], arguments, expected);
}

#[test]
fn the_contract_of_arguments() {
    check("contract.c", &[], "contract kept\n");
}

#[test]
fn cases_with_the_answers_of_the_peer() {
    let temporary = TempDir::new().unwrap();
    let cases = temporary.path().join("cases");
    let lines = peer::lines(7);
    std::fs::write(&cases, lines.concat()).unwrap();
    assert!(lines.len() > 2000, "{}", lines.len());
    check("cases.c", &[&cases], &format!("{} cases\n", lines.len()));
}
