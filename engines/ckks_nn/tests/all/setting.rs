// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Code that the tests share.

use std::ops::ControlFlow;

use halimede_ckks::{Client, Parameters};
use halimede_ckks_nn::graph::{Convolution, Linear, Operator, Shape, Window};
use halimede_ckks_nn::{Calibration, Graph, Model, NetworkClient, NetworkServer, Options, Output};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The largest error of few values, in standard deviations.
const WORST: f64 = 12.0;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub fn values(rng: &mut ChaCha8Rng, count: usize) -> Vec<f64> {
    (0..count).map(|_| rng.gen_range(-1.0..1.0)).collect()
}

pub fn shape(axes: &[usize]) -> Shape {
    Shape::new(axes).unwrap()
}

/// Returns a convolution with random weights, which keep values about as large as they are.
pub fn convolution(
    rng: &mut ChaCha8Rng,
    before: usize,
    channels: usize,
    groups: usize,
    window: Window,
) -> Operator {
    let within = before / groups * window.kernel[0] * window.kernel[1];
    let mut weights = values(rng, channels * within);
    weights.iter_mut().for_each(|weight| *weight /= (within as f64).sqrt());
    let bias = values(rng, channels);
    Operator::Convolution(Convolution { channels, groups, window, weights, bias })
}

pub fn linear(rng: &mut ChaCha8Rng, columns: usize, rows: usize) -> Operator {
    let mut weights = values(rng, rows * columns);
    weights.iter_mut().for_each(|weight| *weight /= (columns as f64).sqrt());
    let bias = values(rng, rows);
    Operator::Linear(Linear { rows, weights, bias })
}

/// Returns a network compiled with its calibration on these samples.
pub fn compiled(graph: &Graph, samples: &[Vec<f64>], preset: &str, options: &Options) -> Model {
    let calibration = Calibration::new(graph, samples).unwrap();
    let parameters = Parameters::preset(preset).unwrap();
    Model::compile(graph, &calibration, &parameters, options).unwrap()
}

/// Returns the client and the encrypted values for an input.
pub fn run(model: &Model, input: &[f64]) -> Output {
    let client = Client::of_test(model.interface().parameters(), 5);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = NetworkServer::new(model, client.evaluation_keys()).unwrap();
    let ciphertext = client.encrypt(input).unwrap();
    let mut last = 0;
    let result = server.run(&ciphertext, |progress| {
        last = progress.done;
        assert!(progress.done <= progress.steps);
        ControlFlow::Continue(())
    });
    let result = result.unwrap();
    assert_eq!(last, model.plan().steps().len());
    client.decrypt(&result).unwrap()
}

/// Checks that encrypted values equal the plaintext evaluation of the approximated network, within
/// the claimed error, and those of the network itself if nothing is approximated.
pub fn check(model: &Model, input: &[f64], what: &str) -> Output {
    let output = check_near(model, input, what, f64::INFINITY);
    assert!(output.error < 1e-2, "{what}: {}", output.error);
    output
}

/// Checks values when the claimed error may be large; they must be within `near`.
pub fn check_near(model: &Model, input: &[f64], what: &str, near: f64) -> Output {
    let output = run(model, input);
    let wanted = model.approximate(input).unwrap();
    assert_eq!(output.values.len(), wanted.len(), "{what}");
    for (place, (got, wanted)) in output.values.iter().zip(&wanted).enumerate() {
        let most = near.min(WORST * output.error);
        assert!((got - wanted).abs() < most, "{what}, {place}: {got}, {wanted} within {most:e}");
    }
    output
}
