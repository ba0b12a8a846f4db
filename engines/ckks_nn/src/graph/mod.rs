// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Networks as graphs of typed nodes, with shapes, and their plaintext evaluation in f64.

mod activation;
mod evaluate;
mod fold;
mod maximum;
mod network;
mod operator;
mod recurrent;
mod shape;
mod window;

pub(crate) use activation::sigmoid;
pub use activation::{Activation, Parity};
pub use network::{Graph, Node, NodeId};
pub use operator::{Carried, Convolution, Linear, Operator, Selection};
pub use recurrent::{Cell, Recurrent, Unrolled};
pub use shape::Shape;
pub use window::Window;
