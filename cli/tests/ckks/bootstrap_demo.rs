// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks bootstrap-demo`.

use crate::common::{halimede, Outcome};
use serde_json::Value;

/// Runs `bootstrap-demo` with the small parameters.
fn demo(options: &[&str], input: &[u8]) -> Outcome {
    let start = ["ckks", "bootstrap-demo", "--params", "n10-boot-insecure"];
    halimede(&[&start[..], options].concat(), input)
}

#[test]
fn a_bootstrap_is_shown() {
    let outcome = demo(&["--repeat", "2", "--seed", "81", "--json"], b"");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("n10-boot-insecure are INSECURE"), "{}", outcome.stderr);
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let number = |name: &str| object[name].as_f64().unwrap_or_else(|| panic!("{name}: {object}"));
    assert_eq!((number("level_before"), number("level_after")), (0.0, 3.0));
    assert_eq!((number("values"), number("seed")), (512.0, 81.0));
    let (mean, largest) = (number("mean_error_log2"), number("largest_error_log2"));
    assert!(-40.0 < mean && mean < largest && largest < -23.0, "{mean}, {largest}");
    let times = object["bootstraps_s"].as_array().unwrap();
    assert!(times.len() == 2 && times.iter().all(|time| time.as_f64().unwrap() > 0.0));
    // A file holds half of each key, in fewer bits; memory holds whole keys and the matrices.
    assert!(2.0 * number("key_file_bytes") < number("key_bytes"), "{object}");
    assert!(number("key_bytes") + number("matrix_bytes") < number("peak_bytes"), "{object}");
    // Fewer values need less.
    let outcome = demo(&["--slots", "8", "--seed", "82", "--json"], b"");
    let few: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((few["values"].as_u64(), few["level_after"].as_u64()), (Some(8), Some(3)));
    for name in ["keys", "key_bytes", "matrix_bytes"] {
        assert!(few[name].as_f64().unwrap() < number(name), "{name}: {few}");
    }
    let outcome = demo(&["--few-keys", "--seed", "83", "--json"], b"");
    let few: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((few["values"].as_u64(), few["level_after"].as_u64()), (Some(512), Some(3)));
    for name in ["keys", "key_bytes", "key_file_bytes"] {
        assert!(2.0 * few[name].as_f64().unwrap() < number(name), "{name}: {few}");
    }
    assert!(few["largest_error_log2"].as_f64().unwrap() < -22.0, "{few}");
    // Two rounds double the precision.
    let precise = ["ckks", "bootstrap-demo", "--params", "n10-boot-precise-insecure"];
    let outcome = halimede(&[&precise[..], &["--seed", "83"]].concat(), b"");
    assert!(outcome.stdout.contains(" s, 2 rounds each"), "{}", outcome.stdout);
    let outcome = halimede(&[&precise[..], &["--seed", "83", "--json"]].concat(), b"");
    let precise: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert!(precise["largest_error_log2"].as_f64().unwrap() < -44.0, "{precise}");
    let outcome = demo(&["--in", "-"], b"0.5,-0.5\n-1\n0,1\n");
    for line in
        ["values       3, from the file", "from level 0 to level 3 in", "error        mean 2^-"]
    {
        assert!(outcome.stdout.contains(line), "{line}: {}", outcome.stdout);
    }
}

#[test]
fn what_cannot_be_bootstrapped_is_refused_before_keys_are_made() {
    let long = "0.1\n".repeat(513);
    for (input, reason) in [
        ("0.25\n0.9,0.9\n", "value 2 has the absolute value 1.27"),
        ("1.5\n", "value 1 has the absolute value 1.5"),
        (&long, "expected 1 to 512 values for n10-boot-insecure, got 513"),
        ("", "values for n10-boot-insecure, got 0"),
        ("one\n", "line 1: \"one\" is not a finite number"),
    ] {
        let outcome = demo(&["--in", "-"], input.as_bytes());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{reason}");
        assert!(outcome.stderr.contains(reason), "{reason}: {}", outcome.stderr);
    }
    for (options, reason) in [
        (&["--repeat", "0"][..], "invalid value '0'"),
        (&["--seed", "1", "--in", "-"], "cannot be used with"),
        (&["--slots", "1", "--in", "-"], "cannot be used with"),
        (&["--slots", "513"], "--slots 513: a vector of n10-boot-insecure has 1 to 512 values"),
        (&["--slots", "0"], "expected a whole number from 1 on"),
        (&["--in", "nowhere.csv"], "No such file"),
    ] {
        let outcome = demo(options, b"");
        assert!(outcome.code == Some(2) && outcome.stderr.contains(reason), "{}", outcome.stderr);
    }
    let outcome = halimede(&["ckks", "bootstrap-demo", "--params", "n14"], b"");
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("no levels for a bootstrap"), "{}", outcome.stderr);
}
