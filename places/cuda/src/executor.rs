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
//! While the GPU works on a piece, the host packs the next one and unpacks the one before. Cutting
//! into pieces, memory, errors, retries and fallback are the executor's and the session's business.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use halimede_arith::job::{
    interrupt, Amount, Answered, Attempts, Columns, Compute, DeviceError, Executor, Limits, Offer,
    Operation, Timing, Unsupported,
};

use crate::attempts::OnGpu;
use crate::context::Context;
use crate::error::CudaError;
use crate::gpu::Gpu;
use crate::workspace::{Tables, Workspace};

/// The number of pieces in flight: one that the GPU computes, and one that the host packs or
/// unpacks.
const WORKSPACES: usize = 2;

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
type BatchOf<'b, K> = <<K as Kernel>::Operation as Operation>::Batch<'b>;
type RepliesOf<K> = <<K as Kernel>::Operation as Operation>::Replies;

/// A GPU as a place: all its executors share its workspaces, so batches on it run in sequence.
pub struct GpuPlace {
    device: String,
    gpu: Gpu,
    workspaces: Mutex<Option<Workspaces>>,
}

/// The workspaces of a context.
struct Workspaces {
    context: Arc<Context>,
    all: Vec<Workspace>,
}

impl fmt::Debug for GpuPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuPlace").field("device", &self.device).field("gpu", &self.gpu).finish()
    }
}

impl GpuPlace {
    /// Makes the place of an open GPU, with the name that users gave it, e.g. `cuda:0`.
    pub fn new(device: &str, gpu: Gpu) -> Self {
        Self { device: device.to_owned(), gpu, workspaces: Mutex::default() }
    }

    /// Returns the name of the device.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Returns the GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Gives back all memory that the workspaces keep, e.g. for the ciphertexts of programs.
    pub fn release_memory(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Workspaces>> {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workspaces {
    /// Returns the workspaces of the GPU's context. Those of a lost context are given up first.
    fn of<'l>(kept: &'l mut Option<Self>, gpu: &Gpu) -> Result<&'l mut Self, CudaError> {
        if kept.as_ref().is_some_and(|workspaces| workspaces.context.loss().is_some()) {
            *kept = None;
        }
        let context = gpu.context()?;
        if !kept.as_ref().is_some_and(|workspaces| Arc::ptr_eq(&workspaces.context, &context)) {
            *kept = None;
            let tables = Arc::new(Tables::default());
            let all: Result<_, _> =
                (0..WORKSPACES).map(|_| Workspace::new(&context, &tables)).collect();
            *kept = Some(Self { context, all: all? });
        }
        kept.as_mut().ok_or(CudaError::OtherContext)
    }
}

/// The executor of an operation on a GPU.
pub struct CudaExecutor<K> {
    place: Arc<GpuPlace>,
    has_kernels: bool,
    kernel: std::marker::PhantomData<fn() -> K>,
}

impl<K: Kernel> CudaExecutor<K> {
    /// Makes the executor. Without kernels of the engine, it supports no request.
    pub fn new(place: &Arc<GpuPlace>) -> Self {
        let engines = place.gpu.kernels().engines();
        let has_kernels = engines.iter().any(|engine| engine == K::ENGINE);
        Self { place: Arc::clone(place), has_kernels, kernel: std::marker::PhantomData }
    }

    /// Answers the requests of a batch in pieces. Returns the replies, the first request without
    /// one, and its error.
    pub(crate) fn run(
        &self,
        batch: BatchOf<'_, K>,
        timing: &mut Timing,
    ) -> (Vec<ReplyOf<K>>, Result<(), Stop>) {
        let mut replies = Vec::with_capacity(batch.len());
        let mut kept = self.place.lock();
        let done =
            Workspaces::of(&mut kept, &self.place.gpu).map_err(Stop::from).and_then(|workspaces| {
                workspaces.all.iter_mut().for_each(|workspace| workspace.choose(K::ENGINE));
                let mut run = Run::<K> {
                    workspaces: &mut workspaces.all,
                    batch,
                    flying: VecDeque::new(),
                    timing,
                };
                let done = run.all(&mut replies);
                // The next batch uses the workspaces again.
                run.wait();
                done
            });
        if done.is_err() {
            // Also frees the memory.
            *kept = None;
        }
        (replies, done)
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

impl From<CudaError> for Stop {
    fn from(error: CudaError) -> Self {
        Self::Error(error)
    }
}

/// A batch in progress.
struct Run<'r, 'b, K: Kernel> {
    workspaces: &'r mut [Workspace],
    batch: BatchOf<'b, K>,
    /// The pieces in flight with their workspaces, oldest first.
    flying: VecDeque<(usize, Range<usize>)>,
    timing: &'r mut Timing,
}

impl<K: Kernel> Run<'_, '_, K> {
    fn all(&mut self, replies: &mut Vec<ReplyOf<K>>) -> Result<(), Stop> {
        let (mut start, mut workspace) = (0, 0);
        let mut most = K::PIECE;
        while start < self.batch.len() {
            if interrupt::is_requested() == Some(true) {
                return Err(Stop::Interrupted);
            }
            if self.flying.len() == self.workspaces.len() {
                self.land(replies)?;
            }
            let rest = self.batch.slice(start..self.batch.len());
            let length = most.first_of::<K::Operation>(rest);
            match self.launch(workspace, start..start + length) {
                Ok(()) => {
                    start += length;
                    workspace = (workspace + 1) % self.workspaces.len();
                }
                Err(CudaError::Memory { .. }) if length > 1 || !self.flying.is_empty() => {
                    // The other pieces may have the memory; then a smaller piece may fit.
                    while !self.flying.is_empty() {
                        self.land(replies)?;
                    }
                    self.wait();
                    self.workspaces.iter_mut().for_each(Workspace::shrink);
                    most.requests = length.div_ceil(2);
                }
                Err(error) => return Err(error.into()),
            }
        }
        while !self.flying.is_empty() {
            self.land(replies)?;
        }
        Ok(())
    }

    /// Gives a piece to a workspace.
    fn launch(&mut self, workspace: usize, piece: Range<usize>) -> Result<(), CudaError> {
        let start = Instant::now();
        K::start(&mut self.workspaces[workspace], self.batch.slice(piece.clone()))?;
        self.flying.push_back((workspace, piece));
        self.timing.to_device += start.elapsed();
        Ok(())
    }

    /// Waits for the oldest piece, and adds its replies.
    fn land(&mut self, replies: &mut Vec<ReplyOf<K>>) -> Result<(), CudaError> {
        let Some((workspace, piece)) = self.flying.pop_front() else { return Ok(()) };
        let start = Instant::now();
        let workspace = &mut self.workspaces[workspace];
        workspace.synchronize()?;
        let computed = Instant::now();
        self.timing.compute += computed - start;
        let count = piece.len();
        let landed = K::finish(workspace, self.batch.slice(piece))?;
        if landed.len() != count {
            let reason = format!("{} replies to {count} requests", landed.len());
            return Err(CudaError::Launch { function: K::ENGINE, reason });
        }
        replies.extend(landed);
        self.timing.from_device += computed.elapsed();
        Ok(())
    }

    /// Waits for the workspaces after an error, so that their memory can be used again.
    fn wait(&mut self) {
        self.flying.clear();
        for workspace in self.workspaces.iter() {
            if let Err(error) = workspace.synchronize() {
                tracing::debug!(%error, "the rest of a batch failed as well");
            }
        }
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
        let device = || self.place.device.clone();
        let failed = |reason| DeviceError::Failed {
            device: device(),
            request_index: replies.len(),
            requests: batch.len(),
            reason,
        };
        match done {
            Ok(()) => Ok(Answered { replies: replies.into_iter().collect(), timing }),
            // No retry helps.
            Err(stop @ Stop::Error(CudaError::Lost { .. } | CudaError::Memory { .. })) => {
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
