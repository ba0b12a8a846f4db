// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Neural networks and trainings on a GPU have the bits of the processor.

use std::ops::ControlFlow;
use std::sync::Arc;

use halimede_ckks::executor::{ExecutorError, ProgramPlace, ProgramServer};
use halimede_ckks::params::{BootstrapShape, SecretKind};
use halimede_ckks::{CircuitError, Client, Parameters, Server};
use halimede_ckks_nn::graph::{Activation, Linear, Operator, Shape};
use halimede_ckks_nn::train::{Logistic, LogisticOptions, Table};
use halimede_ckks_nn::{
    Calibration, Graph, Model, NetworkClient, NetworkError, NetworkServer, Options,
};

use crate::common::standin::TestGpu;
use crate::setting::{assert_same, place};

/// Numbers from −1 to 1.
fn numbers(count: usize, seed: usize) -> Vec<f64> {
    (0..count).map(|k| ((k * 67 + seed * 29) % 131) as f64 / 65.0 - 1.0).collect()
}

fn linear(columns: usize, rows: usize, seed: usize) -> Operator {
    let weights = numbers(rows * columns, seed).iter().map(|of| of / columns as f64).collect();
    Operator::Linear(Linear { rows, weights, bias: numbers(rows, seed + 1) })
}

/// A network with two activations and bootstraps.
fn network(parameters: &Parameters) -> (Model, Vec<f64>) {
    let mut graph = Graph::new(Shape::new(&[6]).unwrap());
    let mut last = graph.input();
    for (name, operator) in [
        ("first", linear(6, 5, 1)),
        ("silu", Operator::Activation(Activation::Silu)),
        ("second", linear(5, 3, 2)),
        ("relu", Operator::Activation(Activation::Relu)),
    ] {
        last = graph.push(name, operator, &[last]).unwrap();
    }
    let samples: Vec<Vec<f64>> = (0..8).map(|seed| numbers(6, seed)).collect();
    let calibration = Calibration::new(&graph, &samples).unwrap();
    let options = Options { degree: 3, ..Options::default() };
    (Model::compile(&graph, &calibration, parameters, &options).unwrap(), samples[3].clone())
}

fn parameters() -> Parameters {
    Parameters::insecure(BootstrapShape::new(10, 6, 3), SecretKind::Ternary).unwrap()
}

#[test]
fn a_network_has_the_bits_of_the_processor() {
    let Some(test) = TestGpu::next() else { return };
    let parameters = parameters();
    let (model, input) = network(&parameters);
    assert!(model.plan().bootstraps() > 0);
    let client = Client::of_test(&parameters, 5);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = Arc::new(Server::new(client.evaluation_keys()));
    let sealed = client.encrypt(&input).unwrap();
    let on_processor = NetworkServer::with_server(&model, Arc::clone(&server)).unwrap();
    let expected = on_processor.run(&sealed, |_| ControlFlow::Continue(())).unwrap();

    let place = place(test.open().unwrap());
    let executor = place.executor(&parameters).unwrap();
    let on_gpu = NetworkServer::with_server(&model, server).unwrap().on_executor(executor);
    let mut steps = 0;
    let got = on_gpu.run(&sealed, |progress| {
        steps = progress.done;
        ControlFlow::Continue(())
    });
    assert_same(expected.parts(), got.unwrap().parts(), "a network");
    assert_eq!(steps, model.plan().steps().len());

    let stopped = on_gpu.run(&sealed, |_| ControlFlow::Break(())).unwrap_err();
    let stop = NetworkError::Circuit(CircuitError::Stopped { done: 1, steps });
    assert_eq!(stopped, stop);
    test.configure("launch_failure=3");
    let failed = on_gpu.run(&sealed, |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(failed, NetworkError::Executor(ExecutorError::Failed { .. })), "{failed}");
}

#[test]
fn a_training_has_the_bits_of_the_processor() {
    let Some(test) = TestGpu::next() else { return };
    let parameters = parameters();
    let (samples, features) = (12, 3);
    let options = LogisticOptions { iterations: 2, rate: 2.0, ..LogisticOptions::default() };
    // Two batches: the second iteration, after a bootstrap, uses other samples.
    let training = Logistic::new(&parameters, samples, features, options).unwrap();
    let mut client = Client::of_test(&parameters, 7);
    let server = Arc::new(Server::new(training.evaluation_keys(&mut client)));
    let batch = |seed: usize| {
        let rows = (0..samples).map(|row| numbers(features, seed + row)).collect();
        Table::new(rows, (0..samples).map(|row| row % 3 == 0).collect()).unwrap()
    };
    let tables = [batch(1), batch(50)];
    let sealed: Vec<_> =
        tables.iter().map(|table| training.encrypt(&mut client, table).unwrap()).collect();
    let expected = training.train_in_turn(&server, &sealed, |_| ControlFlow::Continue(())).unwrap();

    let place = place(test.open().unwrap());
    let programs = ProgramServer::new(server, place.executor(&parameters).unwrap());
    let mut done = Vec::new();
    let got = training.train_on(&programs, &sealed, |iteration| {
        done.push(iteration);
        ControlFlow::Continue(())
    });
    assert_same(&[expected], &[got.unwrap()], "weights");
    assert_eq!(done, [1, 2]);

    let none = training.train_on(&programs, &[], |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(none, NetworkError::Training { .. }), "{none}");
    test.configure("launch_failure=2");
    let failed = training.train_on(&programs, &sealed, |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(failed, NetworkError::Executor(ExecutorError::Failed { .. })), "{failed}");
}
