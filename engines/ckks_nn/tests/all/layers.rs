// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every kind of layer over random shapes: encrypted values equal the plaintext ones.

use halimede_ckks_nn::graph::{Activation, NodeId, Operator, Window};
use halimede_ckks_nn::{Graph, Options};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::setting::{check, compiled, convolution, linear, rng, shape, values};

const RING: &str = "n10-insecure";

/// A window that fits the image.
fn window(rng: &mut ChaCha8Rng, size: [usize; 2], dilates: bool) -> Window {
    loop {
        let mut pair = |most: usize| [rng.gen_range(1..=most), rng.gen_range(1..=most)];
        let (kernel, strides) = (pair(3), pair(2));
        let dilations = if dilates { pair(2) } else { [1; 2] };
        let most = [kernel[0] - 1, kernel[1] - 1];
        let mut pad = |axis: usize| rng.gen_range(0..=most[axis]);
        let pads = [pad(0), pad(1), pad(0), pad(1)];
        let window = Window { kernel, strides, dilations, pads };
        if window.output(size).is_ok() {
            return window;
        }
    }
}

/// A network of one operator.
fn check_one(rng: &mut ChaCha8Rng, axes: &[usize], operator: Operator) {
    let mut graph = Graph::new(shape(axes));
    graph.push("node", operator, &[graph.input()]).unwrap();
    check_graph(rng, &graph);
}

fn check_graph(rng: &mut ChaCha8Rng, graph: &Graph) {
    let input = values(rng, graph.input_shape().size());
    let samples = [input.clone(), vec![1.0; input.len()], vec![-1.0; input.len()]];
    let options = Options { degree: 7, ..Options::default() };
    let model = compiled(graph, &samples, RING, &options);
    let what = format!("{:?}", graph.node(graph.output()).operator);
    let output = check(&model, &input, what.get(..200).unwrap_or(&what));
    if graph.activations().is_empty() {
        let exact = graph.evaluate(&input).unwrap();
        for (got, wanted) in output.values.iter().zip(exact) {
            assert!((got - wanted).abs() < 12.0 * output.error, "{what}: {got} {wanted}");
        }
    }
}

#[test]
fn convolutions() {
    let mut rng = rng(1);
    for (channels, groups) in [(1, 1), (4, 2), (3, 3), (2, 1), (5, 1)] {
        let size = [rng.gen_range(3..8), rng.gen_range(3..8)];
        let window = window(&mut rng, size, true);
        let after = groups * rng.gen_range(1..3);
        let operator = convolution(&mut rng, channels, after, groups, window);
        check_one(&mut rng, &[channels, size[0], size[1]], operator);
    }
}

#[test]
fn pools_and_linear_layers() {
    let mut rng = rng(2);
    for counts_pads in [true, false] {
        let window = window(&mut rng, [5, 6], false);
        check_one(&mut rng, &[3, 5, 6], Operator::AveragePool { window, counts_pads });
    }
    check_one(&mut rng, &[5, 3, 4], Operator::GlobalAveragePool);
    for (columns, rows) in [(40, 3), (3, 40), (17, 17)] {
        let operator = linear(&mut rng, columns, rows);
        check_one(&mut rng, &[columns], operator);
    }
    let (factors, summands) = (values(&mut rng, 3), values(&mut rng, 3));
    check_one(&mut rng, &[3, 2, 5], Operator::ChannelScale { factors, summands });
}

#[test]
fn sums_concatenations_and_shapes() {
    let mut rng = rng(3);
    let mut graph = Graph::new(shape(&[2, 4, 4]));
    let window = Window { strides: [2, 2], pads: [1; 4], ..Window::new([3, 3]) };
    let [a, b] = [3, 2].map(|channels| convolution(&mut rng, 2, channels, 1, window));
    let a = graph.push("a", a, &[graph.input()]).unwrap();
    let b = graph.push("b", b, &[graph.input()]).unwrap();
    let all = graph.push("all", Operator::Concat, &[a, b]).unwrap();
    let twice = graph.push("twice", Operator::Add, &[all, all]).unwrap();
    graph.push("flat", Operator::Reshape(shape(&[20])), &[twice]).unwrap();
    check_graph(&mut rng, &graph);
}

#[test]
fn activations() {
    let mut rng = rng(4);
    let of = [
        Activation::Relu,
        Activation::Silu,
        Activation::Gelu,
        Activation::GeluTanh,
        Activation::Sigmoid,
        Activation::Tanh,
        Activation::Polynomial(vec![0.5, 1.0, -0.25]),
    ];
    for activation in of {
        let mut graph = Graph::new(shape(&[6]));
        // Without the last matrix, some of the polynomial's levels would be unused.
        let first: NodeId = graph.input();
        graph.push("activation", Operator::Activation(activation), &[first]).unwrap();
        let input = values(&mut rng, 6);
        let samples = [input.clone(), vec![1.0; 6], vec![-1.0; 6]];
        let options = Options { degree: 3, guard: false, ..Options::default() };
        check(&compiled(&graph, &samples, RING, &options), &input, "activation");
    }
}
