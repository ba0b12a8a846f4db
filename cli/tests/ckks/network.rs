// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks run`: a network from a file on encrypted inputs.

use serde_json::Value;
use tempfile::TempDir;

use super::common::{halimede, Outcome};
use super::model_file::{int, model, node, tensor, Store};

/// A sum of four values and its hyperbolic tangent: a file of the model, samples whose values
/// cancel each other, and an input whose values do not.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = model(
        &[0, 4],
        &[
            node("Gemm", &["x", "w"], "sum", &[int("transB", 1)]),
            node("Tanh", &["sum"], "tanh", &[]),
            node("Gemm", &["tanh", "v"], "y", &[int("transB", 1)]),
        ],
        &[
            tensor("w", &[1, 4], &[1.0; 4], Store::RawFloat),
            tensor("v", &[2, 1], &[-1.0, 1.0], Store::RawFloat),
        ],
    );
    let max = node("MaxPool", &["x"], "y", &[]);
    for (name, content) in [
        ("model.onnx", file),
        ("max.onnx", model(&[0, 4], &[max], &[])),
        ("a.csv", b"1\n-1\n0.5\n0\n".to_vec()),
        ("b.csv", b"-1\n1\n0\n-0.5\n".to_vec()),
        ("far.csv", b"1\n1\n1\n1\n".to_vec()),
        ("short.csv", b"1\n1\n".to_vec()),
    ] {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// Runs the command; names with a dot are files of the folder.
fn run(folder: &TempDir, arguments: &str) -> Outcome {
    let path = |word: &str| match word.contains('.') {
        true => folder.path().join(word).display().to_string(),
        false => word.to_owned(),
    };
    let words: Vec<String> = arguments.split_whitespace().map(path).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    halimede(&[&["ckks", "run"][..], &words, &["--degree", "7"]].concat(), b"")
}

#[test]
fn labels_are_those_of_plaintext() {
    let folder = folder();
    let arguments = "model.onnx a.csv b.csv --params n13-insecure --json --calibrate a.csv b.csv";
    let outcome = run(&folder, arguments);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let results = object["results"].as_array().unwrap();
    for (result, label) in results.iter().zip([1, 0]) {
        assert_eq!((&result["label"], &result["plaintext_label"]), (&label.into(), &label.into()));
        assert!(result["largest_difference"].as_f64().unwrap() < 0.01, "{result}");
        assert!(result["guard"].as_f64().unwrap() < 0.01, "{result}");
    }
    assert_eq!(object["report"]["layers"][0]["layers"][0], "/sum");
    let outcome = run(&folder, "model.onnx a.csv --params n13-insecure");
    assert!(outcome.stdout.contains("a.csv: label 1, in plaintext 1; off by at most"));
    assert!(outcome.stderr.contains("calibrated with the inputs themselves"), "{}", outcome.stderr);
}

#[test]
fn a_result_out_of_range_is_a_failed_check() {
    let folder = folder();
    let arguments = "model.onnx far.csv --params n13-insecure --calibrate a.csv b.csv";
    let outcome = run(&folder, arguments);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("far.csv: the guard is"), "{}", outcome.stderr);
}

#[test]
fn reports_and_refusals() {
    let folder = folder();
    let report = run(&folder, "model.onnx a.csv --params n10-boot-insecure --report");
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(report.stdout.contains("tanh, degree 7"), "{}", report.stdout);
    for (arguments, reason) in [
        ("max.onnx a.csv", "node /y: MaxPool is not supported; supported are Add"),
        ("model.onnx short.csv", "short.csv: 2 values, where the model takes 4: 4"),
        ("model.onnx model.onnx", "model.onnx: byte"),
        ("a.csv a.csv", "not an ONNX model"),
        ("model.onnx a.csv --params n10-insecure", "level"),
        ("model.onnx a.csv --params n99", "n99"),
        ("model.onnx none.csv", "No such file"),
    ] {
        let outcome = run(&folder, arguments);
        assert_eq!(outcome.code, Some(2), "{arguments}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(reason), "{arguments}: {}", outcome.stderr);
    }
}
