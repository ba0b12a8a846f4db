// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interruption of work, e.g. by Ctrl-C in an interpreter or by a server that shuts down.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

thread_local! {
    /// The flag that interrupts the work of this thread.
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Runs `work` on this thread. Once `flag` is set, batches of `work` that run on cards end with an
/// error within 0.5 s. The card is then reset; a reset that would take longer is left to the next
/// call.
pub fn by<T>(flag: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    /// Restores the previous flag, also after a panic.
    struct Restore(Option<Arc<AtomicBool>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            FLAG.set(self.0.take());
        }
    }
    let _restore = Restore(FLAG.replace(Some(flag.clone())));
    work()
}

/// Runs `work` to its end, even if the surrounding work is interrupted.
pub fn never<T>(work: impl FnOnce() -> T) -> T {
    by(&Arc::new(AtomicBool::new(false)), work)
}

/// Returns whether the work of this thread should end; `None` if nothing can interrupt it.
pub fn is_requested() -> Option<bool> {
    FLAG.with_borrow(|flag| flag.as_ref().map(|flag| flag.load(Ordering::Relaxed)))
}
