// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shared results of networks and shared trained weights: the noise has the stated size, above the
//! measured errors, whatever the result claims about its own error.

use std::ops::ControlFlow;

use halimede_ckks::params::{BootstrapShape, SecretKind};
use halimede_ckks::{Ciphertext, Client, Complex, Parameters, Server, Sharing, SharingError};
use halimede_ckks_nn::graph::{Activation, Operator};
use halimede_ckks_nn::train::{Logistic, LogisticOptions, Table};
use halimede_ckks_nn::{
    Ciphertexts, Graph, Model, NetworkClient, NetworkError, NetworkServer, NetworkSharing, Options,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::network::residual;
use super::setting::{compiled, linear, rng, shape, values};

/// Returns the client and a server's result for inputs.
fn run(model: &Model, inputs: &[Vec<f64>]) -> (NetworkClient, Ciphertexts) {
    let client = Client::of_test(model.interface().parameters(), 5);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = NetworkServer::new(model, client.evaluation_keys()).unwrap();
    let ciphertext = client.encrypt_all(inputs).unwrap();
    let result = server.run(&ciphertext, |_| ControlFlow::Continue(())).unwrap();
    (client, result)
}

/// Returns a matrix, a hyperbolic tangent, a matrix: 16 values to 8.
fn shallow(rng: &mut ChaCha8Rng) -> Graph {
    let mut graph = Graph::new(shape(&[16]));
    let sum = graph.push("sum", linear(rng, 16, 12), &[graph.input()]).unwrap();
    let tanh = graph.push("tanh", Operator::Activation(Activation::Tanh), &[sum]).unwrap();
    graph.push("last", linear(rng, 12, 8), &[tanh]).unwrap();
    graph
}

fn samples(rng: &mut ChaCha8Rng, size: usize) -> Vec<Vec<f64>> {
    (0..20).map(|_| values(rng, size)).collect()
}

/// Returns a model with a guard, in batches, without bootstraps.
fn shallow_model(batch: usize) -> (Model, Vec<Vec<f64>>) {
    let mut rng = rng(41);
    let graph = shallow(&mut rng);
    let samples = samples(&mut rng, 16);
    let options = Options { degree: 7, batch, ..Options::default() };
    (compiled(&graph, &samples, "n13-insecure", &options), samples)
}

/// The network's own bound of its errors, computed without a ciphertext, equals the claim of its
/// results, except for the random angles of bootstraps.
#[test]
fn the_bound_of_a_network_is_the_claim_of_its_results() {
    let mut rng = rng(42);
    let deep = residual(&mut rng);
    let images = samples(&mut rng, 64);
    let options = Options { degree: 7, ..Options::default() };
    let boot = compiled(&deep, &images, "n10-boot-insecure", &options);
    let few_keys = Options { few_keys: true, ..options };
    let few_keys = compiled(&deep, &images, "n10-boot-insecure", &few_keys);
    let (alone, batch) = (shallow_model(1), shallow_model(5));
    for (name, model, inputs) in [
        ("alone", alone.0, &alone.1[..1]),
        ("batch", batch.0, &batch.1[..5]),
        ("bootstraps", boot, &images[..1]),
        ("few keys", few_keys, &images[..1]),
    ] {
        let (_, result) = run(&model, inputs);
        let claimed = result.parts().iter().map(|part| part.estimate().error).fold(0.0, f64::max);
        let stated = model.sharing(1, 1).unwrap().known_error().unwrap();
        // With half a bit for estimates that are too small.
        let ratio = stated / (claimed * 0.5_f64.exp2());
        println!("{name}: claimed {claimed:.3e}, stated {stated:.3e}");
        assert!((ratio - 1.0).abs() < 1e-2, "{name}: {ratio}");
    }
}

/// Returns the root mean square.
fn deviation(differences: impl Iterator<Item = f64>) -> f64 {
    let squares: Vec<f64> = differences.map(|x| x * x).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

/// Raw results show the error as it is. Shared ones have the stated noise, above the true error,
/// also for a result that claims no error.
#[test]
fn noise_is_above_the_true_error_whatever_a_result_claims() {
    let (model, samples) = shallow_model(1);
    let (mut client, result) = run(&model, &samples[..1]);
    let exact = model.approximate(&samples[0]).unwrap();
    let raw = client.decrypt(&result).unwrap();
    let error = deviation(raw.values.iter().zip(&exact).map(|(got, wanted)| got - wanted));
    let sharing = model.sharing(4, 64).unwrap();
    let parameters = model.interface().parameters();
    let wanted_bits = 2.0 + 0.5 * (12.0 * 64.0 * parameters.degree() as f64).log2();
    let forged = Ciphertexts::from(result.parts()[0].with_error_at_most(0.0));
    let mut noises = Vec::new();
    for result in [&result, &forged] {
        let mut differences = Vec::new();
        let mut stated = 0.0;
        for _ in 0..30 {
            let shared = client.decrypt_for_sharing(result, &sharing).unwrap();
            assert!(shared.guard.unwrap().abs() < 0.5);
            differences.extend(shared.values.iter().zip(&raw.values).map(|(got, raw)| got - raw));
            stated = shared.error;
        }
        let noise = deviation(differences.into_iter());
        println!("error {error:.2e}, noise {noise:.2e}, stated {stated:.2e}");
        // The guard that is subtracted is common to the eight values: 30 samples.
        assert!((0.7..1.4).contains(&(noise / stated)), "{noise} {stated}");
        assert!((noise / error).log2() > wanted_bits, "{noise} {error} {wanted_bits}");
        noises.push(stated);
    }
    assert!((noises[0] / noises[1] - 1.0).abs() < 1e-3, "{noises:?}");
    // All 64 were counted, and 60 of them are done.
    for _ in 0..4 {
        client.decrypt_for_sharing(&result, &sharing).unwrap();
    }
    let error = client.decrypt_for_sharing(&result, &sharing).unwrap_err();
    let budget = SharingError::Budget { made: 64, queries: 64 };
    assert_eq!(error, NetworkError::Sharing(budget));
}

/// Returns an input in the range of inputs whose activation argument is as large as possible.
fn far(model: &Model) -> Vec<f64> {
    let mut rng = rng(45);
    let range = model.interface().input_range();
    let mut any = || -> Vec<f64> {
        (0..16).map(|_| if rng.gen() { range.low } else { range.high }).collect()
    };
    let argument = |input: &Vec<f64>| {
        let mut most = 0f64;
        let values = model.graph().evaluate_with(input, |_, _, values| {
            most = values.iter().fold(most, |most, value| most.max(value.abs()));
        });
        values.unwrap();
        most
    };
    let inputs: Vec<Vec<f64>> = (0..1000).map(|_| any()).collect();
    inputs.into_iter().max_by(|a, b| argument(a).total_cmp(&argument(b))).unwrap()
}

/// An owner with only the interface states a bound; each ciphertext is a decryption; guards are
/// checked.
#[test]
fn what_cannot_be_shared_says_why() {
    let (model, samples) = shallow_model(1);
    let (mut client, result) = run(&model, &samples[..1]);
    let own = NetworkSharing::new(4, 64);
    let error = client.decrypt_for_sharing(&result, &own).unwrap_err();
    assert!(matches!(error, NetworkError::Unbounded { .. }), "{error}");
    let own = own.with_error(1e-6);
    let shared = client.decrypt_for_sharing(&result, &own).unwrap();
    let bits = Sharing::new(4, 64).flooding_bits(model.interface().parameters());
    assert!(shared.error > 1e-6 * bits.exp2());
    let error = client.decrypt_for_sharing(&result, &own.clone().with_error(1e-5)).unwrap_err();
    assert!(matches!(error, NetworkError::NoisyGuard { .. }), "{error}");
    let error = client.decrypt_for_sharing(&result, &own.clone().with_error(1.0));
    assert!(matches!(error, Err(NetworkError::Sharing(SharingError::Precision { .. }))));
    // A result of another level, for which the noise would have the wrong size.
    let server = Server::new(client.evaluation_keys());
    let low = server.at_level(&result.parts()[0], result.parts()[0].level() - 1).unwrap();
    let error =
        client.decrypt_for_sharing(&low.into(), &model.sharing(4, 64).unwrap()).unwrap_err();
    assert!(error.to_string().contains("not that of the network's result"), "{error}");
    // An argument of the activation leaves its interval, which the values of such a result do not
    // reveal.
    let far = run(&model, &[far(&model)]).1;
    let error = client.decrypt_for_sharing(&far, &own).unwrap_err();
    assert_eq!(error, NetworkError::SharedGuard);
    // Without a guard nothing bounds the errors, unless their owner knows a bound.
    let mut rng = rng(43);
    let graph = shallow(&mut rng);
    let options = Options { degree: 7, guard: false, ..Options::default() };
    let open = compiled(&graph, &samples, "n13-insecure", &options);
    let error = open.sharing(4, 64).unwrap_err();
    assert!(error.to_string().contains("no guard"), "{error}");
    let (mut client, result) = run(&open, &samples[..1]);
    assert!(client.decrypt_for_sharing(&result, &own).is_ok());
}

#[test]
fn each_ciphertext_is_a_decryption() {
    let (model, samples) = shallow_model(600);
    let (mut client, result) = run(&model, &samples[..5]);
    let count = result.parts().len() as u32;
    assert!(count > 1);
    let few = model.sharing(2, count - 1).unwrap();
    let error = client.decrypt_all_for_sharing(&result, &few).unwrap_err();
    assert_eq!(error, NetworkError::Decryptions { wanted: count, queries: count - 1 });
    let enough = model.sharing(2, count).unwrap();
    let shared = client.decrypt_all_for_sharing(&result, &enough).unwrap();
    assert_eq!((shared.outputs.len(), shared.decryptions), (600, count));
    for (input, output) in samples[..5].iter().zip(&shared.outputs) {
        let output = output.as_ref().unwrap();
        for (got, wanted) in output.values.iter().zip(model.approximate(input).unwrap()) {
            assert!((got - wanted).abs() < 6.0 * output.error, "{got} {wanted} {}", output.error);
        }
    }
    let error = client.decrypt_all_for_sharing(&result, &enough).unwrap_err();
    assert!(matches!(error, NetworkError::Sharing(SharingError::Budget { .. })), "{error}");
}

/// Trained weights: estimates bound nothing, the owner's bound is required, and is checked if the
/// samples are available.
#[test]
fn weights_are_shared_within_a_bound_that_is_checked() {
    let mut rng = rng(44);
    let shape = BootstrapShape::new(10, 9, 3);
    let parameters = Parameters::insecure(shape, SecretKind::Ternary).unwrap();
    let rows: Vec<Vec<f64>> = (0..60).map(|_| values(&mut rng, 11)).collect();
    let classes = rows.iter().map(|row| row[0] - row[3] + rng.gen_range(-0.2..0.2) > 0.0).collect();
    let tables = [Table::new(rows, classes).unwrap()];
    let options =
        LogisticOptions { iterations: 5, rate: 4.0, interval: 8.0, ..LogisticOptions::default() };
    let training = Logistic::new(&parameters, 60, 11, options).unwrap();
    let mut client = Client::of_test(&parameters, 7);
    let server = Server::new(training.evaluation_keys(&mut client));
    let ciphertext = training.encrypt(&mut client, &tables[0]).unwrap();
    let weights: Ciphertext =
        training.train(&server, &ciphertext, |_| ControlFlow::Continue(())).unwrap();
    let raw = training.decrypt(&client, &weights).unwrap();
    let error = training.error_of(&client, &weights, &tables).unwrap();
    println!("claimed {:e}, measured {error:e}", weights.estimate().error);
    // It is the root mean square of all slots.
    let slots: Vec<Complex> = client.decrypt(&weights).unwrap();
    let exact = training.in_plaintext(&tables[0], false).unwrap();
    let own: f64 = raw.iter().zip(&exact).map(|(got, wanted)| (got - wanted).powi(2)).sum();
    assert!(error.powi(2) * slots.len() as f64 >= own && error < 1e-2);
    // Neither its estimate nor a missing bound allows sharing.
    let plain = Sharing::new(1, 1);
    assert!(client.decrypt_for_sharing(&weights, &plain).is_err());
    let statement = NetworkSharing::new(1, 1);
    let refused = training.decrypt_for_sharing(&mut client, &weights, &statement).unwrap_err();
    assert!(matches!(refused, NetworkError::Unbounded { .. }), "{refused}");
    // The bound is checked against the measured error.
    training.check_error(&client, &weights, &tables, error * 1.01).unwrap();
    let refused = training.check_error(&client, &weights, &tables, error * 0.99).unwrap_err();
    assert!(matches!(refused, NetworkError::WeightError { .. }), "{refused}");
    let bound = error.log2().ceil().exp2();
    let statement = statement.with_error(bound);
    let shared = training.decrypt_for_sharing(&mut client, &weights, &statement).unwrap();
    assert_eq!(shared.weights.len(), 12);
    let noise = (-shared.precision_bits).exp2();
    let bits = plain.flooding_bits(&parameters);
    assert!(noise >= bound * bits.exp2() && shared.flooding_bits == bits);
    let got = deviation(shared.weights.iter().zip(&raw).map(|(got, raw)| got - raw));
    // A weight is one of two parts of a slot.
    assert!((0.35..1.2).contains(&(got / noise)), "{got} {noise}");
    let refused = training.decrypt_for_sharing(&mut client, &weights, &statement).unwrap_err();
    assert!(matches!(refused, NetworkError::Sharing(SharingError::Budget { .. })), "{refused}");
}
