// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A file system in memory for tests of procedures that write files.
//!
//! Processes are threads that run one operation at a time, in an order that depends only on a seed.
//! At any operation, a process can be killed, get a signal or see the operation fail; a write takes
//! any part of its bytes. After each operation, a watcher sees the disk and can compute what a loss
//! of power would leave: see [`Disk::after_power_loss`].

mod disk;

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub use disk::Disk;

use crate::system::{Kind, Status, System};

/// The number of possible names of temporary files: few, so that some are taken.
const TOKENS: u64 = 64;
/// The mask of the permissions of new files and folders.
const MASK: u32 = 0o022;

/// A fault of a process at one of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed.
    Kill,
    /// The process runs its handler as soon as it can be interrupted, and ends.
    Signal,
    /// The operation fails with this error.
    Error(ErrorKind),
}

/// Sees the disk after each operation.
pub type Watcher = Box<dyn FnMut(&Disk, &mut ChaCha8Rng) + Send>;
/// The signal handler of a process. Returns `false` if it could not run now.
pub type Handler = Arc<dyn Fn() -> bool + Send + Sync>;

/// A disk and the processes that use it.
pub struct World {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    turn: Condvar,
}

struct State {
    disk: Disk,
    rng: ChaCha8Rng,
    turn: usize,
    processes: Vec<Life>,
    watcher: Option<Watcher>,
}

/// The state of a process, and its fault.
#[derive(Default)]
struct Life {
    operations: u64,
    fault: Option<(u64, Fault)>,
    handler: Option<Handler>,
    is_handling: bool,
    is_dead: bool,
    is_done: bool,
}

/// A process's view of the disk.
#[derive(Clone)]
pub struct Process {
    shared: Arc<Shared>,
    number: usize,
}

/// A file that a process has open.
pub struct OpenFile {
    process: Process,
    node: usize,
    at: usize,
}

impl World {
    /// Creates a world with `processes` processes. Start all threads: the first operation waits for
    /// none.
    pub fn new(disk: Disk, processes: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let turn = rng.gen_range(0..processes);
        let processes = (0..processes).map(|_| Life::default()).collect();
        let state = State { disk, rng, turn, processes, watcher: None };
        Self { shared: Arc::new(Shared { state: Mutex::new(state), turn: Condvar::new() }) }
    }

    /// Returns one of the processes.
    pub fn process(&self, number: usize) -> Process {
        Process { shared: self.shared.clone(), number }
    }

    /// Sets the fault of a process at its operation with this number, from 0.
    pub fn fault(&self, process: usize, operation: u64, fault: Fault) {
        self.shared.lock().processes[process].fault = Some((operation, fault));
    }

    /// Sets the watcher of the disk.
    pub fn watch(&self, watcher: Watcher) {
        self.shared.lock().watcher = Some(watcher);
    }

    /// Returns the current disk.
    pub fn disk(&self) -> Disk {
        self.shared.lock().disk.clone()
    }

    /// Returns the number of operations that a process has done.
    pub fn operations(&self, process: usize) -> u64 {
        self.shared.lock().processes[process].operations
    }

    /// Returns `true` if a process was ended.
    pub fn is_dead(&self, process: usize) -> bool {
        self.shared.lock().processes[process].is_dead
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is this process's turn.
    fn enter(&self, process: usize) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while state.turn != process {
            state = self.turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// Passes the turn to any process that is still running.
    fn leave(&self, mut state: MutexGuard<'_, State>) {
        let going: Vec<usize> =
            (0..state.processes.len()).filter(|it| !state.processes[*it].is_done).collect();
        if !going.is_empty() {
            let next = state.rng.gen_range(0..going.len());
            state.turn = going[next];
            self.turn.notify_all();
        }
    }
}

impl Process {
    /// Sets the handler for signals. Without a handler, a signal ends the process at once.
    pub fn on_signal(&self, handler: Handler) {
        self.shared.lock().processes[self.number].handler = Some(handler);
    }

    /// Ends the turns of the process, which has returned.
    pub fn finish(&self) {
        let mut state = self.shared.enter(self.number);
        state.processes[self.number].is_done = true;
        state.processes[self.number].handler = None;
        self.shared.leave(state);
    }

    /// Truncates a file, for faulty procedures.
    ///
    /// # Errors
    /// If the process is dead or the operation fails.
    pub fn cut(&self, file: &OpenFile) -> io::Result<()> {
        self.operation(|disk, _| {
            disk.cut(file.node);
            Ok(())
        })
    }

    /// Opens the file at a path, following links, for faulty procedures.
    ///
    /// # Errors
    /// If the path does not exist.
    pub fn open(&self, path: &Path) -> io::Result<OpenFile> {
        self.file(|disk, _| disk.find(path, true))
    }

    /// Runs one operation on the disk, with the fault of the process, if any.
    fn operation<T>(
        &self,
        work: impl FnOnce(&mut Disk, &mut ChaCha8Rng) -> io::Result<T>,
    ) -> io::Result<T> {
        let dead = || io::Error::other("the process is dead");
        let mut state = self.shared.enter(self.number);
        let life = &mut state.processes[self.number];
        let due = life.fault.filter(|(at, _)| *at <= life.operations).map(|(_, fault)| fault);
        let mut failure = None;
        match due {
            _ if life.is_dead => failure = Some(dead()),
            Some(Fault::Kill) => {
                life.is_dead = true;
                failure = Some(dead());
            }
            Some(Fault::Error(kind)) => {
                life.fault = None;
                failure = Some(kind.into());
            }
            Some(Fault::Signal) if !life.is_handling => {
                life.is_handling = true;
                let handler = life.handler.clone();
                drop(state);
                // The handler's operations run on this process's turns.
                let is_handled = handler.is_none_or(|handler| handler());
                state = self.shared.enter(self.number);
                let life = &mut state.processes[self.number];
                life.is_handling = false;
                life.is_dead = is_handled;
                failure = is_handled.then(dead);
            }
            _ => {}
        }
        let State { disk, rng, processes, watcher, .. } = &mut *state;
        let result = match failure {
            Some(error) => Err(error),
            None => {
                processes[self.number].operations += 1;
                let result = work(disk, rng);
                if let Some(watcher) = watcher {
                    watcher(disk, rng);
                }
                result
            }
        };
        self.shared.leave(state);
        result
    }

    fn file(
        &self,
        open: impl FnOnce(&mut Disk, &mut ChaCha8Rng) -> io::Result<usize>,
    ) -> io::Result<OpenFile> {
        let node = self.operation(open)?;
        Ok(OpenFile { process: self.clone(), node, at: 0 })
    }
}

impl System for Process {
    type File = OpenFile;

    fn look(&self, path: &Path, follow: bool) -> io::Result<Option<Status>> {
        self.operation(|disk, _| match disk.find(path, follow) {
            Ok(number) => Ok(Some(disk.status(number))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn look_at_input(&self) -> io::Result<Status> {
        Err(ErrorKind::Unsupported.into())
    }

    fn look_at_output(&self) -> io::Result<Status> {
        Err(ErrorKind::Unsupported.into())
    }

    fn look_at(&self, file: &OpenFile) -> io::Result<Status> {
        self.operation(|disk, _| Ok(disk.status(file.node)))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.operation(|disk, _| disk.read_link(path))
    }

    fn check_writable(&self, path: &Path) -> io::Result<()> {
        self.operation(|disk, _| {
            let number = disk.find(path, true)?;
            match disk.status(number).mode & 0o200 {
                0 => Err(ErrorKind::PermissionDenied.into()),
                _ => Ok(()),
            }
        })
    }

    fn open_unnamed(&self, folder: &Path, mode: u32) -> io::Result<OpenFile> {
        self.file(|disk, _| match disk.has_unnamed {
            true => disk.find(folder, true).map(|_| disk.create(Kind::Regular, mode & !MASK)),
            false => Err(ErrorKind::Unsupported.into()),
        })
    }

    fn open_new(&self, path: &Path, mode: u32) -> io::Result<OpenFile> {
        self.file(|disk, _| {
            let number = disk.create(Kind::Regular, mode & !MASK);
            disk.link(number, path).map(|()| number)
        })
    }

    fn open_stream(&self, path: &Path) -> io::Result<OpenFile> {
        self.open(path)
    }

    fn open_output(&self) -> io::Result<OpenFile> {
        Err(ErrorKind::Unsupported.into())
    }

    fn open_spool(&self) -> io::Result<OpenFile> {
        self.file(|disk, _| Ok(disk.create(Kind::Regular, 0o600)))
    }

    fn sync(&self, file: &OpenFile) -> io::Result<()> {
        self.operation(|disk, _| {
            disk.sync(file.node);
            Ok(())
        })
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.operation(|disk, _| {
            let number = disk.find(folder, true)?;
            disk.sync(number);
            Ok(())
        })
    }

    fn set_mode(&self, file: &OpenFile, mode: u32) -> io::Result<()> {
        self.operation(|disk, _| {
            disk.set_mode(file.node, mode);
            Ok(())
        })
    }

    fn set_owner(&self, _file: &OpenFile, _owner: (u32, u32)) -> io::Result<()> {
        self.operation(|_, _| Ok(()))
    }

    fn link(&self, file: &OpenFile, path: &Path) -> io::Result<()> {
        self.operation(|disk, _| disk.link(file.node, path))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.operation(|disk, _| disk.rename(from, to, true))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.operation(|disk, _| disk.rename(from, to, false))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.operation(|disk, _| disk.remove(path, false))
    }

    fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.operation(|disk, _| {
            let number = disk.create(Kind::Folder, mode & !MASK);
            disk.link(number, path)
        })
    }

    fn is_empty(&self, folder: &Path) -> io::Result<bool> {
        self.operation(|disk, _| disk.is_empty(folder))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.operation(|disk, _| disk.remove(path, true))
    }

    fn token(&self) -> u64 {
        self.operation(|_, rng| Ok(rng.gen_range(0..TOKENS))).unwrap_or(0)
    }
}

impl Write for OpenFile {
    /// Writes all bytes, or any nonempty part.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (node, at) = (self.node, self.at);
        let taken = self.process.operation(|disk, rng| {
            let is_all = bytes.is_empty() || rng.gen_bool(0.7);
            let taken = if is_all { bytes.len() } else { rng.gen_range(1..=bytes.len()) };
            disk.write(node, at, &bytes[..taken]);
            Ok(taken)
        })?;
        self.at += taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (node, at) = (self.node, self.at);
        let got = self.process.operation(|disk, _| Ok(disk.read(node, at, buffer)))?;
        self.at += got;
        Ok(got)
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let node = self.node;
        let length = self.process.operation(|disk, _| Ok(disk.length(node)))?;
        let place = match position {
            SeekFrom::Start(place) => i64::try_from(place).ok(),
            SeekFrom::End(by) => (length as i64).checked_add(by),
            SeekFrom::Current(by) => (self.at as i64).checked_add(by),
        };
        let place = place.and_then(|place| usize::try_from(place).ok());
        self.at = place.ok_or(ErrorKind::InvalidInput)?;
        Ok(self.at as u64)
    }
}
