// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the device has done: how long it computed, how many items, and where it failed.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::lock;

/// Most characters of a failure's reason that are kept.
const MOST_CHARACTERS: usize = 300;

/// What the device has done for an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceWork {
    /// Items that it has answered.
    pub items: u64,
    /// How long it has computed. Threads that hand batches to it at once count each.
    pub busy: Duration,
    /// Batches that it has failed to answer.
    pub failures: u64,
    /// Items that its fallback has answered.
    pub fallback_items: u64,
    /// Failures since it has answered a batch.
    failing: u64,
}

/// A failure of the device.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The operation.
    pub operation: &'static str,
    /// The reason.
    pub reason: String,
    /// When.
    pub at: Instant,
}

/// The device's work by operation, and its latest failure.
#[derive(Default)]
pub struct DeviceLog(Mutex<(BTreeMap<&'static str, DeviceWork>, Option<Failure>)>);

impl DeviceLog {
    /// Counts a batch that was answered, some items by the fallback, or was ended. Gives the number
    /// of batches that had failed in a row before.
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

    /// Counts a batch that the device has failed to answer. Gives whether it is the first in a row.
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

    /// The work of each operation that there was any of.
    pub fn work(&self) -> BTreeMap<&'static str, DeviceWork> {
        lock(&self.0).0.clone()
    }

    /// The latest failure.
    pub fn latest_failure(&self) -> Option<Failure> {
        lock(&self.0).1.clone()
    }
}
