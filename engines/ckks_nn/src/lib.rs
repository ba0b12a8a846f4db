// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Neural networks on encrypted inputs: ONNX models compiled to circuits of [`halimede_ckks`].
//!
//! | module | contents |
//! |---|---|
//! | [`graph`] | networks as typed nodes with shapes, and their plaintext values |
//! | [`onnx`] | ONNX files read as networks |
//! | [`residual`] | residual networks read from text files of their parameters |
//! | [`calibrate`] | ranges and histograms of activations' arguments, polynomials fitted to them |
//! | `layout` | the places of values in the slots, and layers as matrices |
//! | [`compile`] | [`Model`]: the circuit of a network, and its report |
//! | [`network_file`] | networks in files, for servers that compile them |
//! | [`post_processing`] | the end of a classifier, after decryption |
//! | [`run`] | client and server |
//! | [`train`] | logistic regression on encrypted samples |

pub mod calibrate;
pub mod compile;
pub mod graph;
pub mod network_file;
pub mod onnx;
pub mod post_processing;
#[cfg(not(target_family = "wasm"))]
pub mod residual;
pub mod run;
pub mod train;

mod error;
mod layout;

pub use calibrate::Calibration;
pub use compile::{Model, Options};
pub use error::NetworkError;
pub use graph::Graph;
pub use network_file::NetworkFile;
pub use onnx::{read_onnx, read_onnx_output};
pub use post_processing::{Answer, Label, PostProcessing};
#[cfg(not(target_family = "wasm"))]
pub use residual::read_residual_network;
pub use run::{Ciphertexts, NetworkClient, NetworkServer, NetworkSharing, Output};
