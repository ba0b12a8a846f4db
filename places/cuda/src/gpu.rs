// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A GPU of this machine, and its context, which is opened again after the GPU was lost.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::context::{Context, Usage};
use crate::error::CudaError;
use crate::info::GpuInfo;
use crate::kernels::{Source, CAPABILITIES};

/// The part of a GPU's memory that is used by default: the rest is for other programs, and for the
/// driver itself.
const DEFAULT_SHARE: f64 = 0.9;

/// Settings of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuOptions {
    /// Where the kernels come from.
    pub kernels: Source,
    /// The most bytes of the GPU's memory to use; 90 % of it by default.
    pub memory_limit: Option<usize>,
}

impl Default for GpuOptions {
    fn default() -> Self {
        Self { kernels: Source::from_environment(), memory_limit: None }
    }
}

/// Keeps memory on a GPU between calls.
pub trait Holder: Send + Sync {
    /// Gives up the memory after the context was lost: while anybody holds the old context, no new
    /// one can be opened. A call in progress gives up its memory itself.
    fn give_up(&self);
}

/// A GPU with kernels.
pub struct Gpu {
    holders: Mutex<Vec<Weak<dyn Holder>>>,
    info: GpuInfo,
    kernels: Source,
    memory_limit: usize,
    current: Mutex<Option<Arc<Context>>>,
    watched: Mutex<Watched>,
    batches: AtomicU64,
}

/// The history of a GPU's contexts.
#[derive(Default)]
struct Watched {
    /// That of the newest context.
    usage: Arc<Usage>,
    /// The error that lost the last context, until another one is open.
    loss: Option<String>,
    /// The error of the last try to open another one.
    refusal: Option<String>,
    /// The number of earlier contexts that were lost.
    losses: u64,
}

/// The state of a GPU in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuState {
    /// The condition.
    pub condition: GpuCondition,
    /// The bytes of its memory that this device uses.
    pub memory_used: usize,
    /// The most bytes of its memory that this device may use.
    pub memory_limit: usize,
    /// The number of batches of which it answered a part, and of programs.
    pub batches: u64,
    /// The number of contexts that were lost.
    pub losses: u64,
}

/// The condition of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuCondition {
    /// The GPU works, as far as is known.
    Good,
    /// The context was lost to this error. The next call opens another one.
    Lost(String),
    /// The context was lost, and no other one could be opened so far.
    Unusable(String),
}

impl GpuCondition {
    /// Returns why the GPU does not work.
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::Good => None,
            Self::Lost(reason) | Self::Unusable(reason) => Some(reason),
        }
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gpu").field(&self.info).finish()
    }
}

impl Gpu {
    /// Opens the GPU with this number, and a context on it.
    ///
    /// # Errors
    /// [`CudaError`] if the driver, the GPU or the kernels are missing or too old.
    pub fn open(ordinal: u32, options: &GpuOptions) -> Result<Self, CudaError> {
        let info = GpuInfo::of(ordinal)?;
        let needed = CAPABILITIES[0];
        if info.capability < needed {
            let (gpu, found) = (info.name, info.capability);
            return Err(CudaError::OldGpu { gpu, found, needed });
        }
        options.kernels.check()?;
        let memory_limit =
            options.memory_limit.unwrap_or((info.memory as f64 * DEFAULT_SHARE) as usize);
        let kernels = options.kernels.clone();
        let gpu = Self {
            holders: Mutex::default(),
            info,
            kernels,
            memory_limit,
            current: Mutex::default(),
            watched: Mutex::default(),
            batches: AtomicU64::new(0),
        };
        gpu.context()?;
        Ok(gpu)
    }

    /// Returns the driver's description of the GPU.
    pub fn info(&self) -> &GpuInfo {
        &self.info
    }

    /// Returns where the kernels come from.
    pub fn kernels(&self) -> &Source {
        &self.kernels
    }

    /// Returns the most bytes of memory that are used.
    pub fn memory_limit(&self) -> usize {
        self.memory_limit
    }

    /// Adds somebody who keeps memory.
    pub fn add_holder(&self, holder: Weak<dyn Holder>) {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner).push(holder);
    }

    /// Returns the state of the GPU. Calls no driver, and waits for no work.
    pub fn state(&self) -> GpuState {
        let watched = self.watched();
        let lost = watched.usage.loss();
        let condition = match (&watched.loss, &watched.refusal, lost) {
            (Some(reason), Some(refusal), _) => {
                GpuCondition::Unusable(not_reopened(reason, refusal))
            }
            (Some(reason), None, _) => GpuCondition::Lost(reason.clone()),
            (None, _, Some(reason)) => GpuCondition::Lost(reason.to_string()),
            (None, _, None) => GpuCondition::Good,
        };
        GpuState {
            condition,
            memory_used: watched.usage.used(),
            memory_limit: self.memory_limit,
            batches: self.batches.load(Ordering::Relaxed),
            losses: watched.losses + u64::from(watched.loss.is_none() && lost.is_some()),
        }
    }

    /// Counts a batch of which the GPU answered a part, or a program.
    pub(crate) fn count_batch(&self) {
        self.batches.fetch_add(1, Ordering::Relaxed);
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the context. If the last one was lost, it is given up and another one is opened.
    ///
    /// # Errors
    /// [`CudaError::Lost`] if the GPU does not work any more in this process; the next call tries
    /// again.
    pub fn context(&self) -> Result<Arc<Context>, CudaError> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = &*current {
            let Some(loss) = context.loss() else { return Ok(Arc::clone(context)) };
            let mut watched = self.watched();
            watched.loss = Some(loss.to_string());
            watched.losses += 1;
        }
        *current = None;
        let loss = self.watched().loss.clone();
        if loss.is_some() {
            let holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
            holders.iter().filter_map(Weak::upgrade).for_each(|holder| holder.give_up());
        }
        let opened = Context::open(&self.info, self.kernels.clone(), self.memory_limit);
        let context = opened.map_err(|error| match loss {
            Some(loss) => {
                let refusal = error.to_string();
                let reason = not_reopened(&loss, &refusal);
                self.watched().refusal = Some(refusal);
                CudaError::Lost { reason }
            }
            None => error,
        })?;
        let mut watched = self.watched();
        watched.usage = Arc::clone(context.usage());
        (watched.loss, watched.refusal) = (None, None);
        Ok(Arc::clone(current.insert(Arc::new(context))))
    }
}

/// Describes a loss, and the error of the try to open the GPU again.
fn not_reopened(loss: &str, refusal: &str) -> String {
    format!("{loss}; opened anew: {refusal}")
}
