// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a simulator says on its standard error: when it listens, its last words, when it ends.

use std::io::Read;
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// Most bytes of output that are kept.
const TAIL_BYTES: usize = 4096;

/// The line that says that the socket is there begins so.
const LISTENING: &[u8] = b"listening ";

/// Reads a simulator's output in a thread of its own, which ends with the simulator.
#[derive(Debug)]
pub(crate) struct SimulatorLog {
    tail: Arc<Mutex<Vec<u8>>>,
    /// One message when the simulator listens; disconnected when its output has ended.
    listening: Receiver<()>,
}

impl SimulatorLog {
    pub fn start(output: impl Read + Send + 'static) -> std::io::Result<Self> {
        let (announce, listening) = channel();
        let tail = Arc::new(Mutex::new(Vec::new()));
        let kept = tail.clone();
        Builder::new()
            .name("simulator-log".into())
            .spawn(move || follow(output, &kept, &announce))?;
        Ok(Self { tail, listening })
    }

    /// Waits until the simulator listens: true, false where it ended first, `None` after `limit`.
    pub fn wait_until_listening(&self, limit: Duration) -> Option<bool> {
        match self.listening.recv_timeout(limit) {
            Ok(()) => Some(true),
            Err(RecvTimeoutError::Disconnected) => Some(false),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }

    /// Waits until the simulator has closed its output, which it does at its end; at most `limit`.
    pub fn wait_until_closed(&self, limit: Duration) {
        // At most one message can be waiting before the disconnection.
        if self.listening.recv_timeout(limit).is_ok() {
            let _ = self.listening.recv_timeout(limit);
        }
    }

    /// The last line that says something, other than that the simulator listens.
    pub fn last_line(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&tail);
        let says = |line: &&str| !line.trim().is_empty() && !line.as_bytes().starts_with(LISTENING);
        text.lines().rev().find(says).unwrap_or_default().to_owned()
    }
}

fn follow(mut output: impl Read, tail: &Mutex<Vec<u8>>, announce: &Sender<()>) {
    let mut chunk = [0; 1024];
    let mut announced = false;
    while let Ok(count @ 1..) = output.read(&mut chunk) {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&chunk[..count]);
        if !announced && has_line(&tail, LISTENING) {
            announced = true;
            let _ = announce.send(());
        }
        let surplus = tail.len().saturating_sub(TAIL_BYTES);
        tail.drain(..surplus);
    }
}

/// True if one of the complete lines begins so.
fn has_line(text: &[u8], beginning: &[u8]) -> bool {
    text.split_inclusive(|byte| *byte == b'\n')
        .any(|line| line.starts_with(beginning) && line.ends_with(b"\n"))
}
