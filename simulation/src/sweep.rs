// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sweeps over seeds, on all cores.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use crate::run::{run, RunCounts};

/// Runs consecutive seeds until this number of faults has occurred or a run has failed. Calls
/// `on_failure` at once, while other runs continue.
///
/// # Errors
/// The failures, by seed.
pub fn sweep(
    first_seed: u64,
    faults: u64,
    on_failure: impl Fn(&str) + Sync,
) -> Result<RunCounts, Vec<String>> {
    let next = AtomicU64::new(first_seed);
    let (total, failures) = (Mutex::new(RunCounts::default()), Mutex::new(Vec::new()));
    let is_done = || total.lock().unwrap().faults >= faults || !failures.lock().unwrap().is_empty();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while !is_done() {
                    match run(next.fetch_add(1, Ordering::Relaxed)) {
                        Ok(outcome) => total.lock().unwrap().add(outcome),
                        Err(failure) => {
                            on_failure(&failure);
                            failures.lock().unwrap().push(failure);
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    match failures.is_empty() {
        true => Ok(total.into_inner().unwrap()),
        false => Err(failures),
    }
}
