// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The version of the command, and its verbosity.

use halimede_arith::backend::VARIABLE;
use halimede_arith::Backend;

use crate::common::{halimede, halimede_with};

#[test]
fn the_version_at_length_names_the_build() {
    let short = halimede(&["--version"], b"");
    assert_eq!(short.stdout, format!("halimede {}\n", env!("CARGO_PKG_VERSION")));
    for arguments in [&["--version", "--verbose"][..], &["-v", "-V"], &["-Vv"]] {
        let told = halimede(arguments, b"");
        assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        assert_eq!(told.stdout.lines().count(), 7, "{}", told.stdout);
        for part in ["commit", std::env::consts::ARCH, "card protocol", "Apache-2.0 OR MIT"] {
            assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
        }
    }
}

#[test]
fn the_version_as_json_names_the_backends_and_the_one_in_use() {
    for backend in Backend::available().map(Backend::name).chain(["nonsense"]) {
        let arguments = ["--json", "--verbose", "--version"];
        let told = halimede_with(&[(VARIABLE, backend)], &arguments, b"");
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        let object: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
        let names: Vec<&str> = Backend::available().map(Backend::name).collect();
        assert_eq!(object["backends"], serde_json::json!(names));
        assert_eq!(object["backend"].as_str(), (backend != "nonsense").then_some(backend));
        assert_eq!(object["version"], env!("CARGO_PKG_VERSION"));
        assert!(object["card_protocol"].as_str().unwrap().contains('.'));
        let has_serve = object["features"].as_array().unwrap().contains(&"serve".into());
        assert_eq!(has_serve, cfg!(feature = "serve"));
    }
}

/// Hashes with a missing card and the processor as fallback.
const WITH_FALLBACK: [&str; 6] =
    ["batch", "poseidon.starknet_hash", "--mode=pair", "--device", "uart:/nowhere", "--fallback"];

#[test]
fn what_is_logged_is_asked_for() {
    for (options, variable, is_told) in [
        (&[][..], "", false),
        (&["-v"], "", true),
        (&["--verbose"], "off", false),
        (&["-q"], "", false),
        (&["-q"], "warn", true),
        (&[], "halimede_card=trace", false),
    ] {
        let arguments = [options, &WITH_FALLBACK].concat();
        let done = halimede_with(&[("HALIMEDE_LOG", variable)], &arguments, b"0x1 0x2\n");
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert!(done.stdout.starts_with("0x05d44a3d"), "{}", done.stdout);
        let has_told = done.stderr.contains("WARN") && done.stderr.contains("uart:/nowhere");
        assert_eq!(has_told, is_told, "{options:?} {variable}: {}", done.stderr);
    }
    let wrong = halimede_with(&[("HALIMEDE_LOG", "=loud")], &["devices"], b"");
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(2), ""));
    assert!(wrong.stderr.contains("HALIMEDE_LOG"), "{}", wrong.stderr);
    assert_eq!(halimede(&["-v", "-q", "devices"], b"").code, Some(2));
}
