// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Execution of work without the interpreter's lock; Ctrl-C ends long work.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::DeviceError;

/// The interval at which a waiting thread lets Python's signal handlers run.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// A request to work to end early, because its result is no longer needed.
#[derive(Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Returns `true` once a stop is requested.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs short work; other Python threads run meanwhile.
pub fn run_briefly<T: Send>(py: Python<'_>, work: impl FnOnce(&Stop) -> T + Send) -> T {
    py.detach(|| work(&Stop::default()))
}

/// Runs long work; other Python threads run meanwhile, and on Python's main thread also signal
/// handlers.
///
/// # Errors
/// The exception of a signal handler (`KeyboardInterrupt`), after the work has ended; `DeviceError`
/// if the system cannot create a thread.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce(&Stop) -> T + Send) -> PyResult<T> {
    let stop = Stop::default();
    // Signal handlers run only on Python's main thread, so the work needs another thread.
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
        Err(error) => Err(DeviceError::new_err(format!("cannot create a thread: {error}"))),
    }
}

/// Waits until the sender is dropped. After an exception of a signal handler, requests a stop of
/// the work and returns the exception.
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

/// Runs `work` on the rows `0..rows` in pieces of `piece` rows, until all are done, a piece fails,
/// or a stop is requested.
///
/// # Errors
/// The error of `work`.
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
