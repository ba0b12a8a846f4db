// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A thread pool that also works after a fork.
//!
//! A forked child does not have the threads of rayon's global pool, and work for them would wait
//! forever. Programs in C and Python fork, so a child gets its own pool.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The number of forks between this process and the one that made the global pool.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// The pool of a child, with the number of forks at which it was made.
static CHILD_POOL: Mutex<Option<(u64, Arc<ThreadPool>)>> = Mutex::new(None);

/// Starts to count forks. Call it before the first use of the global pool.
pub fn watch_forks() {
    static WATCHED: Once = Once::new();
    extern "C" fn count() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    WATCHED.call_once(|| {
        // SAFETY: the handler only adds to an atomic, which is allowed in a forked child.
        let status = unsafe { libc::pthread_atfork(None, None, Some(count)) };
        if status != 0 {
            tracing::warn!(status, "cannot detect forks: a forked child will have no threads");
        }
    });
}

/// Runs work in a thread pool with live threads: the current pool, or a new pool in a forked child.
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
            // Dropping the parent's pool would wait for its threads.
            std::mem::forget(kept.replace((forks, pool.clone())));
            Some(pool)
        }
        Err(error) => {
            tracing::warn!(%error, "a forked process could not start its own threads");
            None
        }
    }
}
