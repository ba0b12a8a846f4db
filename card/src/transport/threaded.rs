// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A byte pipe over the two streams of a DMA driver, which waits inside of reads and writes. Each
//! stream has its own thread, with bounded buffers in between.
//!
//! **Reads.** AMD's XDMA driver (dma_ip_drivers, `libxdma.c`) makes one descriptor for each page of
//! a buffer. The card fills a descriptor up to the end of a packet and continues in the next one,
//! that is, in the next page. A read of several pages therefore has gaps, and it loses the contents
//! of descriptors that the card fills between the end of a packet and the driver's interrupt
//! (`engine_service_final_transfer`). So a read is exactly one page: one descriptor, which the end
//! of a packet or of the page completes. The card's packets are at most a page.
//!
//! One read is in flight at a time. The driver runs the transfers of a channel one by one, and does
//! not say in which order those of several threads get the channel.
//!
//! **Idle waits.** A read that nothing answers ends after the driver's time limit. If the card's
//! interrupts reach the device of events, the reader then waits for an interrupt or a write instead
//! of reading again.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use rustix::event::{eventfd, poll, EventfdFlags, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::pipe::{pipe_with, PipeFlags};

use super::device::DeviceFile;
use super::page_buffer::{PageBuffer, PAGE_BYTES};
use super::CHUNK_BYTES;
use crate::error::CardError;

/// The time that a drop waits for the threads. A thread that a driver blocks for longer ends when
/// the driver returns.
const JOIN_LIMIT: Duration = Duration::from_millis(500);

/// Linux's ERESTARTSYS, which the XDMA driver returns when its own time limit passes.
const RESTART_SYSTEM_CALL: i32 = 512;

/// An open file, and its name in messages.
pub(crate) type NamedFile = (Box<dyn DeviceFile>, PathBuf);

/// The devices of a card.
#[derive(Debug)]
pub(crate) struct Devices {
    pub to_card: NamedFile,
    pub from_card: NamedFile,
    /// Readable after an interrupt of the card.
    pub events: Option<NamedFile>,
}

/// Two streams, each served by one thread.
#[derive(Debug)]
pub(crate) struct ThreadedPipe {
    shared: Arc<Shared>,
    /// Wakes a reader that waits for an event.
    wake: Arc<OwnedFd>,
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
    /// A transfer to the card broke off: an unknown part of its bytes has arrived.
    broken_off: Option<Failure>,
    /// The reader waits for an event or a write.
    is_reader_idle: bool,
    stopping: bool,
    /// The number of threads that have not ended.
    running: usize,
    /// The number of threads that wait for a change.
    waiting: usize,
}

#[derive(Clone, Debug)]
enum Failure {
    HungUp,
    Io(&'static str, PathBuf, io::ErrorKind, String),
}

impl From<Failure> for CardError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::HungUp => Self::hung_up(),
            Failure::Io(action, path, kind, words) => {
                Self::io(action, path, io::Error::new(kind, words))
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Buffers> {
        // Nothing panics with the lock held. Even then, the buffers would be consistent.
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, at most for `limit`.
    fn wait<'a>(
        &self,
        mut guard: MutexGuard<'a, Buffers>,
        limit: Duration,
    ) -> MutexGuard<'a, Buffers> {
        guard.waiting += 1;
        let (mut guard, _) =
            self.changed.wait_timeout(guard, limit).unwrap_or_else(PoisonError::into_inner);
        guard.waiting -= 1;
        guard
    }

    /// Releases the buffers after a change. A wake-up is a system call, so it is omitted if nothing
    /// waits.
    fn release(&self, guard: MutexGuard<'_, Buffers>) {
        let is_awaited = guard.waiting > 0;
        drop(guard);
        if is_awaited {
            self.changed.notify_all();
        }
    }

    fn fail(&self, failure: Failure) {
        let mut buffers = self.lock();
        buffers.failure.get_or_insert(failure);
        self.release(buffers);
    }
}

impl ThreadedPipe {
    /// Starts the threads. The paths are the names of the files in messages.
    pub fn new(devices: Devices) -> Result<Self, CardError> {
        let shared = Arc::new(Shared::default());
        let Devices { to_card, from_card, events } = devices;
        let start = || -> io::Result<(OwnedFd, Arc<OwnedFd>)> {
            let (stopped, stop) = pipe_with(PipeFlags::CLOEXEC)?;
            let stopped = Arc::new(stopped);
            let wake = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
            let writer = Worker::new(&shared, &stopped);
            let reader = Worker::new(&shared, &stopped);
            let idle = events.map(|file| Events { file, wake: wake.clone(), is_wired: false });
            Builder::new()
                .name("card-writer".into())
                .spawn(move || writer.write_all(to_card.0, &to_card.1))?;
            Builder::new()
                .name("card-reader".into())
                .spawn(move || reader.read_all(from_card.0, &from_card.1, idle))?;
            Ok((stop, wake))
        };
        let (stop, wake) =
            start().map_err(|error| CardError::io("open", "the card's files", error))?;
        Ok(Self { shared, wake, stop: Some(stop) })
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
            if let Some(failure) = buffers.broken_off.take() {
                return Err(failure.into());
            }
            let mut sent = 0;
            if buffers.outgoing.is_empty() && !outgoing.is_empty() {
                sent = outgoing.len().min(CHUNK_BYTES);
                buffers.outgoing.extend_from_slice(&outgoing[..sent]);
                if std::mem::take(&mut buffers.is_reader_idle) {
                    // A full counter also wakes the reader.
                    let _ = rustix::io::write(&*self.wake, &1u64.to_ne_bytes());
                }
            }
            let received = !buffers.incoming.is_empty();
            incoming.append(&mut buffers.incoming);
            if sent > 0 || received {
                self.shared.release(buffers);
                return Ok(sent);
            }
            if let Some(failure) = &buffers.failure {
                return Err(failure.clone().into());
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
        let mut buffers = self.shared.lock();
        buffers.stopping = true;
        self.stop = None;
        self.shared.release(buffers);
        let deadline = Instant::now() + JOIN_LIMIT;
        let mut buffers = self.shared.lock();
        while buffers.running > 0 && Instant::now() < deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            buffers = self.shared.wait(buffers, left);
        }
    }
}

/// The events for which an idle reader waits.
#[derive(Debug)]
struct Events {
    file: NamedFile,
    wake: Arc<OwnedFd>,
    /// An interrupt has arrived.
    is_wired: bool,
}

impl Events {
    /// Clears the event. Returns `false` if no event was waiting.
    fn take(&mut self) -> io::Result<bool> {
        let Some(device) = self.file.0.pollable() else { return Ok(false) };
        let mut descriptors = [PollFd::from_borrowed_fd(device, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        if poll(&mut descriptors, Some(&now)) != Ok(1) {
            return Ok(false);
        }
        self.file.0.read(&mut [0; 4])?;
        self.is_wired = true;
        Ok(true)
    }

    fn failure(&self, error: &io::Error) -> Failure {
        failure("read from", &self.file.1, error)
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
    fn write_all(&self, mut file: Box<dyn DeviceFile>, path: &Path) {
        let mut aligned = PageBuffer::new(CHUNK_BYTES);
        loop {
            let mut buffers = self.shared.lock();
            while buffers.outgoing.is_empty() && !buffers.stopping {
                buffers = self.shared.wait(buffers, Duration::from_secs(3600));
            }
            if buffers.stopping {
                return;
            }
            let chunk = std::mem::take(&mut buffers.outgoing);
            self.shared.release(buffers);
            let mut rest = &chunk[..];
            while !rest.is_empty() {
                if !self.wait_for(&*file, PollFlags::OUT) {
                    return;
                }
                match file.write(aligned.fill(rest)) {
                    Ok(written) => rest = &rest[written.min(rest.len())..],
                    Err(error) if moved_nothing(&error) => {}
                    Err(error) if is_time_out(&error) => {
                        // It is unknown how many bytes arrived, and the bytes that wait are
                        // useless without them.
                        let mut buffers = self.shared.lock();
                        buffers.outgoing.clear();
                        buffers.broken_off = Some(failure("write to", path, &error));
                        self.shared.release(buffers);
                        break;
                    }
                    Err(error) => return self.shared.fail(failure("write to", path, &error)),
                }
            }
        }
    }

    /// Reads from the file into the incoming buffer until the pipe stops.
    fn read_all(&self, mut file: Box<dyn DeviceFile>, path: &Path, mut events: Option<Events>) {
        let mut page = PageBuffer::new(PAGE_BYTES);
        loop {
            let mut buffers = self.shared.lock();
            while buffers.incoming.len() >= CHUNK_BYTES && !buffers.stopping {
                buffers = self.shared.wait(buffers, Duration::from_secs(3600));
            }
            drop(buffers);
            if !self.wait_for(&*file, PollFlags::IN) {
                return;
            }
            match file.read(page.all()) {
                Ok(0) => return self.shared.fail(Failure::HungUp),
                Ok(count) => {
                    let received = &page.all()[..count.min(PAGE_BYTES)];
                    let mut buffers = self.shared.lock();
                    buffers.incoming.extend_from_slice(received);
                    self.shared.release(buffers);
                }
                Err(error) if moved_nothing(&error) => {}
                Err(error) if is_time_out(&error) => {
                    if let Some(events) = &mut events {
                        if let Err(failure) = self.idle(events) {
                            return self.shared.fail(failure);
                        }
                    }
                }
                Err(error) => return self.shared.fail(failure("read from", path, &error)),
            }
        }
    }

    /// Waits for an interrupt or a write, after a read that nothing answered.
    ///
    /// The devices of events exist even if the card raises no interrupts. The first interrupt shows
    /// that it does; until then, the reader reads again at once. An interrupt that came before the
    /// end of the read can be that of a packet that came after it, so it also causes a read.
    fn idle(&self, events: &mut Events) -> Result<(), Failure> {
        if events.take().map_err(|error| events.failure(&error))? || !events.is_wired {
            return Ok(());
        }
        let mut buffers = self.shared.lock();
        if !buffers.outgoing.is_empty() || buffers.stopping {
            return Ok(());
        }
        buffers.is_reader_idle = true;
        drop(buffers);
        let mut descriptors = vec![
            PollFd::new(&*events.wake, PollFlags::IN),
            PollFd::new(&*self.stopped, PollFlags::IN),
        ];
        let device = events.file.0.pollable();
        descriptors.extend(device.map(|device| PollFd::from_borrowed_fd(device, PollFlags::IN)));
        let waited = poll(&mut descriptors, None);
        self.shared.lock().is_reader_idle = false;
        match waited {
            Ok(_) | Err(Errno::INTR) => {
                // The counter is 0 unless a write woke the reader.
                let _ = rustix::io::read(&*events.wake, &mut [0; 8]);
                events.take().map_err(|error| events.failure(&error))?;
                Ok(())
            }
            Err(error) => Err(events.failure(&error.into())),
        }
    }

    /// Waits until the file is ready. Returns `false` if the pipe stops.
    fn wait_for(&self, file: &dyn DeviceFile, interest: PollFlags) -> bool {
        let Some(file) = file.pollable() else { return !self.shared.lock().stopping };
        loop {
            let mut descriptors =
                [PollFd::new(&file, interest), PollFd::new(&*self.stopped, PollFlags::IN)];
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
        let mut buffers = self.shared.lock();
        buffers.running -= 1;
        self.shared.release(buffers);
    }
}

/// Returns `true` for an error after which a call is repeated, because it has moved nothing.
fn moved_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}

/// Returns `true` for the error of a transfer that did not end within the driver's time limit.
fn is_time_out(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::TimedOut || error.raw_os_error() == Some(RESTART_SYSTEM_CALL)
}

fn failure(action: &'static str, path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => Failure::HungUp,
        kind => Failure::Io(action, path.to_owned(), kind, error.to_string()),
    }
}
