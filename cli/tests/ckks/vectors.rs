// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks`: keys, encryption, expressions, decryption, and errors.

use std::path::Path;

use crate::common::halimede;
use crate::sandbox::{assert_near, Sandbox, COUNT};
use proptest::prelude::*;
use serde_json::Value;

#[test]
fn vectors_are_encrypted_computed_with_and_decrypted() {
    let sandbox = Sandbox::new(71);
    let (x, y) = (&sandbox.x, &sandbox.y);
    let each = |of: &dyn Fn(usize) -> [f64; 2]| (0..COUNT).map(of).collect::<Vec<_>>();
    let left = |i: usize, by: isize| (i as isize + by).rem_euclid(COUNT as isize) as usize;
    let cases: [(&str, Vec<[f64; 2]>); 12] = [
        ("3*x*y + rot(x, 1)", each(&|i| [3.0 * x[i] * y[i] + x[left(i, 1)], 0.0])),
        ("x - y", each(&|i| [x[i] - y[i], 0.0])),
        ("-x", each(&|i| [-x[i], 0.0])),
        ("1 - square(x)", each(&|i| [1.0 - x[i] * x[i], 0.0])),
        ("square(square(x) - 0.5) * y", each(&|i| [(x[i] * x[i] - 0.5).powi(2) * y[i], 0.0])),
        ("x - (1 - 2*3) - y", each(&|i| [x[i] + 5.0 - y[i], 0.0])),
        ("conj(x + 2i*y)", each(&|i| [x[i], -2.0 * y[i]])),
        ("rot(x - 0.25, -3) * 1.5i", each(&|i| [0.0, 1.5 * (x[left(i, -3)] - 0.25)])),
        ("rot(x, 20) + rot(y, 0)", each(&|i| [x[left(i, 4)] + y[i], 0.0])),
        ("x + conj(2i) + square(3) + rot(1, 7)", each(&|i| [x[i] + 10.0, -2.0])),
        ("2 - -x", each(&|i| [2.0 + x[i], 0.0])),
        ("exp(0.5) * x + sqrt(4)", each(&|i| [0.5f64.exp() * x[i] + 2.0, 0.0])),
    ];
    for (expression, expected) in cases {
        assert_near(&sandbox.eval(expression), &expected, expression);
    }
}

#[test]
fn functions_are_within_their_error() {
    let sandbox = Sandbox::new(78);
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    type Case<'a> = (&'a str, &'a str, &'a dyn Fn(f64) -> f64);
    let cases: [Case; 4] = [
        ("sigmoid(x)", "1e-3", &sigmoid),
        ("sin(x, -1, 1)", "1e-4", &f64::sin),
        ("inv(x + 3, 2, 4) + 1", "1e-3", &|x| 1.0 / (x + 3.0) + 1.0),
        ("exp(-x)", "0.01", &|x| (-x).exp()),
    ];
    for (expression, error, function) in cases {
        let keys = "k/evaluation.keys";
        let eval = ["eval", "--keys", keys, expression, "x=x.ct", "--out", "z.ct"];
        sandbox.ok(&[&eval[..], &["--error", error]].concat());
        let got = sandbox.decrypt("z.ct", &[]);
        let most: f64 = error.parse().unwrap();
        let worst = got.iter().zip(&sandbox.x).map(|(got, x)| (got[0] - function(*x)).abs());
        let worst = worst.fold(0.0, f64::max);
        assert!(worst <= 1.01 * most && worst > most / 1e4, "{expression}: {worst:e}");
    }
}

#[test]
fn deep_expressions_are_planned_and_bootstrapped() {
    let sandbox = Sandbox::new(79);
    let expression = "bound(square(square(square(x))), 1) * y * rot(x, 1) * 0.5 - sum(y, 5)";
    let keygen = ["keygen", "--params", "n10-boot-insecure", "--dir", "boot.key", "--for"];
    sandbox.ok(&[&keygen[..], &[expression]].concat());
    let key = "boot.key/secret.key";
    for (file, out) in [("x.csv", "x.ct"), ("y.npy", "y.ct")] {
        let outcome = sandbox.ok(&["encrypt", "--key", key, "--in", file, "--out", out]);
        assert!(outcome.stdout.contains("level 3, 16 values"), "{}", outcome.stdout);
    }
    let inputs = ["x=x.ct", "y=y.ct"];
    // A plan needs no keys, and does not depend on them.
    let plan = [&["eval", "--plan", expression], &inputs[..]].concat();
    let text = sandbox.ok(&plan).stdout;
    for part in ["bootstraps  1", "depth       6", "inner sum of 5 × 1", "column 41"] {
        assert!(text.contains(part), "{text}");
    }
    let keys = ["--keys", "boot.key/evaluation.keys"];
    assert_eq!(sandbox.ok(&[&plan[..], &keys].concat()).stdout, text);
    let object = sandbox.ok(&[&plan[..], &["--json"]].concat()).stdout;
    let object: Value = serde_json::from_str(&object).unwrap();
    assert_eq!((&object["bootstraps"], &object["bootstraps_are_least"]), (&1.into(), &true.into()));
    let last = object["steps"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["operation"], &last["length"]), (&"difference".into(), &COUNT.into()));
    assert_eq!(object["keys"]["rotations"], serde_json::json!([1, 2]));
    assert_eq!(object["keys"]["bootstrap_slots"], serde_json::json!([16]));
    // Runs with exactly the keys that it needs.
    sandbox.ok(&[&["eval", expression], &inputs[..], &keys, &["--out", "z.ct"]].concat());
    let got = sandbox.ok(&["decrypt", "--key", key, "z.ct", "--real"]).stdout;
    let (x, y) = (&sandbox.x, &sandbox.y);
    let of = |values: &[f64], i: usize| values[i % COUNT];
    for (i, got) in got.lines().enumerate() {
        let sum: f64 = (i..i + 5).map(|j| of(y, j)).sum();
        let expected = x[i].powi(8) * y[i] * of(x, i + 1) * 0.5 - sum;
        let got: f64 = got.parse().unwrap();
        assert!((got - expected).abs() < 1e-3, "{got}, {expected}");
    }
    // Errors name missing files and unreachable levels.
    let encrypt_by = |key: &str| {
        for (file, out) in [("x.csv", "x.ct"), ("y.npy", "y.ct")] {
            sandbox.ok(&["encrypt", "--key", key, "--in", file, "--out", out]);
        }
    };
    let few = ["keygen", "--params", "n10-boot-insecure", "--dir", "few.key", "--multiply"];
    sandbox.ok(&few);
    encrypt_by("few.key/secret.key");
    let few = ["--keys", "few.key/evaluation.keys", "--out", "bad-result.ct"];
    let missing =
        "no key to bootstrap vectors of 16 slots, or to rotate by 1, or to rotate by 2: ask";
    sandbox.refused(&[&["eval", expression], &inputs[..], &few].concat(), missing);
    // Vectors of 16 slots have a separate form, which needs only a fraction of the keys.
    let own = ["--multiply", "--rotations", "1,2", "--bootstrap-slots", "16"];
    let keygen = ["keygen", "--params", "n10-boot-insecure", "--dir", "own.key"];
    sandbox.ok(&[&keygen[..], &own].concat());
    let bytes = |keys: &str| std::fs::metadata(sandbox.path(keys)).unwrap().len();
    assert!(bytes("own.key/evaluation.keys") < bytes("boot.key/evaluation.keys"));
    encrypt_by("own.key/secret.key");
    let keys = ["--keys", "own.key/evaluation.keys", "--plan"];
    sandbox.ok(&[&["eval", expression], &inputs[..], &keys].concat());
    // --few-keys makes even fewer.
    let keygen = ["keygen", "--params", "n10-boot-insecure", "--dir", "least.key", "--few-keys"];
    sandbox.ok(&[&keygen[..], &own].concat());
    assert!(bytes("least.key/evaluation.keys") < bytes("own.key/evaluation.keys"));
    encrypt_by("least.key/secret.key");
    let keys = ["--keys", "least.key/evaluation.keys", "--plan"];
    sandbox.ok(&[&["eval", expression], &inputs[..], &keys].concat());
    let keygen = ["keygen", "--params", "n10-boot-insecure", "--dir", "x.key", "--few-keys"];
    sandbox.refused(&[&keygen[..], &["--multiply"]].concat(), "--few-keys is only for bootstraps");
    let keygen = ["keygen", "--params", "n10-boot-insecure", "--dir", "x.key", "--bootstrap-slots"];
    sandbox
        .refused(&[&keygen[..], &["513"]].concat(), "a vector of n10-boot-insecure has 1 to 512");
    sandbox.refused(&[&keygen[..], &["4,0"]].concat(), "expected a whole number from 1 on");
    let deep = ["eval", "--plan", "exp(x, -9, 9)", "x=x.ct"];
    sandbox.refused(&deep, "column 1: this needs 6 levels, but a bootstrap leaves 3");
    sandbox.refused(&["eval", "x", "x=x.ct"], "--keys");
    let twice = ["keygen", "--params", "n10-insecure", "--dir", "other.key", "--for", "x *"];
    sandbox.refused(&twice, "column 4: expected a number, a name or (, got the end");
}

#[test]
fn decryptions_are_for_the_owner_or_for_others() {
    let sandbox = Sandbox::new(80);
    let decrypt = |options: &[&str]| {
        sandbox.ok(&[&["decrypt", "--key", "k/secret.key", "x.ct"], options].concat())
    };
    let owner = decrypt(&[]);
    assert!(owner.stderr.contains("only for the owner of the key"), "{}", owner.stderr);
    assert!(!owner.stdout.contains("owner") && owner.stdout.lines().count() == COUNT);
    // Without noise, the values are the same each time.
    assert_eq!(decrypt(&[]).stdout, owner.stdout);
    let statement = ["--share", "--security", "12", "--queries", "10"];
    let shared = decrypt(&statement);
    assert!(shared.stderr.contains("halimede: for others: "), "{}", shared.stderr);
    let said = "fractional bits are left, at 12 bits of security for 10 decryptions";
    assert!(shared.stderr.contains(said) && !shared.stderr.contains("owner"), "{}", shared.stderr);
    assert!(!shared.stdout.contains("others") && shared.stdout.lines().count() == COUNT);
    assert_ne!(decrypt(&statement).stdout, shared.stdout);
    let json = |options: &[&str]| -> Value {
        let outcome = decrypt(&[options, &["--json", "--real"]].concat());
        assert!(outcome.stderr.contains("for "), "{}", outcome.stderr);
        serde_json::from_str(&outcome.stdout).unwrap()
    };
    let object = json(&[]);
    let estimated = object["precision_bits"].as_f64().unwrap();
    assert_eq!((&object["for"], &object["level"]), (&"owner".into(), &4.into()));
    assert!(object["security_bits"].is_null() && object["flooding_bits"].is_null(), "{object}");
    let object = json(&statement);
    assert_eq!((&object["for"], &object["length"]), (&"others".into(), &COUNT.into()));
    let numbers = ["security_bits", "queries", "error_at_least"].map(|key| object[key].as_f64());
    assert_eq!(numbers, [Some(12.0), Some(10.0), None]);
    assert_eq!(object["error_from"], "encryption");
    let [flooding, left] =
        ["flooding_bits", "precision_bits"].map(|key| object[key].as_f64().unwrap());
    assert!((flooding - (6.0 + (12.0 * 10.0 * 1024f64).log2() / 2.0)).abs() < 1e-9, "{object}");
    assert!(left > 8.0 && left < estimated, "{object}");
    // The values have the announced noise.
    let values = object["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap());
    let worst = values.zip(&sandbox.x).map(|(got, x)| (got - x).abs()).fold(0.0, f64::max);
    let noise = (-left).exp2();
    assert!(worst > noise / 8.0 && worst < 5.0 * noise, "{worst:e} of {noise:e}");
    // A bound of the error above the estimate costs the same number of bits.
    let error = format!("{:e}", (4.0 - estimated).exp2());
    let known = json(&[&statement[..], &["--error-at-least", &error]].concat());
    assert!(known["precision_bits"].as_f64().unwrap() < left - 1.5, "{known}");
    assert_eq!(known["error_at_least"].as_f64(), error.parse().ok());
    assert_eq!(known["error_from"], "stated");
    // Decrypts to a file.
    let outcome = decrypt(&[&statement[..], &["--out", "s.npy"]].concat());
    assert!(outcome.stdout.contains("16 values"), "{}", outcome.stdout);
    assert!(outcome.stderr.contains("for others"), "{}", outcome.stderr);
}

#[test]
fn the_forms_of_output() {
    let sandbox = Sandbox::new(72);
    let expected: Vec<[f64; 2]> = sandbox.x.iter().map(|value| [*value, 0.0]).collect();
    assert_near(&sandbox.decrypt("x.ct", &[]), &expected, "exact");
    assert_near(&sandbox.decrypt("x.ct", &["--real", "--count", "5"]), &expected[..5], "real");
    // Real vectors are printed with one column, complex vectors only with --real.
    let complex = ["bound(x + 1i*x - 1i*x, 1)", "x=x.ct", "--out", "c.ct"];
    sandbox.ok(&[&["eval", "--keys", "k/evaluation.keys"], &complex[..]].concat());
    for (file, real, bytes) in [
        ("x.ct", false, 128 + 8 * COUNT),
        ("x.ct", true, 128 + 8 * COUNT),
        ("c.ct", false, 128 + 16 * COUNT),
        ("c.ct", true, 128 + 8 * COUNT),
    ] {
        let mut arguments = vec!["decrypt", "--key", "k/secret.key", file, "--out", "v.npy"];
        arguments.extend(real.then_some("--real"));
        sandbox.ok(&arguments);
        assert_eq!(std::fs::read(sandbox.path("v.npy")).unwrap().len(), bytes);
        // The written file can be encrypted again.
        sandbox.ok(&["encrypt", "--key", "k/secret.key", "--in", "v.npy", "--out", "v.ct"]);
        assert_near(&sandbox.decrypt("v.ct", &[]), &expected, "through NPY");
    }
    let outcome = sandbox.ok(&["decrypt", "--key", "k/secret.key", "x.ct", "--json", "--real"]);
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let values = object["values"].as_array().unwrap();
    let values: Vec<[f64; 2]> = values.iter().map(|v| [v.as_f64().unwrap(), 0.0]).collect();
    assert_near(&values, &expected, "JSON");
    assert_eq!((&object["length"], &object["for"]), (&COUNT.into(), &"owner".into()));
    // Five values on standard input remain five.
    let path = sandbox.path("s.ct");
    let key = sandbox.path("k/secret.key");
    let start = ["ckks", "encrypt", "--key", &key, "--in", "-", "--out", &path];
    let arguments = [&start[..], &["--level", "1", "--bound", "6"]].concat();
    let outcome = halimede(&arguments, b"1\n2,-1\n3\n4e-1,0.5\n-5\n");
    assert!(outcome.stdout.contains("level 1, 5 values"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("values up to 6"), "{}", outcome.stdout);
    let got = sandbox.decrypt("s.ct", &[]);
    let given = [[1.0, 0.0], [2.0, -1.0], [3.0, 0.0], [0.4, 0.5], [-5.0, 0.0]];
    assert_near(&got, &given, "five values");
}

#[test]
fn parameter_sets_are_listed_and_shown() {
    let outcome = halimede(&["ckks", "params"], b"");
    for text in ["n10-insecure", "INSECURE", "n16", "32768", "128 bits", "log2 QP"] {
        assert!(outcome.stdout.contains(text), "{text}: {}", outcome.stdout);
    }
    let list = halimede(&["ckks", "params", "--json"], b"");
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    let one = halimede(&["ckks", "params", "n14", "--json"], b"");
    let one: Value = serde_json::from_str(&one.stdout).unwrap();
    assert!(list.as_array().unwrap().contains(&one));
    assert_eq!((&one["slots"], &one["security_bits"]), (&8192.into(), &128.into()));
    let outcome = halimede(&["ckks", "params", "n14"], b"");
    assert!(outcome.stdout.contains("log2 QP          429"), "{}", outcome.stdout);
    let outcome = halimede(&["ckks", "params", "n12"], b"");
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("the names are n10-insecure"), "{}", outcome.stderr);
}

#[test]
fn parameters_have_the_security_that_is_asked_for() {
    let sandbox = Sandbox::new(81);
    let file = sandbox.path("mine.params");
    let mut sizes = Vec::new();
    for (bits, most) in [(128, 106.0), (192, 147.0), (256, 114.0)] {
        let security = bits.to_string();
        let demand = ["params", "--depth", "1", "--precision", "9", "--security", &security];
        let outcome = sandbox.ok(&[&demand[..], &["--out", &file, "--json"]].concat());
        let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(object["security_bits"], bits);
        sizes.push((object["log_degree"].as_u64().unwrap(), object["hash"].to_string()));
        assert!(object["log2_qp"].as_f64().unwrap() <= most, "{object}");
        let text = sandbox.ok(&demand).stdout;
        assert!(text.contains(&format!("security         {bits} bits, classical")), "{text}");
        // Inspects the file of the parameters, and of a key for them.
        let text = sandbox.ok(&["inspect", &file]).stdout;
        assert!(text.contains(&format!("{bits} bits, classical")), "{text}");
        let keys = sandbox.path(&format!("keys-{bits}"));
        let outcome = sandbox.ok(&["keygen", "--params", &file, "--dir", &keys, "--json"]);
        let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(object["security_bits"], bits);
    }
    assert_eq!([sizes[0].0, sizes[1].0, sizes[2].0], [12, 13, 13]);
    assert!(sizes[1].1 != sizes[2].1);
}

#[test]
fn parameters_are_made_for_what_is_asked() {
    let sandbox = Sandbox::new(79);
    let demand = ["params", "--slots", "3000", "--depth", "2", "--precision", "13"];
    let file = sandbox.path("mine.params");
    let outcome = sandbox.ok(&[&demand[..], &["--out", &file, "--json"]].concat());
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((&object["slots"], &object["levels"]), (&4096.into(), &2.into()));
    assert_eq!(object["security_bits"], 128);
    assert!(object["precision_bits"]["after_products"].as_f64().unwrap() >= 13.0, "{object}");
    let text = sandbox.ok(&demand).stdout;
    assert!(text.contains("after 2 products") && text.contains("128 bits"), "{text}");
    // Makes keys for the parameters in the file.
    let mine = sandbox.path("mine");
    sandbox.ok(&["keygen", "--params", &file, "--dir", &mine]);
    let (key, public) = (format!("{mine}/secret.key"), format!("{mine}/public.key"));
    sandbox.ok(&["encrypt", "--public", &public, "--in", "x.csv", "--out", "m.ct"]);
    let outcome = sandbox.ok(&["decrypt", "--key", &key, "m.ct", "--real"]);
    let values = outcome.stdout.lines().map(|line| line.parse::<f64>().unwrap());
    let worst = values.zip(&sandbox.x).map(|(got, x)| (got - x).abs()).fold(0.0, f64::max);
    assert!(worst < 2f64.powi(-13), "{worst:e}");
    let outcome = sandbox.ok(&["inspect", &file]);
    assert!(outcome.stdout.contains("after 2 products"), "{}", outcome.stdout);

    let refuse = |options: &[&str], reason: &str| {
        sandbox.refused(&[&["params"], options].concat(), reason);
    };
    refuse(&["n14", "--depth", "3"], "cannot be used with");
    refuse(&["--out", &file], "name or describe it");
    refuse(&["--slots", "65537"], "a ciphertext has between 1 and 65536");
    refuse(&["--depth", "90", "--precision", "30"], "needs log2 QP =");
    refuse(&["--precision", "NaN"], "NaN bits of precision");
    for bits in ["0", "127", "129", "512", "1e2", "high"] {
        refuse(&["--depth", "1", "--security", bits], "expected 128, 192 or 256 bits");
    }
    refuse(&["n14", "--security", "192"], "cannot be used with");
    refuse(&["--bootstrapping", "--security", "192"], "at most 128 bits of security, but 192 bits");
    sandbox.refused(&["keygen", "--params", "x.csv", "--dir", "n"], "not a CKKS file");
    sandbox.refused(&["keygen", "--params", "n99", "--dir", "n"], "no parameter set is named");
}

#[test]
fn files_say_what_they_are() {
    let sandbox = Sandbox::new(73);
    for (file, texts) in [
        ("x.ct", &["a ciphertext", "level       4, scale 2^", "n10-insecure", "INSECURE"][..]),
        ("k/public.key", &["a public key"]),
        ("k/secret.key", &["a secret key"]),
        (
            "k/evaluation.keys",
            &["multiply, up to level 4", "rotate by -3", "rotate by 4", "conjugate"],
        ),
    ] {
        let outcome = sandbox.ok(&["inspect", file]);
        for text in texts {
            assert!(outcome.stdout.contains(text), "{file}: {}", outcome.stdout);
        }
        let object: Value =
            serde_json::from_str(&sandbox.ok(&["inspect", file, "--json"]).stdout).unwrap();
        assert_eq!(object["parameters"]["name"], "n10-insecure");
        assert!(texts[0].contains(object["kind"].as_str().unwrap()) || file.ends_with("keys"));
        // Truncated, damaged, and with additional bytes.
        let bytes = std::fs::read(sandbox.path(file)).unwrap();
        let write = |bytes: &[u8]| std::fs::write(sandbox.path("bad.ct"), bytes).unwrap();
        write(&bytes[..bytes.len() - 7]);
        let outcome = sandbox.run(&["inspect", "bad.ct"]);
        if !file.contains("secret") {
            assert!(outcome.stderr.contains("the file ends at byte"), "{}", outcome.stderr);
        }
        assert_eq!(outcome.code, Some(2));
        let mut damaged = bytes.clone();
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        write(&damaged);
        assert_eq!(sandbox.run(&["inspect", "bad.ct"]).code, Some(2), "{file}");
        write(&[&bytes[..], b"x"].concat());
        assert_eq!(sandbox.run(&["inspect", "bad.ct"]).code, Some(2), "{file}");
    }
    std::fs::write(sandbox.path("bad.ct"), "1.5\n").unwrap();
    sandbox.refused(&["inspect", "bad.ct"], "the file ends at byte 4");
    sandbox.refused(&["inspect", "x.csv"], "not a CKKS file");
    sandbox.refused(&["inspect", "none.ct"], "No such file");
}

#[test]
fn what_cannot_be_is_said() {
    let sandbox = Sandbox::new(74);
    let eval = |expression: &str, inputs: &[&str], reason: &str| {
        let start = ["eval", "--keys", "k/evaluation.keys", expression];
        sandbox.refused(&[&start[..], inputs, &["--out", "bad-result.ct"]].concat(), reason);
        assert!(!Path::new(&sandbox.path("bad-result.ct")).exists());
    };
    let both = &["x=x.ct", "y=y.ct"];
    eval("x + * y", both, "column 5: expected a number, a name or (, got '*'");
    eval("x + z", &["x=x.ct"], "column 5: unknown ciphertext z: give z=FILE");
    eval("log(x)", &["x=x.ct"], "column 1: the function is not finite at");
    eval("x + sqrt(-2)", &["x=x.ct"], "column 5: this number is not finite");
    eval("sin(2i) + x", &["x=x.ct"], "column 1: this function needs real numbers");
    eval("sin(x, 2, 1)", &["x=x.ct"], "[2, 1] is not an interval");
    eval("tanh(x, -20, 20)", &["x=x.ct"], "needs level");
    eval("sin(x)", &["x=x.ct", "--error", "0"], "an error of 0 cannot be reached");
    eval("x", both, "y is not in the expression");
    eval("x", &["x=x.ct", "x=y.ct"], "two files have the name x");
    eval(
        "square(square(square(square(square(x)))))",
        &["x=x.ct"],
        "column 1: the ciphertext is at level 0",
    );
    eval("x * 1e300", &["x=x.ct"], "column 3: real values from -1e300 to 1e300 need 1037.6 bits");
    eval("x + 1e200*1e200", &["x=x.ct"], "column 10: this number is not finite");
    eval("x", &["x=k/public.key"], "expected a ciphertext, but the file holds a public key");
    eval("x", &["x=none.ct"], "No such file");
    eval("x", &["x"], "NAME=FILE");
    // Keys for fewer levels and for other parameters.
    sandbox.ok(&[
        "encrypt",
        "--key",
        "k/secret.key",
        "--in",
        "y.npy",
        "--out",
        "low.ct",
        "--level",
        "0",
    ]);
    eval("x * 2.5", &["x=low.ct"], "needs level 1");
    let encrypt = |options: &[&str], reason: &str| {
        sandbox.refused(&[&["encrypt", "--out", "bad-result.ct"], options].concat(), reason);
    };
    encrypt(
        &["--key", "k/secret.key", "--in", "x.csv", "--level", "5"],
        "the highest of n10-insecure is 4",
    );
    encrypt(&["--key", "k/public.key", "--in", "x.csv"], "k/public.key");
    encrypt(&["--public", "k/secret.key", "--in", "x.csv"], "holds a secret key");
    encrypt(&["--in", "x.csv"], "--key");
    encrypt(&["--key", "k/secret.key", "--in", "y.csv"], "No such file");
    std::fs::write(sandbox.path("long.csv"), "0.5\n".repeat(513)).unwrap();
    encrypt(
        &["--key", "k/secret.key", "--in", "long.csv"],
        "513 values, but a plaintext has 512 slots",
    );
    std::fs::write(sandbox.path("bad.csv"), "1\n2\nthree\n").unwrap();
    encrypt(
        &["--key", "k/secret.key", "--in", "bad.csv"],
        "line 3: \"three\" is not a finite number",
    );
    std::fs::write(sandbox.path("none.csv"), "").unwrap();
    encrypt(&["--key", "k/secret.key", "--in", "none.csv"], "no value to encode");
    let decrypt = |options: &[&str], reason: &str| {
        sandbox.refused(&[&["decrypt", "--key", "k/secret.key"], options].concat(), reason);
    };
    decrypt(&["x.ct", "--count", "17"], "the ciphertext has 16 values");
    let share = |options: &[&str], reason: &str| {
        decrypt(&[&["x.ct", "--share"], options].concat(), reason);
    };
    share(&["--security", "80", "--queries", "4"], "bits of noise flooding are needed, but above");
    share(&["--security", "0", "--queries", "4"], "cannot be stated");
    share(&["--security", "4", "--queries", "0"], "cannot be stated");
    share(&["--security", "4"], "--queries");
    share(&["--queries", "4"], "--security");
    share(&["--security", "-1", "--queries", "4"], "'-1'");
    share(&["--security", "4.5", "--queries", "4"], "invalid value '4.5'");
    share(
        &["--security", "4", "--queries", "4", "--error-at-least", "nan"],
        "give a finite number above 0",
    );
    share(&["--security", "4", "--queries", "4", "--error-at-least", "9"], "no security fits");
    decrypt(&["x.ct", "--security", "4", "--queries", "4"], "--share");
    decrypt(&["x.ct", "--error-at-least", "1e-3"], "--share");
    decrypt(&["x.ct", "--flood", "3"], "'--flood'");
    decrypt(&["x.ct", "--exact"], "'--exact'");
    decrypt(&["k/public.key"], "holds a public key");
    sandbox.refused(
        &["keygen", "--params", "n10-insecure", "--dir", "k"],
        "k: this folder is not empty, and its files are not overwritten",
    );
}

#[test]
fn keys_of_other_people_and_levels() {
    let sandbox = Sandbox::new(75);
    let other = sandbox.path("other.keys");
    let keygen =
        ["keygen", "--params", "n13-insecure", "--dir", &other, "--multiply", "--level", "2"];
    let outcome = sandbox.ok(&[&keygen[..], &["--json"]].concat());
    assert!(outcome.stderr.contains("n13-insecure are INSECURE"), "{}", outcome.stderr);
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((&object["evaluation_keys"], &object["level"]), (&1.into(), &2.into()));
    assert_eq!(object["files"].as_array().unwrap().len(), 3);
    let [secret, evaluation] =
        ["secret.key", "evaluation.keys"].map(|name| Path::new(&other).join(name));
    let [secret, evaluation] = [secret.to_str().unwrap(), evaluation.to_str().unwrap()];
    sandbox.refused(&["decrypt", "--key", secret, "x.ct"], "is for the parameters n10-insecure");
    sandbox.refused(
        &["eval", "--keys", evaluation, "x*x", "x=x.ct", "--out", "z.ct"],
        "but n13-insecure",
    );
    for level in ["2", "3"] {
        sandbox
            .ok(&["encrypt", "--key", secret, "--in", "x.csv", "--out", "o.ct", "--level", level]);
        let turn = ["eval", "--keys", evaluation, "x * rot(x, 2)", "x=o.ct", "--out", "z.ct"];
        sandbox.refused(&turn, "no key to rotate by 2");
        let eval = ["eval", "--keys", evaluation, "x*x", "x=o.ct", "--out", "z.ct"];
        match level {
            "2" => drop(sandbox.ok(&eval)),
            _ => sandbox.refused(&eval, "the key to multiply ciphertexts goes up to level 2"),
        }
    }
    let keygen = ["keygen", "--params", "n10-insecure", "--dir", "none.keys"];
    sandbox
        .refused(&[&keygen[..], &["--level", "2"]].concat(), "--level is only for evaluation keys");
    sandbox.refused(&[&keygen[..], &["--multiply", "--level", "9"]].concat(), "is 4");
    sandbox.refused(&[&keygen[..], &["--rotations", "1,x"]].concat(), "invalid value 'x'");
    assert!(!Path::new(&sandbox.path("none.keys")).exists());
}

/// A new file, an existing file, and a file for others.
#[cfg(unix)]
#[test]
fn decrypted_values_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new(77);
    let out = sandbox.path("values.csv");
    let share = ["--share", "--security", "2", "--queries", "1"];
    for options in [&[][..], &[], &share] {
        let arguments = ["decrypt", "--key", "k/secret.key", "x.ct", "--out", "values.csv"];
        sandbox.ok(&[&arguments[..], options].concat());
        assert_eq!(std::fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn the_secret_key_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new(76);
    let key = sandbox.path("k/secret.key");
    let mode = || std::fs::metadata(&key).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).unwrap();
    for arguments in [
        &["decrypt", "--key", "k/secret.key", "x.ct"][..],
        &["encrypt", "--key", "k/secret.key", "--in", "x.csv", "--out", "w.ct"],
        &["inspect", "k/secret.key"],
    ] {
        sandbox.refused(arguments, "has the mode 0640");
        sandbox.refused(arguments, "chmod 600");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// For any bytes of a ciphertext and any expression, the exit code is 0 or 2, without a panic.
    #[test]
    fn any_input_is_answered(
        expression in "[-+*(), 0-9.ixrotcnjsquae]{0,20}",
        at in any::<prop::sample::Index>(), with in any::<u8>(), is_damaged in any::<bool>(),
    ) {
        thread_local!(static SANDBOX: Sandbox = Sandbox::new(77));
        SANDBOX.with(|sandbox| {
            let mut bytes = std::fs::read(sandbox.path("x.ct")).unwrap();
            let at = at.index(bytes.len());
            bytes[at] = if is_damaged { with } else { bytes[at] };
            std::fs::write(sandbox.path("p.ct"), bytes).unwrap();
            let keys = sandbox.path("k/evaluation.keys");
            let (input, out) = (format!("x={}", sandbox.path("p.ct")), sandbox.path("q.ct"));
            let eval = ["ckks", "eval", "--keys", &keys, "--out", &out, "--", &expression, &input];
            let code = halimede(&eval, b"").code;
            prop_assert!(code == Some(0) || code == Some(2), "{code:?}");
            Ok(())
        })?;
    }
}
