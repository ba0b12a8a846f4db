// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The log of a device's states: a state is logged when it begins, not for each batch.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The reason why the fallback answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The device lacks a requirement of a request.
    Lacks,
    /// The device has failed.
    Failed,
}

/// The logged states of a device, by operation.
#[derive(Debug, Default)]
pub(crate) struct Notices(Mutex<Vec<(&'static str, Cause)>>);

impl Notices {
    /// Returns `true` if this state begins now and should be logged.
    pub fn begins(&self, operation: &'static str, cause: Cause) -> bool {
        let mut known = self.lock();
        let is_new = !known.contains(&(operation, cause));
        if is_new {
            known.push((operation, cause));
        }
        is_new
    }

    /// Records that the device answered a batch. Returns `true` if it had failed before.
    pub fn answered(&self, operation: &'static str) -> bool {
        let mut known = self.lock();
        let before = known.len();
        known.retain(|notice| *notice != (operation, Cause::Failed));
        known.len() < before
    }

    /// Records that the device works again, so that its next failure is logged.
    pub fn forget_failures(&self) {
        self.lock().retain(|(_, cause)| *cause != Cause::Failed);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(&'static str, Cause)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_begins_once() {
        let notices = Notices::default();
        let begins = |cause| notices.begins("one", cause);
        assert_eq!([Cause::Failed, Cause::Failed, Cause::Lacks].map(begins), [true, false, true]);
        assert!(notices.begins("two", Cause::Failed));
        assert!(notices.answered("one") && !notices.answered("one"));
        assert!(begins(Cause::Failed) && !begins(Cause::Lacks));
        notices.forget_failures();
        assert!(begins(Cause::Failed) && notices.begins("two", Cause::Failed));
    }
}
