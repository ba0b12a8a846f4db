// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede batch`: runs every operation of the table on its examples.

use halimede_arith::interface::About;
use halimede_operations::descriptions;
use serde_json::{json, Value};

use crate::common::halimede;

/// Returns the command line of an operation with these settings.
fn words(about: &About, settings: &[(&str, &str)], more: &[&str]) -> Vec<String> {
    let options = settings.iter().map(|(name, value)| format!("--{name}={value}"));
    let first = ["batch", about.name].map(str::to_owned);
    first.into_iter().chain(options).chain(more.iter().map(|word| (*word).to_owned())).collect()
}

fn run(words: &[String], input: &str) -> (Option<i32>, String, String) {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = halimede(&words, input.as_bytes());
    (outcome.code, outcome.stdout, outcome.stderr)
}

#[test]
fn every_operation_answers_its_examples() {
    let help = halimede(&["batch", "--help"], b"").stdout;
    for about in descriptions() {
        assert!(help.contains(about.name), "{}", about.name);
        let (code, items, error) =
            run(&words(about, about.examples[0].settings, &["--example"]), "");
        assert_eq!(code, Some(0), "{}: {error}", about.name);
        assert!(items.lines().count() > 0, "{}", about.name);
        if about.needs_object() {
            continue;
        }
        for example in about.examples {
            let answer: Value = serde_json::from_str(example.answer).unwrap();
            let item: Value = serde_json::from_str(example.item).unwrap();
            let line = format!("{item}\n");
            let (code, answered, error) = run(&words(about, example.settings, &["--json"]), &line);
            let answered: Value = serde_json::from_str(&answered).unwrap();
            assert_eq!(answered, answer, "{}: {error}", about.name);
            let expected = i32::from(answer["valid"] == false);
            assert_eq!(code, Some(expected), "{}", about.name);
        }
    }
}

#[test]
fn lines_may_have_short_names_and_other_fields() {
    let about =
        descriptions().into_iter().find(|about| about.name == "secp256k1.verify_schnorr").unwrap();
    let mut item: Value = serde_json::from_str(about.examples[0].item).unwrap();
    item["msg"] = item["message"].take();
    item["sig"] = item["signature"].take();
    let fields = item.as_object_mut().unwrap();
    fields.remove("message");
    fields.remove("signature");
    fields.insert("id".into(), json!([1, { "key": 2 }]));
    let lines = format!("{item}\n{{\"key\": 7}}\nno object\n");
    let (code, answers, _) = run(&words(about, &[], &[]), &lines);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(code, Some(2));
    assert_eq!(answers[0], "valid");
    assert_eq!(answers[1], "error: `key`: a string of hexadecimal digits is expected");
    assert_eq!(answers[2], "error: column 1: expected a JSON object, which begins with {");
}

#[test]
fn an_object_is_a_file() {
    let sandbox = tempfile::tempdir().unwrap();
    let path = sandbox.path().join("key");
    let about = descriptions().into_iter().find(|about| about.name == "groth16.verify").unwrap();
    let item: Value = serde_json::from_str(about.examples[0].item).unwrap();
    let option = [("key", path.to_str().unwrap())];
    let (code, _, error) = run(&words(about, &option, &[]), &item.to_string());
    assert_eq!(code, Some(2), "{error}");
    std::fs::write(&path, b"no key").unwrap();
    let (code, _, error) = run(&words(about, &option, &[]), &item.to_string());
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("the key has 6 bytes, not 868"), "{error}");
}

#[test]
fn unknown_operations_and_settings_are_refused() {
    for words in [
        &["batch", "no.operation"][..],
        &["batch", "blake3.derive_key"],
        &["batch", "blake3.hash", "--length", "0"],
        &["batch", "equihash.verify", "--n", "47"],
        &["batch", "poseidon.filecoin_hash", "--arity", "2", "--tag", "merkle-tree"],
    ] {
        let outcome = halimede(words, b"{\"message\": \"00\"}\n");
        assert_eq!(outcome.code, Some(2), "{words:?}: {}", outcome.stdout);
        assert!(!outcome.stderr.is_empty());
    }
}
