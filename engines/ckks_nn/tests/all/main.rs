// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Networks: read, evaluated, compiled, and run encrypted on small rings.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agreement;
mod batch;
mod checkpoints;
mod compiled;
mod evaluation;
mod exports;
mod layers;
mod logistic;
mod maximum;
mod model_file;
mod network;
mod network_file;
mod onnx;
mod onnx_recurrent;
mod post_processing;
mod readme;
mod recurrent;
mod repeats;
mod residual_network;
mod setting;
mod sharing;
mod transformer;
mod wide;
