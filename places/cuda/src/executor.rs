// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The executor of operations that have kernels.

use std::fmt;
use std::sync::Arc;

use halimede_arith::job::{
    Amount, Answered, Attempts, Columns, Compute, DeviceError, Executor, Limits, Offer, Operation,
    Timing, Unsupported,
};

use crate::attempts::OnGpu;
use crate::kernel::{BatchOf, Kernel, RepliesOf, ReplyOf};
use crate::pieces;
use crate::place::GpuPlace;

/// The executor of an operation on the GPUs of a place.
pub struct CudaExecutor<K> {
    place: Arc<GpuPlace>,
    has_kernels: bool,
    kernel: std::marker::PhantomData<fn() -> K>,
}

impl<K: Kernel> CudaExecutor<K> {
    /// Makes the executor. Without kernels of the engine, it supports no request.
    pub fn new(place: &Arc<GpuPlace>) -> Self {
        let engines = place.gpu().kernels().engines();
        let has_kernels = engines.iter().any(|engine| engine == K::ENGINE);
        Self { place: Arc::clone(place), has_kernels, kernel: std::marker::PhantomData }
    }
}

impl<K> fmt::Debug for CudaExecutor<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CudaExecutor").field(&self.place).finish()
    }
}

impl<K: Kernel> Executor<K::Operation> for CudaExecutor<K> {
    fn limits(&self) -> Limits {
        Limits {
            brief: Amount::NONE,
            piece: K::PIECE,
            batch: None,
            may_fail: true,
            interruptible: true,
        }
    }

    fn offer(&self) -> Option<Offer> {
        self.has_kernels.then(|| Offer { instances: K::instances(), ..Offer::default() })
    }

    fn supports(&self, batch: BatchOf<'_, K>) -> Result<(), Vec<Unsupported>> {
        let reason = |row| match self.has_kernels {
            true => K::unsupported(row),
            false => Some(format!("no GPU kernels of {}; run `make gpu-kernels`", K::ENGINE)),
        };
        let unsupported: Vec<Unsupported> = batch
            .rows()
            .enumerate()
            .filter_map(|(request, row)| Some(Unsupported { request, reason: reason(row)? }))
            .collect();
        match unsupported.is_empty() {
            true => Ok(()),
            false => Err(unsupported),
        }
    }

    fn execute(&self, batch: BatchOf<'_, K>) -> Result<Answered<RepliesOf<K>>, DeviceError> {
        let mut timing = Timing::default();
        let (replies, done) = match batch.is_empty() {
            true => (Vec::new(), Ok(())),
            false => pieces::run::<K>(&self.place, batch, &mut timing),
        };
        let device = || self.place.device().to_owned();
        let failed = |reason| DeviceError::Failed {
            device: device(),
            request_index: replies.len(),
            requests: batch.len(),
            reason,
        };
        match done {
            Ok(()) => Ok(Answered { replies: replies.into_iter().collect(), timing }),
            Err(stop) if stop.is_final() => {
                Err(DeviceError::Unavailable { device: device(), reason: stop.to_string() })
            }
            Err(stop) => Err(failed(stop.to_string())),
        }
    }

    fn attempts(&self, _: usize) -> Box<dyn Attempts<K::Operation> + '_> {
        Box::new(OnGpu::<K>::new(&self.place))
    }

    fn recompute(&self, row: <K::Operation as Operation>::Row<'_>) -> Option<ReplyOf<K>> {
        Some(K::Operation::compute(row))
    }
}
