// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `halimede ckks run`: neural networks on encrypted inputs.

use std::path::PathBuf;

use clap::Args;

use super::sharing::SharingOptions;
use crate::arguments::DeviceOptions;

pub const RUN_HELP: &str = "\
The model is an ONNX file of a network with one input (a batch of 1) and one output, as exporters \
of scikit-learn, Keras and PyTorch write it; --output ends it at another of its values. The end of \
a classifier (softmax, sigmoid, argmax, class names) is computed in plaintext after decryption. \
Each input is a file of values in the order of channels, rows and columns: CSV with one value per line, or a \
one-dimensional NPY file of float64. Client and server both run on this machine. The result is \
compared with the same network in plaintext.

Activations become polynomials on intervals twice as wide as the range of their arguments in the \
samples of --calibrate. If an argument leaves its interval, the result is meaningless: a guard in \
the result reports it, and the exit code is 1.

The comparison is with the network itself, without polynomials. The label, which is the network's \
or the index of the largest output, must be the same. A single output has no label: it must have \
the same sign, and may differ by at most --tolerance (by default a tenth of the largest value of the \
samples). Differences are those of the decrypted scores, before a softmax or sigmoid at the end. \
They must also be as close to those of the polynomials in plaintext as the result claims. \
If the results disagree, the command reports it and the exit code is 1.

The printed values are only for the owner of the key: anyone who also has the encrypted result can \
learn the key from them. --share adds noise that hides the key from others. The size of the noise \
follows from the network, whose errors the command computes itself, and from --security and \
--queries. The command refuses if no precision would be left.

--batch runs several inputs at once in the same ciphertexts, two inputs as the real and the \
imaginary parts, so that each takes less time. Each input has its own guard: if one fails, the \
results of the others are still printed.

--report compiles the model and prints the cost of each layer: the level after its matrix and \
after its activation, diagonals, rotations, products of ciphertexts, bootstraps, how much of an \
interval the samples use, and the mean and the maximum error of the polynomial over the samples.

Examples:
  halimede ckks run model.onnx digit.csv --calibrate samples-*.csv --params n14 --degree 3 --no-guard
  halimede ckks run model.onnx digit.csv --params n10-boot-insecure --degree 7 --report
  halimede ckks run patients.onnx patient.csv --calibrate patients-*.csv --params n13-insecure
  halimede ckks run patients.onnx patient.csv --output variable --calibrate patients-*.csv --params n13-insecure --report
  halimede ckks run model.onnx digit-*.csv --calibrate samples-*.csv --params n13-insecure --degree 7 --batch 2
  halimede ckks run model.onnx digit.csv --calibrate samples-*.csv --params n13-insecure --degree 7 --json
  halimede ckks run model.onnx digit.csv --calibrate samples-*.csv --params n13-insecure --degree 3 --share --security 2 --queries 1 --allow-disagreement
  halimede ckks run model.onnx digit.csv --calibrate samples-*.csv --checkpoint run   # run again to resume";

/// The way in which a network is compiled.
#[derive(Args, Debug)]
pub struct NetworkOptions {
    /// A parameter set, or a file written by `params --out`.
    #[arg(long, value_name = "NAME|FILE", default_value = "n16-boot")]
    pub params: PathBuf,
    /// The degree of the polynomials for activations; 3, 7, 15, 31 consume 2, 3, 4, 5 levels.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = degree)]
    pub degree: usize,
    /// Compute ReLU from the sign of its argument: more levels, and only a small error.
    #[arg(long)]
    pub exact_relu: bool,
    /// Omit the guard: a value out of its range may then give a wrong result without any warning.
    #[arg(long)]
    pub no_guard: bool,
    /// Bootstrap with fewer keys: 2.5 times less memory, up to 1.5 times the time.
    #[arg(long)]
    pub few_keys: bool,
    /// The number of inputs that run at once in the same ciphertexts: less time for each.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = batch)]
    pub batch: usize,
}

/// `halimede ckks run`
#[derive(Args, Debug)]
pub struct RunOptions {
    /// The network: an ONNX file, or a folder of text files with the parameters of a residual
    /// network.
    #[arg(value_name = "MODEL.onnx")]
    pub model: PathBuf,
    /// The inputs, one file each.
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The value of the model that is the output, by its name in the file; by default the model's
    /// output.
    #[arg(long, value_name = "NAME")]
    pub output: Option<String>,
    /// Samples of inputs, which determine the ranges; by default the inputs themselves.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub calibrate: Vec<PathBuf>,
    #[command(flatten)]
    pub network: NetworkOptions,
    /// The maximum difference from plaintext. By default, a tenth of the largest value of the
    /// samples for a single output, and unlimited for several outputs, as long as the label is the
    /// same.
    #[arg(long, value_name = "T", value_parser = tolerance)]
    pub tolerance: Option<f64>,
    /// Exit with code 0 even if results disagree with plaintext; disagreements are still reported.
    #[arg(long)]
    pub allow_disagreement: bool,
    #[command(flatten)]
    pub sharing: SharingOptions,
    /// Print the cost of each layer, and run nothing.
    #[arg(long)]
    pub report: bool,
    /// Save a checkpoint in this folder after each bootstrap, and resume an earlier run of the same
    /// model, options and inputs. The folder also holds the keys, including the secret key, so that
    /// only its owner can read it.
    #[arg(long, value_name = "FOLDER")]
    pub checkpoint: Option<PathBuf>,
    #[command(flatten)]
    pub device: DeviceOptions,
}

fn batch(text: &str) -> Result<usize, String> {
    let batch = text.parse().ok().filter(|batch| (1..=1024).contains(batch));
    batch.ok_or_else(|| "expected 1 to 1024 inputs".to_owned())
}

fn tolerance(text: &str) -> Result<f64, String> {
    let tolerance = text.parse().ok().filter(|most: &f64| most.is_finite() && *most >= 0.0);
    tolerance.ok_or_else(|| "expected a finite number from 0 on".to_owned())
}

fn degree(text: &str) -> Result<usize, String> {
    let degree = text.parse().ok().filter(|degree| (1..=127).contains(degree));
    degree.ok_or_else(|| "expected a whole number from 1 to 127".to_owned())
}
