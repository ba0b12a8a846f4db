// SPDX-License-Identifier: Apache-2.0 OR MIT
//! NVIDIA GPUs as devices.

use std::sync::Arc;

use halimede_arith::job::DeviceError;
use halimede_cuda::{self as driver, CudaError, Gpu, GpuInfo, GpuOptions, GpuPlace};
use halimede_places::{cuda, Registry};

use crate::capabilities::{Capabilities, GpuCondition, GpuIdentity, GpuStatus, Kind};
use crate::entry::Entry;
use crate::options::Options;
use crate::specification::Gpus;

/// Opens GPUs, all of which must be available. Returns them, their executors and their
/// capabilities.
pub(crate) fn open(
    name: &str,
    gpus: &Gpus,
    options: &Options,
) -> Result<(Arc<GpuPlace>, Registry, Capabilities), DeviceError> {
    let failed = |error: CudaError| unavailable(name, &error.to_string());
    let numbers = match gpus {
        Gpus::These(numbers) => numbers.clone(),
        Gpus::All => (0..halimede_cuda::count().map_err(failed)?).collect(),
    };
    let Some((&first, others)) = numbers.split_first() else {
        return Err(failed(CudaError::NoGpu { ordinal: 0, count: 0 }));
    };
    let settings = GpuOptions { memory_limit: options.gpu_memory, ..GpuOptions::default() };
    let open = |number: u32| {
        Gpu::open(number, &settings).map_err(|error| match others.is_empty() {
            true => failed(error),
            false => unavailable(name, &format!("GPU {number}: {error}")),
        })
    };
    let first = open(first)?;
    let others = others.iter().map(|number| open(*number)).collect::<Result<Vec<_>, _>>()?;
    let identity = GpuIdentity::of(first.info());
    let other_gpus = others.iter().map(|gpu| GpuIdentity::of(gpu.info())).collect();
    let place = Arc::new(GpuPlace::with_gpus(name, first, others));
    let executors = cuda::executors(&place);
    let capabilities = Capabilities {
        gpu: Some(identity),
        other_gpus,
        ..Capabilities::new(name, Kind::Gpu, executors.engines())
    };
    Ok((place, executors, capabilities))
}

pub(crate) fn unavailable(name: &str, reason: &str) -> DeviceError {
    DeviceError::Unavailable { device: name.to_owned(), reason: reason.to_owned() }
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

impl GpuStatus {
    pub(crate) fn of(gpu: &Gpu) -> Self {
        let driver::GpuState { condition, memory_used, memory_limit, batches, losses } =
            gpu.state();
        let state = match condition {
            driver::GpuCondition::Good => GpuCondition::Good,
            driver::GpuCondition::Lost(_) => GpuCondition::Lost,
            driver::GpuCondition::Unusable(_) => GpuCondition::Unusable,
        };
        Self {
            number: gpu.info().ordinal,
            name: gpu.info().name.clone(),
            state,
            reason: condition.failure().map(str::to_owned),
            memory_used_bytes: memory_used as u64,
            memory_limit_bytes: memory_limit as u64,
            batches,
            losses,
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
        match open(&spec, &Gpus::These(vec![ordinal]), &Options::default()) {
            Ok((_, _, capabilities)) => {
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
