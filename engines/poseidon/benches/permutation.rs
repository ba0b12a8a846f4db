// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Time of one permutation of each instance, and of a batch of hashes over all cores.

#![allow(missing_docs)] // what the criterion macros make has none

use std::hint::black_box;

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use halimede_arith::job::Compute;
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::operations::{FilecoinHash, Permute};
use halimede_poseidon::{Instance, State, Strength};

/// A state of small, distinct elements; their values do not change the time.
fn state(instance: Instance) -> Option<State> {
    let mut elements = vec![[0u8; 32]; instance.width()];
    for (index, element) in elements.iter_mut().enumerate() {
        element[..2].copy_from_slice(&[index as u8 + 1, instance.width() as u8]);
    }
    State::from_le_bytes(instance, &elements).ok()
}

fn permutations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("permute");
    for instance in Instance::published() {
        let Some(state) = state(instance) else { continue };
        group.bench_function(BenchmarkId::from_parameter(instance), |bencher| {
            bencher.iter(|| Permute::compute(black_box(&state)));
        });
    }
}

fn batches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("batch_all_cores");
    for arity in [2, 4, 8, 11] {
        let Ok(hasher) = Hasher::new(arity, Strength::Standard, HashType::MerkleTree) else {
            continue;
        };
        let preimage = |seed: u64| {
            let elements: Vec<Fr> = (0..arity as u64).map(|i| Fr::from(seed * 64 + i)).collect();
            hasher.preimage(&elements).ok()
        };
        let preimages: Vec<_> = (0..4096).filter_map(preimage).collect();
        group.throughput(Throughput::Elements(preimages.len() as u64));
        group.bench_function(format!("filecoin-{arity}"), |bencher| {
            bencher.iter(|| FilecoinHash::compute_batch(black_box(&preimages)));
        });
    }
}

criterion_group!(benches, permutations, batches);
criterion_main!(benches);
