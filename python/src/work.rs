// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How work runs: without the interpreter's lock, and so that Ctrl-C ends what takes long.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::DeviceError;

/// How often a waiting thread lets Python's signal handlers run.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Whether the work that holds this should end early: its result is not wanted any more.
#[derive(Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// True once it should.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs `work` that ends soon; other Python threads run meanwhile.
pub fn run_briefly<T: Send>(py: Python<'_>, work: impl FnOnce(&Stop) -> T + Send) -> T {
    py.detach(|| work(&Stop::default()))
}

/// Runs `work` that may take long; other Python threads run meanwhile, and signal handlers where
/// this is Python's main thread.
///
/// # Errors
/// What a signal handler raises (`KeyboardInterrupt`), after the work has ended; or where the
/// system gives no thread.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce(&Stop) -> T + Send) -> PyResult<T> {
    let stop = Stop::default();
    // Signal handlers run on Python's main thread alone, so the work has to be on another.
    let waited = py.detach(|| {
        thread::scope(|scope| {
            let (done, is_done) = channel();
            let stop = &stop;
            let worker =
                thread::Builder::new().name("halimede".into()).spawn_scoped(scope, move || {
                    // A batch on a card ends early as well.
                    let result = halimede_device::interrupt::by(&stop.0, || work(stop));
                    drop(done);
                    result
                })?;
            let interrupt = wait(&is_done, stop);
            Ok::<_, io::Error>((interrupt, worker.join()))
        })
    });
    match waited {
        Ok((Some(interrupt), _)) => Err(interrupt),
        Ok((None, Ok(result))) => Ok(result),
        Ok((None, Err(panic))) => std::panic::resume_unwind(panic),
        Err(error) => Err(DeviceError::new_err(format!("no thread to work on: {error}"))),
    }
}

/// Waits for the other end to be dropped; gives the exception of a signal handler, after which the
/// work is told to stop.
fn wait(is_done: &Receiver<()>, stop: &Stop) -> Option<PyErr> {
    let mut interrupt = None;
    while is_done.recv_timeout(SIGNAL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        if interrupt.is_none() {
            interrupt = Python::attach(|py| py.check_signals()).err();
            stop.0.store(interrupt.is_some(), Ordering::Relaxed);
        }
    }
    interrupt
}

/// Does `work` on the rows `0..rows`, `piece` of them at once, until all are done, one fails, or a
/// stop is requested.
///
/// # Errors
/// What `work` returns.
pub fn in_pieces<E>(
    stop: &Stop,
    rows: usize,
    piece: usize,
    mut work: impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    let mut start = 0;
    while start < rows && !stop.is_requested() {
        let end = rows.min(start.saturating_add(piece.max(1)));
        work(start..end)?;
        start = end;
    }
    Ok(())
}
