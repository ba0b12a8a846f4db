// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Someone who looks on while a puzzle is solved, and may end it.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::SolveError;

/// Times that a step tells how far it is.
const REPORTS: usize = 64;

/// Looks on while a puzzle is solved; all threads call it.
pub trait Watch: Sync {
    /// How far the work is, from 0 to 1. Threads may overtake each other: a later call may tell
    /// less.
    fn progress(&self, done: f64) {
        let _ = done;
    }

    /// Whether the work shall end; it does within a fraction of a second.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Nobody.
impl Watch for () {}

/// Counts the parts of one step after the other.
pub(super) struct Meter<'w> {
    watch: &'w dyn Watch,
    /// Steps in all, and those that have begun.
    steps: u32,
    begun: AtomicUsize,
    /// Parts of this step, and those that are done.
    parts: AtomicUsize,
    done: AtomicUsize,
}

impl<'w> Meter<'w> {
    pub(super) fn new(watch: &'w dyn Watch, steps: u32) -> Self {
        let (begun, parts, done) = Default::default();
        Self { watch, steps, begun, parts, done }
    }

    /// A step of this many parts begins.
    pub(super) fn begin(&self, parts: usize) {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.parts.store(parts.max(1), Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
    }

    /// Counts a part that is about to be done, unless the work shall end.
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

    /// A step has ended: by itself, or because it should.
    pub(super) fn end(&self) -> Result<(), SolveError> {
        if self.watch.is_cancelled() {
            return Err(SolveError::Cancelled);
        }
        Ok(())
    }
}
