// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The layers of transformers: in plaintext against formulas, and encrypted over random shapes.

use halimede_ckks_nn::graph::{Activation, LayerNormalization, MatrixProduct, NodeId};
use halimede_ckks_nn::{read_onnx, Calibration, Graph, NetworkError, Options};
use rand::Rng;

use super::model_file::{float, int, ints, model, node, tensor, Message, Store};
use super::setting::{check_near, compiled, rng, shape, values};

/// Returns the softmax of each row of `count` values in the mask, with the maximum subtracted.
fn softmax(values: &[f64], count: usize, mask: impl Fn(usize) -> bool) -> Vec<f64> {
    let mut result = vec![0.0; values.len()];
    for first in (0..values.len()).step_by(count) {
        let row = || (first..first + count).filter(|place| mask(*place));
        let most = row().map(|place| values[place]).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = row().map(|place| (values[place] - most).exp()).sum();
        row().for_each(|place| result[place] = (values[place] - most).exp() / sum);
    }
    result
}

fn normalized(values: &[f64], of: &LayerNormalization) -> Vec<f64> {
    let count = of.scale.len();
    let vector = |vector: &[f64]| -> Vec<f64> {
        let mean = vector.iter().sum::<f64>() / count as f64;
        let variance = vector.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count as f64;
        let value = |(place, x): (usize, &f64)| {
            let bias = of.bias.get(place).copied().unwrap_or(0.0);
            (x - mean) / (variance + of.epsilon).sqrt() * of.scale[place] + bias
        };
        vector.iter().enumerate().map(value).collect()
    };
    values.chunks(count).flat_map(vector).collect()
}

fn product(a: &[f64], b: &[f64], sizes: MatrixProduct) -> Vec<f64> {
    let MatrixProduct { count, rows, inner, columns } = sizes;
    let mut result = Vec::new();
    for pair in 0..count {
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)))
        {
            let term = |k: usize| {
                a[(pair * rows + row) * inner + k] * b[(pair * inner + k) * columns + column]
            };
            result.push((0..inner).map(term).sum());
        }
    }
    result
}

fn assert_near(got: &[f64], wanted: &[f64], near: f64, what: &str) {
    assert_eq!(got.len(), wanted.len(), "{what}");
    for (place, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        assert!((got - wanted).abs() <= near, "{what}, value {place}: {got} {wanted}");
    }
}

/// Returns halves of the input as two nodes.
fn halves(graph: &mut Graph, first: usize) -> [NodeId; 2] {
    use halimede_ckks_nn::graph::{Operator, Selection};
    let size = graph.input_shape().size();
    [0..first, first..size].map(|range| {
        let shape = shape(&[range.len()]);
        let places = range.map(|place| place as u32).collect();
        graph.push("half", Operator::Select(Selection { places, shape }), &[graph.input()]).unwrap()
    })
}

#[test]
fn plaintext_values_are_those_of_the_formulas() {
    let mut rng = rng(51);
    for _ in 0..20 {
        let mut size = || rng.gen_range(1..5);
        let (count, rows, inner, columns) = (size(), size(), size(), size());
        let sizes = MatrixProduct { count, rows, inner, columns };
        let (first, second) = (count * rows * inner, count * inner * columns);
        let mut graph = Graph::new(shape(&[first + second]));
        let [a, b] = halves(&mut graph, first);
        let scores = graph.push_matrix_product("product", a, b, sizes).unwrap();
        let input = values(&mut rng, first + second);
        let scores_wanted = product(&input[..first], &input[first..], sizes);
        assert_near(&graph.evaluate(&input).unwrap(), &scores_wanted, 1e-12, "product");
        // A softmax of the sums, with a mask, and its product with other values.
        let mask: Vec<bool> = (0..count * rows * columns)
            .map(|place| place % columns == 0 || rng.gen_bool(0.7))
            .collect();
        let weights = graph.push_softmax("softmax", scores, Some(&mask)).unwrap();
        let wanted = softmax(&scores_wanted, columns, |place| mask[place]);
        assert_near(&graph.evaluate(&input).unwrap(), &wanted, 1e-12, "softmax");
        let other = MatrixProduct { count, rows, inner: columns, columns: inner };
        graph.push_matrix_product("mixed", weights, b, other).unwrap();
        let wanted = product(&wanted, &input[first..], other);
        assert_near(&graph.evaluate(&input).unwrap(), &wanted, 1e-12, "mixed");
    }
    for count in [1, 3, 8] {
        let mut graph = Graph::new(shape(&[2, 3, count]));
        let (scale, bias) = (values(&mut rng, count), values(&mut rng, count));
        let of = LayerNormalization { scale, bias, epsilon: 1e-3 };
        graph.push_layer_normalization("norm", graph.input(), &of).unwrap();
        let input = values(&mut rng, 6 * count);
        assert_near(&graph.evaluate(&input).unwrap(), &normalized(&input, &of), 1e-12, "norm");
    }
}

#[test]
fn layers_that_do_not_fit_are_refused() {
    let mut graph = Graph::new(shape(&[2, 3]));
    let input = graph.input();
    let sizes = MatrixProduct { count: 1, rows: 2, inner: 3, columns: 2 };
    let refused = |result: Result<NodeId, NetworkError>, wanted: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(wanted), "{text}");
    };
    refused(
        graph.push_matrix_product("p", input, input, MatrixProduct { columns: 3, ..sizes }),
        "node p: its second factor has 6 values, expected 9",
    );
    let large = MatrixProduct { count: 1, rows: 2048, inner: 3, columns: 2048 };
    refused(graph.push_matrix_product("p", input, input, large), "expected 6144");
    refused(graph.push_softmax("s", input, Some(&[true; 5])), "its mask has 5 values, expected 6");
    let mask = [true, true, true, false, false, false];
    refused(graph.push_softmax("s", input, Some(&mask)), "leaves nothing of vector 1");
    let mut of = LayerNormalization { scale: vec![1.0; 4], bias: Vec::new(), epsilon: 1e-5 };
    refused(graph.push_layer_normalization("n", input, &of), "its scale has 4 numbers, for 6");
    of.scale.pop();
    of.epsilon = 0.0;
    refused(graph.push_layer_normalization("n", input, &of), "its epsilon is 0");
    // A function of positive numbers that is calibrated with others.
    let mut graph = Graph::new(shape(&[2]));
    graph.push_function("root", Activation::SquareRoot, graph.input()).unwrap();
    let text = Calibration::new(&graph, &[vec![0.5, -0.25]]).unwrap_err().to_string();
    assert!(text.contains("the square root at root is -0.25, expected numbers above 0"), "{text}");
}

#[test]
fn intervals_of_positive_functions_stay_positive() {
    for (least, samples, wanted) in [
        (0.0, [1.0, 8.0], (0.25, 16.0)),
        (3.0, [4.0, 8.0], (3.0, 16.0)),
        (2.0, [2.0, 2.0], (2.0, 4.0)),
    ] {
        let mut graph = Graph::new(shape(&[2]));
        let id = graph.push_function("f", Activation::Reciprocal { least }, graph.input()).unwrap();
        let calibration = Calibration::new(&graph, &[samples.to_vec()]).unwrap();
        let interval = calibration.interval(id).unwrap();
        assert_eq!((interval.low, interval.high), wanted);
    }
}

/// Encrypted products of computed matrices, softmax and layer normalization over random shapes: the
/// values are those of the approximated network within the claimed error, and those of the formulas
/// within the polynomials' errors.
#[test]
fn encrypted_layers_over_random_shapes() {
    let mut rng = rng(52);
    for (kind, ring) in [
        ("product", "n13-insecure"),
        ("softmax", "n10-boot-insecure"),
        ("norm", "n10-boot-insecure"),
    ] {
        let mut size = |most: usize| rng.gen_range(2..=most);
        let (count, rows, inner, columns) = (size(2), size(4), size(4), size(4));
        let sizes = MatrixProduct { count, rows, inner, columns };
        let first = count * rows * inner;
        let mut graph = Graph::new(shape(&[first + count * inner * columns]));
        let [a, b] = halves(&mut graph, first);
        match kind {
            "product" => graph.push_matrix_product("product", a, b, sizes),
            "softmax" => {
                let scores = graph.push_matrix_product("scores", a, b, sizes).unwrap();
                graph.push_softmax("softmax", scores, None)
            }
            _ => {
                let (scale, bias) = (values(&mut rng, inner), values(&mut rng, inner));
                let of = LayerNormalization { scale, bias, epsilon: 0.05 };
                graph.push_layer_normalization("norm", a, &of)
            }
        }
        .unwrap();
        let all = graph.input_shape().size();
        let samples: Vec<Vec<f64>> = (0..200).map(|_| values(&mut rng, all)).collect();
        let input = values(&mut rng, all);
        let options = Options { degree: 7, ..Options::default() };
        let model = compiled(&graph, &samples, ring, &options);
        let output = check_near(&model, &input, kind, 2e-2);
        let exact = graph.evaluate(&input).unwrap();
        let near = model.approximate(&input).unwrap();
        let polynomials = near.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(polynomials < 0.15, "{kind}: {polynomials}");
        assert_near(&output.values, &exact, polynomials + 2e-2, kind);
    }
}

#[test]
fn attention_is_read_as_pytorch_writes_it() {
    let mut rng = rng(53);
    let (tokens, heads, each) = (3, 2, 2);
    let width = heads * each;
    let weights = values(&mut rng, width * 3 * width);
    let constants = |masked: bool| {
        let low = if masked { -1e4 } else { 0.0 };
        vec![
            tensor("w", &[width, 3 * width], &weights, Store::RawDouble),
            tensor("heads", &[4], &[1.0, tokens as f64, heads as f64, each as f64], Store::Int64),
            tensor("flat", &[3], &[1.0, tokens as f64, width as f64], Store::Int64),
            tensor("root", &[], &[(each as f64).sqrt()], Store::RawDouble),
            tensor(
                "mask",
                &[3, 3],
                &[0.0, low, low, 0.0, 0.0, low, 0.0, 0.0, 0.5],
                Store::RawDouble,
            ),
        ]
    };
    let split = super::model_file::node_of_several(
        "Split",
        &["all"],
        &["q", "k", "v"],
        &[int("axis", 2), int("num_outputs", 3)],
    );
    let nodes = [
        node("MatMul", &["x", "w"], "all", &[]),
        split,
        node("Reshape", &["q", "heads"], "q4", &[]),
        node("Reshape", &["k", "heads"], "k4", &[]),
        node("Reshape", &["v", "heads"], "v4", &[]),
        node("Transpose", &["q4"], "qt", &[ints("perm", &[0, 2, 1, 3])]),
        node("Transpose", &["k4"], "kt", &[ints("perm", &[0, 2, 3, 1])]),
        node("Transpose", &["v4"], "vt", &[ints("perm", &[0, 2, 1, 3])]),
        node("MatMul", &["qt", "kt"], "s", &[]),
        node("Div", &["s", "root"], "scaled", &[]),
        node("Add", &["scaled", "mask"], "m", &[]),
        node("Softmax", &["m"], "p", &[int("axis", -1)]),
        node("MatMul", &["p", "vt"], "o", &[]),
        node("Transpose", &["o"], "ot", &[ints("perm", &[0, 2, 1, 3])]),
        node("Reshape", &["ot", "flat"], "y", &[]),
    ];
    for is_masked in [false, true] {
        let axes = [1, tokens as i64, width as i64];
        let file = model(&axes, &nodes, &constants(is_masked));
        let graph = read_onnx(&file).unwrap();
        let input = values(&mut rng, tokens * width);
        let at = |token: usize, column: usize| -> f64 {
            (0..width).map(|k| input[token * width + k] * weights[k * 3 * width + column]).sum()
        };
        let mut wanted = vec![0.0; tokens * width];
        for head in 0..heads {
            for row in 0..tokens {
                let used = |other: usize| !is_masked || other <= row;
                let score = |other: usize| {
                    let of =
                        |k: usize| at(row, head * each + k) * at(other, width + head * each + k);
                    let own = if row == 2 && other == 2 { 0.5 } else { 0.0 };
                    (0..each).map(of).sum::<f64>() / (each as f64).sqrt() + own
                };
                let scores: Vec<f64> = (0..tokens).map(score).collect();
                let weights = softmax(&scores, tokens, used);
                for k in 0..each {
                    let term =
                        |other: usize| weights[other] * at(other, 2 * width + head * each + k);
                    wanted[row * width + head * each + k] = (0..tokens).map(term).sum();
                }
            }
        }
        assert_near(&graph.evaluate(&input).unwrap(), &wanted, 1e-9, "attention");
        let samples: Vec<Vec<f64>> = (0..100).map(|_| values(&mut rng, input.len())).collect();
        let options = Options { degree: 7, ..Options::default() };
        let model = compiled(&graph, &samples, "n10-boot-insecure", &options);
        let output = check_near(&model, &input, "attention", 2e-2);
        assert_near(&output.values, &wanted, 0.1, "encrypted attention");
    }
    let last = nodes.len();
    for (place, other, wanted) in [
        (
            11,
            node("Softmax", &["m"], "p", &[int("axis", 1)]),
            "only supported along the last axis, not along axis 1",
        ),
        (
            11,
            node("Relu", &["m"], "p", &[]),
            "Relu: it follows a mask of −∞, which only Softmax can",
        ),
        (
            12,
            node("MatMul", &["p", "q4"], "o", &[]),
            "MatMul: [1, 2, 3, 3] and [1, 3, 2, 2] do not match",
        ),
        (last - 1, node("Gather", &["w", "ot"], "y", &[]), "look up embeddings before encryption"),
    ] {
        let mut nodes = nodes.to_vec();
        nodes[place] = other;
        let text = read_onnx(&model(&[1, 3, 4], &nodes, &constants(true))).unwrap_err().to_string();
        assert!(text.contains(wanted), "{text}");
    }
}

/// Layer normalization and GELU as one operator, and as the operators of older exporters.
#[test]
fn decomposed_operators_have_the_same_values() {
    let mut rng = rng(54);
    let of =
        LayerNormalization { scale: values(&mut rng, 4), bias: values(&mut rng, 4), epsilon: 1e-5 };
    let constants = [
        tensor("s", &[4], &of.scale, Store::RawDouble),
        tensor("b", &[4], &of.bias, Store::RawDouble),
        tensor("two", &[], &[2.0], Store::RawDouble),
        tensor("e", &[], &[of.epsilon], Store::RawDouble),
        tensor("root", &[], &[2f64.sqrt()], Store::RawDouble),
        tensor("one", &[], &[1.0], Store::RawDouble),
        tensor("half", &[], &[0.5], Store::RawDouble),
    ];
    let whole = [
        node(
            "LayerNormalization",
            &["x", "s", "b"],
            "n",
            &[int("axis", -1), float("epsilon", 1e-5)],
        ),
        node("Gelu", &["n"], "y", &[]),
    ];
    let last = [ints("axes", &[-1])];
    let parts = [
        node("ReduceMean", &["x"], "mean", &last),
        node("Sub", &["x", "mean"], "d", &[]),
        node("Pow", &["d", "two"], "d2", &[]),
        node("ReduceMean", &["d2"], "v", &last),
        node("Add", &["v", "e"], "ve", &[]),
        node("Sqrt", &["ve"], "deviation", &[]),
        node("Div", &["d", "deviation"], "q", &[]),
        node("Mul", &["q", "s"], "qs", &[]),
        node("Add", &["qs", "b"], "n", &[]),
        node("Div", &["n", "root"], "r", &[]),
        node("Erf", &["r"], "erf", &[]),
        node("Add", &["erf", "one"], "plus", &[]),
        node("Mul", &["n", "plus"], "twice", &[]),
        node("Mul", &["twice", "half"], "y", &[]),
    ];
    let input = values(&mut rng, 12);
    let wanted: Vec<f64> =
        normalized(&input, &of).into_iter().map(|x| Activation::Gelu.value(x)).collect();
    for nodes in [&whole[..], &parts[..]] as [&[Message]; 2] {
        let graph = read_onnx(&model(&[1, 3, 4], nodes, &constants)).unwrap();
        assert_near(&graph.evaluate(&input).unwrap(), &wanted, 1e-6, "layer");
        let of: Vec<&str> = graph.activations().iter().map(|(_, of)| of.name()).collect();
        assert_eq!(of.last(), Some(&"GELU"), "{of:?}");
        let least = |of: &Activation| of.least().is_some_and(|least| (least - 1e-5).abs() < 1e-9);
        assert!(graph.activations().iter().any(|(_, of)| least(of)));
        assert!(of.contains(&"inverse square root") && !of.contains(&"square root"), "{of:?}");
    }
}

/// Variances of vectors whose sizes are powers of two are sums of rotations, without a level.
#[test]
fn variances_of_powers_of_two_take_no_level() {
    let mut rng = rng(55);
    let mut depths = Vec::new();
    for (vectors, count) in [(2, 32), (2, 31), (3, 32)] {
        let mut graph = Graph::new(shape(&[vectors, count]));
        let (scale, bias) = (values(&mut rng, count), values(&mut rng, count));
        let of = LayerNormalization { scale, bias, epsilon: 0.05 };
        graph.push_layer_normalization("norm", graph.input(), &of).unwrap();
        let size = vectors * count;
        let samples: Vec<Vec<f64>> = (0..200).map(|_| values(&mut rng, size)).collect();
        let input = values(&mut rng, size);
        assert_near(&graph.evaluate(&input).unwrap(), &normalized(&input, &of), 1e-12, "norm");
        let options = Options { degree: 7, ..Options::default() };
        let model = compiled(&graph, &samples, "n10-boot-insecure", &options);
        depths.push(model.report().depth);
        if (vectors, count) == (2, 32) {
            let report = model.report();
            let variance = report.layers.iter().find(|layer| layer.name == "norm: inverse root");
            let variance = variance.unwrap();
            assert_eq!((variance.diagonals, variance.rotations), (0, 5), "{report}");
            check_near(&model, &input, "norm", 2e-2);
        }
    }
    // The others have the matrix of the variance, and slots without a value for the guard.
    assert!(depths[0] < depths[1], "{depths:?}");
    assert_eq!(depths[1], depths[2], "{depths:?}");
}
