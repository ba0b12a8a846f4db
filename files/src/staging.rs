// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where outputs are made, and what of them an interrupt has to remove.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use rustix::io::Errno;

use crate::error::OutputError;
use crate::system::{Kind, System};

/// Names are tried until one is free; with 64 random bits the first one is.
const ATTEMPTS: usize = 16;
/// As many links as Linux follows.
const MOST_LINKS: usize = 40;

/// A file system, and the temporary names in it that this process has to remove.
#[derive(Debug, Default)]
pub struct Files<S> {
    pub(crate) system: S,
    temporaries: Mutex<Temporaries>,
}

/// Names that were given, and are to be removed where the process ends early. While these are held,
/// no output appears and no name is given: between the two a process is not interrupted.
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

    /// The folder and all in it have their names for good, or are gone.
    pub(crate) fn forget_folder(&mut self, path: &Path) {
        self.files.retain(|file| !file.starts_with(path));
        self.folders.remove(path);
    }
}

impl<S: System> Files<S> {
    /// Over a file system.
    pub const fn new(system: S) -> Self {
        let temporaries = Temporaries { files: BTreeSet::new(), folders: BTreeSet::new() };
        Self { system, temporaries: Mutex::new(temporaries) }
    }

    /// Removes all temporary files and folders, for a process that is about to end. As long as the
    /// caller holds what is returned, no other thread can make new ones or complete an output.
    pub fn interrupt(&self) -> MutexGuard<'_, Temporaries> {
        let mut temporaries = self.temporaries();
        self.remove_all(&mut temporaries);
        temporaries
    }

    /// [`Self::interrupt`] where that need not wait.
    pub fn try_interrupt(&self) -> Option<MutexGuard<'_, Temporaries>> {
        let mut temporaries = match self.temporaries.try_lock() {
            Ok(temporaries) => temporaries,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.remove_all(&mut temporaries);
        Some(temporaries)
    }

    // What cannot be removed has a name that says what it is; there is nobody left to tell.
    fn remove_all(&self, temporaries: &mut Temporaries) {
        for path in std::mem::take(&mut temporaries.files) {
            let _ = self.system.remove(&path);
        }
        // What is in a folder comes behind it in their order.
        for path in std::mem::take(&mut temporaries.folders).into_iter().rev() {
            let _ = self.system.remove_folder(&path);
        }
    }

    pub(crate) fn temporaries(&self) -> MutexGuard<'_, Temporaries> {
        self.temporaries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes something with a name in a folder that nothing else has: hidden, since it is nobody's
    /// file, and not made from the output's name, which may be as long as names can be.
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

    /// The path that a path leads to, through all links in its last place. The kernel has said
    /// before that this process may follow them: see `Output`.
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

    /// Refuses a link to what is not there, where nothing is found at the end of a path.
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

    /// Waits until the names in a folder are on the disk, where the file system can do that and
    /// this process may read the folder.
    pub(crate) fn settle(&self, folder: &Path) -> io::Result<()> {
        match self.system.sync_folder(folder) {
            Err(error) if is_not_for_sync(error.kind()) => Ok(()),
            result => result,
        }
    }
}

/// Whether the error means that waiting would be in vain.
pub(crate) fn is_not_for_sync(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied)
}

/// The folder that a path is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// Refuses what can only be a folder's name.
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
