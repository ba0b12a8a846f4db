// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A transformer from an ONNX file on encrypted inputs: agreement with plaintext, the cost of each
//! layer, time, memory.
//!
//! ```sh
//! python3 engines/ckks_nn/tests/exports/make.py FOLDER digits  # writes FOLDER/digits.txt
//! RAYON_NUM_THREADS=1 cargo run --profile bench -p halimede-ckks-nn --example transformer -- \
//!     engines/ckks_nn/tests/exports/torch_transformer.onnx FOLDER/digits.txt --digits 2
//! ```
//!
//! A line of the inputs' file has the values of one input. The first lines calibrate the network,
//! and the others are compared.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

#[allow(dead_code, reason = "some of it is for other examples")]
mod common;

use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use common::{parameters, processor_s, Times};
use halimede_arith::memory::peak_bytes;
use halimede_ckks_nn::run::LayerTimes;
use halimede_ckks_nn::{read_onnx, Calibration, Model, NetworkClient, NetworkServer, Options};

#[derive(Parser)]
struct Arguments {
    /// The ONNX file.
    model: PathBuf,
    /// The file of inputs.
    inputs: PathBuf,
    /// The parameters, by name or as levels after a bootstrap and digits of keys.
    #[arg(long, default_value = "11,5")]
    params: String,
    /// The degree of the polynomials.
    #[arg(long, default_value_t = 15)]
    degree: usize,
    /// The number of inputs that calibrate the network.
    #[arg(long, default_value_t = 200)]
    samples: usize,
    /// The number of other inputs that are run encrypted.
    #[arg(long, default_value_t = 1)]
    digits: usize,
    /// Add the sum that reveals whether an argument left its interval.
    #[arg(long)]
    guard: bool,
    /// Bootstrap with few keys.
    #[arg(long)]
    few_keys: bool,
    /// The largest size in bytes of encoded matrices that are kept.
    #[arg(long, default_value_t = Options::default().matrix_bytes)]
    matrix_bytes: usize,
    /// Print the layers, and the processor time of each layer and each kind of step.
    #[arg(long)]
    report: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let graph = read_onnx(&std::fs::read(&arguments.model)?)?;
    let text = std::fs::read_to_string(&arguments.inputs)?;
    let line = |line: &str| line.split_whitespace().map(str::parse::<f64>).collect();
    let inputs = text.lines().map(line).collect::<Result<Vec<Vec<f64>>, _>>()?;
    let (samples, others) = inputs
        .split_at_checked(arguments.samples)
        .ok_or("the file has fewer inputs than --samples")?;
    let calibration = Calibration::new(&graph, samples)?;
    let options = Options {
        degree: arguments.degree,
        guard: arguments.guard,
        few_keys: arguments.few_keys,
        matrix_bytes: arguments.matrix_bytes,
        ..Options::default()
    };
    let start = Instant::now();
    let model = Model::compile(&graph, &calibration, &parameters(&arguments.params)?, &options)?;
    println!("compiled in {:.1} s", start.elapsed().as_secs_f64());
    if arguments.report {
        println!("{}", model.report());
    }
    let (mut alike, mut largest) = (0, 0.0f64);
    for input in others {
        let (exact, near) = (graph.evaluate(input)?, model.approximate(input)?);
        alike += usize::from(class(&exact) == class(&near));
        largest = largest.max(difference(&exact, &near));
    }
    println!(
        "polynomials in plaintext: {alike} of {} labels alike; largest difference {largest:.4}",
        others.len()
    );
    if arguments.digits > 0 {
        run(&model, others, &arguments)?;
    }
    Ok(())
}

/// Runs inputs encrypted, and prints their differences, times, memory and agreement.
fn run(model: &Model, inputs: &[Vec<f64>], arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let mut client = NetworkClient::new(model.interface())?;
    let server = NetworkServer::new(model, client.evaluation_keys())?;
    let gigabytes = model.interface().key_bytes() as f64 / 1e9;
    println!("keys in {:.1} s, {gigabytes:.2} GB", start.elapsed().as_secs_f64());
    let count = arguments.digits.min(inputs.len());
    let (mut agreeing, mut all_s) = (0, 0.0);
    for (place, input) in inputs.iter().take(count).enumerate() {
        let ciphertexts = client.encrypt(input)?;
        let (start, processor) = (Instant::now(), processor_s().unwrap_or(f64::NAN));
        let (mut times, mut layers) = (Times::new(), LayerTimes::new(model));
        let result = server.run(&ciphertexts, |progress| {
            let step = &model.plan().steps()[progress.done - 1];
            times.add(step);
            layers.add(&progress, processor_s().unwrap_or(f64::NAN) - processor);
            if step.is_bootstrap() {
                let (digit, done, steps) = (place + 1, progress.done, progress.steps);
                eprint!("\r\x1b[Kdigit {digit} of {count}: {done} of {steps} steps");
            }
            ControlFlow::Continue(())
        })?;
        eprint!("\r\x1b[K");
        let run_s = start.elapsed().as_secs_f64();
        let run_processor_s = processor_s().unwrap_or(f64::NAN) - processor;
        let output = client.decrypt(&result)?;
        let (near, exact) = (model.approximate(input)?, model.graph().evaluate(input)?);
        println!(
            "input {place}: {run_s:.1} s, {run_processor_s:.1} s of processor time; label {}, {} in \
             plaintext; encryption off by {:.2e}, all by {:.2e}, guard {:?}",
            class(&output.values),
            class(&exact),
            difference(&output.values, &near),
            difference(&output.values, &exact),
            output.guard,
        );
        agreeing += usize::from(class(&output.values) == class(&exact));
        all_s += run_processor_s;
        if arguments.report {
            println!("{times}");
            for (layer, seconds) in model.report().layers.iter().zip(layers.seconds()) {
                println!("{seconds:7.2} s {}", layer.name);
            }
        }
    }
    let mean_s = all_s / count as f64;
    println!(
        "{agreeing} of {count} encrypted labels as in plaintext; {mean_s:.1} s of processor time each"
    );
    println!("peak memory {:.2} GB", peak_bytes().unwrap_or(0) as f64 / 1e9);
    Ok(())
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Returns the place of the largest value.
fn class(values: &[f64]) -> usize {
    let largest = values.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
    largest.map_or(0, |(place, _)| place)
}
