// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The comparisons of `halimede-bench poseidon` under Criterion: a group each, ours and the peer's
//! beside each other. What Criterion shows of a peer that is scaled is the time before scaling.

#![allow(missing_docs)] // what the criterion macros make has none

use std::time::Duration;

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use halimede_bench::poseidon::comparisons;

fn poseidon(criterion: &mut Criterion) {
    if let Err(error) = measure(criterion) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn measure(criterion: &mut Criterion) -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    pool.map_err(|error| error.to_string())?;
    for mut comparison in comparisons(1)? {
        let name = format!("{} ({})", comparison.case, comparison.peer);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(comparison.units_a_call as u64));
        group.bench_function("halimede", |bencher| bencher.iter(&mut comparison.ours));
        let is_scaled = (comparison.theirs_factor - 1.0).abs() > f64::EPSILON;
        let scale = is_scaled.then(|| format!(", to be scaled by {:.3}", comparison.theirs_factor));
        let peer = format!("peer{}", scale.unwrap_or_default());
        group.bench_function(peer, |bencher| bencher.iter(&mut comparison.theirs));
        group.finish();
    }
    Ok(())
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = poseidon
}
criterion_main!(benches);
