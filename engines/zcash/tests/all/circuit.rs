// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The description of the Orchard circuit.

#[path = "../common/circuit.rs"]
mod description;

#[test]
fn the_description_is_that_of_the_crate() {
    let stored = include_str!("../../src/halo2/orchard.txt");
    let is_sweep = std::env::var_os("HALIMEDE_SWEEP").is_some();
    if !is_sweep {
        println!("HALIMEDE_SWEEP=1 compares all versions of the circuit");
    }
    let expected = description::description(if is_sweep { description::ALL } else { 1 });
    let lines = stored.lines().zip(expected.lines()).enumerate();
    for (number, (stored, expected)) in lines {
        assert_eq!(stored, expected, "line {} of orchard.txt", number + 1);
    }
    assert!(stored.starts_with(&expected), "run `cargo run -p halimede-zcash --example circuit`");
    assert!(!is_sweep || stored.len() == expected.len());
}
