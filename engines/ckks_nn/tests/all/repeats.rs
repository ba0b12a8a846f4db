// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Inputs that repeat in their slots, and the costs and times of layers.

use std::ops::ControlFlow;

use halimede_ckks::{Client, Values};
use halimede_ckks_nn::compile::Interface;
use halimede_ckks_nn::graph::{Activation, Operator};
use halimede_ckks_nn::run::LayerTimes;
use halimede_ckks_nn::{Ciphertexts, Graph, Model, NetworkClient, NetworkServer, Options};

use super::setting::{check, compiled, linear, rng, shape, values};

/// Returns a network of one hidden layer.
fn network(sizes: [usize; 3], batch: usize) -> (Model, Vec<f64>) {
    let mut rng = rng(61);
    let [inputs, hidden, outputs] = sizes;
    let mut graph = Graph::new(shape(&[inputs]));
    let first = linear(&mut rng, inputs, hidden);
    let first = graph.push("first", first, &[graph.input()]).unwrap();
    let square = Operator::Activation(Activation::Polynomial(vec![0.0, 0.5, 0.25]));
    let square = graph.push("square", square, &[first]).unwrap();
    let last = linear(&mut rng, hidden, outputs);
    graph.push("last", last, &[square]).unwrap();
    let samples = [values(&mut rng, inputs), values(&mut rng, inputs)];
    let options = Options { batch, ..Options::default() };
    let [input, _] = samples.clone();
    (compiled(&graph, &samples, "n13-insecure", &options), input)
}

/// Six values in 64 slots: a repeated input needs a diagonal for each of 8 places, instead of one
/// for each place of a hidden value.
#[test]
fn an_input_repeats_where_that_needs_fewer_diagonals() {
    for (sizes, diagonals, repeats) in [
        ([6, 50, 3], 8, true),
        ([13, 40, 5], 16, true),
        // The input fills its slots.
        ([60, 10, 3], 64, false),
    ] {
        let (model, input) = network(sizes, 1);
        assert_eq!(model.interface().input_repeats(), repeats, "{sizes:?}");
        assert_eq!(model.interface().input_ciphertexts(), 1);
        let report = model.report();
        assert!(report.layers[0].diagonals <= diagonals, "{sizes:?}: {report}");
        check(&model, &input, "repeated");
    }
    // Inputs of a batch have separate blocks.
    let (model, input) = network([6, 50, 3], 2);
    assert!(!model.interface().input_repeats());
    check(&model, &input, "batch");
}

#[test]
fn a_client_repeats_the_input_by_its_file() {
    let (model, input) = network([6, 50, 3], 1);
    let mut file = Vec::new();
    model.interface().save(&mut file).unwrap();
    let interface = Interface::load_insecure(&file[..]).unwrap();
    assert_eq!(format!("{interface:?}"), format!("{:?}", model.interface()));
    let client = Client::of_test(interface.parameters(), 8);
    let mut client = NetworkClient::with_client(&interface, client);
    let server = NetworkServer::new(&model, client.evaluation_keys()).unwrap();
    let ciphertexts = client.encrypt(&input).unwrap();
    assert_eq!(ciphertexts.parts()[0].length(), 8);
    server.check_input(&ciphertexts).unwrap();
    let mut file = Vec::new();
    ciphertexts.save(&mut file, interface.parameters()).unwrap();
    let sent = Ciphertexts::load(&file[..], interface.parameters()).unwrap();
    let result = server.run(&sent, |_| ControlFlow::Continue(())).unwrap();
    let output = client.decrypt(&result).unwrap();
    for (got, wanted) in output.values.iter().zip(model.approximate(&input).unwrap()) {
        assert!((got - wanted).abs() < 1e-3, "{got} {wanted}");
    }
    // The layout of an earlier version, and another period.
    for length in [64, 16, 6] {
        let mut vector = vec![0.0; length];
        vector[..6].copy_from_slice(&input);
        let bound = ciphertexts.parts()[0].bound();
        let other = Values::from(&vector[..]).bounded(bound);
        let other = client.client().encrypt_at(other, interface.level()).unwrap();
        let other = Ciphertexts::from(other);
        for text in [
            server.check_input(&other).unwrap_err().to_string(),
            server.run(&other, |_| ControlFlow::Continue(())).unwrap_err().to_string(),
        ] {
            assert!(text.contains(&format!("{length} values")), "{text}");
            assert!(text.contains("the network needs 8"), "{text}");
            assert!(text.contains("encrypt it with this network's interface"), "{text}");
        }
    }
}

#[test]
fn layers_have_shares_and_times() {
    let (model, input) = network([6, 50, 3], 1);
    let report = model.report();
    let all: f64 = report.layers.iter().map(|layer| layer.share).sum();
    assert!((all - 1.0).abs() < 1e-9 && report.layers.iter().all(|layer| layer.share > 0.0));
    for layer in &report.layers {
        assert!(layer.key_switches >= layer.rotations, "{report}");
    }
    assert!(report.layers[0].key_switches > report.layers[0].rotations, "{report}");
    let client = Client::of_test(model.interface().parameters(), 9);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = NetworkServer::new(&model, client.evaluation_keys()).unwrap();
    let ciphertexts = client.encrypt(&input).unwrap();
    let mut times = LayerTimes::new(&model);
    // A clock of one second for each step.
    let run = server.run(&ciphertexts, |progress| {
        times.add(&progress, progress.done as f64);
        ControlFlow::Continue(())
    });
    run.unwrap();
    assert_eq!(times.seconds().len(), report.layers.len());
    assert_eq!(times.seconds().iter().sum::<f64>(), model.plan().steps().len() as f64);
    assert!(times.seconds().iter().all(|seconds| *seconds >= 1.0));
}
