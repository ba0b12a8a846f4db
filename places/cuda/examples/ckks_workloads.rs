// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the work of a residual network and of logistic regression on a GPU, from programs that
//! are recorded without arithmetic, keys or encrypted values, and compiled.
//!
//! ```sh
//! cargo run -p halimede-cuda --features ckks --example ckks_workloads -- \
//!     network PARAMETERS IMAGES --degree 63
//! cargo run -p halimede-cuda --features ckks --example ckks_workloads -- \
//!     training --samples 1024 --features 196
//! ```
//!
//! PARAMETERS and IMAGES are those of the example `residual_images` of `halimede-ckks-nn`. A
//! network is counted as a `ProgramServer` runs it, one program per step of its plan, and as one
//! program. A training is one program.

#![allow(clippy::print_stdout, reason = "the program prints counts")]

mod common;
#[allow(dead_code, reason = "some of it is for other examples")]
#[path = "../../../engines/ckks_nn/examples/common/mod.rs"]
mod networks;
mod workloads;

use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use common::{heading, line};
use halimede_ckks::executor::{ExecutorError, ProgramServer};
use halimede_ckks::ring::Program;
use halimede_ckks::{Bound, Ciphertext, CircuitError, DryServer, Parameters};
use halimede_ckks_nn::compile::ExactRelu;
use halimede_ckks_nn::train::{Logistic, LogisticOptions};
use halimede_ckks_nn::{read_residual_network, Calibration, Model, NetworkError, Options};
use halimede_cuda::ckks::{compile, CompileOptions, GpuCounts};
use networks::images::read_images;
use workloads::{difference, share, Counter};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    workload: Workload,
    /// The parameters, by name or as levels after a bootstrap and digits of keys, such as 12,6.
    #[arg(long, global = true, default_value = "n16-boot")]
    params: String,
}

#[derive(Subcommand)]
enum Workload {
    /// One image through a residual network.
    Network {
        /// The folder of the network's parameters.
        parameters: PathBuf,
        /// The folder of the images from which ranges are calibrated.
        images: PathBuf,
        /// The number of images for the calibration.
        #[arg(long, default_value_t = 100)]
        samples: usize,
        /// The degree of the activations' polynomials.
        #[arg(long, default_value_t = 63)]
        degree: usize,
        /// Evaluate ReLU by the sign of its argument, to this number of bits.
        #[arg(long)]
        exact_bits: Option<i32>,
    },
    /// Iterations of logistic regression.
    Training {
        /// The number of samples.
        #[arg(long, default_value_t = 1024)]
        samples: usize,
        /// The number of features.
        #[arg(long, default_value_t = 196)]
        features: usize,
        /// The number of iterations, an even one.
        #[arg(long, default_value_t = 32)]
        iterations: usize,
    },
}

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { workload, params } = Arguments::parse();
    let parameters = networks::parameters(&params)?.to_dry();
    match workload {
        Workload::Network { parameters: folder, images, samples, degree, exact_bits } => {
            let graph = read_residual_network(&folder)?;
            let images = read_images(&images)?.into_iter().take(samples);
            let samples: Vec<Vec<f64>> = images.map(|image| image.values).collect();
            let calibration = Calibration::new(&graph, &samples)?;
            let exact_relu = exact_bits.map(|bits| {
                let least = 2f64.powi(-bits);
                ExactRelu { threshold: least, error: least }
            });
            let options = Options { degree, exact_relu, ..Options::default() };
            network(&Model::compile(&graph, &calibration, &parameters, &options)?)
        }
        Workload::Training { samples, features, iterations } => {
            training(&parameters, (samples, features), iterations)
        }
    }
}

/// Counts a network, step by step and as one program.
fn network(model: &Model) -> Result<(), Box<dyn Error>> {
    let plan = model.plan();
    println!("{} steps, {} bootstraps", plan.steps().len(), plan.bootstraps());
    let server = Arc::new(DryServer::for_plan(plan, false).into_server());
    let counter = Arc::new(Counter::default());
    let on_gpu = ProgramServer::new(server, Arc::clone(&counter) as _);
    let dry = DryServer::for_plan(plan, false);
    let upload = |(name, input): (_, Ciphertext)| Ok((name, on_gpu.upload(&input)?));
    let inputs = dry.inputs_of(plan).into_iter().map(upload);
    let inputs = inputs.collect::<Result<Vec<_>, ExecutorError>>()?;
    let inputs: Vec<_> = inputs.iter().map(|(name, input)| (*name, input)).collect();
    on_gpu.run_plan(plan, &inputs, |_| ControlFlow::Continue(()))?;
    println!("{}", heading());
    let total = counter.total();
    println!("{}", line("a program per step", &total.counts, total.most_working));
    println!("{}", line("bootstraps of it", &total.bootstraps, total.most_working));
    println!(
        "{} programs, {} of which are different; {:.2} GB of keys and {:.2} GB of plaintexts",
        total.runs,
        counter.programs(),
        total.key_bytes as f64 / 1e9,
        total.plaintext_bytes as f64 / 1e9,
    );
    let (_, program) = dry.record_plan(plan)?;
    let (counts, working) = counted(&program)?;
    println!("{}", line("one program", &counts, working));
    Ok(())
}

/// Counts iterations: all, the mean, and the mean of the second half, which places no samples.
fn training(
    parameters: &Parameters,
    (samples, features): (usize, usize),
    iterations: usize,
) -> Result<(), Box<dyn Error>> {
    let of = |iterations: usize| {
        let options = LogisticOptions { iterations, ..LogisticOptions::default() };
        let training = Logistic::new(parameters, samples, features, options)?;
        counted(&recorded_training(parameters, &training, (samples, features))?)
    };
    let half = iterations / 2;
    let ((all, working), (first, _)) = (of(iterations)?, of(half)?);
    println!("{samples} samples with {features} features\n{}", heading());
    println!("{}", line(&format!("{iterations} iterations"), &all, working));
    println!("{}", line("an iteration, mean of all", &share(&all, iterations), working));
    let late = share(&difference(&all, &first), iterations - half);
    println!("{}", line("an iteration, later half", &late, working));
    Ok(())
}

/// Records a training on `samples` samples of `features` features.
fn recorded_training(
    parameters: &Parameters,
    training: &Logistic,
    (samples, features): (usize, usize),
) -> Result<Program, Box<dyn Error>> {
    let dry = DryServer::new(parameters, &training.keys());
    let operations = training.operations();
    let all_slots = operations.bootstrap.then_some(parameters.slots());
    for slots in all_slots.into_iter().chain(operations.bootstrap_slots) {
        dry.server().prepare_bootstrap_of(slots)?;
    }
    let (ciphertexts, columns) = (training.ciphertexts(), (features + 1).next_power_of_two());
    let length = samples.next_power_of_two() * columns / ciphertexts;
    let fresh = |length| dry.input(parameters.fresh_level(), length);
    let mut inputs: Vec<Ciphertext> =
        (0..ciphertexts).map(|_| fresh(length).bounded(Bound::real(1.0))).collect();
    inputs.push(fresh(columns));
    let table = training.table_of(inputs.clone())?;
    let inputs: Vec<&Ciphertext> = inputs.iter().collect();
    let mut refused = None;
    let recorded = dry.record(&inputs, &[], |server| {
        match training.train(server, &table, |_| ControlFlow::Continue(())) {
            Ok(weights) => Ok(vec![weights]),
            Err(NetworkError::Circuit(error)) => Err(error),
            Err(error) => {
                refused = Some(error);
                Err(CircuitError::NothingEncrypted)
            }
        }
    });
    match refused {
        Some(error) => Err(error.into()),
        None => Ok(recorded?.1),
    }
}

/// The counts of a compiled program, and the bytes of its working memory.
fn counted(program: &Program) -> Result<(GpuCounts, usize), Box<dyn Error>> {
    let compiled = compile(program, &CompileOptions::default())?;
    Ok((compiled.counts, compiled.work_limbs * program.degree * 4))
}
