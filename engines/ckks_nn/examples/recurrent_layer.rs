// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A layer of long short-term memory on an encrypted sequence: its last hidden state compared with
//! that in plaintext, time, memory.
//!
//! ```sh
//! RAYON_NUM_THREADS=1 cargo run --profile bench -p halimede-ckks-nn --example recurrent_layer -- \
//!     --hidden 128 --inputs 128 --steps 50
//! ```
//!
//! Weights are random, as large as trained ones: those of the state are orthogonal for each gate,
//! those of the input have a variance of 1/inputs, and the forget gate's bias is 1. Inputs lie in
//! [−1, 1].

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

#[allow(dead_code, reason = "some of it is for other examples")]
mod common;

use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use clap::Parser;
use common::{parameters, processor_s, Times};
use halimede_arith::memory::peak_bytes;
use halimede_ckks_nn::graph::{Activation, Cell, Graph, Recurrent, Shape};
use halimede_ckks_nn::{Calibration, Model, NetworkClient, NetworkServer, Options};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

/// The largest component of an earlier row that rounding may leave in an orthogonal row.
const LEAST_NORM: f64 = 1e-6;

#[derive(Parser)]
struct Arguments {
    /// The length of the states.
    #[arg(long, default_value_t = 128)]
    hidden: usize,
    /// The number of values of a step's input.
    #[arg(long, default_value_t = 128)]
    inputs: usize,
    /// The number of steps of the sequence.
    #[arg(long, default_value_t = 50)]
    steps: usize,
    /// The degree of the activations' polynomials: 2^n - 1 needs 3 + 2n levels a step.
    #[arg(long, default_value_t = 15)]
    degree: usize,
    /// The parameters, by name or as levels after a bootstrap and digits of keys.
    #[arg(long, default_value = "11,5")]
    params: String,
    /// The number of other sequences from which ranges are calibrated.
    #[arg(long, default_value_t = 50)]
    samples: usize,
    /// The number of ciphertexts of the input: one for all steps, or up to one per step.
    #[arg(long, default_value_t = 1024)]
    input_ciphertexts: usize,
    /// The largest size in bytes of encoded matrices that are kept.
    #[arg(long, default_value_t = Options::default().matrix_bytes)]
    matrix_bytes: usize,
    /// Add the sum that reveals whether an argument left its interval.
    #[arg(long)]
    guard: bool,
    /// Bootstrap with few keys.
    #[arg(long)]
    few_keys: bool,
    /// The seed of weights and inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Compare states of approximated and exact activations, without encryption.
    #[arg(long)]
    plaintext: bool,
    /// Also print the time of each kind of step.
    #[arg(long)]
    report: bool,
    /// Print one line of JSON instead.
    #[arg(long)]
    json: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let mut random = ChaCha8Rng::seed_from_u64(arguments.seed);
    let Arguments { hidden, inputs, steps, .. } = arguments;
    let mut graph = Graph::new(Shape::new(&[steps, inputs])?);
    let layer = layer(&mut random, hidden, inputs);
    let unrolled = graph.push_recurrent("layer", &layer, graph.input(), steps)?;
    graph.set_output(unrolled.last_hidden);
    let mut sequence = || uniform(&mut random, steps * inputs);
    let samples: Vec<Vec<f64>> = (0..arguments.samples).map(|_| sequence()).collect();
    let input = sequence();
    let calibration = Calibration::new(&graph, &samples)?;
    let options = Options {
        degree: arguments.degree,
        guard: arguments.guard,
        few_keys: arguments.few_keys,
        matrix_bytes: arguments.matrix_bytes,
        input_ciphertexts: arguments.input_ciphertexts,
        ..Options::default()
    };
    let start = Instant::now();
    let model = Model::compile(&graph, &calibration, &parameters(&arguments.params)?, &options)?;
    let compile_s = start.elapsed().as_secs_f64();
    let exact = graph.evaluate(&input)?;
    let near = model.approximate(&input)?;
    let (report, interface) = (model.report(), model.interface());
    let mut found = json!({
        "hidden": hidden, "inputs": inputs, "steps": steps, "degree": arguments.degree,
        "slots": report.slots, "input_ciphertexts": interface.input_ciphertexts(),
        "bootstraps": report.bootstraps, "matrices": model.plan().matrices(), "keys": report.keys,
        "key_bytes": report.key_bytes, "compile_s": compile_s,
        "largest_state": largest(exact.iter().copied()),
        "polynomials_off": difference(&near, &exact),
    });
    if !arguments.plaintext {
        let encrypted = run(&model, &input, &near, &exact, arguments.report)?;
        if let (Some(all), Some(encrypted)) = (found.as_object_mut(), encrypted.as_object()) {
            all.extend(encrypted.clone());
        }
    }
    if arguments.json {
        println!("{found}");
        return Ok(());
    }
    println!("{report}");
    for (name, value) in found.as_object().into_iter().flatten() {
        println!("{name}: {value}");
    }
    Ok(())
}

/// Measures time and memory of a run, and the distance of its values from others.
fn run(
    model: &Model,
    input: &[f64],
    near: &[f64],
    exact: &[f64],
    has_report: bool,
) -> Result<serde_json::Value, Box<dyn Error>> {
    let start = Instant::now();
    let mut client = NetworkClient::new(model.interface())?;
    let server = NetworkServer::new(model, client.evaluation_keys())?;
    let keys_s = start.elapsed().as_secs_f64();
    let ciphertext = client.encrypt(input)?;
    let mut done = Vec::new();
    let (start, processor) = (Instant::now(), processor_s().unwrap_or(f64::NAN));
    let times = || [start.elapsed().as_secs_f64(), processor_s().unwrap_or(f64::NAN) - processor];
    let mut by_kind = Times::new();
    let result = server.run(&ciphertext, |progress| {
        let step = &model.plan().steps()[progress.done - 1];
        by_kind.add(step);
        if step.is_bootstrap() {
            done.push(times());
            eprint!("\r\x1b[K{} bootstraps, {:.0} s", done.len(), times()[0]);
        }
        ControlFlow::Continue(())
    })?;
    let [run_s, run_processor_s] = times();
    eprint!("\r\x1b[K");
    if has_report {
        eprintln!("{by_kind}");
    }
    // The first step encodes matrices, and prepares those of bootstraps.
    let of_steps = done.first().zip(done.last()).filter(|_| done.len() > 1);
    let step = |kind: usize| {
        of_steps.map(|(first, last)| (last[kind] - first[kind]) / (done.len() - 1) as f64)
    };
    let output = client.decrypt(&result)?;
    Ok(json!({
        "keys_s": keys_s, "run_s": run_s, "run_processor_s": run_processor_s,
        "first_step_s": done.first().map(|times| times[0]), "step_s": step(0),
        "step_processor_s": step(1),
        "matrix_bytes": model.plan().matrix_bytes(), "peak_bytes": peak_bytes(),
        "encryption_off": difference(&output.values, near), "off": difference(&output.values, exact),
        "guard": output.guard,
    }))
}

/// Returns the largest difference.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    largest(a.iter().zip(b).map(|(a, b)| a - b))
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.map(f64::abs).fold(0.0, f64::max)
}

fn uniform(random: &mut ChaCha8Rng, count: usize) -> Vec<f64> {
    (0..count).map(|_| random.gen_range(-1.0..1.0)).collect()
}

/// Returns four gates, in ONNX's order: i, o, f and c.
fn layer(random: &mut ChaCha8Rng, hidden: usize, inputs: usize) -> Recurrent {
    let (gate, candidate, output) = (Activation::Sigmoid, Activation::Tanh, Activation::Tanh);
    let scale = (3.0 / inputs as f64).sqrt();
    let input_weights = uniform(random, 4 * hidden * inputs);
    let mut input_bias = vec![0.0; 4 * hidden];
    input_bias[2 * hidden..3 * hidden].fill(1.0);
    Recurrent {
        cell: Cell::Lstm { gate, candidate, output },
        hidden,
        input_weights: input_weights.into_iter().map(|x| x * scale).collect(),
        state_weights: (0..4).flat_map(|_| orthogonal(random, hidden)).collect(),
        input_bias,
        state_bias: Vec::new(),
        first_hidden: Vec::new(),
        first_cell: Vec::new(),
        is_reverse: false,
    }
}

/// Returns a random orthogonal matrix, row by row: by Gram and Schmidt, twice for each row.
fn orthogonal(random: &mut ChaCha8Rng, size: usize) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(size);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    while rows.len() < size {
        let mut row = uniform(random, size);
        for _ in 0..2 {
            for other in &rows {
                let along = dot(&row, other);
                row.iter_mut().zip(other).for_each(|(x, other)| *x -= along * other);
            }
        }
        let norm = dot(&row, &row).sqrt();
        if norm > LEAST_NORM {
            rows.push(row.into_iter().map(|x| x / norm).collect());
        }
    }
    rows.concat()
}
