// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Comparisons under Criterion, one group each with ours and the peer's. For a scaled peer,
//! Criterion shows the time before scaling.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "benchmarks print what they measure")]

use std::process::ExitCode;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use halimede_bench::Comparison;

/// Measures the comparisons for one thread.
pub fn main(comparisons: impl Fn(usize) -> Result<Vec<Comparison>, String>) -> ExitCode {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    let made = pool.map_err(|error| error.to_string()).and_then(|()| comparisons(1));
    match made {
        Ok(made) => made.into_iter().for_each(|comparison| measure(&mut criterion, comparison)),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    criterion.final_summary();
    ExitCode::SUCCESS
}

fn measure(criterion: &mut Criterion, mut comparison: Comparison) {
    let Comparison { case, backend, peer, theirs_factor, .. } = &comparison;
    let is_scaled = (theirs_factor - 1.0).abs() > f64::EPSILON;
    let scale = is_scaled.then(|| format!(", to be scaled by {theirs_factor:.3}"));
    let name = format!("{case} ({backend}, {peer}{})", scale.unwrap_or_default());
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(comparison.units_a_call as u64));
    group.bench_function("halimede", |bencher| bencher.iter(&mut comparison.ours));
    if let Some(theirs) = &mut comparison.theirs {
        group.bench_function("peer", |bencher| bencher.iter(&mut *theirs));
    }
    group.finish();
}
