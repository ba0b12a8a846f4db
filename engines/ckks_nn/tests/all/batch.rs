// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches: each of several inputs that share ciphertexts has the values and the guard that it has alone.

use std::ops::ControlFlow;

use halimede_ckks::params::{BootstrapShape, ParametersBuilder, SecretKind};
use halimede_ckks::{Client, Parameters};
use halimede_ckks_nn::graph::{Activation, NodeId, Operator, Window};
use halimede_ckks_nn::{
    Calibration, Graph, Model, NetworkClient, NetworkError, NetworkServer, Options, Output,
};
use rand_chacha::ChaCha8Rng;

use super::setting::{convolution, linear, rng, shape, values};

fn compiled(
    graph: &Graph,
    samples: &[Vec<f64>],
    parameters: &Parameters,
    options: &Options,
) -> Model {
    let calibration = Calibration::new(graph, samples).unwrap();
    Model::compile(graph, &calibration, parameters, options).unwrap()
}

/// The results for the inputs of a batch.
fn run(model: &Model, inputs: &[Vec<f64>]) -> Vec<Result<Output, NetworkError>> {
    let client = Client::of_test(model.interface().parameters(), 5);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = NetworkServer::new(model, client.evaluation_keys()).unwrap();
    let sealed = client.encrypt_all(inputs).unwrap();
    assert_eq!(sealed.parts().len(), model.interface().input_ciphertexts());
    let result = server.run(&sealed, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(result.parts().len(), model.interface().output_ciphertexts());
    client.decrypt_all(&result).unwrap()
}

/// That each input of a batch has the values of the approximated network.
fn check(model: &Model, inputs: &[Vec<f64>], what: &str) {
    let outputs = run(model, inputs);
    assert_eq!(outputs.len(), model.interface().batch(), "{what}");
    // Places that are left have the last input.
    let last = inputs.last().into_iter().cycle();
    for (number, (input, output)) in inputs.iter().chain(last).zip(outputs).enumerate() {
        let output = output.unwrap_or_else(|error| panic!("{what}, {number}: {error}"));
        let wanted = model.approximate(input).unwrap();
        assert_eq!(output.values.len(), wanted.len(), "{what}, {number}");
        for (got, wanted) in output.values.iter().zip(&wanted) {
            let most = 12.0 * output.error;
            assert!((got - wanted).abs() < most, "{what}, {number}: {got}, {wanted}, {most:e}");
        }
        assert!(output.error < 1e-2, "{what}: {}", output.error);
        assert_eq!(output.guard.is_some(), model.interface().has_guard());
    }
}

fn inputs(rng: &mut ChaCha8Rng, count: usize, size: usize) -> Vec<Vec<f64>> {
    (0..count).map(|_| values(rng, size)).collect()
}

/// A convolution with a stride, a residual sum, a pool, and a linear layer that is folded; layers of 128 or
/// 144, 64, 32 and 5 values.
fn network(rng: &mut ChaCha8Rng, channels: usize) -> Graph {
    let mut graph = Graph::new(shape(&[2, 8, 8]));
    let input = graph.input();
    let mut push = |name: &str, operator: Operator, inputs: &[NodeId]| {
        graph.push(name, operator, inputs).unwrap()
    };
    let three = Window { pads: [1; 4], ..Window::new([3, 3]) };
    let half = Window { strides: [2, 2], ..three };
    let activation = |of: Activation| Operator::Activation(of);
    let first = convolution(rng, 2, channels, 1, half);
    let first = push("first", first, &[input]);
    let first = push("relu1", activation(Activation::Relu), &[first]);
    let second = convolution(rng, channels, channels, 1, three);
    let second = push("second", second, &[first]);
    let sum = push("sum", Operator::Add, &[second, first]);
    let sum = push("silu", activation(Activation::Silu), &[sum]);
    let third = convolution(rng, channels, 2 * channels, 1, half);
    let third = push("third", third, &[sum]);
    let third = push("tanh", activation(Activation::Tanh), &[third]);
    let flat = push("flat", Operator::Reshape(shape(&[8 * channels])), &[third]);
    let last = linear(rng, 8 * channels, 5);
    push("last", last, &[flat]);
    graph
}

/// Blocks of one size and of several, in one ciphertext and in several, in pairs and with one left over,
/// with bootstraps and without.
#[test]
fn inputs_of_a_batch_have_the_values_that_they_have_alone() {
    let mut rng = rng(61);
    let deep = Parameters::insecure(BootstrapShape::new(10, 6, 4), SecretKind::Ternary).unwrap();
    for (batch, channels, guard) in [(2, 4, true), (5, 4, true), (16, 3, true), (13, 4, false)] {
        let graph = network(&mut rng, channels);
        let samples = inputs(&mut rng, 20, 128);
        let options = Options { degree: 3, batch, guard, ..Options::default() };
        let model = compiled(&graph, &samples, &deep, &options);
        let report = model.report();
        assert!(report.bootstraps > 0, "{report}");
        check(&model, &samples[..batch], &format!("{batch} {channels}"));
        if batch == 16 {
            let layers: Vec<usize> = report.layers.iter().map(|of| of.ciphertexts).collect();
            let counts = (model.interface().input_ciphertexts(), layers);
            assert_eq!(counts, (2, vec![1, 1, 1, 1]), "{report}");
        }
    }
}

/// Single layers, without bootstraps: folded and not, in blocks that grow and shrink.
#[test]
fn single_layers_serve_all_inputs() {
    let mut rng = rng(62);
    // 512 slots.
    let parameters = ParametersBuilder::new().depth(8).build_insecure(10).unwrap();
    for (columns, rows) in [(40, 3), (3, 40), (17, 17), (100, 600), (600, 100)] {
        for batch in [2, 3, 7, 20] {
            for activated in [false, true] {
                let mut graph = Graph::new(shape(&[columns]));
                let layer = linear(&mut rng, columns, rows);
                let layer = graph.push("linear", layer, &[graph.input()]).unwrap();
                if activated {
                    let square = Activation::Polynomial(vec![0.25, 0.5, 1.0]);
                    graph.push("square", Operator::Activation(square), &[layer]).unwrap();
                }
                let samples = inputs(&mut rng, 20, columns);
                let options = Options { batch, guard: activated, ..Options::default() };
                let model = compiled(&graph, &samples, &parameters, &options);
                let what = format!("{columns} {rows} {batch} {activated}");
                check(&model, &samples[..batch.min(5)], &what);
            }
        }
    }
}
