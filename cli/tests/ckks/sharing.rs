// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks decrypt --share`: the error of a result is derived by the owner of the key, not
//! taken from the claim of a file.

use crate::sandbox::{Sandbox, COUNT};
use serde_json::Value;

const SHARE: [&str; 8] =
    ["decrypt", "--key", "k/secret.key", "--share", "--security", "4", "--queries", "4"];
const EXPRESSION: &str = "3*x*y + rot(x, 1)";
const KNOWN: [&str; 8] = [
    "--expression",
    EXPRESSION,
    "--input",
    "x=x.ct",
    "--input",
    "y=y.ct",
    "--keys",
    "k/evaluation.keys",
];

/// Returns the offset of the errors in the file of a ciphertext, after its parameters, the
/// identifier of its key, level, length and scale.
fn errors_at(sandbox: &Sandbox) -> usize {
    sandbox.ok(&["params", "n10-insecure", "--out", "p.csv"]);
    std::fs::read(sandbox.path("p.csv")).unwrap().len() + 16 + 2 + 4 + 20
}

/// Writes a file with forged errors.
fn forge(sandbox: &Sandbox, file: &str, out: &str, error: f64) {
    let at = errors_at(sandbox);
    let mut bytes = std::fs::read(sandbox.path(file)).unwrap();
    bytes[at..at + 8].copy_from_slice(&error.to_le_bytes());
    bytes[at + 8..at + 16].copy_from_slice(&error.to_le_bytes());
    let content = bytes.len() - 32;
    let checksum = blake3::hash(&bytes[..content]);
    bytes[content..].copy_from_slice(checksum.as_bytes());
    std::fs::write(sandbox.path(out), bytes).unwrap();
}

/// Creates a sandbox with a result whose inputs were all encrypted with the secret key.
fn computed(seed: u64) -> Sandbox {
    let sandbox = Sandbox::new(seed);
    sandbox.ok(&["encrypt", "--key", "k/secret.key", "--in", "y.npy", "--out", "y.ct"]);
    let eval = ["eval", "--keys", "k/evaluation.keys", EXPRESSION, "x=x.ct", "y=y.ct"];
    sandbox.ok(&[&eval[..], &["--out", "z.ct"]].concat());
    sandbox
}

fn shared(sandbox: &Sandbox, file: &str, options: &[&str]) -> (Value, String) {
    let outcome = sandbox.ok(&[&SHARE[..], &[file, "--json"], options].concat());
    (serde_json::from_str(&outcome.stdout).unwrap(), outcome.stderr)
}

fn number(object: &Value, field: &str) -> f64 {
    object[field].as_f64().unwrap()
}

#[test]
fn a_forged_estimate_makes_no_less_noise() {
    let sandbox = computed(91);
    forge(&sandbox, "z.ct", "forged.ct", 0.0);
    for file in ["z.ct", "forged.ct"] {
        let alone = [&SHARE[..], &[file]].concat();
        sandbox.refused(&alone, "give a bound of the error, or the computation of the ciphertext");
        sandbox.refused(&alone, "--error-at-least, or --expression with --input and --keys");
    }
    let (honest, _) = shared(&sandbox, "z.ct", &KNOWN);
    let (forged, said) = shared(&sandbox, "forged.ct", &KNOWN);
    let [honest_bits, forged_bits] = [&honest, &forged].map(|of| number(of, "precision_bits"));
    assert!((honest_bits - forged_bits).abs() < 0.05, "{honest_bits} and {forged_bits}");
    assert_eq!(forged["error_from"], "expression");
    // The note names the bound of the error, and the number of values.
    let bits = -number(&forged, "error_bound").log2();
    let text = format!(
        "each of {COUNT} values is bounded by 2^-{bits:.1}, which follows from the expression"
    );
    assert!(said.contains(&text), "{said}");
    assert!(said.contains("at 4 bits of security for 4 decryptions"), "{said}");
    let left = bits - number(&forged, "flooding_bits");
    assert!((forged_bits - left).abs() < 1e-6, "{forged_bits} and {left}");
    // The same with a stated bound.
    let (stated, said) = shared(&sandbox, "forged.ct", &["--error-at-least", "2^-20"]);
    assert!((number(&stated, "error_bound").log2() + 20.0).abs() < 1e-6, "{stated}");
    assert_eq!(
        (&stated["error_from"], number(&stated, "error_at_least")),
        (&"stated".into(), 2f64.powi(-20))
    );
    assert!(said.contains("bounded by 2^-20.0, as stated"), "{said}");
    // A larger claim of a file is used.
    forge(&sandbox, "z.ct", "worse.ct", 2f64.powi(-12));
    let (worse, _) = shared(&sandbox, "worse.ct", &KNOWN);
    assert_eq!(worse["error_from"], "file");
    assert!((number(&worse, "error_bound").log2() + 11.5).abs() < 0.1, "{worse}");
}

#[test]
fn what_an_expression_does_not_give_is_refused() {
    let sandbox = computed(92);
    let refused = |file: &str, options: &[&str], reason: &str| {
        sandbox.refused(&[&SHARE[..], &[file], options].concat(), reason);
    };
    let keys = ["--keys", "k/evaluation.keys"];
    let by = |expression: &'static str, inputs: &[&'static str]| {
        let inputs = inputs.iter().flat_map(|input| ["--input", input]);
        ["--expression", expression].into_iter().chain(inputs).chain(keys).collect::<Vec<_>>()
    };
    refused(
        "z.ct",
        &by("x + y", &["x=x.ct", "y=y.ct"]),
        "but the result of the requested computation",
    );
    refused("z.ct", &by("x*y", &["x=x.ct"]), "unknown ciphertext y");
    refused("z.ct", &by("x *", &["x=x.ct"]), "column");
    // An input that another party computed.
    refused("z.ct", &by("x", &["x=z.ct"]), "its error is only a claim");
    refused("z.ct", &["--expression", "x", "--input", "x=x.ct"], "--keys");
    refused("z.ct", &["--input", "x=x.ct"], "--expression");
    refused("z.ct", &["--error-at-least", "0"], "give a finite number above 0");
    refused("z.ct", &["--error-at-least", "2^x"], "a power of two such as 2^-20");
    // Inputs encrypted with the public key need an option.
    let public = ["encrypt", "--public", "k/public.key", "--in", "x.csv", "--out", "p.ct"];
    sandbox.ok(&public);
    sandbox.ok(&["eval", "--keys", "k/evaluation.keys", "x*x", "x=p.ct", "--out", "s.ct"]);
    let square = by("x*x", &["x=p.ct"]);
    refused("s.ct", &square, "give --public-inputs");
    let (object, _) = shared(&sandbox, "s.ct", &[&square[..], &["--public-inputs"]].concat());
    assert_eq!(object["error_from"], "expression");
}
