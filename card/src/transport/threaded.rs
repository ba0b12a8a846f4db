// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A byte pipe over two files whose reads and writes may block in a driver regardless of poll(2),
//! like those of DMA character devices. Each file has its own thread, with bounded buffers in
//! between.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use rustix::event::{poll, PollFd, PollFlags};
use rustix::fs::{fcntl_getfl, fcntl_setfl, fstat, FileType, OFlags};
use rustix::io::Errno;
use rustix::pipe::{pipe_with, PipeFlags};

use super::polled::set_nonblocking;
use super::CHUNK_BYTES;
use crate::error::CardError;

/// The time that a drop waits for the threads. A thread that a driver blocks for longer ends when
/// the driver returns.
const JOIN_LIMIT: Duration = Duration::from_millis(500);

/// Linux's ERESTARTSYS, which the XDMA driver returns when its own time limit passes.
const RESTART_SYSTEM_CALL: i32 = 512;

/// Two files, each served by one thread.
#[derive(Debug)]
pub(crate) struct ThreadedPipe {
    shared: Arc<Shared>,
    /// Closed to wake the threads from poll(2).
    stop: Option<OwnedFd>,
}

#[derive(Debug, Default)]
struct Shared {
    buffers: Mutex<Buffers>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Buffers {
    /// Bytes that the writer has not consumed. They are whole exchanges, so that one write is one
    /// transfer.
    outgoing: Vec<u8>,
    /// Bytes that the reader has received.
    incoming: Vec<u8>,
    /// The reason why one of the threads ended.
    failure: Option<Failure>,
    stopping: bool,
    /// The number of threads that have not ended.
    running: usize,
}

#[derive(Debug)]
enum Failure {
    HungUp,
    Io(&'static str, PathBuf, io::ErrorKind, String),
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Buffers> {
        // Nothing panics with the lock held. Even then, the buffers would be consistent.
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, at most for `limit`.
    fn wait<'a>(&self, guard: MutexGuard<'a, Buffers>, limit: Duration) -> MutexGuard<'a, Buffers> {
        self.changed.wait_timeout(guard, limit).unwrap_or_else(PoisonError::into_inner).0
    }

    fn fail(&self, failure: Failure) {
        self.lock().failure.get_or_insert(failure);
        self.changed.notify_all();
    }
}

impl ThreadedPipe {
    /// Starts the threads. The paths are the names of the files in messages.
    pub fn new(to_card: (File, PathBuf), from_card: (File, PathBuf)) -> Result<Self, CardError> {
        let shared = Arc::new(Shared::default());
        let start = || -> io::Result<OwnedFd> {
            block_in_drivers_only(&to_card.0)?;
            block_in_drivers_only(&from_card.0)?;
            let (stopped, stop) = pipe_with(PipeFlags::CLOEXEC)?;
            let stopped = Arc::new(stopped);
            let writer = Worker::new(&shared, &stopped);
            let reader = Worker::new(&shared, &stopped);
            Builder::new()
                .name("card-writer".into())
                .spawn(move || writer.write_all(to_card.0, &to_card.1))?;
            Builder::new()
                .name("card-reader".into())
                .spawn(move || reader.read_all(from_card.0, &from_card.1))?;
            Ok(stop)
        };
        let stop = start().map_err(|error| CardError::io("open", "the card's files", error))?;
        Ok(Self { shared, stop: Some(stop) })
    }

    /// See [`super::Transport::exchange`].
    pub fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        let start = Instant::now();
        let mut buffers = self.shared.lock();
        loop {
            let mut sent = 0;
            if buffers.outgoing.is_empty() && !outgoing.is_empty() {
                sent = outgoing.len().min(CHUNK_BYTES);
                buffers.outgoing.extend_from_slice(&outgoing[..sent]);
            }
            let received = !buffers.incoming.is_empty();
            incoming.append(&mut buffers.incoming);
            if sent > 0 || received {
                self.shared.changed.notify_all();
                return Ok(sent);
            }
            match &buffers.failure {
                Some(Failure::HungUp) => return Err(CardError::hung_up()),
                Some(Failure::Io(action, path, kind, words)) => {
                    let source = io::Error::new(*kind, words.clone());
                    return Err(CardError::io(action, path, source));
                }
                None => {}
            }
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(0);
            }
            buffers = self.shared.wait(buffers, left);
        }
    }
}

impl Drop for ThreadedPipe {
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        self.stop = None;
        self.shared.changed.notify_all();
        let deadline = Instant::now() + JOIN_LIMIT;
        let mut buffers = self.shared.lock();
        while buffers.running > 0 && Instant::now() < deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            buffers = self.shared.wait(buffers, left);
        }
    }
}

/// The data of a thread.
struct Worker {
    shared: Arc<Shared>,
    stopped: Arc<OwnedFd>,
}

impl Worker {
    fn new(shared: &Arc<Shared>, stopped: &Arc<OwnedFd>) -> Self {
        shared.lock().running += 1;
        Self { shared: shared.clone(), stopped: stopped.clone() }
    }

    /// Writes the outgoing buffer to the file until the pipe stops.
    fn write_all(&self, mut file: File, path: &Path) {
        loop {
            let mut buffers = self.shared.lock();
            while buffers.outgoing.is_empty() && !buffers.stopping {
                buffers = self.shared.wait(buffers, Duration::from_secs(3600));
            }
            if buffers.stopping {
                return;
            }
            let chunk = std::mem::take(&mut buffers.outgoing);
            drop(buffers);
            self.shared.changed.notify_all();
            let mut rest = &chunk[..];
            while !rest.is_empty() {
                if !self.wait_for(&file, PollFlags::OUT) {
                    return;
                }
                match file.write(rest) {
                    Ok(written) => rest = &rest[written..],
                    Err(error) if is_passing(&error) => {}
                    Err(error) => return self.shared.fail(failure("write to", path, &error)),
                }
            }
        }
    }

    /// Reads from the file into the incoming buffer until the pipe stops.
    fn read_all(&self, mut file: File, path: &Path) {
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let mut buffers = self.shared.lock();
            while buffers.incoming.len() >= CHUNK_BYTES && !buffers.stopping {
                buffers = self.shared.wait(buffers, Duration::from_secs(3600));
            }
            drop(buffers);
            if !self.wait_for(&file, PollFlags::IN) {
                return;
            }
            match file.read(&mut chunk) {
                Ok(0) => return self.shared.fail(Failure::HungUp),
                Ok(count) => {
                    self.shared.lock().incoming.extend_from_slice(&chunk[..count]);
                    self.shared.changed.notify_all();
                }
                Err(error) if is_passing(&error) => {}
                Err(error) => return self.shared.fail(failure("read from", path, &error)),
            }
        }
    }

    /// Waits until the file is ready. Returns `false` if the pipe stops.
    fn wait_for(&self, file: &File, interest: PollFlags) -> bool {
        loop {
            let mut descriptors =
                [PollFd::new(file, interest), PollFd::new(&*self.stopped, PollFlags::IN)];
            let ready = poll(&mut descriptors, None);
            if !descriptors[1].revents().is_empty() || self.shared.lock().stopping {
                return false;
            }
            match ready {
                Err(Errno::INTR) => {}
                // Any other failure of poll(2) also fails the read or write, which reports it.
                _ => return true,
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.lock().running -= 1;
        self.shared.changed.notify_all();
    }
}

/// Makes reads and writes of a device blocking, because its driver waits in them. Pipes and sockets
/// that replace a device in tests stay non-blocking, since poll(2) waits for them.
fn block_in_drivers_only(file: &File) -> Result<(), Errno> {
    match FileType::from_raw_mode(fstat(file)?.st_mode) {
        FileType::Fifo | FileType::Socket => set_nonblocking(file),
        _ => fcntl_setfl(file, fcntl_getfl(file)? - OFlags::NONBLOCK),
    }
}

/// Returns `true` for an error which only means that nothing could be moved yet.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
        || error.raw_os_error() == Some(RESTART_SYSTEM_CALL)
}

fn failure(action: &'static str, path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => Failure::HungUp,
        kind => Failure::Io(action, path.to_owned(), kind, error.to_string()),
    }
}
