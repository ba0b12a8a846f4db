// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The driver's library, which is loaded when a GPU is opened for the first time.
//!
//! `cudarc` panics if the library or one of its functions is missing, so both are looked for first.

use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::{result, sys};
use libloading::Library;

use crate::error::CudaError;

/// Names the library of the driver, e.g. where the loader does not look for it.
pub const LIBRARY: &str = "HALIMEDE_CUDA_LIBRARY";

/// The names of the library on Linux and Windows.
const NAMES: [&str; 3] = ["libcuda.so", "libcuda.so.1", "nvcuda.dll"];

/// The functions that this crate calls.
const FUNCTIONS: [&str; 43] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDeviceTotalMem_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuFuncGetAttribute",
    "cuFuncGetParamInfo",
    "cuLaunchKernel",
    "cuMemGetInfo_v2",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemsetD8Async",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuEventQuery",
    "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
];

/// A function that only the stand-in driver has.
const STAND_IN: &str = "halimede_standin_configure";

/// The oldest version of CUDA whose drivers accept the kernels: PTX ISA 8.7.
pub const OLDEST: (u32, u32) = (12, 8);

/// The library, kept for the life of the process: a driver cannot be unloaded.
static LOADED: Mutex<Option<Library>> = Mutex::new(None);

/// Loads and initializes the driver, unless this has been done, and returns its version of CUDA.
/// After a failure, the next call tries again.
///
/// # Errors
/// [`CudaError::NoDriver`], [`CudaError::OldDriver`], or the error of the driver.
pub(crate) fn load() -> Result<(u32, u32), CudaError> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if loaded.is_none() {
        let library = open()?;
        check(&library)?;
        *loaded = Some(library);
    }
    drop(loaded);
    let failed = |call| move |error| CudaError::of_call(call, error);
    // A driver without a GPU answers with this error.
    match result::init() {
        Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NO_DEVICE => {
            return Err(CudaError::NoGpu { ordinal: 0, count: 0 });
        }
        other => other.map_err(failed("cuInit"))?,
    }
    let version = version()?;
    if version < OLDEST {
        return Err(CudaError::OldDriver { found: version, needed: OLDEST });
    }
    Ok(version)
}

/// Returns `true` if the loaded driver is the stand-in of the tests: its times say nothing about a
/// GPU.
pub fn is_stand_in() -> bool {
    let loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    loaded.as_ref().is_some_and(|library| address(library, STAND_IN).is_some())
}

/// Opens the library that the environment names, or the one that the loader finds.
fn open() -> Result<Library, CudaError> {
    let named = std::env::var_os(LIBRARY).filter(|name| !name.is_empty());
    let names: Vec<OsString> = match &named {
        Some(name) => vec![name.clone()],
        None => NAMES.iter().map(OsString::from).collect(),
    };
    let mut reasons = Vec::new();
    for name in names {
        // SAFETY: the driver's library initializes nothing before `cuInit`. Its path is the
        // loader's, or the user's choice.
        match unsafe { Library::new(&name) } {
            Ok(library) => return Ok(library),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    let reason = match named {
        Some(name) => format!("{LIBRARY}={}: {}", name.display(), reasons.join("; ")),
        None => format!(
            "the loader finds no {}; install NVIDIA's driver, or set {LIBRARY} to the path of its \
             library",
            NAMES[1]
        ),
    };
    Err(CudaError::NoDriver { reason })
}

/// Checks that the library has every function, and that `cudarc` finds the same library.
fn check(library: &Library) -> Result<(), CudaError> {
    for name in FUNCTIONS {
        if address(library, name).is_none() {
            let reason = format!(
                "its library lacks the function {name}; install a driver of CUDA {}.{} or later",
                OLDEST.0, OLDEST.1
            );
            return Err(CudaError::NoDriver { reason });
        }
    }
    // SAFETY: the functions only look for a library that has been loaded.
    let other = unsafe { sys::is_culib_present().then(|| sys::culib()) };
    if other.and_then(|other| address(other, "cuInit")) != address(library, "cuInit") {
        let reason = format!(
            "the loader finds another library than {LIBRARY} names; set LD_LIBRARY_PATH to its \
             folder instead"
        );
        return Err(CudaError::NoDriver { reason });
    }
    Ok(())
}

/// The address of a function of the library.
fn address(library: &Library, name: &str) -> Option<usize> {
    // SAFETY: the symbol is not called, only its address is read.
    let symbol = unsafe { library.get::<unsafe extern "C" fn()>(name) };
    symbol.ok().map(|symbol| *symbol as usize)
}

/// The driver's version of CUDA.
fn version() -> Result<(u32, u32), CudaError> {
    let mut version = 0;
    // SAFETY: the pointer is valid for the call.
    let status = unsafe { sys::cuDriverGetVersion(&mut version) };
    status.result().map_err(|error| CudaError::of_call("cuDriverGetVersion", error))?;
    let version = u32::try_from(version).unwrap_or_default();
    Ok((version / 1000, version % 1000 / 10))
}
