// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of neural networks.

use std::path::PathBuf;

use clap::Args;

use super::sharing::SharingOptions;

pub const RUN_HELP: &str = "\
The model is an ONNX file of a network with one input, a batch of 1, and one output. Each input is \
a file of its values, CSV (one a line) or a one-dimensional NPY file of float64, in the order of \
channels, rows and columns. Client and server both run on this machine, and the values are compared \
with those in plaintext.

Activations become polynomials on intervals twice as wide as the range of their arguments in the \
samples of --calibrate. Where an argument leaves its interval the result means nothing: a guard in \
the result tells, and the command ends with code 1.

Values in plaintext are those of the network itself, without polynomials. Labels must be the same, the \
place of the largest of two values or more. A single value has no label: it must have the same sign, \
and be off by --tolerance at most, a tenth of the largest value of the samples by default. Values must \
also be as near to those with polynomials in plaintext as the result claims. Where they are not, the \
command says so and ends with code 1.

Printed values are for the owner of the key alone: whoever has the encrypted result too can learn the \
key from them. --share adds noise that hides the key from others. How large it is follows from the \
network, whose errors this command computes itself, and from --security and --queries; it refuses \
where nothing would be left.

--batch runs several inputs at once: they share ciphertexts, and two are real and imaginary part of \
one, so that each takes less time. Each has its own guard, and the others' results are printed.

--report compiles the model and prints what each layer takes: the level after its matrix and after \
its activation, diagonals, rotations, products of ciphertexts, bootstraps, how much of an interval \
the samples use, and the error of the polynomial, in the mean over the samples and at most.

Examples:
  halimede ckks run model.onnx digit.csv --calibrate samples-*.csv --params n14 --degree 3 --no-guard
  halimede ckks run model.onnx digit.csv --params n10-boot-insecure --degree 7 --report
  halimede ckks run model.onnx digit-*.csv --calibrate samples-*.csv --params n13-insecure --degree 7 --batch 2
  halimede ckks run model.onnx digit.csv --calibrate samples-*.csv --params n13-insecure --degree 7 --json
  halimede ckks run model.onnx digit.csv --calibrate samples-*.csv --params n13-insecure --degree 3 --share --security 2 --queries 1 --allow-disagreement
  halimede ckks run model.onnx digit.csv --calibrate samples-*.csv --checkpoint run   # a second one goes on";

/// `halimede ckks run`
#[derive(Args, Debug)]
pub struct RunOptions {
    /// The network: an ONNX file, or a folder of text files with the parameters of a residual one.
    #[arg(value_name = "MODEL.onnx")]
    pub model: PathBuf,
    /// Inputs, a file each.
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Samples of inputs that ranges are taken from; the inputs themselves by default.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub calibrate: Vec<PathBuf>,
    /// A parameter set, or a file of one.
    #[arg(long, value_name = "NAME|FILE", default_value = "n16-boot")]
    pub params: PathBuf,
    /// The degree of the polynomials for activations; 3, 7, 15, 31 take 2, 3, 4, 5 levels.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = degree)]
    pub degree: usize,
    /// Take ReLU by the sign of its argument, with more levels and a small error.
    #[arg(long)]
    pub exact_relu: bool,
    /// Leave the guard out: a value out of its range may give a wrong result that nothing tells.
    #[arg(long)]
    pub no_guard: bool,

    /// Bootstrap with few keys: a fraction of the memory, half as much time again.
    #[arg(long)]
    pub few_keys: bool,
    /// Run so many inputs at once, which share ciphertexts: less time for each.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = batch)]
    pub batch: usize,
    /// The largest difference from plaintext that agrees; by default, of a single value a tenth of the
    /// largest that the samples have, and of several any that leaves the label.
    #[arg(long, value_name = "T", value_parser = tolerance)]
    pub tolerance: Option<f64>,
    /// End with code 0 where values do not agree with those in plaintext, which is still said.
    #[arg(long)]
    pub allow_disagreement: bool,
    #[command(flatten)]
    pub sharing: SharingOptions,
    /// Print what each layer takes, and run nothing.
    #[arg(long)]
    pub report: bool,
    /// Leave a file in this folder after each bootstrap, and go on from what an earlier run of the same
    /// model, options and inputs left there. The folder has the keys too, the secret one among them: its
    /// owner alone can look into it.
    #[arg(long, value_name = "FOLDER")]
    pub checkpoint: Option<PathBuf>,
}

fn batch(text: &str) -> Result<usize, String> {
    let batch = text.parse().ok().filter(|batch| (1..=1024).contains(batch));
    batch.ok_or_else(|| "a batch has 1 to 1024 inputs".to_owned())
}

fn tolerance(text: &str) -> Result<f64, String> {
    let tolerance = text.parse().ok().filter(|most: &f64| most.is_finite() && *most >= 0.0);
    tolerance.ok_or_else(|| "a tolerance is a finite number from 0 on".to_owned())
}

fn degree(text: &str) -> Result<usize, String> {
    let degree = text.parse().ok().filter(|degree| (1..=127).contains(degree));
    degree.ok_or_else(|| "a degree is a whole number from 1 to 127".to_owned())
}
