// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Time of 1024 digests of each published instance on one thread, on each available backend.

#![allow(missing_docs)] // items made by the criterion macros have no docs

use std::hint::black_box;

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use halimede_arith::{Backend, Felt, Fr};
use halimede_poseidon::optimized::{filecoin_digests_with, stark_digests_with};
use halimede_poseidon::{Family, Instance};

const HASHES: usize = 1024;

fn digests(criterion: &mut Criterion) {
    for instance in Instance::published() {
        let mut group = criterion.benchmark_group(format!("batch/{instance}"));
        group.throughput(Throughput::Elements(HASHES as u64));
        let width = instance.width();
        let numbers = 0..(HASHES * width) as u64;
        for backend in Backend::available_for_fields() {
            let id = BenchmarkId::from_parameter(backend);
            match instance.family() {
                Family::Filecoin(strength) => {
                    let states: Vec<Fr> = numbers.clone().map(Fr::from).collect();
                    group.bench_function(id, |bencher| {
                        bencher.iter(|| {
                            filecoin_digests_with(backend, strength, width, black_box(&states))
                        });
                    });
                }
                Family::Stark => {
                    let states: Vec<Felt> = numbers.clone().map(Felt::from).collect();
                    group.bench_function(id, |bencher| {
                        bencher.iter(|| stark_digests_with(backend, width, black_box(&states)));
                    });
                }
            }
        }
    }
}

criterion_group!(benches, digests);
criterion_main!(benches);
