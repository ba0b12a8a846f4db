// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of hashers and builders.

/// Why an input is rejected.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The hasher already has as many elements as its arity.
    #[error("the hasher has no place for another element: it has as many as its arity")]
    FullBuffer,
    /// An index is too large.
    #[error("the index is out of bounds")]
    IndexOutOfBounds,
    /// A GPU failed. This crate uses none.
    #[error("GPU: {0}")]
    GpuError(String),
    /// Another reason, in words.
    #[error("{0}")]
    Other(String),
}
