// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The temporary names of outputs, and their removal by an interrupt.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use rustix::io::Errno;

use crate::error::OutputError;
use crate::system::{Kind, System};

/// The largest number of names to try. With 64 random bits, the first one is free.
const ATTEMPTS: usize = 16;
/// The largest number of links to follow, as on Linux.
const MOST_LINKS: usize = 40;

/// A file system, and the temporary names that this process must remove.
#[derive(Debug, Default)]
pub struct Files<S> {
    pub(crate) system: S,
    temporaries: Mutex<Temporaries>,
}

/// The temporary names, which must be removed if the process ends early. While this lock is held,
/// no temporary name is made and no output appears, so that an interrupt cannot occur in between.
#[derive(Debug, Default)]
pub struct Temporaries {
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl Temporaries {
    pub(crate) fn add(&mut self, path: &Path) {
        self.files.insert(path.to_path_buf());
    }

    pub(crate) fn add_folder(&mut self, path: &Path) {
        self.folders.insert(path.to_path_buf());
    }

    pub(crate) fn forget(&mut self, path: &Path) {
        self.files.remove(path);
    }

    /// Forgets a folder and everything in it, which have their final names or are removed.
    pub(crate) fn forget_folder(&mut self, path: &Path) {
        self.files.retain(|file| !file.starts_with(path));
        self.folders.remove(path);
    }
}

impl<S: System> Files<S> {
    /// Creates a set of files over a file system.
    pub const fn new(system: S) -> Self {
        let temporaries = Temporaries { files: BTreeSet::new(), folders: BTreeSet::new() };
        Self { system, temporaries: Mutex::new(temporaries) }
    }

    /// Removes all temporary files and folders, for a process that is about to end. While the
    /// caller holds the returned guard, no other thread can make new ones or complete an output.
    pub fn interrupt(&self) -> MutexGuard<'_, Temporaries> {
        let mut temporaries = self.temporaries();
        self.remove_all(&mut temporaries);
        temporaries
    }

    /// Like [`Self::interrupt`], but returns `None` instead of waiting.
    pub fn try_interrupt(&self) -> Option<MutexGuard<'_, Temporaries>> {
        let mut temporaries = match self.temporaries.try_lock() {
            Ok(temporaries) => temporaries,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.remove_all(&mut temporaries);
        Some(temporaries)
    }

    // Ignores failures: the name of a leftover file identifies it as temporary, and the process
    // ends.
    fn remove_all(&self, temporaries: &mut Temporaries) {
        for path in std::mem::take(&mut temporaries.files) {
            let _ = self.system.remove(&path);
        }
        // In this order, the content of a folder follows the folder.
        for path in std::mem::take(&mut temporaries.folders).into_iter().rev() {
            let _ = self.system.remove_folder(&path);
        }
    }

    pub(crate) fn temporaries(&self) -> MutexGuard<'_, Temporaries> {
        self.temporaries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a file or folder with a fresh hidden name. The name is not derived from the output's
    /// name, which may already have the largest length.
    pub(crate) fn with_fresh_name<T>(
        &self,
        folder: &Path,
        make: impl Fn(&Path) -> io::Result<T>,
    ) -> io::Result<(T, PathBuf)> {
        for _ in 1..ATTEMPTS {
            let path = folder.join(format!(".halimede-{:016x}.tmp", self.system.token()));
            match make(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|made| (made, path)),
            }
        }
        Err(Errno::EXIST.into())
    }

    /// Resolves all links of a path's last component. The kernel has already checked that this
    /// process may follow them: see `Output`.
    pub(crate) fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let mut path = path.to_path_buf();
        for _ in 0..MOST_LINKS {
            match self.system.look(&path, false)? {
                Some(status) if status.kind == Kind::Link => {
                    let text = self.system.read_link(&path)?;
                    path = folder_of(&path).join(text);
                }
                _ => return Ok(path),
            }
        }
        Err(Errno::LOOP.into())
    }

    /// Refuses a dangling link, for a path at which nothing was found.
    pub(crate) fn refuse_dangling(&self, path: &Path) -> Result<(), OutputError> {
        let failed = OutputError::io(path);
        match self.system.look(path, false).map_err(&failed)? {
            Some(status) if status.kind == Kind::Link => {
                let target = self.system.read_link(path).map_err(&failed)?;
                Err(OutputError::DanglingLink { path: path.to_path_buf(), target })
            }
            _ => Ok(()),
        }
    }

    /// Waits until the names in a folder are on disk, if the file system supports that and this
    /// process may read the folder.
    pub(crate) fn settle(&self, folder: &Path) -> io::Result<()> {
        match self.system.sync_folder(folder) {
            Err(error) if is_not_for_sync(error.kind()) => Ok(()),
            result => result,
        }
    }
}

/// Returns `true` if the error means that the file system cannot synchronize.
pub(crate) fn is_not_for_sync(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied)
}

/// Returns the folder of a path.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// Refuses a path that can only name a folder.
pub(crate) fn check_name(path: &Path) -> io::Result<()> {
    let is_name = matches!(path.components().next_back(), Some(Component::Normal(_)));
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.is_empty() {
        return Err(Errno::NOENT.into());
    }
    if !is_name || bytes.ends_with(b"/") || bytes.ends_with(b"/.") {
        return Err(Errno::ISDIR.into());
    }
    Ok(())
}
