// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Models as users export them: scikit-learn by skl2onnx and by Hummingbird, Keras, PyTorch.
//!
//! `tests/exports/make.py` made the files with the exporters, and recorded onnxruntime's outputs.
//! All models are evaluated in plaintext, and run encrypted.

use std::ops::ControlFlow;
use std::path::PathBuf;

use halimede_ckks::Client;
use halimede_ckks_nn::compile::Interface;
use halimede_ckks_nn::{
    read_onnx, read_onnx_output, Graph, Label, NetworkClient, NetworkServer, Options,
};
use serde_json::Value;

use super::setting::{compiled, run};

/// A model, with the post-processing that is read from it.
struct Export {
    name: &'static str,
    post_processing: &'static [&'static str],
    /// The largest difference from onnxruntime, which computes in floats, relative to the largest
    /// value.
    near: f64,
}

const fn export(name: &'static str, post_processing: &'static [&'static str], near: f64) -> Export {
    Export { name, post_processing, near }
}

const EXPORTS: [Export; 17] = [
    export("sklearn_logistic_binary", &["argmax", "labels", "sigmoid"], 1e-4),
    export("sklearn_logistic_classes", &["argmax", "labels", "softmax", "normalization"], 1e-5),
    export("sklearn_linear_svc", &["argmax", "labels"], 1e-5),
    export("sklearn_ridge_classifier", &["argmax", "labels", "selection"], 1e-4),
    export(
        "sklearn_perceptron_binary",
        &["sigmoid", "scaling", "concatenation", "argmax", "labels"],
        1e-4,
    ),
    export("sklearn_perceptron_digits", &["softmax", "argmax", "labels"], 1e-5),
    export("sklearn_linear_regression", &[], 1e-5),
    export("sklearn_ridge", &[], 1e-5),
    export("sklearn_perceptron_regressor", &[], 1e-5),
    export(
        "hummingbird_logistic",
        &["threshold", "labels", "sigmoid", "scaling", "concatenation"],
        1e-5,
    ),
    export("keras_dense", &["softmax"], 1e-5),
    export("keras_binary", &["sigmoid"], 1e-5),
    export("keras_conv", &["softmax"], 1e-5),
    export("torch_cnn", &["log-softmax"], 1e-5),
    export("torch_perceptron", &["softmax"], 1e-5),
    export("torch_transformer", &[], 1e-5),
    export("torch_masked", &[], 1e-5),
];

/// The models that need too many levels for an encrypted run in the tests; their layers run in
/// `transformer`.
const DEEP: [&str; 2] = ["torch_transformer", "torch_masked"];

/// An input, and onnxruntime's labels, values and names of values.
struct Case {
    input: Vec<f64>,
    labels: Vec<Label>,
    values: Vec<f64>,
    classes: Vec<Label>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/exports")
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("{name}.onnx"))).unwrap()
}

fn cases(name: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    let recorded: Value = serde_json::from_str(&text).unwrap();
    let numbers = |of: &Value| -> Vec<f64> {
        of.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    let label = |of: &Value| match of.as_i64() {
        Some(number) => Label::Integer(number),
        None => Label::Text(of.as_str().unwrap().to_owned()),
    };
    let labels = |of: &Value| of.as_array().into_iter().flatten().map(label).collect();
    let case = |of: &Value| Case {
        input: numbers(&of["input"]),
        labels: labels(&of["labels"]),
        values: numbers(&of["values"]),
        classes: labels(&of["classes"]),
    };
    let cases: Vec<Case> = recorded["cases"].as_array().unwrap().iter().map(case).collect();
    assert_eq!(cases.len(), 16, "{name}");
    cases
}

#[test]
fn exports_have_the_outputs_of_onnxruntime() {
    for Export { name, post_processing, near } in EXPORTS {
        let graph = read_onnx(&file(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let operations = graph.post_processing().map(|of| of.operations()).unwrap_or_default();
        assert_eq!(operations, post_processing, "{name}");
        for case in cases(name) {
            let answer = graph.answer(&case.input).unwrap();
            assert_eq!(answer.labels, case.labels, "{name}");
            assert_eq!(answer.values.len(), case.values.len(), "{name}");
            assert_eq!(graph.evaluate(&case.input).unwrap(), answer.values);
            assert_eq!(graph.output_shape().size(), answer.values.len());
            let largest = case.values.iter().fold(1.0, |most: f64, value| most.max(value.abs()));
            for (got, wanted) in answer.values.iter().zip(&case.values) {
                assert!((got - wanted).abs() < near * largest, "{name}: {got} {wanted}");
            }
            if !case.classes.is_empty() {
                assert_eq!(graph.post_processing().unwrap().classes(), case.classes, "{name}");
            }
        }
    }
}

/// Every file of the folder is in the list.
#[test]
fn no_export_is_left_out() {
    let names = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let mut names: Vec<String> = names
        .filter(|path| path.extension().is_some_and(|of| of == "onnx"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut listed = EXPORTS.map(|export| export.name);
    listed.sort_unstable();
    assert_eq!(names, listed);
}

/// The values and labels of an encrypted run are those in plaintext, also after the interface was
/// in a file.
#[test]
fn exports_run_encrypted() {
    for Export { name, .. } in EXPORTS.into_iter().filter(|of| !DEEP.contains(&of.name)) {
        let graph = read_onnx(&file(name)).unwrap();
        let cases = cases(name);
        let samples: Vec<Vec<f64>> = cases.iter().map(|case| case.input.clone()).collect();
        let options = Options { degree: 7, ..Options::default() };
        // Two activations need bootstraps.
        let parameters = match graph.activations().len() {
            0 | 1 => "n13-insecure",
            _ => "n10-boot-insecure",
        };
        let model = compiled(&graph, &samples, parameters, &options);
        let mut file = Vec::new();
        model.interface().save(&mut file).unwrap();
        let interface = Interface::load_insecure(&file[..]).unwrap();
        assert_eq!(interface.post_processing(), graph.post_processing(), "{name}");
        let output = run(&model, &cases[0].input);
        let found = model.compare(&cases[0].input, &output, None).unwrap();
        assert_eq!(found.disagreement, None, "{name}");
        assert_eq!(found.label, output.class());
        assert_eq!(output.labels, cases[0].labels, "{name}");
        assert_eq!(output.values.len(), cases[0].values.len(), "{name}");
        let near = model.approximate(&cases[0].input).unwrap();
        for (got, wanted) in output.values.iter().zip(near) {
            let most = 12.0 * output.error * (1.0 + wanted.abs());
            assert!((got - wanted).abs() < most, "{name}: {got} {wanted} within {most:e}");
        }
    }
}

/// Each input of a batch has its label, also with noise for others.
#[test]
fn a_batch_has_a_label_for_each_input() {
    let name = "sklearn_logistic_classes";
    let graph = read_onnx(&file(name)).unwrap();
    let cases = cases(name);
    let inputs: Vec<Vec<f64>> = cases.iter().map(|case| case.input.clone()).collect();
    let options = Options { batch: 5, ..Options::default() };
    let model = compiled(&graph, &inputs, "n13-insecure", &options);
    let client = Client::of_test(model.interface().parameters(), 7);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = NetworkServer::new(&model, client.evaluation_keys()).unwrap();
    let ciphertexts = client.encrypt_all(&inputs[..5]).unwrap();
    let result = server.run(&ciphertexts, |_| ControlFlow::Continue(())).unwrap();
    let sharing = model.sharing(4, 1).unwrap();
    let shared = client.decrypt_all_for_sharing(&result, &sharing).unwrap().outputs;
    let raw = client.decrypt_all(&result).unwrap();
    for outputs in [raw, shared] {
        assert_eq!(outputs.len(), 5);
        for (output, case) in outputs.into_iter().zip(&cases) {
            let output = output.unwrap();
            assert_eq!(output.labels, case.labels);
            for (got, wanted) in output.values.iter().zip(&case.values) {
                assert!((got - wanted).abs() < 1e-3, "{got} {wanted}");
            }
        }
    }
}

fn chosen(name: &str, output: &str) -> Graph {
    read_onnx_output(&file(name), output).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Any value of a file can be the output.
#[test]
fn an_output_can_be_chosen() {
    let name = "sklearn_perceptron_binary";
    let input = &cases(name)[0].input;
    let all = read_onnx(&file(name)).unwrap().answer(input).unwrap();
    let logit = chosen(name, "add_result1");
    assert!(logit.post_processing().is_none());
    let logit = logit.evaluate(input).unwrap()[0];
    let probability = chosen(name, "out_activations_result").evaluate(input).unwrap()[0];
    assert!((probability - 1.0 / (1.0 + (-logit).exp())).abs() < 1e-12);
    assert_eq!(all.values, [1.0 - probability, probability]);
    let label = chosen(name, "output_label").answer(input).unwrap();
    assert_eq!((&label.labels, &label.values[..]), (&all.labels, &[logit][..]));
    let place = chosen(name, "argmax_output").answer(input).unwrap();
    assert_eq!(place.labels, all.labels);
    assert_eq!(chosen(name, "next_activations").output_shape().size(), 6);
    let error = read_onnx_output(&file(name), "logits").unwrap_err().to_string();
    let wanted = "not an ONNX model: no node has the output logits; the last ones are output_label";
    assert!(error.starts_with(wanted), "{error}");
}
