// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks`: bounds are declared and kept, nothing else in a ciphertext is public, and keys
//! do not mix.

use crate::sandbox::{assert_near, npy, Sandbox, COUNT};
use serde_json::json;

/// Returns the length of the common prefix of all files.
fn common_prefix(files: &[Vec<u8>]) -> usize {
    let shortest = files.iter().map(Vec::len).min().unwrap();
    (0..shortest).find(|at| files.iter().any(|file| file[*at] != files[0][*at])).unwrap_or(shortest)
}

/// Ciphertexts of zeros and of ones differ only in the polynomials, with either key, and have the
/// same plan.
#[test]
fn what_everybody_sees_does_not_depend_on_values() {
    let sandbox = Sandbox::new(91);
    sandbox.csv("zero.csv", &[0.0; COUNT]);
    sandbox.csv("one.csv", &[1.0; COUNT]);
    for by in [["--key", "k/secret.key"], ["--public", "k/public.key"]] {
        let encrypt = |input: &str, out: &str| {
            let object = sandbox.json(&["encrypt", by[0], by[1], "--in", input, "--out", out]);
            let shown = sandbox.ok(&["inspect", out]).stdout;
            (object["precision_bits"].clone(), shown, sandbox.json(&["inspect", out]))
        };
        let zero = encrypt("zero.csv", "zero.ct");
        assert_eq!(zero, encrypt("one.csv", "one.ct"));
        assert_eq!(zero.2["bound"], json!({ "real": true, "low": -1.0, "high": 1.0 }));
        // Encryptions of the same values begin to differ where the polynomials begin.
        let bytes = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
        let again = |input: &str| {
            encrypt(input, "again.ct");
            bytes("again.ct")
        };
        let zeros: Vec<Vec<u8>> = (0..4).map(|_| again("zero.csv")).collect();
        let ones: Vec<Vec<u8>> = (0..4).map(|_| again("one.csv")).collect();
        assert_eq!(bytes("zero.ct").len(), bytes("one.ct").len());
        let public = common_prefix(&zeros);
        assert!(public > 100, "{public}");
        assert_eq!(common_prefix(&ones), public);
        assert_eq!(common_prefix(&[&zeros[..], &ones[..]].concat()), public);
        for options in [&[][..], &["--json"]] {
            let plan = |file: &str| {
                let plan = ["eval", "--plan", "sin(x) + sum(x) * mean(x)", file];
                sandbox.ok(&[&plan[..], options].concat()).stdout
            };
            assert_eq!(plan("x=zero.ct"), plan("x=one.ct"));
        }
    }
}

#[test]
fn values_beyond_their_bound_are_refused() {
    let sandbox = Sandbox::new(92);
    let write = |name: &str, text: &str| std::fs::write(sandbox.path(name), text).unwrap();
    let refused = |input: &str, options: &[&str], reasons: &[&str]| {
        for by in [["--key", "k/secret.key"], ["--public", "k/public.key"]] {
            let encrypt = ["encrypt", by[0], by[1], "--in", input, "--out", "no-result.ct"];
            for reason in reasons {
                sandbox.refused(&[&encrypt[..], options].concat(), reason);
            }
        }
        assert!(!std::path::Path::new(&sandbox.path("no-result.ct")).exists());
    };
    write("large.csv", "0.5\n-1\n1e25\n2e25\n");
    refused("large.csv", &[], &["large.csv: line 3: 1e25 ", "from -1 to 1", "--bound"]);
    refused("large.csv", &["--bound", "1e26"], &["smaller --bound"]);
    write("four.csv", "0.5\n-3\n4\n");
    refused("four.csv", &[], &["line 2: -3.0 is beyond the bound", "absolute value here is 4"]);
    refused("four.csv", &["--bound", "-2,4"], &["line 2: -3", "real values from -2 to 4"]);
    refused("four.csv", &["--bound", "3.5"], &["line 3: 4.0 is beyond"]);
    write("complex.csv", "0.5,-0.5\n0.8,0.8\n");
    refused("complex.csv", &[], &["line 2: 0.8 + 0.8i is beyond the bound, values up to 1"]);
    refused("complex.csv", &["--bound", "-1,1"], &["for real values, but these are complex"]);
    std::fs::write(sandbox.path("two.npy"), npy(&[0.25, 2.0])).unwrap();
    refused("two.npy", &[], &["two.npy: value 2: 2.0 is beyond", "--bound"]);
    std::fs::write(sandbox.path("nan.npy"), npy(&[0.25, 0.5, f64::NAN])).unwrap();
    refused("nan.npy", &["--bound", "9"], &["value 3: NaN", "finite numbers"]);
    for bound in ["-1", "2,1", "x", "1,2,3", "inf"] {
        refused("four.csv", &["--bound", bound], &["expected one number"]);
    }
    // Values within the bound are encrypted, and the bound is public.
    for (input, bound, declared, values) in [
        (
            "four.csv",
            "4",
            json!({ "real": true, "low": -4.0, "high": 4.0 }),
            &[[0.5, 0.0], [-3.0, 0.0], [4.0, 0.0]][..],
        ),
        (
            "four.csv",
            "-3,10",
            json!({ "real": true, "low": -3.0, "high": 10.0 }),
            &[[0.5, 0.0], [-3.0, 0.0], [4.0, 0.0]],
        ),
        (
            "complex.csv",
            "2.5",
            json!({ "real": false, "magnitude": 2.5 }),
            &[[0.5, -0.5], [0.8, 0.8]],
        ),
    ] {
        let key = ["--key", "k/secret.key", "--bound", bound];
        sandbox.ok(&[&["encrypt", "--in", input, "--out", "v.ct"], &key[..]].concat());
        let object = sandbox.json(&["inspect", "v.ct"]);
        assert_eq!((&object["bound"], &object["length"]), (&declared, &values.len().into()));
        assert_near(&sandbox.decrypt("v.ct", &[]), values, input);
    }
}

/// The columns or the type of a file, not the values, say whether values are real.
#[test]
fn real_vectors_are_those_of_real_files() {
    let sandbox = Sandbox::new(93);
    for (text, is_real) in [("1\n0\n", true), ("1,0\n0,0\n", false), ("1\n0,0\n", false)] {
        std::fs::write(sandbox.path("v.csv"), text).unwrap();
        sandbox.ok(&["encrypt", "--key", "k/secret.key", "--in", "v.csv", "--out", "v.ct"]);
        let object = sandbox.json(&["inspect", "v.ct"]);
        assert_eq!(object["bound"]["real"], is_real, "{text:?}");
        let printed = sandbox.ok(&["decrypt", "--key", "k/secret.key", "v.ct"]).stdout;
        assert!(printed.lines().all(|line| line.contains(',') != is_real), "{printed}");
        let keys = ["eval", "--keys", "k/evaluation.keys", "--out", "w.ct"];
        let sine = [&keys[..], &["sin(x)", "x=v.ct"]].concat();
        match is_real {
            true => drop(sandbox.ok(&sine)),
            false => sandbox.refused(&sine, "functions need real values, but these are complex"),
        }
        sandbox.ok(&[&keys[..], &["sin(within(x, -1, 1))", "x=v.ct"]].concat());
    }
    assert_eq!(sandbox.json(&["inspect", "y.ct"])["bound"]["real"], true);
}

/// Regression: such a product had a wrong result, because the modulus of level 0 has no room for
/// 10⁶.
#[test]
fn products_without_room_are_refused() {
    let sandbox = Sandbox::new(94);
    let keys = sandbox.path("n14.key");
    sandbox.ok(&["keygen", "--params", "n14", "--dir", &keys, "--multiply"]);
    let [secret, evaluation] =
        ["secret.key", "evaluation.keys"].map(|name| format!("{keys}/{name}"));
    sandbox.csv("v.csv", &[1000.0, -999.0, 1.0]);
    let encrypt =
        ["encrypt", "--key", &secret, "--in", "v.csv", "--bound", "1000", "--out", "v.ct"];
    for (level, expression, column) in [("0", "1000*x", 5), ("1", "x*x", 2), ("0", "x + 999*x", 8)]
    {
        sandbox.ok(&[&encrypt[..], &["--level", level]].concat());
        let eval = ["eval", "--keys", &evaluation, expression, "x=v.ct", "--out", "none.ct"];
        let reason = format!("column {column}: real values from -");
        sandbox.refused(&eval, &reason);
        sandbox.refused(&eval, "and level 0 has room for");
        sandbox.refused(&eval, "bound(x, b) or a smaller --bound");
        sandbox.refused(&["eval", "--plan", expression, "x=v.ct"], &reason);
        assert!(!std::path::Path::new(&sandbox.path("none.ct")).exists());
    }
    // One level higher, the modulus has room.
    sandbox.ok(&[&encrypt[..], &["--level", "1"]].concat());
    sandbox.ok(&["eval", "--keys", &evaluation, "1000*x", "x=v.ct", "--out", "w.ct"]);
    let printed = sandbox.ok(&["decrypt", "--key", &secret, "w.ct"]).stdout;
    let values = printed.lines().map(|line| line.parse::<f64>().unwrap());
    for (got, expected) in values.zip([1e6, -999e3, 1e3]) {
        assert!((got - expected).abs() < 0.1, "{got}, not {expected}");
    }
}

/// Different keys for the same parameters are distinguished, and the error names both.
#[test]
fn strangers_are_refused() {
    let sandbox = Sandbox::new(95);
    let theirs = ["keygen", "--params", "n10-insecure", "--dir", "their.key", "--multiply"];
    sandbox.ok(&theirs);
    let encrypt = |by: [&str; 2], out: &str| {
        sandbox.ok(&["encrypt", by[0], by[1], "--in", "x.csv", "--out", out]);
    };
    encrypt(["--key", "their.key/secret.key"], "s.ct");
    encrypt(["--public", "their.key/public.key"], "p.ct");
    let id = |file: &str| sandbox.json(&["inspect", file])["key"].as_str().unwrap().to_owned();
    let (our_id, their_id) = (id("x.ct"), id("s.ct"));
    assert_ne!(our_id, their_id);
    for (files, expected) in [
        (["k/secret.key", "k/public.key", "k/evaluation.keys", "y.ct"], &our_id),
        (
            ["their.key/secret.key", "their.key/public.key", "their.key/evaluation.keys", "p.ct"],
            &their_id,
        ),
    ] {
        for file in files {
            assert_eq!(&id(file), expected, "{file}");
            let text = sandbox.ok(&["inspect", file]).stdout;
            assert!(text.contains(&format!("\nkey         {expected}\n")), "{text}");
        }
    }
    for arguments in [
        &["decrypt", "--key", "k/secret.key", "s.ct"][..],
        &["decrypt", "--key", "k/secret.key", "p.ct", "--out", "none.csv"],
        &["decrypt", "--key", "their.key/secret.key", "x.ct"],
        &["eval", "--keys", "k/evaluation.keys", "x*x", "x=s.ct", "--out", "none.ct"],
        &["eval", "--keys", "k/evaluation.keys", "x + y", "x=x.ct", "y=p.ct", "--out", "none.ct"],
        &["eval", "--keys", "their.key/evaluation.keys", "x + 1", "x=x.ct", "--out", "none.ct"],
        &["eval", "--plan", "x + y", "x=x.ct", "y=s.ct"],
    ] {
        sandbox.refused(arguments, &our_id);
        sandbox.refused(arguments, &their_id);
    }
    let eval = ["eval", "--keys", "k/evaluation.keys", "x + y", "x=x.ct", "y=p.ct"];
    let reason = format!("p.ct is under the secret key {their_id}, but ");
    sandbox.refused(&[&eval[..], &["--out", "none.ct"]].concat(), &reason);
    for none in ["none.ct", "none.csv"] {
        assert!(!std::path::Path::new(&sandbox.path(none)).exists());
    }
}

#[test]
fn files_say_what_is_public_of_them() {
    let sandbox = Sandbox::new(96);
    let ages = ["encrypt", "--key", "k/secret.key", "--in", "v.csv", "--out", "v.ct"];
    sandbox.csv("v.csv", &[33.0, 7.0, 52.0, 81.0, 12.0]);
    sandbox.ok(&[&ages[..], &["--bound", "0,120", "--level", "3"]].concat());
    let text = sandbox.ok(&["inspect", "v.ct"]).stdout;
    for line in [
        "a ciphertext for the parameters n10-insecure",
        "format      5",
        "values      5, declared: real values from 0 to 120",
        "level       3, scale 2^",
        "precision   ",
    ] {
        assert!(text.lines().any(|printed| printed.starts_with(line)), "{line}: {text}");
    }
    let object = sandbox.json(&["inspect", "v.ct"]);
    assert_eq!(object["bound"], json!({ "real": true, "low": 0.0, "high": 120.0 }));
    let number = |name: &str| object[name].as_f64().unwrap();
    assert_eq!((number("length"), number("level"), number("format")), (5.0, 3.0, 5.0));
    assert!(number("scale_log2") > 30.0 && number("precision_bits") > 15.0, "{object}");
    let keys = sandbox.json(&["inspect", "k/evaluation.keys"]);
    assert_eq!(keys["keys"].as_array().map(Vec::len), Some(5));
    assert_eq!(object["key"], keys["key"]);
    // Files of an older format, which has other primes, and of a newer one.
    let mut bytes = std::fs::read(sandbox.path("v.ct")).unwrap();
    for (format, reason) in
        [(4, "the file has format 4 of an earlier version"), (6, "use a newer version")]
    {
        bytes[8] = format;
        std::fs::write(sandbox.path("old.ct"), &bytes).unwrap();
        sandbox.refused(&["inspect", "old.ct"], reason);
        sandbox.refused(&["decrypt", "--key", "k/secret.key", "old.ct"], reason);
        sandbox.refused(&["eval", "--plan", "x", "x=old.ct"], reason);
    }
}
