// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `halimede ckks compile`: networks for `halimede serve`.

use std::path::PathBuf;

use clap::Args;

use super::network::{batch, degree};

pub const COMPILE_HELP: &str = "\
Calibrates and compiles the model as `halimede ckks run` does, prints the cost of each layer, and \
writes a file for `halimede serve --network`. The server compiles it again, to the same network. \
The file has the weights and the samples: it is only for the server. Clients get the network's \
interface, which --interface writes too.

Examples:
  halimede ckks compile model.onnx --calibrate samples-*.csv --params n13-insecure --degree 7 --out digits.network
  halimede ckks compile model.onnx --calibrate samples-*.csv --params n13-insecure --degree 7 --batch 2 --out batch.network --interface batch.interface";

/// `halimede ckks compile`
#[derive(Args, Debug)]
pub struct CompileOptions {
    /// The network: an ONNX file.
    #[arg(value_name = "MODEL.onnx")]
    pub model: PathBuf,
    /// The value of the model that is the output, by its name in the file; by default the model's
    /// output.
    #[arg(long, value_name = "NAME")]
    pub output: Option<String>,
    /// Samples of inputs, which determine the ranges.
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    pub calibrate: Vec<PathBuf>,
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
    /// The file of the network.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The file of the network's interface.
    #[arg(long, value_name = "FILE")]
    pub interface: Option<PathBuf>,
}
