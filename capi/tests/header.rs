// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The header in the repository is what its generator makes of the sources.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../examples/header.rs"]
#[allow(dead_code, reason = "its main function is for `make generate`")]
mod header;

#[test]
fn the_header_is_up_to_date() {
    let committed = include_str!("../include/halimede.h");
    let generated = String::from_utf8(header::generate().unwrap()).unwrap();
    assert!(committed == generated, "halimede.h is not up to date; run `make generate`");
    // What cbindgen leaves out for lack of understanding would be missing here.
    for source in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap() {
        let source = std::fs::read_to_string(source.unwrap().path()).unwrap();
        for line in source.lines() {
            let Some((_, function)) = line.split_once(r#"extern "C" fn "#) else { continue };
            let name = function.split('(').next().unwrap();
            assert!(generated.contains(&format!("{name}(")), "{name} is not in the header");
        }
    }
}
