// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `halimede ckks compile`: networks for `halimede serve`.

use std::path::PathBuf;

use clap::Args;

use super::network::NetworkOptions;

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
    #[command(flatten)]
    pub network: NetworkOptions,
    /// The file of the network.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The file of the network's interface.
    #[arg(long, value_name = "FILE")]
    pub interface: Option<PathBuf>,
}
