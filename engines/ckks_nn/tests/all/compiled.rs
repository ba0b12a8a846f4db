// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compiled networks: levels, slots, reports, and rejected networks.

use halimede_ckks::{Client, Parameters};
use halimede_ckks_nn::compile::ExactRelu;
use halimede_ckks_nn::graph::{Activation, Operator, Window};
use halimede_ckks_nn::{
    Calibration, Ciphertexts, Graph, Model, NetworkClient, NetworkError, NetworkServer, Options,
};
use std::ops::ControlFlow;

use super::setting::{check, compiled, convolution, linear, rng, run, shape, values};

#[test]
fn layers_without_activations_are_one_matrix() {
    let mut rng = rng(11);
    let mut graph = Graph::new(shape(&[2, 6, 6]));
    let window = Window { pads: [1; 4], ..Window::new([3, 3]) };
    let first = convolution(&mut rng, 2, 4, 1, window);
    let first = graph.push("first", first, &[graph.input()]).unwrap();
    let pool = Window { strides: [2, 2], ..Window::new([2, 2]) };
    let pool = Operator::AveragePool { window: pool, counts_pads: false };
    let pool = graph.push("pool", pool, &[first]).unwrap();
    let flat = graph.push("flat", Operator::Reshape(shape(&[36])), &[pool]).unwrap();
    let last = linear(&mut rng, 36, 3);
    graph.push("last", last, &[flat]).unwrap();
    let samples = [values(&mut rng, 72), values(&mut rng, 72)];
    let model = compiled(&graph, &samples, "n10-insecure", &Options::default());
    let report = model.report();
    assert_eq!((report.depth, report.layers.len(), report.keys > 0), (1, 1, true));
    assert_eq!(report.layers[0].layers, ["first", "pool", "last"]);
    // Three rows: a period of four slots and five doublings.
    assert!(report.layers[0].diagonals <= 4 && report.layers[0].rotations <= 3 + 5, "{report}");
    check(&model, &samples[0], "one matrix");
}

#[test]
fn an_exact_relu_has_the_values_of_the_function() {
    let mut graph = Graph::new(shape(&[8]));
    graph.push("relu", Operator::Activation(Activation::Relu), &[graph.input()]).unwrap();
    let input = [-1.0, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1.0];
    let exact_relu = Some(ExactRelu { threshold: 0.25, error: 0.1 });
    let options = Options { exact_relu, guard: false, ..Options::default() };
    let calibration = Calibration::with_margin(&graph, &[input.to_vec()], 1.0).unwrap();
    let parameters = Parameters::preset("n13-insecure").unwrap();
    let model = Model::compile(&graph, &calibration, &parameters, &options).unwrap();
    let output = run(&model, &input);
    // The claimed error includes that of the sign.
    let approximate = model.approximate(&input).unwrap();
    for ((x, y), wanted) in input.iter().zip(&output.values).zip(approximate) {
        assert!((y - wanted).abs() < 1e-4, "{x}: {y} {wanted}");
        assert!((x.max(0.0) - y).abs() < 0.06, "{x}: {y}");
    }
    let report = model.report();
    assert!(report.layers[0].largest_error < 0.1 && report.layers[0].products > 3, "{report}");
}

#[test]
fn even_and_odd_activations_keep_the_margin() {
    for activation in [Activation::Tanh, Activation::Absolute] {
        // Samples on both sides of 0, far to one side, at one point, and only at 0.
        for samples in [[-3.0, 1.0], [0.1, 0.9], [4.0, 5.0], [0.5, 0.5], [-2.0, -2.0], [0.0, 0.0]] {
            let mut graph = Graph::new(shape(&[2]));
            let of = Operator::Activation(activation.clone());
            graph.push("function", of, &[graph.input()]).unwrap();
            let calibration = Calibration::new(&graph, &[samples.to_vec()]).unwrap();
            let id = graph.activations()[0].0;
            let (range, whole) =
                (calibration.range(id).unwrap(), calibration.interval(id).unwrap());
            let interval = calibration.interval_around_zero(id);
            assert_eq!(interval.is_some(), whole.low <= 0.0 && whole.high >= 0.0, "{samples:?}");
            if let Some(interval) = interval {
                assert_eq!(interval.low, -interval.high, "{samples:?}");
                assert!(interval.high >= 2.0 * range.magnitude(), "{samples:?}");
            }
            let model = compiled(&graph, &[samples.to_vec()], "n13-insecure", &Options::default());
            let output = run(&model, &samples);
            // An argument at half of the bound adds 2⁻¹⁶ to the guard.
            assert!(output.guard.unwrap() < 1e-3, "{activation:?} {samples:?}: {output:?}");
            for (x, y) in samples.iter().zip(&output.values) {
                assert!((y - activation.value(*x)).abs() < 0.2, "{activation:?} {samples:?}: {y}");
            }
        }
    }
}

/// x ↦ x², calibrated for small values.
fn square() -> Graph {
    let mut graph = Graph::new(shape(&[4]));
    let doubled = Operator::ChannelScale { factors: vec![2.0; 4], summands: vec![0.0; 4] };
    let doubled = graph.push("double", doubled, &[graph.input()]).unwrap();
    let square = Operator::Activation(Activation::Polynomial(vec![0.0, 0.0, 1.0]));
    graph.push("square", square, &[doubled]).unwrap();
    graph
}

#[test]
fn what_leaves_its_range_is_refused() {
    // The sum of all values is calibrated with samples whose values cancel each other.
    let mut graph = Graph::new(shape(&[4]));
    let of = halimede_ckks_nn::graph::Linear { rows: 1, weights: vec![1.0; 4], bias: Vec::new() };
    let sum = graph.push("sum", Operator::Linear(of), &[graph.input()]).unwrap();
    graph.push("tanh", Operator::Activation(Activation::Tanh), &[sum]).unwrap();
    let samples = [vec![1.0, -1.0, 0.5, 0.0], vec![-1.0, 1.0, 0.0, -0.5]];
    let options = Options { degree: 7, ..Options::default() };
    let calibration = Calibration::new(&graph, &samples).unwrap();
    let parameters = Parameters::preset("n13-insecure").unwrap();
    let model = Model::compile(&graph, &calibration, &parameters, &options).unwrap();
    let inside = run(&model, &samples[0]);
    assert!(inside.guard.is_some_and(|guard| guard < 0.1), "{inside:?}");

    let client = Client::of_test(&parameters, 6);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = NetworkServer::new(&model, client.evaluation_keys()).unwrap();
    let ciphertext = client.encrypt(&[1.0, 1.0, 0.5, 0.5]).unwrap();
    let result = server.run(&ciphertext, |_| ControlFlow::Continue(())).unwrap();
    let error = client.decrypt(&result).unwrap_err();
    assert!(matches!(error, NetworkError::Guard { got } if got > 1.0), "{error}");
    let stopped = server.run(&ciphertext, |_| ControlFlow::Break(()));
    assert!(stopped.unwrap_err().to_string().contains("stopped after 1"));

    let far = client.encrypt(&[9.0, 0.0, 0.0, 0.0]).unwrap_err();
    assert!(matches!(far, NetworkError::InputRange { place: 0, got: 9.0, .. }), "{far}");
    let short = client.encrypt(&[0.0]).unwrap_err();
    assert!(matches!(short, NetworkError::Input { got: 1, wanted: 4, .. }), "{short}");
}

/// The guard is a sum of even powers: a negative guard, beyond its error, is not valid.
#[test]
fn a_guard_below_zero_is_refused() {
    let samples = [vec![0.5, -0.5, 0.25, 0.0]];
    let model = compiled(&square(), &samples, "n13-insecure", &Options::default());
    assert!(model.interface().has_guard());
    let client = Client::of_test(model.interface().parameters(), 7);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let slots = model.interface().slots();
    let parameters = model.interface().parameters().clone();
    // As a server sends it.
    let saved = |result: &halimede_ckks::Ciphertext| {
        let mut file = Vec::new();
        result.save(&mut file, &parameters).unwrap();
        Ciphertexts::load(&file[..], &parameters).unwrap()
    };
    // The guard of a single input is added in all slots.
    let mut decrypted = |guard: f64| {
        let values = vec![guard; slots];
        let result = client.client().encrypt_at(&values, 0).unwrap();
        let error = result.estimate().error;
        (client.decrypt(&saved(&result)), error)
    };
    for guard in [-0.99, -0.5, -1e-3] {
        let (refused, error) = decrypted(guard);
        assert!(error < 1e-4, "{error}");
        let refused = refused.unwrap_err();
        assert!(matches!(refused, NetworkError::Guard { got } if got < 0.0), "{guard}: {refused}");
    }
    let (_, error) = decrypted(0.0);
    for guard in [0.0, -error, error, 0.5, 0.99] {
        let (output, _) = decrypted(guard);
        assert!(output.is_ok(), "{guard}: {output:?}");
    }
    for guard in [1.5, -1.5] {
        let values = vec![guard / 2.0; slots];
        let half = client.client().encrypt_at(&values, 0).unwrap();
        let server = client.client().server(&halimede_ckks::Operations::default());
        let result = server.add(&half, &half).unwrap();
        let refused = client.decrypt(&saved(&result)).unwrap_err();
        assert!(matches!(refused, NetworkError::Guard { .. }), "{guard}: {refused}");
    }
}

#[test]
fn what_cannot_be_compiled_says_why() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let options = Options { guard: false, ..Options::default() };
    let error = |graph: &Graph, options: &Options| {
        let samples = [vec![0.5; graph.input_shape().size()]];
        let calibration = Calibration::new(graph, &samples).unwrap();
        let model = Model::compile(graph, &calibration, &parameters, options);
        model.err().unwrap().to_string()
    };
    let text = error(&Graph::new(shape(&[33 * 512])), &options);
    let limit = "the parameters have 512, and a layer has at most 32 ciphertexts";
    assert!(text.contains(&format!("input needs 16896 slots; {limit}")), "{text}");
    let mut wide = Graph::new(shape(&[8]));
    let layer = linear(&mut rng(1), 8, 32 * 512 + 1);
    wide.push("wide", layer, &[wide.input()]).unwrap();
    let text = error(&wide, &options);
    assert!(text.contains(&format!("layer wide needs 16385 slots; {limit}")), "{text}");
    let mut deep = square();
    for name in ["second", "third"] {
        let square = Operator::Activation(Activation::Polynomial(vec![0.0, 0.0, 1.0]));
        deep.push(name, square, &[deep.output()]).unwrap();
    }
    assert!(error(&deep, &options).contains("level"), "{}", error(&deep, &options));

    let none = Calibration::new(&deep, &[]).unwrap_err();
    assert!(none.to_string().contains("no samples"), "{none}");
    let calibration = Calibration::new(&square(), &[vec![0.5; 4]]).unwrap();
    let other = Model::compile(&deep, &calibration, &parameters, &options).err().unwrap();
    assert!(other.to_string().contains("another network"), "{other}");
    let nan = Calibration::new(&square(), &[vec![f64::NAN; 4]]).unwrap_err();
    assert!(nan.to_string().contains("not finite"), "{nan}");
}
