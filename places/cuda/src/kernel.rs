// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations that have kernels.
//!
//! To add an operation, write one file with a type without values that implements [`Kernel`], and
//! register it in `places/src/cuda.rs`. `loopback.rs` is the smallest example:
//!
//! 1. [`Kernel::start`] packs a piece of a batch into inputs, launches kernels, and fetches
//!    outputs. It waits for nothing.
//! 2. [`Kernel::finish`] reads the outputs, and returns the replies.
//!
//! While a GPU works on a piece, the host packs the next one and unpacks the one before. Cutting
//! into pieces (`pieces.rs`), memory, errors, retries and fallback are the business of the executor
//! and of the session.

use halimede_arith::job::{Amount, Compute, Operation};

use crate::error::CudaError;
use crate::workspace::Workspace;

/// An operation's kernels.
pub trait Kernel: Send + Sync + 'static {
    /// The operation.
    type Operation: Compute;

    /// The engine, or a part of it with its own source: the kernels are in `kernels/ENGINE.cu`, and
    /// their names begin with `ENGINE_`.
    const ENGINE: &'static str;

    /// The largest piece of work of a workspace. A piece should take some milliseconds on a large
    /// GPU, and its memory should be some hundreds of MiB at most: a workspace keeps the memory.
    const PIECE: Amount;

    /// Returns the names of the instances, modes or parameter sets that the kernels support.
    fn instances() -> Vec<String> {
        Self::Operation::instances()
    }

    /// Returns why the kernels cannot answer a request: a sentence about the missing capability.
    fn unsupported(_row: <Self::Operation as Operation>::Row<'_>) -> Option<String> {
        None
    }

    /// Gives a workspace a piece of at least one request: inputs, launches, and outputs to be
    /// fetched. All requests are supported.
    ///
    /// # Errors
    /// [`CudaError`]. After [`CudaError::Memory`], the executor tries a smaller piece.
    fn start(
        workspace: &mut Workspace,
        batch: <Self::Operation as Operation>::Batch<'_>,
    ) -> Result<(), CudaError>;

    /// Returns the replies to the piece that [`Self::start`] gave the workspace, in the order of
    /// its requests.
    ///
    /// # Errors
    /// [`CudaError`] of the work.
    fn finish(
        workspace: &mut Workspace,
        batch: <Self::Operation as Operation>::Batch<'_>,
    ) -> Result<Vec<ReplyOf<Self>>, CudaError>;
}

/// The reply of a kernel's operation.
pub type ReplyOf<K> = <<K as Kernel>::Operation as Operation>::Reply;
/// A batch of a kernel's operation.
pub(crate) type BatchOf<'b, K> = <<K as Kernel>::Operation as Operation>::Batch<'b>;
/// The replies to a batch.
pub(crate) type RepliesOf<K> = <<K as Kernel>::Operation as Operation>::Replies;

/// The reason why a batch ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("interrupted")]
    Interrupted,
    #[error("{0}")]
    Error(CudaError),
}

impl Stop {
    /// Returns `true` if a retry does not help: it would only help if the GPU could be opened
    /// again.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Error(CudaError::Lost { .. } | CudaError::Memory { .. }))
    }
}

impl From<CudaError> for Stop {
    fn from(error: CudaError) -> Self {
        Self::Error(error)
    }
}
