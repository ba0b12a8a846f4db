// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Time of one permutation of each instance on each backend, and of a batch of hashes on all cores.

#![allow(missing_docs)] // items made by the criterion macros have no docs

use std::hint::black_box;

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use halimede_arith::job::Compute;
use halimede_arith::{Backend, Felt, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::optimized::{permute_filecoin_with, permute_stark_with};
use halimede_poseidon::{Family, Instance, Strength};

/// Chains permutations of an instance on each backend; running time does not depend on the values.
fn permutations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("permute");
    for instance in Instance::published() {
        for backend in [Backend::Portable, Backend::Adx] {
            if backend > Backend::best() {
                continue;
            }
            let id = BenchmarkId::new(instance.to_string(), backend);
            let width = instance.width() as u64;
            match instance.family() {
                Family::Filecoin(strength) => {
                    let mut state: Vec<Fr> = (1..=width).map(Fr::from).collect();
                    group.bench_function(id, |bencher| {
                        bencher.iter(|| permute_filecoin_with(backend, strength, &mut state));
                    });
                }
                Family::Stark => {
                    let mut state: Vec<Felt> = (1..=width).map(Felt::from).collect();
                    group.bench_function(id, |bencher| {
                        bencher.iter(|| permute_stark_with(backend, &mut state));
                    });
                }
            }
        }
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
