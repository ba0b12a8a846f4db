// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `halimede ckks train-logistic`.

use std::path::PathBuf;

use clap::Args;

use super::sharing::SharingOptions;
use crate::arguments::DeviceOptions;

pub const TRAIN_LOGISTIC_HELP: &str = "\
The table is a CSV file with one sample per line: its class, one of two numbers, then its \
features. The first line may hold names. Features are divided by their largest absolute value and \
encrypted. The server trains on the encrypted features with Nesterov's accelerated gradient, with \
a bootstrap after each iteration except the last. The client decrypts only the weights. Client and \
server both run on this machine. The weights are compared with those of the same iterations in \
plaintext, both with the polynomial of degree 3 that replaces the sigmoid and with the sigmoid \
itself.

The polynomial approximates the sigmoid on [-INTERVAL, INTERVAL]. If the product of a sample with \
the weights leaves this interval, the weights may grow without bound: use a wider interval or a \
lower rate.

Weights written by --out or printed by --json are only for the owner of the key: anyone who also \
has the encrypted weights can learn the key from them. Rounding them does not prevent it. To \
publish weights, use --share, which adds noise that hides the key. Only a measurement bounds the \
error of trained weights, so --error-at-least must state a bound in advance, for the weights of \
the divided features. The command measures the error against the same iterations in plaintext, and \
exits with code 1 if it exceeds the bound. If you have the samples, you can instead publish the \
weights that training in plaintext finds: they reveal nothing about the key.

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
    /// A table of other samples, to test the weights on.
    #[arg(long, value_name = "FILE", conflicts_with = "rows")]
    pub test: Option<PathBuf>,
    /// Train on the first N samples only, and test on the others.
    #[arg(long, value_name = "N")]
    pub rows: Option<usize>,
    /// The number of iterations.
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub iterations: usize,
    /// The learning rate, as a factor of the mean gradient.
    #[arg(long, value_name = "R", default_value_t = 1.0)]
    pub rate: f64,
    /// The bound of the products of samples and weights: [-X, X].
    #[arg(long, value_name = "X", default_value_t = 16.0)]
    pub interval: f64,
    /// The largest absolute value of a weight.
    #[arg(long, value_name = "W", default_value_t = 4.0)]
    pub weights: f64,
    /// A parameter set with bootstraps, or a file written by `params --out`.
    #[arg(long, value_name = "NAME|FILE", default_value = "n16-boot")]
    pub params: PathBuf,
    /// Write the weights to a file, one per line in the order of the features, the constant last.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub sharing: SharingOptions,
    #[command(flatten)]
    pub device: DeviceOptions,
}
