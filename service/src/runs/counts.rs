// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counters of runs for `/metrics`.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The counters of runs.
#[derive(Default)]
pub struct Counts {
    done: AtomicU64,
    failed: AtomicU64,
    cancelled: AtomicU64,
    resumed: AtomicU64,
    busy_us: AtomicU64,
}

impl Counts {
    /// Counts a run with a result.
    pub fn done(&self) {
        self.done.fetch_add(1, Relaxed);
    }

    /// Counts a failed run.
    pub fn failed(&self) {
        self.failed.fetch_add(1, Relaxed);
    }

    /// Counts a cancelled run.
    pub fn cancelled(&self) {
        self.cancelled.fetch_add(1, Relaxed);
    }

    /// Counts a run that an earlier server left.
    pub fn resumed(&self) {
        self.resumed.fetch_add(1, Relaxed);
    }

    /// Counts the time of a computation.
    pub fn busy(&self, time: Duration) {
        self.busy_us.fetch_add(time.as_micros() as u64, Relaxed);
    }

    /// Returns the number of runs by outcome.
    pub fn outcomes(&self) -> [(&'static str, u64); 3] {
        [("done", &self.done), ("failed", &self.failed), ("cancelled", &self.cancelled)]
            .map(|(word, count)| (word, count.load(Relaxed)))
    }

    /// Returns the number of runs that an earlier server left.
    pub fn all_resumed(&self) -> u64 {
        self.resumed.load(Relaxed)
    }

    /// Returns the seconds of all computations.
    pub fn busy_seconds(&self) -> f64 {
        self.busy_us.load(Relaxed) as f64 / 1e6
    }
}
