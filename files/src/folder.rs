// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Folders of files that appear when all of their files are complete.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::error::OutputError;
use crate::staging::{check_name, folder_of, Files};
use crate::system::{Kind, System};

const SECRET: u32 = 0o600;
const PUBLIC: u32 = 0o666;
/// The permissions of a folder that only its owner can read.
const SECRET_FOLDER: u32 = 0o700;
const PUBLIC_FOLDER: u32 = 0o777;

/// A folder that is being filled next to its final path. If it is dropped before
/// [`FolderIn::complete`], it leaves nothing.
#[derive(Debug)]
pub struct FolderIn<'f, S: System> {
    files: &'f Files<S>,
    /// The path as the caller wrote it.
    path: PathBuf,
    target: PathBuf,
    staged: PathBuf,
    /// The parent folders that were made for it.
    made: Vec<PathBuf>,
    names: Vec<PathBuf>,
    is_completed: bool,
}

/// A file in a folder that is being filled.
#[derive(Debug)]
pub struct FolderFile<'f, S: System> {
    files: &'f Files<S>,
    path: PathBuf,
    file: S::File,
}

impl<'f, S: System> FolderIn<'f, S> {
    /// Begins a folder at a path that does not exist or is an empty folder. Makes missing parent
    /// folders.
    ///
    /// # Errors
    /// [`OutputError::FolderInUse`] if the folder is not empty, [`OutputError::CurrentFolder`],
    /// [`OutputError::DanglingLink`], and [`OutputError::Io`].
    pub fn create(files: &'f Files<S>, path: &Path) -> Result<Self, OutputError> {
        Self::create_with(files, path, PUBLIC_FOLDER)
    }

    /// Begins a folder that only its owner can read (mode 0700), so that the names of its files are
    /// secret too.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_secret(files: &'f Files<S>, path: &Path) -> Result<Self, OutputError> {
        Self::create_with(files, path, SECRET_FOLDER)
    }

    fn create_with(files: &'f Files<S>, path: &Path, mode: u32) -> Result<Self, OutputError> {
        let failed = OutputError::io(path);
        let (system, current) = (&files.system, Path::new("."));
        let found = system.look(path, true).map_err(&failed)?;
        if let Some(found) = found {
            if found.kind != Kind::Folder {
                return Err(failed(Errno::NOTDIR.into()));
            }
            if system.look(current, true).map_err(&failed)?.is_some_and(|it| it.id == found.id) {
                return Err(OutputError::CurrentFolder { path: path.to_path_buf() });
            }
            if !system.is_empty(path).map_err(&failed)? {
                return Err(OutputError::FolderInUse { path: path.to_path_buf() });
            }
        }
        let target: PathBuf = path.components().collect();
        if found.is_none() {
            files.refuse_dangling(&target)?;
        }
        let target = files.resolve(&target).map_err(&failed)?;
        check_name(&target).map_err(&failed)?;
        let made = make_parents(system, folder_of(&target)).map_err(&failed)?;
        let staged = {
            let mut temporaries = files.temporaries();
            let make = |path: &Path| system.make_folder(path, mode);
            let staged = files.with_fresh_name(folder_of(&target), make);
            if staged.is_err() {
                remove_folders(system, &made);
            }
            let ((), staged) = staged.map_err(&failed)?;
            made.iter().chain([&staged]).for_each(|folder| temporaries.add_folder(folder));
            staged
        };
        let (path, names) = (path.to_path_buf(), Vec::new());
        Ok(Self { files, path, target, staged, made, names, is_completed: false })
    }

    /// Creates a new file in the folder, readable only by its owner if `is_secret`.
    ///
    /// # Errors
    /// [`OutputError::Io`] if it cannot be made, for example because it exists.
    pub fn file(&mut self, name: &str, is_secret: bool) -> Result<FolderFile<'f, S>, OutputError> {
        let (path, system) = (self.path.join(name), &self.files.system);
        let staged = self.staged.join(name);
        let mode = if is_secret { SECRET } else { PUBLIC };
        let mut temporaries = self.files.temporaries();
        let file = system.open_new(&staged, mode).map_err(OutputError::io(&path))?;
        temporaries.add(&staged);
        drop(temporaries);
        self.names.push(staged);
        if is_secret {
            // The process's mask removes bits, and the folder's access lists may add some.
            system.set_mode(&file, SECRET).map_err(OutputError::io(&path))?;
        }
        Ok(FolderFile { files: self.files, path, file })
    }

    /// Writes the whole folder to disk, then renames it to its final path.
    ///
    /// # Errors
    /// [`OutputError::FolderInUse`] if another folder has appeared at the path, and
    /// [`OutputError::Io`].
    pub fn complete(mut self) -> Result<(), OutputError> {
        let failed = OutputError::io(&self.path);
        let files = self.files;
        files.settle(&self.staged).map_err(&failed)?;
        {
            let mut temporaries = files.temporaries();
            files.system.rename(&self.staged, &self.target).map_err(|source| {
                match source.kind() {
                    ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => {
                        OutputError::FolderInUse { path: self.path.clone() }
                    }
                    _ => failed(source),
                }
            })?;
            temporaries.forget_folder(&self.staged);
            self.made.iter().for_each(|folder| temporaries.forget_folder(folder));
        }
        self.is_completed = true;
        // Parent folders may be new too, made by this process or by another one that has not yet
        // written them to disk.
        let mut folder = folder_of(&self.target);
        loop {
            files.settle(folder).map_err(&failed)?;
            match folder_of(folder) {
                above if above == folder => return Ok(()),
                above => folder = above,
            }
        }
    }
}

impl<S: System> Drop for FolderIn<'_, S> {
    fn drop(&mut self) {
        if self.is_completed {
            return;
        }
        // Ignores failures: the name of a leftover file identifies it as temporary.
        let mut temporaries = self.files.temporaries();
        let system = &self.files.system;
        self.names.iter().for_each(|file| drop(system.remove(file)));
        let _ = system.remove_folder(&self.staged);
        temporaries.forget_folder(&self.staged);
        remove_folders(system, &self.made);
        self.made.iter().for_each(|folder| temporaries.forget_folder(folder));
    }
}

impl<S: System> FolderFile<'_, S> {
    /// Writes the file to disk.
    ///
    /// # Errors
    /// [`OutputError::Io`].
    pub fn complete(self) -> Result<(), OutputError> {
        self.files.system.sync(&self.file).map_err(OutputError::io(&self.path))
    }
}

impl<S: System> Write for FolderFile<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<S: System> Read for FolderFile<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl<S: System> Seek for FolderFile<'_, S> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// Makes the missing folders of a path, and returns the ones that it made, the highest first.
fn make_parents<S: System>(system: &S, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut missing = Vec::new();
    let mut above = folder;
    while system.look(above, true)?.is_none() {
        missing.push(above.to_path_buf());
        let parent = folder_of(above);
        if parent == above {
            break;
        }
        above = parent;
    }
    let mut made = Vec::new();
    for folder in missing.into_iter().rev() {
        match system.make_folder(&folder, PUBLIC_FOLDER) {
            Ok(()) => made.push(folder),
            // Another process was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                remove_folders(system, &made);
                return Err(error);
            }
        }
    }
    Ok(made)
}

/// Removes the folders that are empty. The highest folder is first in the list.
fn remove_folders<S: System>(system: &S, folders: &[PathBuf]) {
    folders.iter().rev().for_each(|folder| drop(system.remove_folder(folder)));
}
