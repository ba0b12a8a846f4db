// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The executors of engines on a GPU of the stand-in driver, which runs their kernels on this
//! processor: every reply is the processor's.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../common/mod.rs"]
mod common;

mod blake3;
mod bls12_381;
mod bls12_381_aggregates;
mod bls12_381_openings;
mod equihash;
mod evaluate;
mod poseidon;
mod proofs;
mod secp256k1;

use std::sync::Arc;

use halimede_arith::job::{Columns, Compute, Executor, Operation};
use halimede_cuda::{CudaExecutor, GpuPlace, Kernel};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use common::standin::TestGpu;

type BatchOf<'b, K> = <<K as Kernel>::Operation as Operation>::Batch<'b>;
type RepliesOf<K> = <<K as Kernel>::Operation as Operation>::Replies;

/// Opens a GPU; `None` without the stand-in driver.
fn place() -> Option<Arc<GpuPlace>> {
    let test = TestGpu::next()?;
    Some(Arc::new(GpuPlace::new(&test.name(), test.open().unwrap())))
}

/// Checks that a batch of supported requests has the processor's replies, and returns them.
fn agree<K: Kernel>(place: &Arc<GpuPlace>, batch: BatchOf<'_, K>) -> RepliesOf<K>
where
    RepliesOf<K>: PartialEq + std::fmt::Debug,
{
    let executor = CudaExecutor::<K>::new(place);
    assert_eq!(executor.supports(batch), Ok(()));
    let answered = executor.execute(batch).unwrap();
    let expected = <K::Operation as Compute>::compute_batch(batch);
    assert_eq!(answered.replies, expected);
    // Fewer requests use the same memory again.
    let half = batch.slice(batch.len() / 2..batch.len());
    let expected = <K::Operation as Compute>::compute_batch(half);
    assert_eq!(executor.execute(half).unwrap().replies, expected);
    answered.replies
}

/// Returns why the kernels cannot answer the requests of a batch, by their numbers.
fn reasons<K: Kernel>(place: &Arc<GpuPlace>, batch: BatchOf<'_, K>) -> Vec<(usize, String)> {
    let refused = CudaExecutor::<K>::new(place).supports(batch).err().unwrap_or_default();
    refused.into_iter().map(|one| (one.request, one.reason)).collect()
}

fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn bytes(random: &mut ChaCha8Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| random.gen()).collect()
}
