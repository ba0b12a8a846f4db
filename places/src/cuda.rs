// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An NVIDIA GPU: one executor per operation with kernels.

use std::sync::Arc;

use halimede_cuda::loopback::EchoOnGpu;
use halimede_cuda::{CudaExecutor, GpuPlace, Kernel};

use crate::registry::Registry;

/// Returns a GPU's executors, including those whose kernels are missing: they support no request.
pub fn executors(place: &Arc<GpuPlace>) -> Registry {
    let registry = Registry::default();
    #[cfg(feature = "ckks")]
    let registry = registry.with_programs(halimede_cuda::ckks::CudaPrograms::new(place));
    with::<EchoOnGpu>(registry, place)
}

fn with<K: Kernel>(registry: Registry, place: &Arc<GpuPlace>) -> Registry {
    registry.with::<K::Operation>(CudaExecutor::<K>::new(place))
}
