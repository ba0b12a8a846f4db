// SPDX-License-Identifier: Apache-2.0 OR MIT
//! NVIDIA GPUs as devices.

use std::sync::Arc;

use halimede_arith::job::DeviceError;
use halimede_cuda::{CudaError, Gpu, GpuInfo, GpuOptions, GpuPlace};
use halimede_places::{cuda, Registry};

use crate::capabilities::{Capabilities, GpuIdentity, Kind};
use crate::list::Entry;
use crate::options::Options;

/// Opens the GPU with this number. Returns its executors and its capabilities.
pub(crate) fn open(
    name: &str,
    ordinal: u32,
    options: &Options,
) -> Result<(Registry, Capabilities), DeviceError> {
    let settings = GpuOptions { memory_limit: options.gpu_memory, ..GpuOptions::default() };
    let gpu = Gpu::open(ordinal, &settings).map_err(|error| unavailable(name, &error))?;
    let identity = GpuIdentity::of(gpu.info());
    let place = Arc::new(GpuPlace::new(name, gpu));
    let executors = cuda::executors(&place);
    let capabilities = Capabilities {
        gpu: Some(identity),
        ..Capabilities::new(name, Kind::Gpu, executors.engines())
    };
    Ok((executors, capabilities))
}

fn unavailable(name: &str, error: &CudaError) -> DeviceError {
    DeviceError::Unavailable { device: name.to_owned(), reason: error.to_string() }
}

impl GpuIdentity {
    fn of(info: &GpuInfo) -> Self {
        let version = |(major, minor): (u32, u32)| format!("{major}.{minor}");
        Self {
            name: info.name.clone(),
            compute_capability: version(info.capability),
            multiprocessors: info.multiprocessors,
            memory_bytes: info.memory as u64,
            driver: version(info.driver),
        }
    }
}

/// Returns the GPUs of this machine; on a machine without any, an entry with the reason. Opens each
/// GPU briefly, which disturbs no other program.
pub(crate) fn list() -> Vec<Entry> {
    let entry = |spec: String, available, description, capabilities| Entry {
        spec,
        available,
        description,
        capabilities,
    };
    let count = match halimede_cuda::count() {
        Ok(count @ 1..) => count,
        Ok(0) => {
            let none = CudaError::NoGpu { ordinal: 0, count: 0 };
            return vec![entry("cuda:0".into(), false, none.to_string(), None)];
        }
        Err(error) => return vec![entry("cuda:0".into(), false, error.to_string(), None)],
    };
    let of = |ordinal: u32| {
        let spec = format!("cuda:{ordinal}");
        match open(&spec, ordinal, &Options::default()) {
            Ok((_, capabilities)) => {
                let description = capabilities.gpu.as_ref().map(GpuIdentity::to_string);
                entry(spec, true, description.unwrap_or_default(), Some(capabilities))
            }
            Err(DeviceError::Unavailable { reason, .. }) => {
                let name = GpuInfo::of(ordinal).map(|info| format!("{}: ", info.name));
                entry(spec, false, name.unwrap_or_default() + &reason, None)
            }
            Err(error) => entry(spec, false, error.to_string(), None),
        }
    };
    (0..count).map(of).collect()
}
