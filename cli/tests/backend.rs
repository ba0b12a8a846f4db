// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command with each of the processor's backends forced: the same answers, and a refusal where
//! one is not here.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{halimede, halimede_with};
use halimede_arith::backend::VARIABLE;
use halimede_arith::Backend;

#[test]
fn every_backend_that_is_here_gives_the_same_digests() {
    // 21 lines: two full groups of eight and five more.
    let lines: String = (1..22u64).map(|i| format!("{:#x} {:#x}\n", i * i * 7919, i)).collect();
    for instance in ["filecoin-2", "starknet"] {
        let arguments = ["poseidon", "hash", "--instance", instance];
        let unforced = halimede(&arguments, lines.as_bytes());
        assert_eq!(unforced.code, Some(0), "{}", unforced.stderr);
        assert_eq!(unforced.stdout.lines().count(), 21);
        for backend in Backend::available() {
            let forced = [(VARIABLE, backend.name())];
            let outcome = halimede_with(&forced, &arguments, lines.as_bytes());
            assert_eq!(outcome.stdout, unforced.stdout, "{backend} {instance}");
        }
    }
}

#[test]
fn the_list_of_devices_names_the_backend() {
    for backend in Backend::available() {
        let outcome = halimede_with(&[(VARIABLE, backend.name())], &["devices", "--json"], b"");
        let list: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        let processor = &list["devices"][0]["capabilities"]["processor"];
        assert_eq!(processor["backend"], backend.name());
    }
}

#[test]
fn a_backend_that_is_not_here_is_refused_and_not_replaced() {
    let unavailable = Backend::ALL.into_iter().filter(|backend| !backend.is_available());
    for backend in unavailable.map(Backend::name).chain(["avx3"]) {
        let arguments = ["poseidon", "hash", "--instance", "filecoin-2"];
        let outcome = halimede_with(&[(VARIABLE, backend)], &arguments, b"1 2\n");
        assert_eq!(outcome.code, Some(3), "{backend}");
        let message = outcome.stderr;
        assert!(message.contains(VARIABLE) && message.contains(backend), "{message}");
        assert_eq!(outcome.stdout, "");
    }
}
