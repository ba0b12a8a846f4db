// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interruption of work: by Ctrl-C in an interpreter, by a server that shuts down.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

thread_local! {
    /// The flag that interrupts the work of this thread.
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Runs `work` on this thread; once `flag` is set, its batches on cards end with an error within
/// 0.5 s. The card is reset then, or by the next call where the reset would take longer.
pub fn by<T>(flag: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    /// Puts back what was there before, also after a panic.
    struct Restore(Option<Arc<AtomicBool>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            FLAG.set(self.0.take());
        }
    }
    let _restore = Restore(FLAG.replace(Some(flag.clone())));
    work()
}

/// Runs `work` to its end even where the surrounding work is interrupted.
pub fn never<T>(work: impl FnOnce() -> T) -> T {
    by(&Arc::new(AtomicBool::new(false)), work)
}

/// Whether this thread's work is to be interrupted; `None` where nothing can interrupt it.
pub fn is_requested() -> Option<bool> {
    FLAG.with_borrow(|flag| flag.as_ref().map(|flag| flag.load(Ordering::Relaxed)))
}
