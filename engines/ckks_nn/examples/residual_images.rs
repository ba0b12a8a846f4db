// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A residual network of 20 layers on encrypted images: labels compared with those in plaintext,
//! time and memory.
//!
//! ```sh
//! cargo run --profile bench -p halimede-ckks-nn --example residual_images -- \
//!     PARAMETERS IMAGES --samples 100 --run 20 --degree 63
//! ```
//!
//! PARAMETERS is a folder of text files, one per tensor ([`halimede_ckks_nn::residual`]). IMAGES is
//! a folder with a folder of JPEG files of 32 × 32 pixels for each class, in the alphabetic order
//! of the labels. Times are those of one image, also in a batch.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

mod common;

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use common::images::{read_images, Image};
use common::{parameters, Times};
use halimede_arith::memory::peak_bytes;
use halimede_ckks::keys::SwitchingKey;
use halimede_ckks_nn::compile::ExactRelu;
use halimede_ckks_nn::run::label;
use halimede_ckks_nn::{
    read_residual_network, Calibration, Model, NetworkClient, NetworkServer, Options,
};

#[derive(Parser)]
struct Arguments {
    /// The folder of the network's parameters.
    parameters: PathBuf,
    /// The folder of the images.
    images: PathBuf,
    /// The number of images to run encrypted, evenly distributed over the classes.
    #[arg(long, default_value_t = 1)]
    run: usize,
    /// The number of images to skip first.
    #[arg(long, default_value_t = 0)]
    skip: usize,
    /// The number of other images from which ranges are calibrated.
    #[arg(long, default_value_t = 100)]
    samples: usize,
    /// The degree of the activations' polynomials.
    #[arg(long, default_value_t = 63)]
    degree: usize,
    /// Evaluate ReLU by the sign of its argument, to this number of bits.
    #[arg(long)]
    exact_bits: Option<i32>,
    /// The parameters, by name or as levels after a bootstrap and digits of keys, such as 12,6.
    #[arg(long, default_value = "n16-boot")]
    params: String,
    /// Omit the guard.
    #[arg(long)]
    no_guard: bool,
    /// Compare labels of approximated and exact activations, without encryption.
    #[arg(long)]
    plaintext: bool,
    /// Bootstrap with few keys.
    #[arg(long)]
    few_keys: bool,
    /// Print the cost of each layer, keys by level, and the time of each kind of step.
    #[arg(long)]
    report: bool,
    /// The largest size in bytes of encoded matrices that are kept between images.
    #[arg(long, default_value_t = Options::default().matrix_bytes)]
    matrix_bytes: usize,
    /// The number of images to run at once, which share ciphertexts.
    #[arg(long, default_value_t = 1)]
    batch: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let graph = read_residual_network(&arguments.parameters)?;
    let images = read_images(&arguments.images)?;
    let of_images = |images: &[Image]| images.iter().map(|image| image.values.clone()).collect();
    let count = arguments.samples.min(images.len() / 2);
    let (samples, others) = images.split_at(count);
    let samples: Vec<Vec<f64>> = of_images(samples);
    let start = Instant::now();
    let calibration = Calibration::new(&graph, &samples)?;
    println!("calibrated with {count} images: {:.1} s", start.elapsed().as_secs_f64());
    let exact_relu = arguments.exact_bits.map(|bits| {
        let least = 2f64.powi(-bits);
        ExactRelu { threshold: least, error: least }
    });
    let options = Options {
        degree: arguments.degree,
        exact_relu,
        guard: !arguments.no_guard,
        few_keys: arguments.few_keys,
        matrix_bytes: arguments.matrix_bytes,
        batch: arguments.batch,
        ..Options::default()
    };
    let start = Instant::now();
    let model = Model::compile(&graph, &calibration, &parameters(&arguments.params)?, &options)?;
    println!("compiled: {:.1} s", start.elapsed().as_secs_f64());
    if arguments.report {
        println!("{}\n{}", model.report(), keys_by_level(&model));
    }
    if arguments.plaintext {
        return in_plaintext(&model, others);
    }
    let start = Instant::now();
    let mut client = NetworkClient::new(model.interface())?;
    let server = NetworkServer::new(&model, client.evaluation_keys())?;
    println!("keys: {:.1} s", start.elapsed().as_secs_f64());
    let (mut equal, mut done) = (0, 0);
    let images: Vec<&Image> = others.iter().skip(arguments.skip).take(arguments.run).collect();
    for images in images.chunks(arguments.batch) {
        let start = Instant::now();
        let values: Vec<&[f64]> = images.iter().map(|image| &image.values[..]).collect();
        let ciphertext = client.encrypt_all(&values)?;
        let mut times = Times::new();
        let result = server.run(&ciphertext, |progress| {
            times.add(&model.plan().steps()[progress.done - 1]);
            if let Some(layer) = progress.layer {
                eprint!("\r\x1b[K{} of {}: {layer}", progress.done, progress.steps);
            }
            ControlFlow::Continue(())
        })?;
        eprint!("\r\x1b[K");
        if arguments.report {
            println!("{times}");
        }
        let outputs = client.decrypt_all(&result)?;
        let seconds = start.elapsed().as_secs_f64() / images.len() as f64;
        for (image, output) in images.iter().zip(outputs) {
            let (output, plain) = (output?, graph.evaluate(&image.values)?);
            let differences =
                output.values.iter().zip(&plain).map(|(got, exact)| (got - exact).abs());
            done += 1;
            equal += usize::from(output.label() == label(&plain));
            let [got, wanted] =
                [output.label(), label(&plain)].map(|label| label.map_or(-1, |label| label as i64));
            println!(
                "image {done} of class {}: label {got}, in plaintext {wanted}; logits off by {:.3} at \
                 most; guard {:.1e}; {seconds:.1} s",
                image.class,
                differences.fold(0.0, f64::max),
                output.guard.unwrap_or(f64::NAN),
            );
        }
    }
    let peak = peak_bytes().map(|peak| format!("; memory at most {:.2} GB", peak as f64 / 1e9));
    println!("{equal} of {done} labels as in plaintext{}", peak.unwrap_or_default());
    Ok(())
}

/// Returns the number of keys for each level, and their memory.
fn keys_by_level(model: &Model) -> String {
    let interface = model.interface();
    let mut by_level: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (of, level) in interface.keys() {
        let (count, bytes) = by_level.entry(*level).or_default();
        *count += 1;
        *bytes += SwitchingKey::bytes_of(interface.parameters(), *of, *level);
    }
    let line = |(level, (count, bytes)): (usize, (usize, usize))| {
        format!("up to level {level}: {count} keys, {:.2} GB", bytes as f64 / 1e9)
    };
    by_level.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Compares the labels of all images with the approximated and the exact activations.
fn in_plaintext(model: &Model, images: &[Image]) -> Result<(), Box<dyn Error>> {
    let (mut equal, mut right, mut largest) = (0, 0, 0f64);
    for image in images {
        let exact = model.graph().evaluate(&image.values)?;
        let near = model.approximate(&image.values)?;
        let differences = near.iter().zip(&exact).map(|(near, exact)| (near - exact).abs());
        largest = differences.fold(largest, f64::max);
        equal += usize::from(label(&near) == label(&exact));
        right += usize::from(label(&exact) == Some(image.class));
    }
    println!(
        "{} images: {equal} labels as in plaintext, {right} of which are right there; logits off by \
         {largest:.3} at most",
        images.len()
    );
    Ok(())
}
