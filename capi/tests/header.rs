// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The committed header matches the output of its generator.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../examples/header/main.rs"]
#[allow(dead_code, reason = "its main function is for `make generate`")]
mod header;

#[test]
fn the_header_is_up_to_date() {
    let committed = include_str!("../include/halimede.h");
    let generated = String::from_utf8(header::generate().unwrap()).unwrap();
    assert!(committed == generated, "halimede.h is not up to date; run `make generate`");
    let functions = String::from_utf8(header::functions().unwrap()).unwrap();
    let committed = include_str!("../src/operations.rs");
    assert!(committed == functions, "operations.rs is not up to date; run `make generate`");
    // cbindgen omits functions that it cannot parse: they would be missing here.
    for source in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap() {
        let source = std::fs::read_to_string(source.unwrap().path()).unwrap();
        for line in source.lines() {
            let Some((_, function)) = line.split_once(r#"extern "C" fn "#) else { continue };
            let name = function.split('(').next().unwrap();
            assert!(generated.contains(&format!("{name}(")), "{name} is not in the header");
        }
    }
}

#[test]
fn every_operation_has_a_function() {
    let header = include_str!("../include/halimede.h");
    let has = |function: &str| header.contains(&format!(" {function}("));
    for about in halimede_operations::descriptions() {
        let by_hand = header::operations::BY_HAND.iter().find(|(name, _)| *name == about.name);
        let function = match by_hand {
            Some((_, function)) => (*function).to_owned(),
            None => header::operations::function(about),
        };
        assert!(has(&function), "{}: {function} is not in the header", about.name);
    }
}
