// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Small convolutional networks from end to end.

use halimede_ckks_nn::graph::{Activation, Operator, Window};
use halimede_ckks_nn::{read_onnx, Graph, Options};
use rand_chacha::ChaCha8Rng;

use super::model_file::{int, ints, model, node, tensor, Store};
use super::setting::{check, compiled, convolution, linear, rng, shape, values};

/// Returns a convolution with a stride, a residual block, a mean and a linear layer.
pub fn residual(rng: &mut ChaCha8Rng) -> Graph {
    let mut graph = Graph::new(shape(&[1, 8, 8]));
    let three = Window { pads: [1; 4], ..Window::new([3, 3]) };
    let silu = || Operator::Activation(Activation::Silu);
    let first = convolution(rng, 1, 4, 1, Window { strides: [2, 2], ..three });
    let first = graph.push("first", first, &[graph.input()]).unwrap();
    let shortcut = graph.push("silu1", silu(), &[first]).unwrap();
    let second = convolution(rng, 4, 4, 1, three);
    let second = graph.push("second", second, &[shortcut]).unwrap();
    let sum = graph.push("sum", Operator::Add, &[second, shortcut]).unwrap();
    let result = graph.push("silu2", silu(), &[sum]).unwrap();
    let mean = graph.push("mean", Operator::GlobalAveragePool, &[result]).unwrap();
    let flat = graph.push("flat", Operator::Reshape(shape(&[4])), &[mean]).unwrap();
    let last = linear(rng, 4, 3);
    graph.push("last", last, &[flat]).unwrap();
    graph
}

#[test]
fn labels_are_those_of_plaintext_with_bootstraps() {
    let mut rng = rng(21);
    let graph = residual(&mut rng);
    let samples: Vec<Vec<f64>> = (0..20).map(|_| values(&mut rng, 64)).collect();
    let options = Options { degree: 7, guard: false, ..Options::default() };
    let model = compiled(&graph, &samples, "n10-boot-insecure", &options);
    let report = model.report();
    assert!(report.bootstraps >= 1, "{report}");
    assert_eq!(
        report.layers.iter().map(|layer| layer.bootstraps).sum::<usize>(),
        report.bootstraps
    );
    assert_eq!(report.layers.len(), 3);
    // The stride leaves a gap of 2, in which four channels are interleaved: 64 slots hold all.
    assert_eq!((report.slots, report.layers[0].gap), (64, 2), "{report}");
    for layer in &report.layers[..2] {
        assert!(layer.used.unwrap() <= 0.5001 && layer.mean_error <= layer.largest_error);
    }
    let output = check(&model, &samples[0], "residual");
    let exact = graph.evaluate(&samples[0]).unwrap();
    for (got, wanted) in output.values.iter().zip(&exact) {
        assert!((got - wanted).abs() < 0.05, "{got} {wanted}");
    }
}

#[test]
fn a_model_from_a_file_is_run_encrypted() {
    let mut rng = rng(22);
    let [conv, bias] = [36, 4].map(|count| values(&mut rng, count));
    let dense = values(&mut rng, 3 * 64);
    let file = model(
        &[0, 1, 8, 8],
        &[
            node("Conv", &["x", "w", "b"], "c", &[ints("pads", &[1; 4]), ints("strides", &[2; 2])]),
            node("Relu", &["c"], "r", &[]),
            node("Flatten", &["r"], "f", &[]),
            node("Gemm", &["f", "d"], "y", &[int("transB", 1)]),
        ],
        &[
            tensor("w", &[4, 1, 3, 3], &conv, Store::RawFloat),
            tensor("b", &[4], &bias, Store::Float),
            tensor("d", &[3, 64], &dense, Store::RawDouble),
        ],
    );
    let graph = read_onnx(&file).unwrap();
    let samples: Vec<Vec<f64>> = (0..20).map(|_| values(&mut rng, 64)).collect();
    let options = Options { degree: 7, ..Options::default() };
    let model = compiled(&graph, &samples, "n13-insecure", &options);
    for sample in &samples[..2] {
        let output = check(&model, sample, "from a file");
        let exact = graph.evaluate(sample).unwrap();
        let label = (0..3).max_by(|a, b| exact[*a].total_cmp(&exact[*b])).unwrap();
        assert_eq!(output.label(), Some(label), "{output:?} {exact:?}");
    }
}
