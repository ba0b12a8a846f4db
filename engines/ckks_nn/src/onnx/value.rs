// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of a model during import.

use super::tensor::Constant;
use crate::graph::NodeId;
use crate::post_processing::Content;

/// The value of a name in the model.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Node(Computed),
    Constant(Constant),
    /// A constant list of texts.
    Texts(Vec<String>),
    /// A value that the client computes after decryption.
    Decrypted(Decrypted),
}

/// A node of the network.
#[derive(Clone, Debug)]
pub(super) struct Computed {
    pub id: NodeId,
    /// Its axes, including the batch, which may be any axis.
    pub axes: Vec<usize>,
}

/// A value after decryption.
#[derive(Clone, Debug)]
pub(super) struct Decrypted {
    /// Its place among the vectors.
    pub vector: usize,
    /// Its axes, including the batch.
    pub axes: Vec<usize>,
    pub content: Content,
}
