// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Post-processing: the end of a network that the client computes in plaintext after decryption.
//!
//! A classifier ends in a softmax, an argmax or a table of class names. These are expensive or
//! impossible on ciphertexts, and cost nothing after decryption. The server computes the *scores*,
//! and the client, who has the key, the values and labels from them.
//!
//! The operations work on flat vectors, as ONNX's operators with their axes resolved: a softmax
//! over another axis than the last is a selection, a softmax over rows, and a selection.

mod answer;
mod operation;
mod program;

pub use answer::{Answer, Label};
pub(crate) use operation::{Content, Norm, Operation};
pub use program::PostProcessing;
pub(crate) use program::{Step, MOST_INPUTS, MOST_NAME_BYTES};
