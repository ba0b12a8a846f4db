// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The end of classifiers, which the client computes after decryption, node by node.

use halimede_ckks_nn::{read_onnx, Answer, Graph, Label};
use proptest::prelude::*;

use super::model_file::{
    floats, int, ints, model, model_to, node, node_of_several, tensor, text, text_tensor, texts,
    Message, Store,
};

/// Returns a node of `ai.onnx.ml`.
fn ml(operator: &str, inputs: &[&str], outputs: &[&str], attributes: &[Message]) -> Message {
    node_of_several(operator, inputs, outputs, attributes).text(7, "ai.onnx.ml")
}

fn answer(file: &[u8], input: &[f64]) -> Answer {
    let graph = read_onnx(file).unwrap();
    assert!(graph.post_processing().is_some());
    graph.answer(input).unwrap()
}

fn near(got: &[f64], wanted: &[f64], what: &str) {
    assert_eq!(got.len(), wanted.len(), "{what}");
    for (a, b) in got.iter().zip(wanted) {
        assert!((a - b).abs() < 1e-6, "{what}: {got:?} {wanted:?}");
    }
}

fn softmax(row: &[f64]) -> Vec<f64> {
    let sum: f64 = row.iter().map(|x| x.exp()).sum();
    row.iter().map(|x| x.exp() / sum).collect()
}

/// Softmax along each axis of 2 × 3 values, and over all axes from one on before version 13.
#[test]
fn a_softmax_is_along_its_axis() {
    let x = [0.5, -1.0, 2.0, 1.5, 0.0, -0.5];
    let by_row: Vec<f64> = x.chunks(3).flat_map(softmax).collect();
    let columns: Vec<Vec<f64>> = (0..3).map(|of| softmax(&[x[of], x[of + 3]])).collect();
    let by_column: Vec<f64> =
        (0..2).flat_map(|row| columns.iter().map(move |of| of[row])).collect();
    let ones = vec![1.0; 6];
    for (version, axis, wanted) in [
        (13, None, &by_row),
        (21, Some(2), &by_row),
        (21, Some(-1), &by_row),
        (21, Some(1), &by_column),
        (21, Some(-2), &by_column),
        (21, Some(0), &ones),
        (12, None, &softmax(&x)),
        (9, Some(2), &by_row),
        (9, Some(1), &softmax(&x)),
    ] {
        let attributes: Vec<Message> = axis.map(|axis| int("axis", axis)).into_iter().collect();
        for kind in ["Softmax", "LogSoftmax"] {
            let last = node(kind, &["x"], "y", &attributes);
            let file = model_to(&["y"], version, &[1, 2, 3], &[last], &[]);
            let wanted: Vec<f64> = match kind {
                "Softmax" => wanted.clone(),
                _ => wanted.iter().map(|value| value.ln()).collect(),
            };
            let what = format!("{kind} of version {version} along {axis:?}");
            near(&answer(&file, &x).values, &wanted, &what);
            assert_eq!(read_onnx(&file).unwrap().output_shape().axes(), [2, 3]);
        }
    }
    // Large scores do not overflow.
    let file = model(&[1, 2], &[node("Softmax", &["x"], "y", &[])], &[]);
    assert_eq!(answer(&file, &[2000.0, -2000.0]).values, [1.0, 0.0]);
}

#[test]
fn an_argmax_is_a_label() {
    let x = [0.5, 2.0, 2.0, 1.5, 0.0, -0.5];
    for (attributes, wanted) in [
        (vec![int("axis", 2)], vec![1, 0]),
        (vec![int("axis", -1), int("select_last_index", 1), int("keepdims", 0)], vec![2, 0]),
        (vec![int("axis", 1)], vec![1, 0, 0]),
        (vec![], vec![0; 6]),
    ] {
        let file = model(&[1, 2, 3], &[node("ArgMax", &["x"], "y", &attributes)], &[]);
        let answer = answer(&file, &x);
        let wanted: Vec<Label> = wanted.into_iter().map(Label::Integer).collect();
        assert_eq!((answer.labels, &answer.values[..]), (wanted, &x[..]));
    }
}

/// Tables of class names, after an argmax, a threshold, and through casts and shapes.
#[test]
fn places_become_names() {
    let names = text_tensor("names", &["cat", "dog", "owl"]);
    let numbers = tensor("numbers", &[3], &[10.0, -20.0, 30.0], Store::Int64);
    let one = tensor("one", &[1], &[-1.0], Store::Int64);
    let best = node("ArgMax", &["x"], "best", &[int("axis", 1)]);
    let owl = Label::Text("owl".to_owned());
    for (nodes, wanted) in [
        (vec![ml("ArrayFeatureExtractor", &["names", "best"], &["y"], &[])], owl.clone()),
        (
            vec![
                node("Reshape", &["best", "one"], "flat", &[]),
                node("Gather", &["names", "flat"], "name", &[]),
                node("Cast", &["name"], "y", &[int("to", 8)]),
            ],
            owl,
        ),
        (
            vec![
                node("Cast", &["best"], "place", &[int("to", 6)]),
                ml("ArrayFeatureExtractor", &["numbers", "place"], &["number"], &[]),
                node("Cast", &["number"], "y", &[int("to", 7)]),
            ],
            Label::Integer(30),
        ),
    ] {
        let nodes = [&[best.clone()][..], &nodes].concat();
        let file = model(&[1, 3], &nodes, &[names.clone(), numbers.clone(), one.clone()]);
        assert_eq!(answer(&file, &[1.0, 2.0, 3.0]).labels, [wanted]);
    }
    for (kind, x, wanted) in
        [("Greater", 0.5, "cat"), ("Greater", 0.75, "dog"), ("GreaterOrEqual", 0.5, "dog")]
    {
        let nodes = [
            node(kind, &["x", "half"], "above", &[]),
            node("Cast", &["above"], "place", &[int("to", 7)]),
            node("Gather", &["names", "place"], "y", &[]),
        ];
        let half = tensor("half", &[1], &[0.5], Store::Float);
        let labels = answer(&model(&[1, 1], &nodes, &[names.clone(), half]), &[x]).labels;
        assert_eq!(labels, [Label::Text(wanted.to_owned())], "{kind} {x}");
    }
    let short = text_tensor("names", &["cat", "dog"]);
    let nodes = [best, node("Gather", &["names", "best"], "y", &[])];
    let error = read_onnx(&model(&[1, 3], &nodes, &[short])).unwrap_err().to_string();
    assert!(error.contains("Gather: a table of 2 labels for 3 classes"), "{error}");
}

/// onnxruntime's values and labels for the same models.
#[test]
fn linear_classifiers_are_those_of_onnxruntime() {
    let inputs = [[0.3, 0.1], [0.1, 0.4]];
    let one = &[1.0, -2.0][..];
    let two = &[-1.0, 2.0, 1.0, -2.0][..];
    for (transform, coefficients, intercepts, wanted) in [
        ("NONE", one, &[0.0][..], [[0.9, 0.1], [1.7, -0.7]]),
        ("LOGISTIC", one, &[0.0], [[0.47502083, 0.5249792], [0.66818774, 0.33181226]]),
        ("NONE", two, &[0.0, 0.1], [[-0.1, 0.2], [0.7, -0.6]]),
        ("LOGISTIC", two, &[0.0, 0.1], [[0.47502083, 0.549834], [0.66818774, 0.3543437]]),
        ("SOFTMAX", two, &[0.0, 0.1], [[0.42555746, 0.5744425], [0.785835, 0.21416503]]),
    ] {
        for (labels, names) in [
            (ints("classlabels_ints", &[5, 9]), [5, 9].map(Label::Integer)),
            (
                texts("classlabels_strings", &["no", "yes"]),
                ["no", "yes"].map(|name| Label::Text(name.to_owned())),
            ),
        ] {
            let attributes = [
                floats("coefficients", coefficients),
                floats("intercepts", intercepts),
                text("post_transform", transform),
                labels,
            ];
            let classifier = ml("LinearClassifier", &["x"], &["label", "y"], &attributes);
            let file = model_to(&["label", "y"], 15, &[0, 2], &[classifier], &[]);
            let what = format!("{transform} of {} scores", intercepts.len());
            for ((input, wanted), name) in inputs.iter().zip(wanted).zip([&names[1], &names[0]]) {
                let answer = answer(&file, input);
                near(&answer.values, &wanted, &what);
                assert_eq!(answer.labels, std::slice::from_ref(name), "{what}");
            }
            assert_eq!(read_onnx(&file).unwrap().post_processing().unwrap().classes(), names);
        }
    }
}

#[test]
fn linear_models_scale_and_sum() {
    let scaler = |offset: &[f32], scale: &[f32]| {
        ml("Scaler", &["x"], &["s"], &[floats("offset", offset), floats("scale", scale)])
    };
    let regressor = |targets: i64, coefficients: &[f32], intercepts: &[f32]| {
        let attributes = [
            int("targets", targets),
            floats("coefficients", coefficients),
            floats("intercepts", intercepts),
        ];
        ml("LinearRegressor", &["s"], &["y"], &attributes)
    };
    let of = |scaler: Message, regressor: Message| {
        let graph = read_onnx(&model(&[0, 2], &[scaler, regressor], &[])).unwrap();
        assert!(graph.post_processing().is_none());
        graph.evaluate(&[3.0, 5.0]).unwrap()
    };
    let sums = of(scaler(&[1.0, 2.0], &[0.5, 4.0]), regressor(1, &[2.0, -1.0], &[0.25]));
    assert_eq!(sums, [2.0 - 12.0 + 0.25]);
    let sums = of(scaler(&[1.0], &[2.0]), regressor(2, &[1.0, 0.0, 1.0, 1.0], &[]));
    assert_eq!(sums, [4.0, 12.0]);
}

#[test]
fn normalizers_at_the_end_are_those_of_onnxruntime() {
    let negative = 10f64.sqrt();
    for (norm, input, wanted) in [
        ("L1", [-3.0, 1.0], [-0.75, 0.25]),
        ("L2", [-3.0, 1.0], [-3.0 / negative, 1.0 / negative]),
        ("MAX", [-3.0, 1.0], [-3.0, 1.0]),
        ("MAX", [-3.0, -1.0], [3.0, 1.0]),
        ("L1", [0.0, 0.0], [0.0, 0.0]),
        ("L2", [0.0, 0.0], [0.0, 0.0]),
    ] {
        let file = model(&[0, 2], &[ml("Normalizer", &["x"], &["y"], &[text("norm", norm)])], &[]);
        near(&answer(&file, &input).values, &wanted, norm);
    }
}

fn of_end(graph: &Graph) -> Vec<&'static str> {
    graph.post_processing().map(|of| of.operations()).unwrap_or_default()
}

/// A sigmoid at the end needs no levels. One that encrypted values need is encrypted.
#[test]
fn only_the_end_is_decrypted() {
    let one = tensor("one", &[], &[1.0], Store::Float);
    let read =
        |nodes: &[Message]| read_onnx(&model(&[0, 2], nodes, std::slice::from_ref(&one))).unwrap();
    let sigmoid = |output: &str| node("Sigmoid", &["x"], output, &[]);
    let last = read(&[sigmoid("s"), node("Sub", &["one", "s"], "y", &[])]);
    assert_eq!((of_end(&last), last.activations().len()), (vec!["sigmoid", "scaling"], 0));
    let sigma = |x: f64| 1.0 / (1.0 + (-x).exp());
    near(&last.evaluate(&[0.5, -2.0]).unwrap(), &[1.0 - sigma(0.5), 1.0 - sigma(-2.0)], "1 - p");
    let silu = read(&[sigmoid("s"), node("Mul", &["x", "s"], "y", &[])]);
    assert_eq!((of_end(&silu), silu.activations().len()), (vec![], 1));
    let within = read(&[sigmoid("s"), node("Relu", &["s"], "y", &[])]);
    assert_eq!((of_end(&within), within.activations().len()), (vec![], 2));
    // Values of two nodes cannot both be decrypted.
    let concat = [int("axis", 1)];
    let mixed = [
        node("Tanh", &["x"], "t", &[]),
        node("Relu", &["x"], "r", &[]),
        node("Concat", &["t", "r"], "y", &concat),
    ];
    let mixed = read(&mixed);
    assert_eq!((of_end(&mixed), mixed.activations().len()), (vec![], 2));
    let both = [sigmoid("s"), node("Concat", &["x", "s"], "y", &concat)];
    assert_eq!(of_end(&read(&both)), ["sigmoid", "concatenation"]);
}

#[test]
fn outputs_are_values_and_labels() {
    let best = node("ArgMax", &["x"], "best", &[int("axis", 1)]);
    let soft = node("Softmax", &["x"], "soft", &[]);
    let read = |outputs: &[&str]| {
        read_onnx(&model_to(outputs, 20, &[1, 3], &[best.clone(), soft.clone()], &[]))
    };
    let x = [1.0, 3.0, 2.0];
    let answer = |outputs: &[&str]| read(outputs).unwrap().answer(&x).unwrap();
    let labels = vec![Label::Integer(1)];
    let both = Answer { values: softmax(&x), labels: labels.clone() };
    near(&answer(&["soft", "best"]).values, &both.values, "softmax");
    assert_eq!(answer(&["best", "soft"]).labels, labels);
    assert_eq!(answer(&["best"]), Answer { values: x.to_vec(), labels });
    assert_eq!(answer(&["soft"]).labels, []);
    for outputs in [&["soft", "x"][..], &["best", "soft", "x"], &[]] {
        let error = read(outputs).unwrap_err().to_string();
        assert!(error.contains("choose one by its name (`--output NAME`"), "{error}");
    }
}

#[test]
fn errors_say_what_to_do() {
    let weights = tensor("w", &[3, 1], &[1.0, 2.0, 3.0], Store::Float);
    let tree = |kind: &str| vec![ml(kind, &["x"], &["y"], &[])];
    for (nodes, wanted) in [
        (tree("Imputer"), "ai.onnx.ml.Imputer is not supported"),
        (tree("Imputer"), "fill in missing values before encryption"),
        (tree("TreeEnsembleClassifier"), "train a linear model or a small neural network"),
        (tree("SVMClassifier"), "use a linear model (LinearSVC, LinearSVR)"),
        (tree("OneHotEncoder"), "encode inputs before encryption"),
        (
            vec![
                ml("Normalizer", &["x"], &["n"], &[]),
                node("MatMul", &["n", "w"], "y", &[]),
            ],
            "normalize inputs before encryption, and export the model without its normalizer; to \
             end the network before this node, choose its input x as the output",
        ),
        (
            vec![node("LogSoftmax", &["x"], "p", &[]), node("MatMul", &["p", "w"], "y", &[])],
            "node /p: LogSoftmax is only supported at the end of a network, where the client computes \
             it after decryption, but MatMul (node /y) follows",
        ),
        (
            vec![
                node("LogSoftmax", &["x"], "p", &[]),
                node("Neg", &["p"], "n", &[]),
                node("MatMul", &["n", "w"], "y", &[]),
            ],
            "but MatMul (node /y) follows",
        ),
        (
            vec![
                ml(
                    "LinearClassifier",
                    &["x"],
                    &["label", "p"],
                    &[
                        floats("coefficients", &[1.0; 6]),
                        floats("intercepts", &[1.0; 2]),
                        ints("classlabels_ints", &[1, 2]),
                    ],
                ),
                node("Relu", &["p"], "y", &[]),
            ],
            "node /y: Relu cannot follow ai.onnx.ml.LinearClassifier (node /label), which the \
             client computes after decryption",
        ),
        (
            vec![ml("LinearRegressor", &["x"], &["y"], &[floats("coefficients", &[1.0; 2])])],
            "it has 2 coefficients for 1 rows of 3",
        ),
        (
            vec![
                node("ArgMax", &["x"], "best", &[int("axis", 1)]),
                node("Softmax", &["best"], "y", &[]),
            ],
            "a softmax of labels",
        ),
        (
            vec![
                node("Softmax", &["x"], "p", &[]),
                node("Cast", &["p"], "y", &[int("to", 7)]),
            ],
            "a cast to the data type 7 is not supported",
        ),
        (
            vec![ml("ZipMap", &["x"], &["y"], &[ints("classlabels_int64s", &[1, 2])])],
            "it has 2 names for values of axes [1, 3]",
        ),
    ] {
        let file = model(&[1, 3], &nodes, std::slice::from_ref(&weights));
        let error = read_onnx(&file).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Models of scikit-learn with any bytes changed.
    #[test]
    fn damaged_classifiers_do_not_panic(
        which in 0..4usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let names = ["logistic_binary", "perceptron_binary", "ridge_classifier", "linear_svc"];
        let name = names[which];
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/");
        let mut file = std::fs::read(format!("{folder}sklearn_{name}.onnx")).unwrap();
        let length = file.len();
        for (place, byte) in changes {
            file[place.index(length)] = byte;
        }
        if let Ok(graph) = read_onnx(&file) {
            let size = graph.input_shape().size();
            if size < 4096 {
                let _ = graph.answer(&vec![0.5; size]);
            }
        }
    }
}
