// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Layers of more values than a ciphertext has slots.

use std::ops::ControlFlow;
use std::path::Path;

use halimede_ckks::params::{BootstrapShape, SecretKind};
use halimede_ckks::{Client, Parameters};
use halimede_ckks_nn::graph::{Activation, Convolution, NodeId, Operator, Selection, Window};
use halimede_ckks_nn::{
    Calibration, Ciphertexts, Graph, Model, NetworkClient, NetworkError, NetworkServer, Options,
};
use rand::seq::SliceRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::setting::{check, compiled, convolution, linear, rng, run, shape, values};

/// 512 slots, without bootstraps.
const SMALL: &str = "n10-insecure";

/// Returns a network compiled for a ring of 2ⁿ⁻¹ slots, with six levels after a bootstrap.
fn compiled_in(log_degree: u32, graph: &Graph, samples: &[Vec<f64>], guard: bool) -> Model {
    let shape = BootstrapShape::new(log_degree, 6, 4);
    let parameters = Parameters::insecure(shape, SecretKind::Ternary).unwrap();
    let calibration = Calibration::new(graph, samples).unwrap();
    let options = Options { degree: 3, guard, ..Options::default() };
    Model::compile(graph, &calibration, &parameters, &options).unwrap()
}

fn samples(rng: &mut ChaCha8Rng, graph: &Graph) -> Vec<Vec<f64>> {
    (0..4).map(|_| values(rng, graph.input_shape().size())).collect()
}

fn push(graph: &mut Graph, name: &str, operator: Operator, inputs: &[NodeId]) -> NodeId {
    graph.push(name, operator, inputs).unwrap()
}

/// Returns the numbers of ciphertexts of the input, of each matrix's layer, and of the result.
fn counts(model: &Model) -> (usize, Vec<usize>, usize) {
    let interface = model.interface();
    let layers = model.report().layers.iter().map(|layer| layer.ciphertexts).collect();
    (interface.input_ciphertexts(), layers, interface.output_ciphertexts())
}

#[test]
fn layers_without_activations_take_any_number_of_ciphertexts() {
    let mut rng = rng(51);
    // Channels in two and in five ciphertexts; rows of a channel in three; a row in two.
    let cases: [(&[usize], usize); 4] =
        [(&[3, 12, 16], 2), (&[9, 16, 16], 5), (&[1, 40, 30], 3), (&[1, 1, 700], 2)];
    for (axes, parts) in cases {
        let mut graph = Graph::new(shape(axes));
        let input = graph.input();
        let pads = [rng.gen_range(0..2), 1, rng.gen_range(0..2), 1];
        let window = Window { strides: [1, rng.gen_range(1..3)], pads, ..Window::new([1, 3]) };
        let layer = convolution(&mut rng, axes[0], axes[0], 1, window);
        push(&mut graph, "convolution", layer, &[input]);
        let samples = samples(&mut rng, &graph);
        let model = compiled(&graph, &samples, SMALL, &Options::default());
        assert_eq!(counts(&model).0, parts, "{axes:?}");
        let exact = graph.evaluate(&samples[0]).unwrap();
        let output = check(&model, &samples[0], &format!("{axes:?}"));
        for (got, wanted) in output.values.iter().zip(exact) {
            assert!((got - wanted).abs() < 12.0 * output.error, "{axes:?}: {got} {wanted}");
        }
    }
    for (columns, rows, expected) in [(600, 20, (2, 1)), (20, 1100, (1, 3)), (600, 700, (2, 2))] {
        let mut graph = Graph::new(shape(&[columns]));
        let input = graph.input();
        let layer = linear(&mut rng, columns, rows);
        push(&mut graph, "linear", layer, &[input]);
        let samples = samples(&mut rng, &graph);
        let model = compiled(&graph, &samples, SMALL, &Options::default());
        let (inputs, layers, outputs) = counts(&model);
        assert_eq!(((inputs, outputs), layers), (expected, vec![expected.1]));
        check(&model, &samples[0], &format!("{columns} to {rows}"));
    }
}

/// A permutation of 2¹⁵ values has about 20,000 diagonals: 10 GiB, none of which is allocated.
#[test]
fn a_matrix_of_too_many_diagonals_is_refused() {
    let count = 1 << 15;
    let mut rng = rng(57);
    let mut places: Vec<u32> = (0..count).collect();
    places.shuffle(&mut rng);
    let mut graph = Graph::new(shape(&[count as usize]));
    let shuffle = Operator::Select(Selection { places, shape: shape(&[count as usize]) });
    let input = graph.input();
    push(&mut graph, "shuffle", shuffle, &[input]);
    let calibration = Calibration::new(&graph, &[vec![0.5; count as usize]]).unwrap();
    let parameters = Parameters::preset("n16").unwrap();
    let options = Options { guard: false, ..Options::default() };
    let error = Model::compile(&graph, &calibration, &parameters, &options).err().unwrap();
    let NetworkError::Limit { what, got, limit } = &error else { panic!("{error}") };
    assert!(what.contains("diagonals of a layer's matrix"), "{error}");
    assert!(*got > 20_000 << 15 && *limit == 1 << 28, "{error}");
}

/// A network of every kind of layer: a convolution with a stride, a residual sum, a concatenation,
/// a pool and a linear layer, with activations by polynomials between them.
fn network(rng: &mut ChaCha8Rng, [channels, size]: [usize; 2]) -> Graph {
    let mut graph = Graph::new(shape(&[2, size, size]));
    let input = graph.input();
    let three = Window { pads: [1; 4], ..Window::new([3, 3]) };
    let relu = || Operator::Activation(Activation::Relu);
    let first = convolution(rng, 2, channels, 1, three);
    let first = push(&mut graph, "first", first, &[input]);
    let first = push(&mut graph, "relu1", relu(), &[first]);
    let second = convolution(rng, channels, channels, 1, three);
    let second = push(&mut graph, "second", second, &[first]);
    let sum = push(&mut graph, "sum", Operator::Add, &[second, first]);
    let sum = push(&mut graph, "relu2", relu(), &[sum]);
    let half = Window { strides: [2, 2], ..three };
    let both = [convolution(rng, channels, channels, 1, half), {
        let window = Window { strides: [2, 2], ..Window::new([2, 2]) };
        Operator::AveragePool { window, counts_pads: false }
    }];
    let both = both.map(|operator| push(&mut graph, "half", operator, &[sum]));
    let both = push(&mut graph, "both", Operator::Concat, &both);
    let last = push(&mut graph, "relu3", relu(), &[both]);
    let features = 2 * channels * (size / 2).pow(2);
    let flat = push(&mut graph, "flat", Operator::Reshape(shape(&[features])), &[last]);
    let layer = linear(rng, features, 5);
    push(&mut graph, "linear", layer, &[flat]);
    graph
}

#[test]
fn networks_have_the_same_values_in_one_and_in_several_ciphertexts() {
    // Ciphertexts of the input and of the widest layer.
    for (seed, sizes, input, widest) in [(52, [5, 12], 1, 2), (53, [5, 18], 2, 5)] {
        let mut rng = rng(seed);
        let graph = network(&mut rng, sizes);
        let samples = samples(&mut rng, &graph);
        let several = compiled_in(10, &graph, &samples, true);
        let (inputs, layers, outputs) = counts(&several);
        let most = layers.iter().copied().max();
        assert_eq!((inputs, most, outputs), (input, Some(widest), 1), "{}", several.report());
        assert!(several.report().bootstraps > 0);
        let one = compiled_in(13, &graph, &samples, false);
        assert_eq!(counts(&one), (1, vec![1; 4], 1));
        let (found, wanted) =
            (check(&several, &samples[0], "several"), check(&one, &samples[0], "one"));
        assert_eq!(found.label(), wanted.label());
        assert!(found.guard.is_some_and(|guard| guard < 0.5), "{found:?}");
    }
}

#[test]
fn products_and_maxima_meet_in_several_ciphertexts() {
    let mut rng = rng(54);
    let mut graph = Graph::new(shape(&[3, 16, 16]));
    let input = graph.input();
    let one = Window::new([1, 1]);
    let layers = [0, 1].map(|_| convolution(&mut rng, 3, 3, 1, one));
    let [a, b] = layers.map(|layer| push(&mut graph, "layer", layer, &[input]));
    let a = push(&mut graph, "tanh", Operator::Activation(Activation::Tanh), &[a]);
    let product = push(&mut graph, "product", Operator::Product, &[a, b]);
    let sum = push(&mut graph, "sum", Operator::Add, &[product, a]);
    graph.push_maximum("maximum", sum, b).unwrap();
    let samples = samples(&mut rng, &graph);
    let model = compiled_in(10, &graph, &samples, true);
    let (inputs, mut layers, outputs) = counts(&model);
    // The slot of the guard leaves room for one channel in a result's ciphertext.
    assert_eq!((inputs, layers.pop(), outputs), (2, Some(3), 3));
    assert!(layers.iter().all(|count| *count == 2), "{layers:?}");
    check(&model, &samples[0], "products");
}

/// Returns a network of two ciphertexts with an activation, and its client and inputs.
fn parties(seed: u64) -> (Model, NetworkClient, Vec<Vec<f64>>) {
    let mut rng = rng(seed);
    let mut graph = Graph::new(shape(&[700]));
    let input = graph.input();
    let layer = linear(&mut rng, 700, 600);
    let layer = push(&mut graph, "linear", layer, &[input]);
    let tanh = push(&mut graph, "tanh", Operator::Activation(Activation::Tanh), &[layer]);
    let last = linear(&mut rng, 600, 520);
    push(&mut graph, "last", last, &[tanh]);
    let samples = samples(&mut rng, &graph);
    let model = compiled_in(10, &graph, &samples, true);
    let client = Client::of_test(model.interface().parameters(), 5);
    let client = NetworkClient::with_client(model.interface(), client);
    (model, client, samples)
}

fn parts_of(ciphertext: &Ciphertexts, parameters: &Parameters) -> Vec<Vec<u8>> {
    let part = |part| {
        let mut bytes = Vec::new();
        ciphertext.save_part(part, &mut bytes, parameters).unwrap();
        bytes
    };
    (0..ciphertext.parts().len()).map(part).collect()
}

#[test]
fn ciphertexts_that_do_not_belong_together_are_refused() {
    let (model, mut client, samples) = parties(55);
    let parameters = model.interface().parameters();
    let server = NetworkServer::new(&model, client.evaluation_keys()).unwrap();
    let run = |encrypted: &Ciphertexts| server.run(encrypted, |_| ControlFlow::Continue(()));
    let [encrypted, other] = [0, 1].map(|sample| client.encrypt(&samples[sample]).unwrap());
    let parts = parts_of(&encrypted, parameters);
    let load = |bytes: &[u8]| Ciphertexts::load(bytes, parameters);
    let [first, second] = &parts[..] else { panic!("{} parts", parts.len()) };
    // Saved and reloaded ciphertexts give the same values, and the result identifies its input.
    let again = load(&parts.concat()).unwrap();
    let result = run(&again).unwrap();
    assert!(result.belongs_to(&encrypted) && !result.belongs_to(&other));
    let mut bytes = Vec::new();
    result.save(&mut bytes, parameters).unwrap();
    let output = client.decrypt(&load(&bytes).unwrap()).unwrap();
    let wanted = model.approximate(&samples[0]).unwrap();
    let off = output.values.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 12.0 * output.error, "{off} {}", output.error);
    // Another order, parts of another input, too few, too many, and no parts.
    let foreign = &parts_of(&other, parameters)[1];
    let changed = |place: usize, byte: u8| {
        let mut changed = first.clone();
        changed[place] ^= byte;
        [changed, second.clone()].concat()
    };
    let alone = {
        let mut bytes = Vec::new();
        encrypted.parts()[1].save(&mut bytes, parameters).unwrap();
        bytes
    };
    for (bytes, reason) in [
        ([&second[..], first].concat(), "expected part 1, got part 2 of 2"),
        ([&first[..], first].concat(), "expected part 2, got part 1 of 2"),
        ([&first[..], foreign].concat(), "part 2 belongs to another input"),
        ([&first[..], &alone].concat(), "part 2 is not one of several"),
        (first.clone(), "ends before part 2"),
        (first[..20].to_vec(), "ends before part 1"),
        (Vec::new(), "ends before part 1"),
        (changed(0, 1), "CKKS"),
        (changed(9, 1), "part 2 belongs to another input"),
        (changed(24, 4), "part 5 of 2"),
        (changed(29, 8), "2050 ciphertexts, expected 2 to 1024"),
        (changed(60, 1), ""),
    ] {
        let error = load(&bytes).expect_err(reason).to_string();
        assert!(error.contains(reason), "{error}, wanted {reason}");
    }
    // One ciphertext of two, and one of another network.
    let one = Ciphertexts::from(encrypted.parts()[0].clone());
    let error = run(&one).unwrap_err();
    assert!(matches!(error, NetworkError::Ciphertexts { what: "an input", .. }), "{error}");
    assert!(error.to_string().contains("expected 2, got 1"), "{error}");
    assert!(matches!(client.decrypt(&one), Err(NetworkError::Ciphertexts { .. })));
    // Another key.
    let stranger = Client::of_test(parameters, 6);
    let mut stranger = NetworkClient::with_client(model.interface(), stranger);
    let error = run(&stranger.encrypt(&samples[0]).unwrap()).unwrap_err();
    assert!(matches!(error, NetworkError::Circuit(_)), "{error}");
}

#[test]
fn the_guard_covers_each_ciphertext() {
    // The sum of each value and the next is calibrated with samples whose neighbors cancel.
    let count = 600;
    let mut graph = Graph::new(shape(&[1, 1, count]));
    let input = graph.input();
    let window = Window::new([1, 2]);
    let (weights, bias) = (vec![1.0, 1.0], Vec::new());
    let sums = Convolution { channels: 1, groups: 1, window, weights, bias };
    let sums = push(&mut graph, "sums", Operator::Convolution(sums), &[input]);
    push(&mut graph, "tanh", Operator::Activation(Activation::Tanh), &[sums]);
    let alternating = |size: f64| (0..count).map(move |k| if k % 2 == 0 { size } else { -size });
    let mut samples: Vec<Vec<f64>> = [1.0, -1.0].map(|size| alternating(size).collect()).into();
    samples[0][0] = 0.75;
    let model = compiled_in(10, &graph, &samples, true);
    assert_eq!(counts(&model).1, [2, 2]);
    let good = run(&model, &samples[0]);
    assert!(good.guard.is_some_and(|guard| guard < 0.1), "{good:?}");
    for place in [5, count - 5] {
        let mut bad = samples[0].clone();
        bad[place] = bad[place + 1];
        let client = Client::of_test(model.interface().parameters(), 6);
        let mut client = NetworkClient::with_client(model.interface(), client);
        let server = NetworkServer::new(&model, client.evaluation_keys()).unwrap();
        let ciphertext = client.encrypt(&bad).unwrap();
        let result = server.run(&ciphertext, |_| ControlFlow::Continue(())).unwrap();
        let error = client.decrypt(&result).unwrap_err();
        assert!(matches!(error, NetworkError::Guard { .. }), "{place}: {error}");
    }
}

#[test]
fn a_run_of_several_ciphertexts_goes_on_from_its_checkpoint() {
    let mut rng = rng(56);
    let mut graph = Graph::new(shape(&[600]));
    let mut last = graph.input();
    for layer in 0..3 {
        let factors: Vec<f64> = (0..600).map(|_| rng.gen_range(0.5..1.0)).collect();
        let scale = Operator::ChannelScale { factors, summands: values(&mut rng, 600) };
        last = push(&mut graph, &format!("scale {layer}"), scale, &[last]);
        let tanh = Operator::Activation(Activation::Tanh);
        last = push(&mut graph, &format!("tanh {layer}"), tanh, &[last]);
    }
    let samples = samples(&mut rng, &graph);
    let model = compiled_in(10, &graph, &samples, true);
    let client = Client::of_test(model.interface().parameters(), 5);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = NetworkServer::new(&model, client.evaluation_keys()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path: &Path = folder.path();
    let server = server.keeping_checkpoints(path).unwrap();
    let ciphertext = client.encrypt(&samples[0]).unwrap();
    let whole = server.run(&ciphertext, |_| ControlFlow::Continue(())).unwrap();
    let bytes = |of: &Ciphertexts| {
        let mut bytes = Vec::new();
        of.save(&mut bytes, model.interface().parameters()).unwrap();
        bytes
    };
    let bootstraps: Vec<usize> = (0..model.plan().steps().len())
        .filter(|place| model.plan().steps()[*place].is_bootstrap())
        .collect();
    assert!(bootstraps.len() >= 2, "{}", model.report());
    for bootstrap in bootstraps {
        let stopped = server.run(&ciphertext, |progress| match progress.done > bootstrap {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        assert!(stopped.unwrap_err().to_string().contains("stopped"));
        let mut begun = None;
        let result = server.run(&ciphertext, |progress| {
            begun.get_or_insert(progress.done);
            ControlFlow::Continue(())
        });
        assert_eq!(begun, Some(bootstrap + 2));
        assert!(bytes(&result.unwrap()) == bytes(&whole));
    }
    let output = client.decrypt(&whole).unwrap();
    let wanted = model.approximate(&samples[0]).unwrap();
    for (got, wanted) in output.values.iter().zip(wanted) {
        assert!((got - wanted).abs() < 12.0 * output.error, "{got} {wanted}");
    }
}
