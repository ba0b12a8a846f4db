// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A GPU of this machine, and its context, which is opened again after the GPU was lost.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::context::Context;
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
        let (current, holders) = (Mutex::new(None), Mutex::default());
        let gpu = Self { holders, info, kernels, memory_limit, current };
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

    /// Returns the context. If the last one was lost, it is given up and another one is opened.
    ///
    /// # Errors
    /// [`CudaError::Lost`] if the GPU does not work any more in this process; the next call tries
    /// again.
    pub fn context(&self) -> Result<Arc<Context>, CudaError> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = match &*current {
            Some(context) => match context.loss() {
                None => return Ok(Arc::clone(context)),
                Some(loss) => Some(loss.to_string()),
            },
            None => None,
        };
        *current = None;
        if reason.is_some() {
            let holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
            holders.iter().filter_map(Weak::upgrade).for_each(|holder| holder.give_up());
        }
        let opened = Context::open(&self.info, self.kernels.clone(), self.memory_limit);
        let context = opened.map_err(|error| match reason {
            Some(reason) => CudaError::Lost { reason: format!("{reason}; opened anew: {error}") },
            None => error,
        })?;
        Ok(Arc::clone(current.insert(Arc::new(context))))
    }
}
