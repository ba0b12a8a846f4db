// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An NVIDIA GPU: one executor per operation with kernels.

use std::sync::Arc;

use halimede_cuda::bls12_381::{
    EvaluateOnGpu, VerifyAggregateOfMessagesOnGpu, VerifyAggregateOnGpu, VerifyOpeningOnGpu,
    VerifyPossessionOnGpu, VerifyProofOnGpu, VerifySignatureOnGpu,
};
use halimede_cuda::loopback::EchoOnGpu;
use halimede_cuda::poseidon::{
    CircomHashOnGpu, FilecoinHashOnGpu, PermuteOnGpu, Poseidon2OnGpu, StarknetHashOnGpu,
};
use halimede_cuda::secp256k1::{RecoverOnGpu, VerifyOnGpu, VerifySchnorrOnGpu};
use halimede_cuda::{blake3, equihash, CudaExecutor, GpuPlace, Kernel};

use crate::registry::Registry;

/// Returns a GPU's executors, including those whose kernels are missing: they support no request.
pub fn executors(place: &Arc<GpuPlace>) -> Registry {
    let registry = Registry::default();
    let registry = with::<EchoOnGpu>(registry, place);
    let registry = with::<PermuteOnGpu>(registry, place);
    let registry = with::<FilecoinHashOnGpu>(registry, place);
    let registry = with::<StarknetHashOnGpu>(registry, place);
    let registry = with::<CircomHashOnGpu>(registry, place);
    let registry = with::<Poseidon2OnGpu>(registry, place);
    let registry = with::<blake3::HashOnGpu>(registry, place);
    let registry = with::<VerifySignatureOnGpu>(registry, place);
    let registry = with::<VerifyPossessionOnGpu>(registry, place);
    let registry = with::<VerifyAggregateOnGpu>(registry, place);
    let registry = with::<VerifyAggregateOfMessagesOnGpu>(registry, place);
    let registry = with::<VerifyOpeningOnGpu>(registry, place);
    let registry = with::<EvaluateOnGpu>(registry, place);
    let registry = with::<VerifyProofOnGpu>(registry, place);
    let registry = with::<equihash::VerifyOnGpu>(registry, place);
    let registry = with::<VerifyOnGpu>(registry, place);
    let registry = with::<VerifySchnorrOnGpu>(registry, place);
    #[cfg(feature = "ckks")]
    let registry = registry.with_programs(halimede_cuda::ckks::CudaPrograms::new(place));
    with::<RecoverOnGpu>(registry, place)
}

fn with<K: Kernel>(registry: Registry, place: &Arc<GpuPlace>) -> Registry {
    registry.with::<K::Operation>(CudaExecutor::<K>::new(place))
}
