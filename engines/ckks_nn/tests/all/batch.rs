// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches: each of several inputs that share ciphertexts has the same values and guard as alone.

use std::ops::ControlFlow;

use halimede_ckks::params::{BootstrapShape, ParametersBuilder, SecretKind};
use halimede_ckks::{Client, Parameters};
use halimede_ckks_nn::graph::{Activation, Cell, Linear, NodeId, Operator, Recurrent, Window};
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

/// Returns the results for the inputs of a batch.
fn run(model: &Model, inputs: &[Vec<f64>]) -> Vec<Result<Output, NetworkError>> {
    let client = Client::of_test(model.interface().parameters(), 5);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = NetworkServer::new(model, client.evaluation_keys()).unwrap();
    let ciphertext = client.encrypt_all(inputs).unwrap();
    assert_eq!(ciphertext.parts().len(), model.interface().input_ciphertexts());
    let result = server.run(&ciphertext, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(result.parts().len(), model.interface().output_ciphertexts());
    client.decrypt_all(&result).unwrap()
}

/// Checks that each input of a batch has the values of the approximated network.
fn check(model: &Model, inputs: &[Vec<f64>], what: &str) {
    let claim = check_near(model, inputs, what, f64::INFINITY);
    assert!(claim < 1e-2, "{what}: {claim}");
}

/// Checks values when the claimed error may be large; they must be within `near`. Returns the
/// largest claim.
fn check_near(model: &Model, inputs: &[Vec<f64>], what: &str, near: f64) -> f64 {
    let mut claim: f64 = 0.0;
    let outputs = run(model, inputs);
    assert_eq!(outputs.len(), model.interface().batch(), "{what}");
    // Remaining places hold the last input.
    let last = inputs.last().into_iter().cycle();
    for (number, (input, output)) in inputs.iter().chain(last).zip(outputs).enumerate() {
        let output = output.unwrap_or_else(|error| panic!("{what}, {number}: {error}"));
        let wanted = model.approximate(input).unwrap();
        assert_eq!(output.values.len(), wanted.len(), "{what}, {number}");
        for (got, wanted) in output.values.iter().zip(&wanted) {
            let most = near.min(12.0 * output.error);
            assert!((got - wanted).abs() < most, "{what}, {number}: {got}, {wanted}, {most:e}");
        }
        claim = claim.max(output.error);
        assert_eq!(output.guard.is_some(), model.interface().has_guard());
    }
    claim
}

fn inputs(rng: &mut ChaCha8Rng, count: usize, size: usize) -> Vec<Vec<f64>> {
    (0..count).map(|_| values(rng, size)).collect()
}

/// Returns a convolution with a stride, a residual sum, a pool, and a linear layer that is folded;
/// layers of 128 or 144, 64, 32 and 5 values.
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

/// Blocks of one size and of several, in one ciphertext and in several, in pairs and with one left
/// over, with and without bootstraps.
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

/// Products, in which the parts of pairs are separate, and sums of values that are already in
/// place.
#[test]
fn values_meet_place_by_place_in_a_batch() {
    let mut rng = rng(63);
    let deep = Parameters::insecure(BootstrapShape::new(10, 9, 3), SecretKind::Ternary).unwrap();
    for (batch, guard) in [(2, true), (7, false)] {
        let mut graph = Graph::new(shape(&[6]));
        let input = graph.input();
        let [a, b, c] = [6, 6, 6].map(|rows| linear(&mut rng, 6, rows));
        let a = graph.push("a", a, &[input]).unwrap();
        let b = graph.push("b", b, &[input]).unwrap();
        let gate = graph.push("gate", Operator::Activation(Activation::Sigmoid), &[b]).unwrap();
        let gated = graph.push("gated", Operator::Product, &[gate, a]).unwrap();
        let whole = graph.push("whole", Operator::Product, &[gated, input]).unwrap();
        let sum = graph.push("sum", Operator::Add, &[whole, gated]).unwrap();
        let tanh = graph.push("tanh", Operator::Activation(Activation::Tanh), &[sum]).unwrap();
        let rest = graph.push("rest", Operator::Subtract, &[tanh, a]).unwrap();
        graph.push("c", c, &[rest]).unwrap();
        let samples = inputs(&mut rng, 20, 6);
        let options = Options { degree: 7, batch, guard, ..Options::default() };
        let model = compiled(&graph, &samples, &deep, &options);
        check(&model, &samples[..batch], &format!("products {batch}"));
    }
}

/// Carried states already use the real and imaginary part, so that inputs are not paired.
#[test]
fn recurrent_layers_serve_all_inputs() {
    let mut rng = rng(64);
    let deep = Parameters::insecure(BootstrapShape::new(10, 9, 3), SecretKind::Ternary).unwrap();
    let (gate, candidate, output) = (Activation::Sigmoid, Activation::Tanh, Activation::Tanh);
    let lstm = Cell::Lstm { gate, candidate, output };
    for (cell, input_ciphertexts) in
        [(lstm.clone(), 1), (lstm, 3), (Cell::Simple(Activation::Tanh), 1)]
    {
        let (columns, hidden, steps, batch) = (4, 5, 3, 3);
        let rows = cell.gates() * hidden;
        let [input_weights, state_weights] = [columns, hidden]
            .map(|of| values(&mut rng, rows * of).iter().map(|x| x / 2.0).collect());
        let of = Recurrent {
            cell,
            hidden,
            input_weights,
            state_weights,
            input_bias: values(&mut rng, rows),
            state_bias: Vec::new(),
            first_hidden: Vec::new(),
            first_cell: Vec::new(),
            is_reverse: false,
        };
        let mut graph = Graph::new(shape(&[steps, columns]));
        let unrolled = graph.push_recurrent("cell", &of, graph.input(), steps).unwrap();
        let last = linear(&mut rng, hidden, 2);
        graph.push("last", last, &[unrolled.last_hidden]).unwrap();
        let samples = inputs(&mut rng, 20, steps * columns);
        let options = Options { degree: 7, batch, input_ciphertexts, ..Options::default() };
        let model = compiled(&graph, &samples, &deep, &options);
        // Claims grow from step to step.
        check_near(&model, &samples[..batch], "a recurrent layer", 1e-5);
    }
}

/// One of several inputs leaves an interval: only that input is rejected.
#[test]
fn each_input_has_its_own_guard() {
    let mut graph = Graph::new(shape(&[4]));
    let sum = Linear { rows: 1, weights: vec![1.0; 4], bias: Vec::new() };
    let sum = graph.push("sum", Operator::Linear(sum), &[graph.input()]).unwrap();
    graph.push("tanh", Operator::Activation(Activation::Tanh), &[sum]).unwrap();
    // Calibrated with values that cancel each other.
    let inside = [vec![1.0, -1.0, 0.5, 0.0], vec![-1.0, 1.0, 0.0, -0.5]];
    let far = vec![1.0, 0.0, 0.2, 0.0];
    let parameters = ParametersBuilder::new().depth(9).build_insecure(10).unwrap();
    for (batch, outside) in [(2, 0), (2, 1), (7, 4), (7, 6)] {
        let options = Options { degree: 7, batch, ..Options::default() };
        let model = compiled(&graph, &inside, &parameters, &options);
        let mut inputs: Vec<Vec<f64>> = (0..batch).map(|place| inside[place % 2].clone()).collect();
        inputs[outside].clone_from(&far);
        for (place, output) in run(&model, &inputs).into_iter().enumerate() {
            match output {
                Err(NetworkError::Guard { got }) => assert!(place == outside && got > 1.0),
                Ok(output) => {
                    assert!(place != outside, "{place}: {output:?}");
                    let wanted = model.approximate(&inputs[place]).unwrap()[0];
                    assert!((output.values[0] - wanted).abs() < 12.0 * output.error);
                    assert!(output.guard.is_some_and(|guard| guard < 0.1), "{output:?}");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// A layer of more values than slots: each ciphertext has one pair of inputs.
#[test]
fn layers_of_several_ciphertexts_have_pairs() {
    let mut rng = rng(65);
    let parameters = ParametersBuilder::new().depth(4).build_insecure(10).unwrap();
    let mut graph = Graph::new(shape(&[3, 16, 16]));
    let window = Window { pads: [1; 4], ..Window::new([3, 3]) };
    let layer = convolution(&mut rng, 3, 3, 1, window);
    let layer = graph.push("convolution", layer, &[graph.input()]).unwrap();
    let square = Activation::Polynomial(vec![0.25, 0.5, 1.0]);
    graph.push("square", Operator::Activation(square), &[layer]).unwrap();
    let samples = inputs(&mut rng, 6, 768);
    for batch in [3, 4] {
        let options = Options { batch, guard: false, ..Options::default() };
        let model = compiled(&graph, &samples, &parameters, &options);
        // 512 values, a pair per ciphertext, and 256 values, of which two pairs share one.
        assert_eq!(model.interface().input_ciphertexts(), 3);
        check(&model, &samples[..batch], &format!("{batch} inputs of two ciphertexts"));
    }
}

/// The four gates of 100 states need all 512 slots, so that each input has its own ciphertext.
#[test]
fn gates_of_a_batch_take_as_many_ciphertexts_as_a_layer_may() {
    let (gate, candidate, output) = (Activation::Sigmoid, Activation::Tanh, Activation::Tanh);
    let mut rng = rng(68);
    let (hidden, steps) = (100, 1);
    let of = Recurrent {
        cell: Cell::Lstm { gate, candidate, output },
        hidden,
        input_weights: values(&mut rng, 4 * hidden * 2),
        state_weights: values(&mut rng, 4 * hidden * hidden),
        input_bias: Vec::new(),
        state_bias: Vec::new(),
        first_hidden: Vec::new(),
        first_cell: vec![0.5; hidden],
        is_reverse: false,
    };
    let mut graph = Graph::new(shape(&[steps, 2]));
    let unrolled = graph.push_recurrent("cell", &of, graph.input(), steps).unwrap();
    graph.push("last", linear(&mut rng, hidden, 2), &[unrolled.last_hidden]).unwrap();
    let calibration = Calibration::new(&graph, &inputs(&mut rng, 10, 2)).unwrap();
    let parameters =
        Parameters::insecure(BootstrapShape::new(10, 9, 3), SecretKind::Ternary).unwrap();
    let options = Options { degree: 7, batch: 33, ..Options::default() };
    let error = Model::compile(&graph, &calibration, &parameters, &options).err().unwrap();
    let what = "ciphertexts of the batch's layer cell: step 1, carried input gate".to_owned();
    assert_eq!(error, NetworkError::Limit { what, got: 33, limit: 32 });
}

#[test]
fn batches_that_cannot_be_are_refused() {
    let mut graph = Graph::new(shape(&[300]));
    let layer = linear(&mut rng(66), 300, 2);
    graph.push("layer", layer, &[graph.input()]).unwrap();
    let parameters = ParametersBuilder::new().depth(2).build_insecure(10).unwrap();
    let calibration = Calibration::new(&graph, &[vec![0.5; 300], vec![-0.5; 300]]).unwrap();
    let compile = |batch: usize| {
        let options = Options { batch, ..Options::default() };
        Model::compile(&graph, &calibration, &parameters, &options)
    };
    for (batch, what, got, limit) in [
        (0, "inputs of a batch, at least 1", 0, 1024),
        (1025, "inputs of a batch, at least 1", 1025, 1024),
        // Two inputs in a ciphertext.
        (66, "ciphertexts of the batch's layer layer", 33, 32),
    ] {
        let error = compile(batch).err().unwrap();
        assert_eq!(error, NetworkError::Limit { what: what.to_owned(), got, limit });
    }
    let model = compile(4).unwrap();
    let client = Client::of_test(&parameters, 7);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let good = vec![0.25; 300];
    let none: [Vec<f64>; 0] = [];
    let error = client.encrypt_all(&none).unwrap_err();
    assert_eq!(error, NetworkError::Batch { got: 0, most: 4 });
    let error = client.encrypt_all(&vec![good.clone(); 5]).unwrap_err();
    assert_eq!(error, NetworkError::Batch { got: 5, most: 4 });
    let error = client.encrypt_all(&[good.clone(), vec![0.0; 299]]).unwrap_err();
    assert!(matches!(error, NetworkError::Input { got: 299, wanted: 300, .. }), "{error}");
    let error = client.encrypt_all(&[good.clone(), vec![9.0; 300]]).unwrap_err();
    assert!(matches!(error, NetworkError::InputRange { place: 0, got: 9.0, .. }), "{error}");
    // An input of a batch of four, which does not fit a server of another network.
    let encrypted = client.encrypt_all(&[good]).unwrap();
    let alone = compile(1).unwrap();
    let server = NetworkServer::new(&alone, client.evaluation_keys());
    let refused = match server {
        Ok(server) => server.run(&encrypted, |_| ControlFlow::Continue(())).is_err(),
        Err(_) => true,
    };
    assert!(refused);
}
