// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of hashers and builders.

/// Why an input is rejected.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The hasher has no place for another element.
    #[error("the hasher has no place for another element: its arity is reached")]
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
