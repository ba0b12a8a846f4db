// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the work of the device: computing time, items and failures.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::lock;

/// The maximum number of characters that are kept of the reason of a failure.
const MOST_CHARACTERS: usize = 300;

/// The work of the device for an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceWork {
    /// The number of items that the device answered.
    pub items: u64,
    /// The computing time, summed over threads that use the device at the same time.
    pub busy: Duration,
    /// The number of batches that the device failed to answer.
    pub failures: u64,
    /// The number of items that its fallback answered.
    pub fallback_items: u64,
    /// The number of failures since the last answered batch.
    failing: u64,
}

/// A failure of the device.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The operation.
    pub operation: &'static str,
    /// The reason.
    pub reason: String,
    /// The time of the failure.
    pub at: Instant,
}

/// The work of the device by operation, and its latest failure.
#[derive(Default)]
pub struct DeviceLog(Mutex<(BTreeMap<&'static str, DeviceWork>, Option<Failure>)>);

impl DeviceLog {
    /// Counts a batch that was answered (some items possibly by the fallback) or canceled. Returns
    /// the number of successive failed batches before it.
    pub fn done(
        &self,
        operation: &'static str,
        items: usize,
        by_fallback: usize,
        busy: Duration,
    ) -> u64 {
        let work = &mut lock(&self.0).0;
        let work = work.entry(operation).or_default();
        work.items += items.saturating_sub(by_fallback) as u64;
        work.fallback_items += by_fallback as u64;
        work.busy += busy;
        if items == 0 {
            return 0;
        }
        std::mem::take(&mut work.failing)
    }

    /// Counts a batch that the device failed to answer. Returns `true` if the previous batch did
    /// not fail.
    pub fn failed(&self, operation: &'static str, reason: &str) -> bool {
        let (work, latest) = &mut *lock(&self.0);
        let work = work.entry(operation).or_default();
        work.failures += 1;
        work.failing += 1;
        let is_first = work.failing == 1;
        let reason = reason.chars().take(MOST_CHARACTERS).collect();
        *latest = Some(Failure { operation, reason, at: Instant::now() });
        is_first
    }

    /// Returns the work of each operation that was used.
    pub fn work(&self) -> BTreeMap<&'static str, DeviceWork> {
        lock(&self.0).0.clone()
    }

    /// Returns the latest failure.
    pub fn latest_failure(&self) -> Option<Failure> {
        lock(&self.0).1.clone()
    }
}
