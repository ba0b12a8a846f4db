// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The driver's description of the GPUs of this machine.

use cudarc::driver::{result, sys};

use crate::error::CudaError;
use crate::library;

/// The driver's description of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuInfo {
    /// The number of the GPU, from 0.
    pub ordinal: u32,
    /// The name, e.g. `NVIDIA H200`.
    pub name: String,
    /// The compute capability, major and minor.
    pub capability: (u32, u32),
    /// The memory, in bytes.
    pub memory: usize,
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The most threads that a multiprocessor holds at once.
    pub multiprocessor_threads: u32,
    /// The driver's version of CUDA, major and minor.
    pub driver: (u32, u32),
}

impl GpuInfo {
    /// Asks the driver. Opens no context on the GPU.
    ///
    /// # Errors
    /// [`CudaError`] if there is no driver or no such GPU.
    pub fn of(ordinal: u32) -> Result<Self, CudaError> {
        let driver = library::load()?;
        let count = count()?;
        if ordinal >= count {
            return Err(CudaError::NoGpu { ordinal, count });
        }
        let failed = |call| move |error| CudaError::of_call(call, error);
        let number = i32::try_from(ordinal).map_err(|_| CudaError::NoGpu { ordinal, count })?;
        let device = result::device::get(number).map_err(failed("cuDeviceGet"))?;
        let name = result::device::get_name(device).map_err(failed("cuDeviceGetName"))?;
        let attribute = |attribute| {
            // SAFETY: the device is the driver's.
            let value = unsafe { result::device::get_attribute(device, attribute) };
            let value = value.map_err(failed("cuDeviceGetAttribute"))?;
            Ok::<_, CudaError>(u32::try_from(value).unwrap_or_default())
        };
        use sys::CUdevice_attribute as Attribute;
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let multiprocessor_threads =
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?;
        // SAFETY: the device is the driver's.
        let memory = unsafe { result::device::total_mem(device) };
        let memory = memory.map_err(failed("cuDeviceTotalMem"))?;
        let capability = (major, minor);
        Ok(Self {
            ordinal,
            name,
            capability,
            memory,
            multiprocessors,
            multiprocessor_threads,
            driver,
        })
    }
}

/// Returns the number of GPUs that the driver has.
///
/// # Errors
/// [`CudaError`] if there is no driver.
pub fn count() -> Result<u32, CudaError> {
    library::load()?;
    let count = result::device::get_count();
    let count = count.map_err(|error| CudaError::of_call("cuDeviceGetCount", error))?;
    Ok(u32::try_from(count).unwrap_or_default())
}
