// SPDX-License-Identifier: Apache-2.0 OR MIT
//! This processor, all cores of the current thread pool.

mod pool;

#[cfg(feature = "ckks")]
use std::sync::Arc;
use std::time::Instant;

use halimede_arith::job::{
    interrupt, Answered, AtOnce, Attempts, Columns, Compute, DeviceError, Executor, Limits, Offer,
    Timing, Unsupported,
};
use halimede_arith::Backend;
use halimede_blake3::operations::Hash;
use halimede_bls12_381::operations::{
    ComputeBlob, Evaluate, RunPrecompile, RunProgram, VerifyAggregate, VerifyAggregateOfMessages,
    VerifyCell, VerifyOpening, VerifyPossession, VerifyProof,
    VerifySignature as VerifyBlsSignature,
};
#[cfg(feature = "ckks")]
use halimede_ckks::executor::{ExecutorError, ProcessorPrograms, ProgramExecutor, ProgramPlace};
#[cfg(feature = "ckks")]
use halimede_ckks::Parameters;
use halimede_equihash::operations::Verify as VerifySolution;
use halimede_loopback::Echo;
use halimede_poseidon::operations::{
    CircomHash, FilecoinHash, Permute, RunPoseidon2, StarknetHash,
};
use halimede_secp256k1::operations::{
    HalfAggregate, Recover, Verify as VerifySignature, VerifyHalfAggregate, VerifySchnorr,
};

pub use self::pool::{in_pool, watch_forks};
use crate::registry::Registry;

/// Returns this processor's executors, one for every operation that it computes.
pub fn executors() -> Registry {
    let registry = Registry::default()
        .with::<Permute>(OnProcessor)
        .with::<FilecoinHash>(OnProcessor)
        .with::<StarknetHash>(OnProcessor)
        .with::<Hash>(OnProcessor)
        .with::<VerifySolution>(OnProcessor)
        .with::<VerifySignature>(OnProcessor)
        .with::<VerifySchnorr>(OnProcessor)
        .with::<Recover>(OnProcessor)
        .with::<VerifyBlsSignature>(OnProcessor)
        .with::<VerifyAggregate>(OnProcessor)
        .with::<VerifyAggregateOfMessages>(OnProcessor)
        .with::<VerifyPossession>(OnProcessor)
        .with::<VerifyOpening>(OnProcessor)
        .with::<VerifyCell>(OnProcessor)
        .with::<ComputeBlob>(OnProcessor)
        .with::<VerifyProof>(OnProcessor)
        .with::<Evaluate>(OnProcessor)
        .with::<RunPrecompile>(OnProcessor)
        .with::<RunProgram>(OnProcessor);
    #[cfg(feature = "ckks")]
    let registry = registry.with_programs(OnProcessor);
    registry
        .with::<CircomHash>(OnProcessor)
        .with::<RunPoseidon2>(OnProcessor)
        .with::<VerifyHalfAggregate>(OnProcessor)
        .with::<HalfAggregate>(OnProcessor)
        .with::<Echo>(OnProcessor)
}

/// This processor: all cores of the current thread pool.
#[derive(Clone, Copy, Debug)]
struct OnProcessor;

impl<Op: Compute> Executor<Op> for OnProcessor {
    fn limits(&self) -> Limits {
        Limits {
            brief: Op::BRIEF,
            piece: Op::PIECE,
            batch: None,
            may_fail: false,
            interruptible: Op::INTERRUPTIBLE,
        }
    }

    fn offer(&self) -> Option<Offer> {
        Some(Offer { instances: Op::instances(), ..Offer::default() })
    }

    fn supports(&self, _: Op::Batch<'_>) -> Result<(), Vec<Unsupported>> {
        Ok(())
    }

    /// If the environment requests a backend that this processor lacks, it computes nothing.
    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError> {
        if let Err(error) = Backend::chosen() {
            return Err(DeviceError::of_backend("cpu", &error));
        }
        if let Some(replies) = Op::compute_at_once(batch) {
            return Ok(Answered { replies, timing: Timing::default() });
        }
        let start = Instant::now();
        let replies = in_pool(|| Op::compute_batch(batch));
        if Op::INTERRUPTIBLE && interrupt::is_requested() == Some(true) {
            let (device, reason) = ("cpu".into(), "interrupted".into());
            let requests = batch.len();
            return Err(DeviceError::Failed { device, request_index: 0, requests, reason });
        }
        let timing = Timing { compute: start.elapsed(), ..Timing::default() };
        Ok(Answered { replies, timing })
    }

    fn attempts(&self, _: usize) -> Box<dyn Attempts<Op> + '_> {
        Box::new(AtOnce::new(self))
    }
}

#[cfg(feature = "ckks")]
impl ProgramPlace for OnProcessor {
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        Ok(Arc::new(ProcessorPrograms::new(parameters)))
    }

    fn may_fail(&self) -> bool {
        false
    }
}
