// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The plaintext evaluator on numbers computed by hand, and errors of shapes.

use halimede_ckks_nn::graph::{Activation, Convolution, Linear, Operator, Window};
use halimede_ckks_nn::{Graph, NetworkError};

use super::setting::shape;

fn of_one(axes: &[usize], operator: Operator, input: &[f64]) -> Vec<f64> {
    let mut graph = Graph::new(shape(axes));
    graph.push("node", operator, &[graph.input()]).unwrap();
    graph.evaluate(input).unwrap()
}

fn one_to_nine() -> Vec<f64> {
    (1..=9).map(f64::from).collect()
}

#[test]
fn convolutions_by_hand() {
    let convolution = |window, weights: &[f64]| {
        let (weights, bias) = (weights.to_vec(), vec![0.5]);
        Operator::Convolution(Convolution { channels: 1, groups: 1, window, weights, bias })
    };
    let window = Window::new([2, 2]);
    let result = of_one(&[1, 3, 3], convolution(window, &[1.0, 2.0, 3.0, 4.0]), &one_to_nine());
    assert_eq!(result, [37.5, 47.5, 67.5, 77.5]);
    // Zeros above and on the left, two steps on.
    let window = Window { strides: [2, 2], pads: [1, 1, 0, 0], ..window };
    let result = of_one(&[1, 3, 3], convolution(window, &[1.0, 2.0, 3.0, 4.0]), &one_to_nine());
    assert_eq!(result, [4.5, 18.5, 36.5, 77.5]);
    let window = Window { dilations: [2, 2], ..Window::new([2, 2]) };
    let result =
        of_one(&[1, 3, 3], convolution(window, &[1.0, 10.0, 100.0, 1000.0]), &one_to_nine());
    assert_eq!(result, [1.0 + 30.0 + 700.0 + 9000.0 + 0.5]);
    // Each of two groups uses one of two channels.
    let (window, weights) = (Window::new([1, 1]), vec![2.0, -1.0]);
    let bias = Vec::new();
    let of = Convolution { channels: 2, groups: 2, window, weights, bias };
    let result = of_one(&[2, 1, 2], Operator::Convolution(of), &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(result, [2.0, 4.0, -3.0, -4.0]);
}

#[test]
fn pools_and_normalizations_by_hand() {
    let window = Window { strides: [2, 2], pads: [1, 1, 1, 1], ..Window::new([2, 2]) };
    let pool = |counts_pads| Operator::AveragePool { window, counts_pads };
    assert_eq!(of_one(&[1, 3, 3], pool(false), &one_to_nine()), [1.0, 2.5, 5.5, 7.0]);
    assert_eq!(of_one(&[1, 3, 3], pool(true), &one_to_nine()), [0.25, 1.25, 2.75, 7.0]);
    let global = Operator::GlobalAveragePool;
    assert_eq!(of_one(&[2, 1, 2], global, &[1.0, 2.0, 3.0, 5.0]), [1.5, 4.0]);
    let scale = Operator::ChannelScale { factors: vec![2.0, 3.0], summands: vec![1.0, 0.0] };
    assert_eq!(of_one(&[2, 1, 2], scale, &[1.0, 2.0, 3.0, 5.0]), [3.0, 5.0, 9.0, 15.0]);
}

#[test]
fn residues_concatenations_and_folding() {
    let mut graph = Graph::new(shape(&[2]));
    let of = Linear { rows: 2, weights: vec![1.0, 2.0, 3.0, 4.0], bias: Vec::new() };
    let linear = graph.push("linear", Operator::Linear(of), &[graph.input()]).unwrap();
    let scale = Operator::ChannelScale { factors: vec![2.0, -1.0], summands: vec![0.5, 0.0] };
    let scaled = graph.push("norm", scale, &[linear]).unwrap();
    let relu = Operator::Activation(Activation::Relu);
    let relu = graph.push("relu", relu, &[scaled]).unwrap();
    let sum = graph.push("sum", Operator::Add, &[relu, graph.input()]).unwrap();
    graph.push("all", Operator::Concat, &[sum, graph.input()]).unwrap();
    let wanted = [7.5, 1.0, 1.0, 1.0];
    assert_eq!(graph.evaluate(&[1.0, 1.0]).unwrap(), wanted);
    let folded = graph.clone().fold_normalizations();
    assert_eq!(folded.evaluate(&[1.0, 1.0]).unwrap(), wanted);
    let is_scale = |operator: &Operator| matches!(operator, Operator::ChannelScale { .. });
    assert!(graph.nodes().any(|(_, node)| is_scale(&node.operator)));
    assert!(!folded.nodes().any(|(_, node)| is_scale(&node.operator)));
    assert_eq!(graph.activations().len(), 1);
    assert_eq!(graph.output_shape(), &shape(&[4]));
}

#[test]
fn errors_name_the_node() {
    let text = |axes: &[usize], operator: Operator| {
        let mut graph = Graph::new(shape(axes));
        graph.push("conv1", operator, &[graph.input()]).unwrap_err().to_string()
    };
    let convolution = |channels, groups, weights, window| {
        let (weights, bias) = (vec![0.0; weights], Vec::new());
        Operator::Convolution(Convolution { channels, groups, window, weights, bias })
    };
    let three = Window::new([3, 3]);
    let linear = Linear { rows: 2, weights: vec![0.0; 6], bias: vec![1.0] };
    for (got, wanted) in [
        (text(&[4], convolution(1, 1, 36, three)), "expected an image"),
        (text(&[4, 2, 2], convolution(1, 1, 36, three)), "the kernel needs 3 rows"),
        (text(&[4, 8, 8], convolution(6, 4, 54, three)), "4 groups do not divide 4 channels"),
        (text(&[4, 8, 8], convolution(6, 1, 54, three)), "has 54 weights"),
        (text(&[3], Operator::Linear(linear)), "its bias has 1 values"),
        (text(&[3], Operator::Add), "a sum of 1 inputs"),
        (text(&[3], Operator::Reshape(shape(&[4]))), "3 cannot become 4"),
    ] {
        assert!(got.starts_with("node conv1: ") && got.contains(wanted), "{got}");
    }
    let graph = Graph::new(shape(&[3]));
    let error = graph.evaluate(&[1.0]).unwrap_err();
    assert!(matches!(error, NetworkError::Input { got: 1, wanted: 3, .. }));
}
