// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One or several GPUs as a place, and the workspaces that its executors share.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::context::Context;
use crate::error::CudaError;
use crate::gpu::{Gpu, GpuCondition};
use crate::workspace::{Tables, Workspace};

/// The number of pieces in flight on a GPU: one that the GPU computes, and one that the host packs
/// or unpacks.
const WORKSPACES: usize = 2;

/// GPUs as a place. All executors of a GPU share its workspaces, so pieces on it run in sequence.
pub struct GpuPlace {
    device: String,
    first: Member,
    others: Vec<Member>,
    /// The number of batches so far: each begins with another GPU.
    batches: AtomicUsize,
}

/// A GPU of a place.
pub(crate) struct Member {
    pub gpu: Gpu,
    workspaces: Mutex<Option<Workspaces>>,
}

/// The workspaces of a context.
pub(crate) struct Workspaces {
    context: Arc<Context>,
    pub all: Vec<Workspace>,
}

impl fmt::Debug for GpuPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gpus: Vec<&Gpu> = self.gpus().collect();
        f.debug_struct("GpuPlace").field("device", &self.device).field("gpus", &gpus).finish()
    }
}

impl GpuPlace {
    /// Makes the place of an open GPU, with the name that users gave it, e.g. `cuda:0`.
    pub fn new(device: &str, gpu: Gpu) -> Self {
        Self::with_gpus(device, gpu, Vec::new())
    }

    /// Makes the place of several open GPUs, which share the pieces of a batch.
    pub fn with_gpus(device: &str, first: Gpu, others: Vec<Gpu>) -> Self {
        let member = |gpu| Member { gpu, workspaces: Mutex::default() };
        let others = others.into_iter().map(member).collect();
        let batches = AtomicUsize::new(0);
        Self { device: device.to_owned(), first: member(first), others, batches }
    }

    /// Returns the name of the device.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Returns the first GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.first.gpu
    }

    /// Returns all GPUs.
    pub fn gpus(&self) -> impl Iterator<Item = &Gpu> {
        self.members().map(|member| &member.gpu)
    }

    /// Returns the GPU with this position, and its workspaces.
    #[cfg(feature = "ckks")]
    pub(crate) fn member(&self, position: usize) -> &Member {
        position.checked_sub(1).and_then(|other| self.others.get(other)).unwrap_or(&self.first)
    }

    /// Returns why no GPU of the place works; `None` if one works, as far as is known.
    pub fn failure(&self) -> Option<String> {
        let failures: Option<Vec<String>> =
            self.gpus().map(|gpu| gpu.state().condition.failure().map(str::to_owned)).collect();
        failures?.into_iter().next()
    }

    /// Opens the GPUs again that were lost. Waits for batches in progress.
    ///
    /// # Errors
    /// The error of the first GPU that cannot be opened, if no GPU works.
    pub fn reopen(&self) -> Result<(), CudaError> {
        let lost = self.members().filter(|of| of.gpu.state().condition != GpuCondition::Good);
        let opened: Vec<Result<(), CudaError>> =
            lost.map(|member| Workspaces::of(&mut member.lock(), &member.gpu).map(drop)).collect();
        match self.failure() {
            Some(_) => opened.into_iter().collect(),
            None => Ok(()),
        }
    }

    fn members(&self) -> impl Iterator<Item = &Member> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Returns the GPUs in the order in which they begin with the next batch.
    pub(crate) fn members_for_next_batch(&self) -> Vec<&Member> {
        let mut members: Vec<&Member> = self.members().collect();
        let count = members.len();
        members.rotate_left(self.batches.fetch_add(1, Ordering::Relaxed) % count);
        members
    }
}

impl Member {
    /// Waits until no other batch uses the workspaces.
    pub fn lock(&self) -> MutexGuard<'_, Option<Workspaces>> {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives back all memory that the workspaces keep, e.g. for the ciphertexts of programs. Waits
    /// until no batch uses them.
    #[cfg(feature = "ckks")]
    pub fn release_memory(&self) {
        *self.lock() = None;
    }
}

impl Workspaces {
    /// Returns the workspaces of the GPU's context. Those of a lost context are given up first.
    pub fn of<'l>(kept: &'l mut Option<Self>, gpu: &Gpu) -> Result<&'l mut Self, CudaError> {
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
