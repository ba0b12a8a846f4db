// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede-bench ecdsa` under Criterion: a group for each case, ours and the peer's beside each
//! other.

#![allow(missing_docs)] // what the criterion macros make has none

use std::time::Duration;

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use halimede_bench::ecdsa::comparisons;

fn ecdsa(criterion: &mut Criterion) {
    if let Err(error) = measure(criterion) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn measure(criterion: &mut Criterion) -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    pool.map_err(|error| error.to_string())?;
    for mut comparison in comparisons(1)? {
        let mut group = criterion.benchmark_group(comparison.case.clone());
        group.throughput(Throughput::Elements(comparison.units_a_call as u64));
        group.bench_function("halimede", |bencher| bencher.iter(&mut comparison.ours));
        group.bench_function("peer", |bencher| bencher.iter(&mut comparison.theirs));
        group.finish();
    }
    Ok(())
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = ecdsa
}
criterion_main!(benches);
