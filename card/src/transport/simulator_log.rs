// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The standard error of a simulator: its last output, and its end.

use std::io::Read;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// The maximum number of output bytes that are kept.
const TAIL_BYTES: usize = 4096;

/// Reads a simulator's output in a thread that ends with the simulator.
#[derive(Debug)]
pub(crate) struct SimulatorLog {
    tail: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when the output has ended.
    closed: Receiver<()>,
}

impl SimulatorLog {
    pub fn start(output: impl Read + Send + 'static) -> std::io::Result<Self> {
        let (open, closed) = channel();
        let tail = Arc::new(Mutex::new(Vec::new()));
        let kept = tail.clone();
        Builder::new().name("simulator-log".into()).spawn(move || follow(output, &kept, open))?;
        Ok(Self { tail, closed })
    }

    /// Waits until the simulator has closed its output, which it does when it ends; at most for
    /// `limit`.
    pub fn wait_until_closed(&self, limit: Duration) {
        // Nothing is ever sent: the disconnection ends the wait.
        let _ = self.closed.recv_timeout(limit);
    }

    /// Returns the last line that is not blank.
    pub fn last_line(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&tail);
        text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
    }
}

/// Keeps the end of an output. `open` is dropped when the output has ended.
fn follow(mut output: impl Read, tail: &Mutex<Vec<u8>>, open: Sender<()>) {
    let mut chunk = [0; 1024];
    while let Ok(count @ 1..) = output.read(&mut chunk) {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&chunk[..count]);
        let surplus = tail.len().saturating_sub(TAIL_BYTES);
        tail.drain(..surplus);
    }
    drop(open);
}
