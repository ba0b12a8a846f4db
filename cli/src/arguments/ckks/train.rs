// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of training.

use std::path::PathBuf;

use clap::Args;

use super::sharing::SharingOptions;

pub const TRAIN_LOGISTIC_HELP: &str = "\
The table is a CSV file with a sample in each line: its class, one of two numbers, and its features. \
The first line may be one of names. Features are divided by their largest absolute value, encrypted, \
and stay so while a server takes steps of Nesterov's accelerated gradient, with a bootstrap after \
each but the last. The client decrypts the weights alone. Client and server both run on this machine, \
and the weights are compared with those that the same steps find in plaintext, by the polynomial of \
degree 3 that stands for the sigmoid, and by the sigmoid.

The polynomial is near the sigmoid on [-INTERVAL, INTERVAL]. Where a sample's product with the weights \
leaves it on the way, they may grow without bound: take a wider interval, or a lower rate.

Weights that --out writes or --json prints are for the owner of the key alone: whoever has the \
encrypted weights too can learn the key from them. Rounding them is no defense. --share adds noise that \
hides the key, for weights that are published. Nothing but a measurement bounds the error of trained \
weights, so --error-at-least must state a bound, of weights of the divided features, before. The command \
measures the error against the same steps in plaintext, and ends with code 1 where it exceeds the bound. \
Whoever has the samples can also publish the weights that those steps find in plaintext: they say nothing \
of the key.

Examples:
  halimede ckks train-logistic samples.csv --rows 1024
  halimede ckks train-logistic samples.csv --test others.csv --iterations 16 --out weights.csv
  halimede ckks train-logistic samples.csv --params n13-insecure --iterations 1 --json
  halimede ckks train-logistic samples.csv --params n13-insecure --iterations 1 --share --security 8 --queries 1 --error-at-least 1e-6 --out published.csv";

/// `halimede ckks train-logistic`
#[derive(Args, Debug)]
pub struct TrainLogisticOptions {
    /// The samples.
    #[arg(value_name = "TABLE.csv")]
    pub table: PathBuf,
    /// Other samples, to test the weights with.
    #[arg(long, value_name = "FILE", conflicts_with = "rows")]
    pub test: Option<PathBuf>,
    /// Train with the first samples alone, and test with the others.
    #[arg(long, value_name = "N")]
    pub rows: Option<usize>,
    /// The number of iterations.
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub iterations: usize,
    /// The rate of learning, in steps of the mean gradient.
    #[arg(long, value_name = "R", default_value_t = 1.0)]
    pub rate: f64,
    /// Where products of samples with weights lie.
    #[arg(long, value_name = "X", default_value_t = 16.0)]
    pub interval: f64,
    /// The largest absolute value of a weight.
    #[arg(long, value_name = "W", default_value_t = 4.0)]
    pub weights: f64,
    /// A parameter set with bootstraps, or a file of one.
    #[arg(long, value_name = "NAME|FILE", default_value = "n16-boot")]
    pub params: PathBuf,
    /// Write the weights to a file, one a line in the order of the features, the constant last.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub sharing: SharingOptions,
}
