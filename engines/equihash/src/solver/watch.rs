// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An observer of the solver, which can cancel it.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::SolveError;

/// The number of progress reports per step.
const REPORTS: usize = 64;

/// Observes the solving of a puzzle; called by all threads.
pub trait Watch: Sync {
    /// Receives the progress, from 0 to 1. Threads may overtake each other: a later call may report
    /// less.
    fn progress(&self, done: f64) {
        let _ = done;
    }

    /// Returns `true` to cancel the work, which then ends within a fraction of a second.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// No observer.
impl Watch for () {}

/// Counts the parts of each step in sequence.
pub(super) struct Meter<'w> {
    watch: &'w dyn Watch,
    /// The number of steps, and of those that have begun.
    steps: u32,
    begun: AtomicUsize,
    /// The number of parts of this step, and of those that are done.
    parts: AtomicUsize,
    done: AtomicUsize,
}

impl<'w> Meter<'w> {
    pub(super) fn new(watch: &'w dyn Watch, steps: u32) -> Self {
        let (begun, parts, done) = Default::default();
        Self { watch, steps, begun, parts, done }
    }

    /// Begins a step of `parts` parts.
    pub(super) fn begin(&self, parts: usize) {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.parts.store(parts.max(1), Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
    }

    /// Counts a part that is about to be done; returns `false` if the work is cancelled.
    pub(super) fn goes_on(&self) -> bool {
        if self.watch.is_cancelled() {
            return false;
        }
        let parts = self.parts.load(Ordering::Relaxed);
        let done = self.done.fetch_add(1, Ordering::Relaxed);
        if done * REPORTS / parts != (done + 1) * REPORTS / parts {
            let before = self.begun.load(Ordering::Relaxed).saturating_sub(1) as f64;
            let here = (done + 1) as f64 / parts as f64;
            self.watch.progress(((before + here) / f64::from(self.steps)).min(1.0));
        }
        true
    }

    /// Ends a step; an error if the work is cancelled.
    pub(super) fn end(&self) -> Result<(), SolveError> {
        if self.watch.is_cancelled() {
            return Err(SolveError::Cancelled);
        }
        Ok(())
    }
}
