// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Networks as graphs of typed nodes, with shapes, and their plaintext evaluation in f64.

mod activation;
mod evaluate;
mod fold;
mod matrix_product;
mod maximum;
mod network;
mod normalization;
mod operator;
mod recurrent;
mod shape;
mod softmax;
mod views;
mod window;

pub(crate) use activation::sigmoid;
pub use activation::{Activation, Parity};
pub use matrix_product::MatrixProduct;
pub use network::{Graph, Node, NodeId};
pub use normalization::LayerNormalization;
pub use operator::{Carried, Convolution, Linear, Operator, Selection, Sums};
pub use recurrent::{Cell, Recurrent, Unrolled};
pub use shape::Shape;
pub use window::Window;
