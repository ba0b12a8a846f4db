// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Recurrent nodes of ONNX files, and the operators around them in files from PyTorch.

use halimede_ckks_nn::graph::{Activation, Cell, Operator, Recurrent};
use halimede_ckks_nn::{read_onnx, Graph};
use proptest::prelude::*;

use super::model_file::{
    int, ints, model, node, node_of_several, tensor, text, texts, Message, Store,
};
use super::setting::{rng, shape, values};

const STEPS: usize = 4;
const INPUTS: usize = 3;
const HIDDEN: usize = 2;

/// The weights of a node, and the equivalent layer for each direction.
struct Layer {
    tensors: Vec<Message>,
    layers: Vec<Recurrent>,
}

fn layer(seed: u64, cell: &Cell, directions: &[bool]) -> Layer {
    let mut rng = rng(seed);
    let (gates, count) = (cell.gates(), directions.len());
    let rows = gates * HIDDEN;
    let [w, r, b, h, c] = [rows * INPUTS, rows * HIDDEN, 2 * rows, HIDDEN, HIDDEN]
        .map(|each| (0..count).map(|_| values(&mut rng, each)).collect::<Vec<_>>());
    let of = |name: &str, axes: &[usize], parts: &[Vec<f64>]| {
        tensor(name, &[&[count], axes].concat(), &parts.concat(), Store::RawDouble)
    };
    let tensors = vec![
        of("W", &[rows, INPUTS], &w),
        of("R", &[rows, HIDDEN], &r),
        of("B", &[2 * rows], &b),
        of("h0", &[1, HIDDEN], &h),
        of("c0", &[1, HIDDEN], &c),
    ];
    let is_lstm = matches!(cell, Cell::Lstm { .. });
    let of_direction = |(place, is_reverse): (usize, &bool)| Recurrent {
        cell: cell.clone(),
        hidden: HIDDEN,
        input_weights: w[place].clone(),
        state_weights: r[place].clone(),
        input_bias: b[place][..rows].to_vec(),
        state_bias: b[place][rows..].to_vec(),
        first_hidden: h[place].clone(),
        first_cell: if is_lstm { c[place].clone() } else { Vec::new() },
        is_reverse: *is_reverse,
    };
    Layer { tensors, layers: directions.iter().enumerate().map(of_direction).collect() }
}

fn lstm() -> Cell {
    let (gate, candidate, output) = (Activation::Sigmoid, Activation::Tanh, Activation::Tanh);
    Cell::Lstm { gate, candidate, output }
}

/// Returns Y, Y_h and Y_c of layers as lists of values.
fn outputs(layers: &[Recurrent], input: &[f64]) -> [Vec<f64>; 3] {
    let mut graph = Graph::new(shape(&[STEPS, INPUTS]));
    let all: Vec<_> = layers
        .iter()
        .map(|of| graph.push_recurrent("cell", of, graph.input(), STEPS).unwrap())
        .collect();
    let mut of = |node| {
        graph.set_output(node);
        graph.evaluate(input).unwrap()
    };
    let y = (0..STEPS).flat_map(|step| all.iter().map(move |of| of.hidden[step]));
    let y = y.flat_map(&mut of).collect();
    let hidden = all.iter().flat_map(|unrolled| of(unrolled.last_hidden)).collect();
    let cell = all.iter().filter_map(|unrolled| unrolled.last_cell).flat_map(of).collect();
    [y, hidden, cell]
}

fn near(found: &[f64], wanted: &[f64], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-12, "{what}: {found} {wanted}");
    }
}

#[test]
fn all_outputs_directions_and_layouts() {
    let hidden = int("hidden_size", HIDDEN as i64);
    let cells = [
        ("LSTM", lstm(), vec![]),
        (
            "GRU",
            Cell::Gru {
                gate: Activation::Sigmoid,
                candidate: Activation::Tanh,
                resets_product: true,
            },
            vec![int("linear_before_reset", 1)],
        ),
        (
            "GRU",
            Cell::Gru {
                gate: Activation::Sigmoid,
                candidate: Activation::Relu,
                resets_product: false,
            },
            vec![texts("activations", &["Sigmoid", "Relu"])],
        ),
        ("RNN", Cell::Simple(Activation::Relu), vec![texts("activations", &["Relu"])]),
    ];
    let directions = [("forward", vec![false]), ("reverse", vec![true])];
    let both = ("bidirectional", vec![false, true]);
    for (case, (kind, cell, attributes)) in cells.into_iter().enumerate() {
        for (name, order) in directions.iter().chain([&both]) {
            // Activations are listed for each direction.
            if order.len() > 1 && attributes.len() == 1 && case > 1 {
                continue;
            }
            let of = layer(61 + case as u64, &cell, order);
            for layout in [0, 1] {
                let first = node("Reshape", &["x", "shape"], "s", &[]);
                let axes = if layout == 0 { [STEPS, 1, INPUTS] } else { [1, STEPS, INPUTS] };
                let axes = tensor("shape", &[3], &axes.map(|x| x as f64), Store::Int64);
                let own = [hidden.clone(), text("direction", name), int("layout", layout)];
                let attributes = [&attributes[..], &own].concat();
                let inputs = ["s", "W", "R", "B", "", "h0", "c0"];
                let inputs = if kind == "LSTM" { &inputs[..] } else { &inputs[..6] };
                let input = values(&mut rng(71), STEPS * INPUTS);
                let wanted = outputs(&of.layers, &input);
                for (place, wanted) in wanted.iter().enumerate().filter(|(_, of)| !of.is_empty()) {
                    let mut names = ["", "", ""];
                    names[place] = "all";
                    let cell = node_of_several(kind, inputs, &names, &attributes);
                    let last = node("Reshape", &["all", "flat"], "y", &[]);
                    let flat = tensor("flat", &[2], &[1.0, -1.0], Store::Int64);
                    let tensors = [&of.tensors[..], &[axes.clone(), flat]].concat();
                    let nodes = [first.clone(), cell, last];
                    let file = model(&[1, STEPS as i64, INPUTS as i64], &nodes, &tensors);
                    let found = read_onnx(&file).unwrap().evaluate(&input).unwrap();
                    near(&found, wanted, &format!("{kind} {name}, layout {layout}, {place}"));
                }
            }
        }
    }
}

/// A file in PyTorch's form: the weights of its layer and of its linear layer.
struct PyTorch {
    layer: Recurrent,
    dense: Vec<f64>,
    file: Vec<u8>,
}

/// Returns the output of `torch.onnx.export` for `nn.LSTM(batch_first=True)` without given states
/// and a linear layer on the last step.
fn pytorch() -> PyTorch {
    let mut of = layer(62, &lstm(), &[false]);
    (of.layers[0].first_hidden, of.layers[0].first_cell) = (Vec::new(), Vec::new());
    let one = |name: &str, value: f64| tensor(name, &[1], &[value], Store::RawInt64);
    let nodes = [
        node("Transpose", &["x"], "t", &[ints("perm", &[1, 0, 2])]),
        node("Shape", &["x"], "sizes", &[]),
        node("Gather", &["sizes", "zero"], "batch", &[int("axis", 0)]),
        node("Unsqueeze", &["batch", "axis0"], "batch1", &[]),
        node("Concat", &["layers", "batch1", "states"], "shape", &[int("axis", 0)]),
        node("Cast", &["shape"], "whole", &[int("to", 7)]),
        node("ConstantOfShape", &["whole"], "zeros", &[]),
        node("Expand", &["zeros", "shape"], "h0", &[]),
        node("Slice", &["h0", "axis0", "layers", "axis0"], "h", &[]),
        node_of_several(
            "LSTM",
            &["t", "W", "R", "B", "", "h", "h"],
            &["Y", "Yh", "Yc"],
            &[int("hidden_size", HIDDEN as i64)],
        ),
        node("Squeeze", &["Y", "axis1"], "q", &[]),
        node("Transpose", &["q"], "u", &[ints("perm", &[1, 0, 2])]),
        node("Gather", &["u", "last"], "g", &[int("axis", 1)]),
        node("Gemm", &["g", "d"], "y", &[int("transB", 1)]),
    ];
    let dense = values(&mut rng(72), 3 * HIDDEN);
    let mut tensors = of.tensors[..3].to_vec();
    tensors.extend([
        tensor("zero", &[], &[0.0], Store::RawInt64),
        tensor("last", &[], &[-1.0], Store::RawInt64),
        one("axis0", 0.0),
        one("axis1", 1.0),
        one("layers", 1.0),
        one("states", HIDDEN as f64),
        tensor("d", &[3, HIDDEN], &dense, Store::RawDouble),
    ]);
    let file = model(&[0, STEPS as i64, INPUTS as i64], &nodes, &tensors);
    PyTorch { layer: of.layers[0].clone(), dense, file }
}

#[test]
fn a_layer_of_pytorch() {
    let PyTorch { layer, dense, file } = pytorch();
    let graph = read_onnx(&file).unwrap();
    assert_eq!(graph.input_shape().axes(), [STEPS, INPUTS]);
    let input = values(&mut rng(73), STEPS * INPUTS);
    let [_, state, _] = outputs(&[layer], &input);
    let wanted: Vec<f64> = dense
        .chunks(HIDDEN)
        .map(|row| row.iter().zip(&state).map(|(weight, x)| weight * x).sum())
        .collect();
    near(&graph.evaluate(&input).unwrap(), &wanted, "PyTorch");
    let products = graph.nodes().filter(|(_, node)| node.operator == Operator::Product).count();
    // The first step has no state to keep.
    assert_eq!(products, 3 * STEPS - 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn damaged_recurrent_files_do_not_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        length in any::<prop::sample::Index>(),
    ) {
        let mut file = pytorch().file;
        let all = file.len();
        prop_assert!(read_onnx(&file[..length.index(all)]).is_err());
        for (place, byte) in changes {
            file[place.index(all)] = byte;
        }
        if let Ok(graph) = read_onnx(&file) {
            let size = graph.input_shape().size();
            if size < 4096 {
                let _ = graph.evaluate(&vec![0.5; size]);
            }
        }
    }
}

/// Gates in explicit form: slices of one matrix, and products of values.
#[test]
fn values_are_moved_and_multiplied() {
    let weights = values(&mut rng(74), 2 * 6);
    let file = model(
        &[1, 2],
        &[
            node("Gemm", &["x", "w"], "all", &[]),
            node_of_several("Split", &["all", "sizes"], &["a", "b"], &[int("axis", -1)]),
            node("Cast", &["all"], "cast", &[int("to", 11)]),
            node("Slice", &["cast", "from", "to", "axis", "step"], "c", &[]),
            node("Mul", &["a", "b"], "d", &[]),
            node("Sub", &["one", "d"], "e", &[]),
            node("Max", &["e", "c", "a"], "f", &[]),
            node("Unsqueeze", &["f", "axis"], "g", &[]),
            node("Add", &["g", "column"], "h", &[]),
            node("Flatten", &["h"], "i", &[]),
            node("Concat", &["i", "x"], "y", &[int("axis", 1)]),
        ],
        &[
            tensor("w", &[2, 6], &weights, Store::RawDouble),
            tensor("sizes", &[2], &[3.0, 3.0], Store::Int64),
            tensor("from", &[1], &[-1.0], Store::Int64),
            tensor("to", &[1], &[0.0], Store::Int64),
            tensor("axis", &[1], &[1.0], Store::Int64),
            tensor("step", &[1], &[-2.0], Store::Int64),
            tensor("one", &[], &[1.0], Store::Float),
            tensor("column", &[2, 1], &[10.0, 20.0], Store::Float),
        ],
    );
    let graph = read_onnx(&file).unwrap();
    let x = [0.5, -1.5];
    let all: Vec<f64> = (0..6).map(|k| x[0] * weights[k] + x[1] * weights[6 + k]).collect();
    let f = |k: usize| (1.0 - all[k] * all[3 + k]).max(all[5 - 2 * k]).max(all[k]);
    let wanted: Vec<f64> = [10.0, 20.0]
        .iter()
        .flat_map(|more| (0..3).map(move |k| (k, *more)))
        .map(|(k, more)| f(k) + more)
        .chain(x)
        .collect();
    near(&graph.evaluate(&x).unwrap(), &wanted, "moves");
}

/// Sums and means along all sets of axes, of an image whose values identify their places.
#[test]
fn reductions_have_the_values_of_their_definition() {
    let sizes = [1usize, 2, 3, 4];
    let input = values(&mut rng(75), 24);
    for set in 0u32..16 {
        for (kind, keeps) in [("ReduceMean", 1), ("ReduceSum", 0), ("ReduceSum", 1)] {
            // Counted from the end, and in another order than the axes.
            let along: Vec<i64> =
                (0..4).rev().filter(|axis| set >> axis & 1 != 0).map(|axis| axis - 4).collect();
            let numbers: Vec<f64> = along.iter().map(|axis| *axis as f64).collect();
            let nodes = [
                node(kind, &["x", "along"], "sums", &[int("keepdims", keeps)]),
                node("Neg", &["sums"], "minus", &[]),
                node("Div", &["minus", "four"], "quarter", &[]),
                node("Reshape", &["quarter", "flat"], "y", &[]),
            ];
            let tensors = [
                tensor("along", &[along.len()], &numbers, Store::Int64),
                tensor("four", &[], &[4.0], Store::Float),
                tensor("flat", &[2], &[1.0, -1.0], Store::Int64),
            ];
            let graph = read_onnx(&model(&[1, 2, 3, 4], &nodes, &tensors)).unwrap();
            // An empty list means all axes.
            let is_reduced = |axis: usize| set == 0 || set >> axis & 1 != 0;
            let of_axis = |axis: usize| if is_reduced(axis) { 1 } else { sizes[axis] };
            let mut sums = vec![0.0; (0..4).map(of_axis).product()];
            for (place, value) in input.iter().enumerate() {
                let mut rest = place;
                let mut target = 0;
                let mut stride = 1;
                for axis in (0..4).rev() {
                    target += stride * if is_reduced(axis) { 0 } else { rest % sizes[axis] };
                    stride *= of_axis(axis);
                    rest /= sizes[axis];
                }
                sums[target] += value;
            }
            let each = if kind == "ReduceMean" { (24 / sums.len()) as f64 } else { 1.0 };
            let wanted: Vec<f64> = sums.iter().map(|sum| -sum / each / 4.0).collect();
            near(&graph.evaluate(&input).unwrap(), &wanted, &format!("{kind} {along:?} {keeps}"));
        }
    }
    let error = |numbers: &[f64], keeps: i64, divisor: f64| {
        let nodes = [
            node("ReduceMean", &["x", "along"], "mean", &[int("keepdims", keeps)]),
            node("Div", &["mean", "number"], "y", &[]),
        ];
        let tensors = [
            tensor("along", &[numbers.len()], numbers, Store::Int64),
            tensor("number", &[], &[divisor], Store::Float),
        ];
        read_onnx(&model(&[1, 2, 3], &nodes, &tensors)).unwrap_err().to_string()
    };
    let text = error(&[3.0], 1, 1.0);
    assert!(text.contains("node /mean: ReduceMean: axis 3 of 3"), "{text}");
    let text = error(&[1.0, -2.0], 1, 1.0);
    assert!(text.contains("axis 1 is named twice"), "{text}");
    let text = error(&[1.0], 1, 0.0);
    assert!(text.contains("node /y: ") && text.contains("factors is inf"), "{text}");
}

/// A linear layer on each row of a sequence, for any axes.
#[test]
fn matrices_multiply_the_last_axis() {
    let (input, weights) = (values(&mut rng(76), 12), values(&mut rng(77), 6));
    for axes in [vec![1, 4, 3], vec![4, 1, 3], vec![2, 2, 3], vec![1, 2, 2, 3], vec![4, 3]] {
        let shape: Vec<f64> = axes.iter().map(|axis| f64::from(*axis)).collect();
        let nodes = [
            node("Reshape", &["x", "shape"], "rows", &[]),
            node("MatMul", &["rows", "w"], "all", &[]),
            node("Add", &["all", "bias"], "sum", &[]),
            node("Reshape", &["sum", "flat"], "y", &[]),
        ];
        let tensors = [
            tensor("shape", &[shape.len()], &shape, Store::Int64),
            tensor("w", &[3, 2], &weights, Store::RawDouble),
            tensor("bias", &[2], &[10.0, 20.0], Store::Float),
            tensor("flat", &[2], &[1.0, -1.0], Store::Int64),
        ];
        let graph = read_onnx(&model(&[1, 12], &nodes, &tensors)).unwrap();
        let of_row = |row: &[f64]| {
            let column = |j: usize| (0..3).map(|k| row[k] * weights[2 * k + j]).sum::<f64>();
            [column(0) + 10.0, column(1) + 20.0]
        };
        let wanted: Vec<f64> = input.chunks(3).flat_map(of_row).collect();
        near(&graph.evaluate(&input).unwrap(), &wanted, &format!("{axes:?}"));
    }
    let tensors = [tensor("w", &[2, 3], &weights, Store::RawDouble)];
    let file = model(&[1, 4, 3], &[node("MatMul", &["x", "w"], "y", &[])], &tensors);
    let error = read_onnx(&file).unwrap_err().to_string();
    assert!(error.contains("node /y: MatMul: [1, 4, 3] and [2, 3] do not match"), "{error}");
}

#[test]
fn values_are_not_rounded_in_silence() {
    let cast = |to: i64| node("Cast", &["x"], "y", &[int("to", to)]);
    assert!(read_onnx(&model(&[1, 2], &[cast(1)], &[])).is_ok());
    let error = read_onnx(&model(&[1, 2], &[cast(7)], &[])).unwrap_err().to_string();
    assert!(error.contains("node /y: Cast: data type 7"), "{error}");
}

#[test]
fn recurrent_nodes_that_are_not_supported_are_named() {
    let of = layer(63, &lstm(), &[false]);
    let error = |inputs: &[&str], attributes: &[Message], axes: &[i64]| {
        let hidden = [int("hidden_size", HIDDEN as i64)];
        let attributes = [&hidden, attributes].concat();
        let more = [
            tensor("lengths", &[1], &[2.0], Store::Int64),
            tensor("P", &[1, 6], &[1.0; 6], Store::Float),
        ];
        let tensors = [&of.tensors[..], &more].concat();
        let file = model(axes, &[node("LSTM", inputs, "y", &attributes)], &tensors);
        read_onnx(&file).unwrap_err().to_string()
    };
    let usual = ["x", "W", "R"];
    let axes = [1, STEPS as i64, INPUTS as i64];
    let first = int("layout", 1);
    let float = |name: &str| Message::default().text(1, name).float(2, 1.0).int(20, 1);
    let (clip, first_only) = ([first.clone(), float("clip")], std::slice::from_ref(&first));
    let with = |attribute: Message| [first.clone(), attribute];
    for (text, wanted) in [
        (error(&usual, &[], &axes), "a batch of 4"),
        (error(&["x", "W", "R", "B"], first_only, &[1, 12]), "its sequence has the axes [1, 12]"),
        (error(&usual, &clip, &axes), "clip and input_forget"),
        (error(&usual, &with(int("input_forget", 1)), &axes), "clip and input_forget"),
        (error(&usual, &with(text("direction", "down")), &axes), "direction \"down\""),
        (error(&usual, &with(texts("activations", &["Tanh"])), &axes), "it has 1 activations"),
        (
            error(&usual, &with(texts("activations", &["Tanh", "Tanh", "Elu"])), &axes),
            "activation \"Elu\"",
        ),
        (error(&["x", "W", "R", "B", "lengths"], first_only, &axes), "sequence_lens other than 4"),
        (error(&["x", "W", "R", "W"], first_only, &axes), "its B has 24 values"),
        (error(&["x", "R", "R"], first_only, &axes), "16 weights W"),
        (error(&["x", "W", "B"], first_only, &axes), "the axes of its R"),
        (error(&["x", "W", "R", "", "", "", "", "P"], first_only, &axes), "peepholes"),
        (error(&["W", "x", "R"], first_only, &axes), "its sequence is not computed"),
        (error(&["x", "x", "R"], first_only, &axes), "more than one input is encrypted"),
    ] {
        assert!(text.starts_with("node /y: ") && text.contains(wanted), "{wanted}: {text}");
    }
}
