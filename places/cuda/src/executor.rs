// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executors of operations that have kernels.
//!
//! To add an operation, write one file with a type without values that implements [`Kernel`], and
//! register it in `places/src/cuda.rs`. `loopback.rs` is the smallest example:
//!
//! 1. [`Kernel::start`] packs a piece of a batch into inputs, launches kernels, and fetches
//!    outputs. It waits for nothing.
//! 2. [`Kernel::finish`] reads the outputs, and returns the replies.
//!
//! While a GPU works on a piece, the host packs the next one and unpacks the one before. Cutting
//! into pieces (`pieces.rs`), memory, errors, retries and fallback are the executor's and the
//! session's business.

use std::fmt;
use std::sync::Arc;

use halimede_arith::job::{
    Amount, Answered, Attempts, Columns, Compute, DeviceError, Executor, Limits, Offer, Operation,
    Timing, Unsupported,
};

use crate::attempts::OnGpu;
use crate::error::CudaError;
use crate::pieces;
use crate::place::GpuPlace;
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
pub(crate) type BatchOf<'b, K> = <<K as Kernel>::Operation as Operation>::Batch<'b>;
type RepliesOf<K> = <<K as Kernel>::Operation as Operation>::Replies;

/// The executor of an operation on the GPUs of a place.
pub struct CudaExecutor<K> {
    place: Arc<GpuPlace>,
    has_kernels: bool,
    kernel: std::marker::PhantomData<fn() -> K>,
}

impl<K: Kernel> CudaExecutor<K> {
    /// Makes the executor. Without kernels of the engine, it supports no request.
    pub fn new(place: &Arc<GpuPlace>) -> Self {
        let engines = place.gpu().kernels().engines();
        let has_kernels = engines.iter().any(|engine| engine == K::ENGINE);
        Self { place: Arc::clone(place), has_kernels, kernel: std::marker::PhantomData }
    }

    /// Answers the requests of a batch in pieces. Returns the replies to the requests before the
    /// first one that no GPU answered, and its error.
    pub(crate) fn run(
        &self,
        batch: BatchOf<'_, K>,
        timing: &mut Timing,
    ) -> (Vec<ReplyOf<K>>, Result<(), Stop>) {
        pieces::run::<K>(&self.place, batch, timing)
    }
}

impl<K> fmt::Debug for CudaExecutor<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CudaExecutor").field(&self.place).finish()
    }
}

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

impl<K: Kernel> Executor<K::Operation> for CudaExecutor<K> {
    fn limits(&self) -> Limits {
        Limits {
            brief: Amount::NONE,
            piece: K::PIECE,
            batch: None,
            may_fail: true,
            interruptible: true,
        }
    }

    fn offer(&self) -> Option<Offer> {
        self.has_kernels.then(|| Offer { instances: K::instances(), ..Offer::default() })
    }

    fn supports(&self, batch: BatchOf<'_, K>) -> Result<(), Vec<Unsupported>> {
        let reason = |row| match self.has_kernels {
            true => K::unsupported(row),
            false => Some(format!("no GPU kernels of {}; run `make gpu-kernels`", K::ENGINE)),
        };
        let unsupported: Vec<Unsupported> = batch
            .rows()
            .enumerate()
            .filter_map(|(request, row)| Some(Unsupported { request, reason: reason(row)? }))
            .collect();
        match unsupported.is_empty() {
            true => Ok(()),
            false => Err(unsupported),
        }
    }

    fn execute(&self, batch: BatchOf<'_, K>) -> Result<Answered<RepliesOf<K>>, DeviceError> {
        let mut timing = Timing::default();
        let (replies, done) = match batch.is_empty() {
            true => (Vec::new(), Ok(())),
            false => self.run(batch, &mut timing),
        };
        let device = || self.place.device().to_owned();
        let failed = |reason| DeviceError::Failed {
            device: device(),
            request_index: replies.len(),
            requests: batch.len(),
            reason,
        };
        match done {
            Ok(()) => Ok(Answered { replies: replies.into_iter().collect(), timing }),
            Err(stop) if stop.is_final() => {
                Err(DeviceError::Unavailable { device: device(), reason: stop.to_string() })
            }
            Err(stop) => Err(failed(stop.to_string())),
        }
    }

    fn attempts(&self, _: usize) -> Box<dyn Attempts<K::Operation> + '_> {
        Box::new(OnGpu::new(self))
    }

    fn recompute(&self, row: <K::Operation as Operation>::Row<'_>) -> Option<ReplyOf<K>> {
        Some(K::Operation::compute(row))
    }
}
