// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A context: what a process has on a GPU. An error of a kernel makes the context useless.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::{result, sys, DriverError};

use crate::error::CudaError;
use crate::info::GpuInfo;
use crate::kernels::Source;
use crate::module::{Function, Module};

/// The primary context of a GPU, which all libraries of a process share.
pub struct Context {
    raw: sys::CUcontext,
    device: sys::CUdevice,
    info: GpuInfo,
    kernels: Source,
    memory_limit: usize,
    usage: Arc<Usage>,
    /// The bytes that the driver reserves for the stacks of all threads.
    stacks: Mutex<usize>,
    /// The modules by engine, loaded at their first use.
    modules: Mutex<HashMap<&'static str, Module>>,
}

/// The figures of a context that can be read without keeping it open.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// The bytes of all buffers, and of the stacks.
    used: AtomicUsize,
    /// The error after which the context is useless.
    loss: OnceLock<CudaError>,
}

impl Usage {
    /// Returns the bytes of all buffers, and of the stacks.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the error after which the context is useless.
    pub fn loss(&self) -> Option<&CudaError> {
        self.loss.get()
    }
}

// SAFETY: the driver's functions may be called from any thread, each of which makes the context
// current first (`Context::call`).
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loss = self.loss();
        f.debug_struct("Context").field("info", &self.info).field("loss", &loss).finish()
    }
}

impl Context {
    /// Opens the primary context of a GPU, and checks that it works.
    pub(crate) fn open(
        info: &GpuInfo,
        kernels: Source,
        memory_limit: usize,
    ) -> Result<Self, CudaError> {
        let failed = |call| move |error| CudaError::of_call(call, error);
        let ordinal = info.ordinal as i32;
        let device = result::device::get(ordinal).map_err(failed("cuDeviceGet"))?;
        // SAFETY: the device is the driver's. `Drop` releases the context.
        let raw = unsafe { result::primary_ctx::retain(device) };
        let raw = raw.map_err(failed("cuDevicePrimaryCtxRetain"))?;
        let context = Self {
            raw,
            device,
            info: info.clone(),
            kernels,
            memory_limit,
            usage: Arc::default(),
            stacks: Mutex::new(0),
            modules: Mutex::default(),
        };
        context.synchronize()?;
        Ok(context)
    }

    /// Returns what the driver says about the GPU.
    pub fn info(&self) -> &GpuInfo {
        &self.info
    }

    /// Returns the error after which the context is useless.
    pub fn loss(&self) -> Option<&CudaError> {
        self.usage.loss()
    }

    /// Returns the figures that can be read without keeping the context open.
    pub(crate) fn usage(&self) -> &Arc<Usage> {
        &self.usage
    }

    /// Makes the context current and calls the driver. An error that makes the context useless is
    /// kept, and is the error of all later calls.
    pub(crate) fn call<T>(
        &self,
        name: &'static str,
        act: impl FnOnce() -> Result<T, DriverError>,
    ) -> Result<T, CudaError> {
        if let Some(loss) = self.loss() {
            return Err(loss.clone());
        }
        // SAFETY: the context is retained until `Drop`.
        let current = unsafe { result::ctx::set_current(self.raw) };
        let done = match current {
            Ok(()) => act().map_err(|error| CudaError::of_call(name, error)),
            Err(error) => Err(CudaError::of_call("cuCtxSetCurrent", error)),
        };
        done.inspect_err(|error| {
            if error.is_sticky() && self.usage.loss.set(error.clone()).is_ok() {
                let (gpu, name) = (self.info.ordinal, &self.info.name);
                tracing::warn!(gpu, name, %error, "the context of the GPU is lost");
            }
        })
    }

    /// Waits for all work on the GPU.
    ///
    /// # Errors
    /// [`CudaError`], also of earlier work.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.call("cuCtxSynchronize", result::ctx::synchronize)
    }

    /// Returns the bytes of all buffers, and those that the driver reserves for the stacks of the
    /// kernels that have been used.
    pub fn used(&self) -> usize {
        self.usage.used()
    }

    /// Returns how many more bytes fit: below the limit, and free as far as the driver knows.
    ///
    /// # Errors
    /// [`CudaError`] of the driver.
    pub fn available(&self) -> Result<usize, CudaError> {
        let (free, _) = self.call("cuMemGetInfo", result::mem_get_info)?;
        Ok(self.memory_limit.saturating_sub(self.used()).min(free))
    }

    /// Allocates bytes on the GPU, within the limit.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<sys::CUdeviceptr, CudaError> {
        let limit = self.memory_limit;
        self.reserve(bytes)?;
        // SAFETY: `release` frees the memory, once.
        let allocated = self.call("cuMemAlloc", || unsafe { result::malloc_sync(bytes) });
        allocated.map_err(|error| {
            let used = self.usage.used.fetch_sub(bytes, Ordering::Relaxed) - bytes;
            if !error.is_out_of_memory() {
                return error;
            }
            let free = self.call("cuMemGetInfo", result::mem_get_info).ok();
            let free = free.map(|(free, _)| free);
            CudaError::Memory { wanted: bytes, used, limit, free }
        })
    }

    /// Counts bytes as used, if they are within the limit.
    fn reserve(&self, bytes: usize) -> Result<(), CudaError> {
        let limit = self.memory_limit;
        let add = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= limit);
        let reserved = self.usage.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        let full = |used| CudaError::Memory { wanted: bytes, used, limit, free: None };
        reserved.map(drop).map_err(full)
    }

    /// Counts the stacks of a kernel, with these bytes for a thread. The driver reserves the
    /// largest stack of all kernels for every thread that the GPU can hold (CUDA C++ Programming
    /// Guide, "Local Memory"), and keeps it.
    fn reserve_stacks(&self, bytes_per_thread: usize) -> Result<(), CudaError> {
        let GpuInfo { multiprocessors, multiprocessor_threads, .. } = self.info;
        let threads = multiprocessors as usize * multiprocessor_threads as usize;
        let wanted = bytes_per_thread.saturating_mul(threads);
        let mut stacks = self.stacks.lock().unwrap_or_else(PoisonError::into_inner);
        if wanted > *stacks {
            self.reserve(wanted - *stacks)?;
            *stacks = wanted;
        }
        Ok(())
    }

    /// Frees memory of [`Self::allocate`]. A lost context has none.
    pub(crate) fn release(&self, pointer: sys::CUdeviceptr, bytes: usize) {
        // SAFETY: the caller owns the memory, and gives it up.
        let freed = self.call("cuMemFree", || unsafe { result::free_sync(pointer) });
        self.usage.used.fetch_sub(bytes, Ordering::Relaxed);
        self.note("cuMemFree", freed);
    }

    /// Logs the error of a call that frees something; a lost context has nothing to free.
    pub(crate) fn note(&self, call: &'static str, done: Result<(), CudaError>) {
        if let (Err(error), None) = (done, self.loss()) {
            tracing::warn!(gpu = self.info.ordinal, call, %error, "the driver did not free");
        }
    }

    /// Returns a kernel of an engine. The engine's kernels are loaded at their first use. The stack
    /// of the kernel counts as used memory from then on.
    ///
    /// # Errors
    /// [`CudaError::NoKernels`], [`CudaError::Refused`], [`CudaError::NoFunction`],
    /// [`CudaError::Memory`] if the stacks of all threads do not fit.
    pub fn function(
        self: &Arc<Self>,
        engine: &'static str,
        name: &'static str,
    ) -> Result<Function, CudaError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if !modules.contains_key(engine) {
            let ptx = self.kernels.read(engine, self.info.capability)?;
            modules.insert(engine, Module::load(self, &ptx)?);
        }
        let function = match modules.get(engine) {
            Some(module) => module.function(self, name)?,
            None => return Err(CudaError::NoFunction { file: engine.to_owned(), function: name }),
        };
        self.reserve_stacks(function.stack())?;
        Ok(function)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let modules = self.modules.get_mut().unwrap_or_else(PoisonError::into_inner);
        for module in std::mem::take(modules).into_values() {
            // SAFETY: no function of the module is left: each keeps the context alive.
            let unloaded = self.call("cuModuleUnload", || unsafe { module.unload() });
            self.note("cuModuleUnload", unloaded);
        }
        // SAFETY: the context was retained once, in `open`.
        let released = unsafe { result::primary_ctx::release(self.device) };
        let released = released.map_err(|error| CudaError::of_call("release", error));
        self.note("cuDevicePrimaryCtxRelease", released);
        // The stacks are freed as well.
        self.usage.used.store(0, Ordering::Relaxed);
    }
}
