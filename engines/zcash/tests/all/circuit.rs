// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The description of the Orchard circuit.

#[path = "../common/circuit.rs"]
mod description;

#[test]
fn the_description_is_that_of_the_crate() {
    let stored = include_str!("../../src/halo2/orchard.txt");
    let expected = description::description();
    let lines = stored.lines().zip(expected.lines()).enumerate();
    for (number, (stored, expected)) in lines {
        assert_eq!(stored, expected, "line {} of orchard.txt", number + 1);
    }
    assert_eq!(stored.len(), expected.len(), "run `cargo run -p halimede-zcash --example circuit`");
}
