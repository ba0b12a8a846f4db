// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of neural networks.

use std::path::PathBuf;

use clap::Args;

pub const RUN_HELP: &str = "\
The model is an ONNX file of a network with one input, a batch of 1, and one output. Each input is \
a file of its values, CSV (one a line) or a one-dimensional NPY file of float64, in the order of \
channels, rows and columns. Client and server both run on this machine, and the values are compared \
with those in plaintext.

Activations become polynomials on intervals twice as wide as the range of their arguments in the \
samples of --calibrate. Where an argument leaves its interval the result means nothing: a guard in \
the result tells, and the command ends with code 1.

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
    /// Print what each layer takes, and run nothing.
    #[arg(long)]
    pub report: bool,
    /// Leave a file in this folder after each bootstrap, and go on from what an earlier run of the same
    /// model, options and inputs left there. The folder has the keys too, the secret one among them, which
    /// its owner alone can read.
    #[arg(long, value_name = "FOLDER")]
    pub checkpoint: Option<PathBuf>,
}

fn batch(text: &str) -> Result<usize, String> {
    let batch = text.parse().ok().filter(|batch| (1..=1024).contains(batch));
    batch.ok_or_else(|| "a batch has 1 to 1024 inputs".to_owned())
}

fn degree(text: &str) -> Result<usize, String> {
    let degree = text.parse().ok().filter(|degree| (1..=127).contains(degree));
    degree.ok_or_else(|| "a degree is a whole number from 1 to 127".to_owned())
}
