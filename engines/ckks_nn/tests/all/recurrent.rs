// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Recurrent layers: plaintext values follow the definition, encrypted ones equal plaintext.

use std::ops::ControlFlow;

use halimede_ckks::params::{BootstrapShape, SecretKind};
use halimede_ckks::{Client, Parameters};
use halimede_ckks_nn::graph::{Activation, Carried, Cell, NodeId, Operator, Recurrent};
use halimede_ckks_nn::{
    Calibration, Graph, Model, NetworkClient, NetworkError, NetworkServer, Options,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::setting::{check, check_near, linear, rng, run, shape, values};

/// The allowed distance from plaintext values: estimates grow from step to step.
const NEAR: f64 = 1e-5;

/// 512 slots, and nine levels after a bootstrap.
fn parameters() -> Parameters {
    Parameters::insecure(BootstrapShape::new(10, 9, 3), SecretKind::Ternary).unwrap()
}

fn lstm() -> Cell {
    let (gate, candidate, output) = (Activation::Sigmoid, Activation::Tanh, Activation::Tanh);
    Cell::Lstm { gate, candidate, output }
}

fn gru(resets_product: bool) -> Cell {
    Cell::Gru { gate: Activation::Sigmoid, candidate: Activation::Tanh, resets_product }
}

/// Returns a layer with random weights.
fn layer(
    rng: &mut ChaCha8Rng,
    cell: Cell,
    inputs: usize,
    hidden: usize,
    has_all: bool,
) -> Recurrent {
    let rows = cell.gates() * hidden;
    let mut some = |count: usize| if has_all { values(rng, count) } else { Vec::new() };
    let (input_bias, state_bias) = (some(rows), some(rows));
    let first_hidden = some(hidden);
    let first_cell = if matches!(cell, Cell::Lstm { .. }) { some(hidden) } else { Vec::new() };
    let scaled = |rng: &mut ChaCha8Rng, columns: usize| -> Vec<f64> {
        let scale = (columns as f64).sqrt();
        values(rng, rows * columns).iter().map(|x| 1.5 * x / scale).collect()
    };
    let (input_weights, state_weights) = (scaled(rng, inputs), scaled(rng, hidden));
    Recurrent {
        cell,
        hidden,
        input_weights,
        state_weights,
        input_bias,
        state_bias,
        first_hidden,
        first_cell,
        is_reverse: has_all && rng.gen(),
    }
}

fn or_zeros(values: &[f64], count: usize) -> Vec<f64> {
    if values.is_empty() {
        return vec![0.0; count];
    }
    values.to_vec()
}

/// Returns the hidden states of all steps in the order of the sequence, and the last cell state, by
/// ONNX's equations.
fn by_definition(of: &Recurrent, sequence: &[f64], steps: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let hidden = of.hidden;
    let rows = of.cell.gates() * hidden;
    let (wb, rb) = (or_zeros(&of.input_bias, rows), or_zeros(&of.state_bias, rows));
    let inputs = sequence.len() / steps;
    let row = |weights: &[f64], row: usize, x: &[f64]| -> f64 {
        weights[row * x.len()..][..x.len()].iter().zip(x).map(|(w, x)| w * x).sum()
    };
    let mut h = or_zeros(&of.first_hidden, hidden);
    let mut c = or_zeros(&of.first_cell, hidden);
    let mut all = Vec::new();
    for step in 0..steps {
        let step = if of.is_reverse { steps - 1 - step } else { step };
        let x = &sequence[step * inputs..][..inputs];
        let wx = |gate: usize, of_row: usize| {
            let of_row = gate * hidden + of_row;
            row(&of.input_weights, of_row, x) + wb[of_row]
        };
        let rh = |gate: usize, of_row: usize, h: &[f64]| {
            let of_row = gate * hidden + of_row;
            row(&of.state_weights, of_row, h) + rb[of_row]
        };
        let places = 0..hidden;
        let next: Vec<f64> = match &of.cell {
            Cell::Lstm { gate, candidate, output } => {
                let value = |k: usize, f: &Activation, place: usize| {
                    f.value(wx(k, place) + rh(k, place, &h))
                };
                let cell = |place: usize| {
                    let kept = value(2, gate, place) * c[place];
                    kept + value(0, gate, place) * value(3, candidate, place)
                };
                let new: Vec<f64> = places.clone().map(cell).collect();
                let state = |place: usize| value(1, gate, place) * output.value(new[place]);
                let state = places.map(state).collect();
                c = new;
                state
            }
            Cell::Gru { gate, candidate, resets_product } => {
                let value = |k: usize, place: usize| gate.value(wx(k, place) + rh(k, place, &h));
                let reset: Vec<f64> = places.clone().map(|place| value(1, place)).collect();
                let held: Vec<f64> = reset.iter().zip(&h).map(|(r, h)| r * h).collect();
                let new = |place: usize| {
                    let of_state = match resets_product {
                        true => reset[place] * rh(2, place, &h),
                        false => rh(2, place, &held),
                    };
                    candidate.value(wx(2, place) + of_state)
                };
                let state = |place: usize| {
                    let update = value(0, place);
                    (1.0 - update) * new(place) + update * h[place]
                };
                places.map(state).collect()
            }
            Cell::Simple(function) => {
                places.map(|place| function.value(wx(0, place) + rh(0, place, &h))).collect()
            }
        };
        h.clone_from(&next);
        all.push(next);
    }
    if of.is_reverse {
        all.reverse();
    }
    (all, c)
}

/// Returns a network of a layer and a linear one on its last state.
fn network(rng: &mut ChaCha8Rng, of: &Recurrent, inputs: usize, steps: usize) -> Graph {
    let mut graph = Graph::new(shape(&[steps, inputs]));
    let unrolled = graph.push_recurrent("cell", of, graph.input(), steps).unwrap();
    let last = linear(rng, of.hidden, 2);
    graph.push("last", last, &[unrolled.last_hidden]).unwrap();
    graph
}

fn compiled(graph: &Graph, samples: &[Vec<f64>], degree: usize, guard: bool) -> Model {
    let calibration = Calibration::new(graph, samples).unwrap();
    let options = Options { degree, guard, ..Options::default() };
    Model::compile(graph, &calibration, &parameters(), &options).unwrap()
}

#[test]
fn cells_are_those_of_their_definitions() {
    let mut rng = rng(41);
    for case in 0..60 {
        let cells = [lstm(), gru(false), gru(true), Cell::Simple(Activation::Relu)];
        let cell = cells[case % 4].clone();
        let mut size = || rng.gen_range(1..7);
        let (inputs, hidden, steps) = (size(), size(), size());
        let of = layer(&mut rng, cell, inputs, hidden, case % 3 > 0);
        let mut graph = Graph::new(shape(&[steps * inputs]));
        let unrolled = graph.push_recurrent("cell", &of, graph.input(), steps).unwrap();
        let sequence = values(&mut rng, steps * inputs);
        let (states, cell) = by_definition(&of, &sequence, steps);
        let mut is_near = |node, wanted: &[f64]| {
            graph.set_output(node);
            let found = graph.evaluate(&sequence).unwrap();
            assert_eq!(found.len(), wanted.len());
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found - wanted).abs() < 1e-12, "case {case}: {found} {wanted}");
            }
        };
        for (node, wanted) in unrolled.hidden.iter().zip(&states) {
            is_near(*node, wanted);
        }
        let last = if of.is_reverse { 0 } else { steps - 1 };
        is_near(unrolled.last_hidden, &states[last]);
        assert_eq!(unrolled.last_cell.is_some(), of.cell == lstm());
        if let Some(node) = unrolled.last_cell {
            is_near(node, &cell);
        }
    }
}

#[test]
fn encrypted_cells_have_the_values_of_plaintext() {
    let mut rng = rng(42);
    let cells = [lstm(), gru(false), gru(true), Cell::Simple(Activation::Tanh), lstm()];
    for (case, cell) in cells.into_iter().enumerate() {
        let (inputs, hidden) = (rng.gen_range(1..5), rng.gen_range(2..7));
        let steps = rng.gen_range(2..4);
        let of = layer(&mut rng, cell, inputs, hidden, case > 2);
        let graph = network(&mut rng, &of, inputs, steps);
        let samples: Vec<Vec<f64>> = (0..30).map(|_| values(&mut rng, steps * inputs)).collect();
        let model = compiled(&graph, &samples, 7, case % 2 == 0);
        let output = check_near(&model, &samples[0], &format!("case {case}"), NEAR);
        let exact = graph.evaluate(&samples[0]).unwrap();
        for (got, wanted) in output.values.iter().zip(&exact) {
            assert!((got - wanted).abs() < 0.05, "case {case}: {got} {wanted}");
        }
    }
}

/// The arguments of an LSTM's gates and its cell state are bootstrapped as one vector, and a step
/// needs nine levels: the matrix of the gates, their polynomial, a product, the cell state's
/// polynomial, a product.
#[test]
fn a_step_takes_one_bootstrap() {
    let mut rng = rng(43);
    for (cell, size) in [(lstm(), 1.0), (lstm(), 0.05), (gru(true), 1.0)] {
        let steps = 7;
        let mut of = layer(&mut rng, cell, 3, 8, false);
        // With small weights, products of gates determine the interval of the cell state.
        of.input_weights.iter_mut().for_each(|weight| *weight *= size);
        let graph = network(&mut rng, &of, 3, steps);
        let samples: Vec<Vec<f64>> = (0..30).map(|_| values(&mut rng, steps * 3)).collect();
        let report = compiled(&graph, &samples, 7, true).report();
        // One bootstrap per step: before the gates of an LSTM, otherwise before the matrix of the
        // next step.
        assert_eq!(report.bootstraps, steps, "{report}");
    }
}

/// With one input ciphertext per step, more steps have no more matrices. In a single ciphertext,
/// the input of each step has different places.
#[test]
fn steps_have_their_matrices_in_common() {
    let mut rng = rng(48);
    let (inputs, hidden) = (8, 8);
    for (case, cell) in [lstm(), gru(true)].into_iter().enumerate() {
        let of = layer(&mut rng, cell, inputs, hidden, case == 1);
        let mut counts = Vec::new();
        for (steps, most) in [(6, 16), (8, 16), (6, 1), (8, 1)] {
            let graph = network(&mut rng, &of, inputs, steps);
            let samples: Vec<Vec<f64>> =
                (0..20).map(|_| values(&mut rng, steps * inputs)).collect();
            let calibration = Calibration::new(&graph, &samples).unwrap();
            let options =
                Options { degree: 7, guard: false, input_ciphertexts: most, ..Options::default() };
            let model = Model::compile(&graph, &calibration, &parameters(), &options).unwrap();
            let interface = model.interface();
            assert_eq!(interface.input_ciphertexts(), if most == 1 { 1 } else { steps });
            // An LSTM's four gates are side by side.
            let of_step = if case == 0 { 4 * hidden } else { hidden };
            assert_eq!(
                model.report().slots,
                if most == 1 { (steps * inputs).next_power_of_two() } else { of_step }
            );
            counts.push(model.plan().matrices());
            if (case, steps, most) == (0, 6, 16) {
                check_near(&model, &samples[0], "an input", NEAR);
                let kept = model.plan().matrix_bytes();
                check_near(&model, &samples[1], "another input", NEAR);
                assert!(kept > 0 && model.plan().matrix_bytes() == kept);
            }
        }
        let [few, as_few, more, most] = counts[..] else { panic!("{counts:?}") };
        assert_eq!(few, as_few, "{counts:?}");
        assert!(more > few && most > more, "{counts:?}");
    }
}

#[test]
fn an_input_takes_1_to_1024_ciphertexts() {
    let mut rng = rng(49);
    let of = layer(&mut rng, Cell::Simple(Activation::Tanh), 4, 4, false);
    let graph = network(&mut rng, &of, 4, 3);
    let calibration = Calibration::new(&graph, &[values(&mut rng, 12)]).unwrap();
    for (most, limit) in [(0, 1024), (1025, 1024)] {
        let options = Options { input_ciphertexts: most, ..Options::default() };
        let error = Model::compile(&graph, &calibration, &parameters(), &options).err().unwrap();
        let what = "ciphertexts of an input, at least 1".to_owned();
        assert_eq!(error, NetworkError::Limit { what, got: most, limit });
    }
}

/// Steps are calibrated with inputs that cancel each other; one other input does not.
#[test]
fn what_leaves_a_gates_interval_is_refused() {
    let of = Recurrent {
        cell: lstm(),
        hidden: 1,
        input_weights: vec![1.0; 8],
        state_weights: vec![0.25; 4],
        input_bias: Vec::new(),
        state_bias: Vec::new(),
        first_hidden: Vec::new(),
        first_cell: Vec::new(),
        is_reverse: false,
    };
    let mut rng = rng(47);
    let graph = network(&mut rng, &of, 2, 2);
    let samples: Vec<Vec<f64>> = (0..20)
        .map(|_| {
            let [a, b]: [f64; 2] = [0; 2].map(|_| rng.gen_range(-1.0..1.0));
            vec![a, 0.1 - a, b, -0.1 - b]
        })
        .collect();
    let model = compiled(&graph, &samples, 7, true);
    let inside = run(&model, &samples[0]);
    assert!(inside.guard.is_some_and(|guard| guard < 0.1), "{inside:?}");
    let client = Client::of_test(&parameters(), 6);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = NetworkServer::new(&model, client.evaluation_keys()).unwrap();
    let ciphertext = client.encrypt(&[0.25, 0.1, 0.0, 0.0]).unwrap();
    let result = server.run(&ciphertext, |_| ControlFlow::Continue(())).unwrap();
    let error = client.decrypt(&result).unwrap_err();
    assert!(matches!(error, NetworkError::Guard { .. }), "{error}");
}

/// Gates stay in their intervals, and a cell state that adds up leaves its own. The guard excludes
/// the slots next to it, which hold values of other gates.
#[test]
fn what_leaves_the_cell_states_interval_is_refused() {
    let steps = 6;
    let of = Recurrent {
        cell: lstm(),
        hidden: 1,
        input_weights: vec![0.0, 0.0, 0.0, 1.0],
        state_weights: vec![0.0; 4],
        input_bias: vec![3.0, 3.0, 3.0, 0.0],
        state_bias: Vec::new(),
        first_hidden: Vec::new(),
        first_cell: Vec::new(),
        is_reverse: false,
    };
    let mut rng = rng(50);
    let graph = network(&mut rng, &of, 1, steps);
    let alternating = |x: f64| (0..steps).map(|step| if step % 2 == 0 { x } else { -x }).collect();
    let samples: Vec<Vec<f64>> = (0..20).map(|_| alternating(rng.gen_range(-0.5..0.5))).collect();
    let model = compiled(&graph, &samples, 7, true);
    let inside = check_near(&model, &samples[0], "a state that stays", NEAR);
    assert!(inside.guard.is_some_and(|guard| guard < 0.1), "{inside:?}");
    let client = Client::of_test(&parameters(), 7);
    let mut client = NetworkClient::with_client(model.interface(), client);
    let server = NetworkServer::new(&model, client.evaluation_keys()).unwrap();
    let ciphertext = client.encrypt(&vec![0.45; steps]).unwrap();
    let result = server.run(&ciphertext, |_| ControlFlow::Continue(())).unwrap();
    let error = client.decrypt(&result).unwrap_err();
    assert!(matches!(error, NetworkError::Guard { .. }), "{error}");
}

/// Four gates of a state that do not fit into a vector have separate ciphertexts, and so has an
/// argument with another user.
#[test]
fn gates_that_cannot_stand_side_by_side_are_what_they_are() {
    let mut rng = rng(51);
    let (inputs, hidden, steps) = (2, 140, 2);
    let of = layer(&mut rng, lstm(), inputs, hidden, false);
    let graph = network(&mut rng, &of, inputs, steps);
    let samples: Vec<Vec<f64>> = (0..10).map(|_| values(&mut rng, steps * inputs)).collect();
    check_near(&compiled(&graph, &samples, 7, true), &samples[0], "a large state", NEAR);

    let mut graph = Graph::new(shape(&[4]));
    let [a, b] = [4, 4].map(|rows| linear(&mut rng, 4, rows));
    let a = graph.push("a", a, &[graph.input()]).unwrap();
    let b = graph.push("b", b, &[graph.input()]).unwrap();
    let mut carried = |which: usize| {
        let operator = Operator::Carried(Carried { which, arguments: 2 });
        graph.push(format!("carried {which}"), operator, &[a, b]).unwrap()
    };
    let (a, b) = (carried(0), carried(1));
    let mut tanh = |of| graph.push("tanh", Operator::Activation(Activation::Tanh), &[of]).unwrap();
    let (x, y) = (tanh(a), tanh(b));
    let product = graph.push("product", Operator::Product, &[x, y]).unwrap();
    graph.push("sum", Operator::Add, &[product, a]).unwrap();
    let samples: Vec<Vec<f64>> = (0..10).map(|_| values(&mut rng, 4)).collect();
    check(&compiled(&graph, &samples, 7, true), &samples[0], "an argument of two nodes");
}

#[test]
fn values_that_cannot_be_carried_together_are_refused() {
    let mut graph = Graph::new(shape(&[4]));
    let mut rng = rng(52);
    let other = graph.push("other", linear(&mut rng, 4, 3), &[graph.input()]).unwrap();
    let all = [graph.input(); 3];
    let mut refused = |which: usize, arguments: usize, of: &[NodeId], reason: &str| {
        let operator = Operator::Carried(Carried { which, arguments });
        let error = graph.push("carried", operator, of).unwrap_err().to_string();
        assert!(error.starts_with("node carried: ") && error.contains(reason), "{error}");
    };
    refused(3, 3, &all, "value 3 of 3");
    refused(0, 0, &all, "with 0 arguments");
    refused(0, 1, &all, "with 1 arguments");
    refused(0, 4, &all, "with 4 arguments");
    refused(0, 1, &[all[0], other], "have different shapes");
}

/// All steps of a gate have one polynomial.
#[test]
fn steps_are_calibrated_alike() {
    let mut rng = rng(44);
    let of = layer(&mut rng, lstm(), 2, 3, false);
    let graph = network(&mut rng, &of, 2, 4);
    let samples: Vec<Vec<f64>> = (0..10).map(|_| values(&mut rng, 8)).collect();
    let calibration = Calibration::new(&graph, &samples).unwrap();
    let intervals: Vec<_> =
        graph.activations().into_iter().map(|(id, _)| calibration.interval(id).unwrap()).collect();
    // The forget gate of the first step has no state to keep.
    assert_eq!(intervals.len(), 4 * 5 - 1);
    let distinct: std::collections::BTreeSet<u64> =
        intervals.iter().map(|interval| interval.high.to_bits()).collect();
    assert_eq!(distinct.len(), 5);
}

#[test]
fn layers_that_do_not_fit_are_refused() {
    let mut rng = rng(45);
    let good = layer(&mut rng, lstm(), 3, 2, true);
    let refused = |of: &Recurrent, axes: &[usize], steps: usize, reason: &str| {
        let mut graph = Graph::new(shape(axes));
        let error = graph.push_recurrent("cell", of, graph.input(), steps).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("node cell: ") && text.contains(reason), "{text}");
    };
    let with = |change: &dyn Fn(&mut Recurrent)| {
        let mut of = good.clone();
        change(&mut of);
        of
    };
    refused(&good, &[12], 5, "12 values do not fit a sequence of 5 steps");
    refused(&good, &[12], 0, "do not fit a sequence of 0 steps");
    refused(&good, &[12], 3, "24 weights W, but its sizes need 32");
    refused(&with(&|of| of.state_weights.truncate(15)), &[12], 4, "15 weights R");
    refused(&with(&|of| of.input_bias.push(0.0)), &[12], 4, "9 biases of W");
    refused(&with(&|of| of.state_bias.push(0.0)), &[12], 4, "9 biases of R");
    refused(&with(&|of| of.first_hidden.push(0.0)), &[12], 4, "first hidden state");
    refused(&with(&|of| of.first_cell.push(0.0)), &[12], 4, "first cell state");
    let not_finite = with(&|of| of.input_weights[1] = f64::NAN);
    let mut graph = Graph::new(shape(&[12]));
    let error = graph.push_recurrent("cell", &not_finite, graph.input(), 4).unwrap_err();
    assert!(error.to_string().contains("cell: step"), "{error}");
    let mut large = Graph::new(shape(&[1 << 19]));
    let of = layer(&mut rng, Cell::Simple(Activation::Tanh), 1, 16, false);
    let error = large.push_recurrent("cell", &of, large.input(), 1 << 19).unwrap_err();
    assert!(matches!(error, NetworkError::Limit { .. }), "{error}");
}

/// Products of two values outside of a recurrent cell: gates of a value's parts.
#[test]
fn products_of_two_values() {
    let mut rng = rng(46);
    for guard in [false, true] {
        let mut graph = Graph::new(shape(&[6]));
        let [a, b, c] = [6, 6, 6].map(|rows| linear(&mut rng, 6, rows));
        let a = graph.push("a", a, &[graph.input()]).unwrap();
        let b = graph.push("b", b, &[graph.input()]).unwrap();
        let gate = graph.push("gate", Operator::Activation(Activation::Sigmoid), &[b]).unwrap();
        let gated = graph.push("gated", Operator::Product, &[gate, a]).unwrap();
        let whole = graph.push("whole", Operator::Product, &[gated, graph.input()]).unwrap();
        let rest = graph.push("rest", Operator::Subtract, &[whole, a]).unwrap();
        graph.push("c", c, &[rest]).unwrap();
        let samples: Vec<Vec<f64>> = (0..20).map(|_| values(&mut rng, 6)).collect();
        let model = compiled(&graph, &samples, 15, guard);
        let output = check(&model, &samples[0], "products");
        let exact = graph.evaluate(&samples[0]).unwrap();
        for (got, wanted) in output.values.iter().zip(&exact) {
            assert!((got - wanted).abs() < 1e-2, "{got} {wanted}");
        }
    }
}
