// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Networks as graphs of typed nodes, with shapes, and their plaintext evaluation in f64.

mod activation;
mod evaluate;
mod fold;
mod network;
mod operator;
mod shape;
mod window;

pub(crate) use activation::sigmoid;
pub use activation::Activation;
pub use network::{Graph, Node, NodeId};
pub use operator::{Convolution, Linear, Operator};
pub use shape::Shape;
pub use window::Window;
