// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A thread pool that is there after a fork as well.
//!
//! The threads of rayon's global pool do not follow a process into its child, where work that is
//! given to them would wait for ever. Programs in C and Python fork, so a child gets a pool of
//! its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Forks between this process and the one in which the global pool was made.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// The pool of a child, with the number of forks that it belongs to.
static CHILD_POOL: Mutex<Option<(u64, Arc<ThreadPool>)>> = Mutex::new(None);

/// Counts forks from now on: before the global pool is first used.
pub fn watch_forks() {
    static WATCHED: Once = Once::new();
    extern "C" fn count() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    WATCHED.call_once(|| {
        // SAFETY: the handler only adds to an atomic, which is allowed in a forked child.
        let status = unsafe { libc::pthread_atfork(None, None, Some(count)) };
        if status != 0 {
            tracing::warn!(status, "forks are not noticed: a child will have no threads");
        }
    });
}

/// Runs work in a thread pool that has its threads: the current pool, or in a forked child a new
/// pool.
pub fn in_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let forks = FORKS.load(Ordering::Relaxed);
    if forks == 0 || rayon::current_thread_index().is_some() {
        return work();
    }
    match child_pool(forks) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// The thread pool of a process after this number of forks, made at its first use.
fn child_pool(forks: u64) -> Option<Arc<ThreadPool>> {
    let mut kept = CHILD_POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, pool)) = kept.as_ref() {
        if *of == forks {
            return Some(pool.clone());
        }
    }
    match ThreadPoolBuilder::new().build() {
        Ok(pool) => {
            let pool = Arc::new(pool);
            // A pool of the parent's would wait for its threads when it is dropped.
            std::mem::forget(kept.replace((forks, pool.clone())));
            Some(pool)
        }
        Err(error) => {
            tracing::warn!(%error, "a forked process could not start its own threads");
            None
        }
    }
}
