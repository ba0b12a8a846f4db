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

use std::process::Command;

use common::{built, folder, found, run};
use tempfile::TempDir;

/// The libraries that Rust's standard library needs in a static link.
const NATIVE: [&str; 4] = ["-lgcc_s", "-lpthread", "-lm", "-ldl"];

/// Compiles a program in every way, and checks its output.
fn check(source: &str, arguments: &[&std::path::Path], expected: &str) {
    let temporary = TempDir::new().unwrap();
    let program = temporary.path().join("program");
    let libraries = built();
    let version: Vec<&str> = env!("CARGO_PKG_VERSION").split('.').collect();
    let soname = format!("libhalimede_secp256k1.so.{}.{}", version[0], version[1]);
    for name in [&soname[..], "libhalimede_secp256k1.so"] {
        let library = libraries.join("libhalimede_secp256k1.so");
        std::os::unix::fs::symlink(library, temporary.path().join(name)).unwrap();
    }
    let place = temporary.path().display();
    let shared = [
        "-lhalimede_secp256k1".into(),
        "-pthread".into(),
        format!("-L{place}"),
        format!("-Wl,-rpath,{place}"),
    ];
    let library = libraries.join("libhalimede_secp256k1.a").display().to_string();
    let linked_in =
        [&[library, "-Wl,--strip-debug".into()][..], &NATIVE.map(String::from)].concat();
    for (compilers, standard, links) in [
        (&["gcc", "clang"], "-std=c99", &[&shared[..], &linked_in[..]][..]),
        (&["g++", "clang++"], "-std=c++17", &[&shared[..]]),
    ] {
        for compiler in found(compilers) {
            for link in links {
                let mut command = Command::new(compiler);
                command.args(["-Wall", "-Wextra", "-Werror", "-O1", standard]);
                command.args(["-x", if standard.contains("++") { "c++" } else { "c" }]);
                command.arg("-I").arg(folder().join("include"));
                command.arg(folder().join("tests/c").join(source)).args(["-x", "none"]).args(*link);
                run(command.arg("-o").arg(&program));
                assert_eq!(run(Command::new(&program).args(arguments)), expected, "{compiler}");
            }
        }
    }
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
