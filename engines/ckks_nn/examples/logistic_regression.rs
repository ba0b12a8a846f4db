// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Logistic regression on encrypted samples: accuracy compared with plaintext, the time of each
//! iteration, memory.
//!
//! ```sh
//! RAYON_NUM_THREADS=1 cargo run --profile bench -p halimede-ckks-nn --example logistic_regression -- \
//!     TABLE --rows 1024 --iterations 32
//! ```
//!
//! TABLE has a class and features in each line, separated by commas, and names in the first line.
//! Features lie in [0, 1] or within 1, and a positive sum of the weights means the larger class.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

#[allow(dead_code, reason = "some of it is for other examples")]
mod common;

use std::error::Error;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Parser;
use common::{parameters, processor_s};
use halimede_arith::memory::peak_bytes;
use halimede_ckks::{Client, Server};
use halimede_ckks_nn::train::{Logistic, LogisticOptions, Table};

#[derive(Parser)]
struct Arguments {
    /// The samples.
    table: PathBuf,
    /// The number of samples for training; the others are for testing.
    #[arg(long, default_value_t = 1024)]
    rows: usize,
    /// The number of iterations.
    #[arg(long, default_value_t = 32)]
    iterations: usize,
    /// The parameters, by name or as levels after a bootstrap and digits of keys, such as 12,6.
    #[arg(long, default_value = "n16-boot")]
    params: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let table = read_table(&arguments.table)?;
    let scales = table.scales();
    if !(1..table.samples()).contains(&arguments.rows) {
        return Err(format!("--rows {} of {} samples", arguments.rows, table.samples()).into());
    }
    let (table, test) = table.divided(&scales).split(arguments.rows);
    let options =
        LogisticOptions { iterations: arguments.iterations, ..LogisticOptions::default() };
    let parameters = parameters(&arguments.params)?;
    let training = Logistic::new(&parameters, table.samples(), table.features(), options)?;
    let start = Instant::now();
    let mut client = Client::new(&parameters)?;
    let server = Server::new(training.evaluation_keys(&mut client));
    let ciphertext = training.encrypt(&mut client, &table)?;
    println!("keys and samples: {:.1} s", start.elapsed().as_secs_f64());
    let mut last = processor_s().unwrap_or_default();
    let first = last;
    let weights = training.train(&server, &ciphertext, |iteration| {
        let now = processor_s().unwrap_or_default();
        println!("iteration {iteration}: {:.2} s of processor time", now - last);
        last = now;
        ControlFlow::Continue(())
    })?;
    println!("all: {:.1} s", last - first);
    let found = training.decrypt(&client, &weights)?;
    let near = training.in_plaintext(&table, false)?;
    let off = found.iter().zip(&near).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let percent = |weights: &[f64]| 100.0 * test.right(weights) as f64 / test.samples() as f64;
    println!(
        "{:.2} % of {} others, in plaintext {:.2} %; weights off by {off:.1e} at most, {:.1} bits of them estimated",
        percent(&found),
        test.samples(),
        percent(&near),
        weights.precision_bits(),
    );
    if let Some(peak) = peak_bytes() {
        println!("memory at most {:.2} GB", peak as f64 / 1e9);
    }
    Ok(())
}

fn read_table(path: &Path) -> Result<Table, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let (mut classes, mut rows) = (Vec::new(), Vec::new());
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let mut numbers = line.split(',').map(|number| number.trim().parse::<f64>());
        classes.push(numbers.next().ok_or("an empty line")??);
        rows.push(numbers.collect::<Result<Vec<_>, _>>()?);
    }
    let largest = classes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(Table::new(rows, classes.into_iter().map(|class| class == largest).collect())?)
}
