// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of a file system that outputs use.
//!
//! They are a trait, so that the same procedure runs on the real file system and on a model, which
//! crashes it at each operation.

use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The kind of a file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    Regular,
    /// A folder.
    Folder,
    /// A symbolic link that was not followed.
    Link,
    /// A device or a FIFO, whose output cannot be taken back.
    Stream,
    /// A socket.
    Socket,
}

/// The state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The kind.
    pub kind: Kind,
    /// The device and the inode, which identify the file.
    pub id: (u64, u64),
    /// The permissions: the lowest 12 bits of the mode.
    pub mode: u32,
    /// The user and the group.
    pub owner: (u32, u32),
}

/// A file system, as one process sees it.
pub trait System {
    /// An open file.
    type File: Read + Write + Seek;

    /// Returns the state of a path, `None` if it does not exist. Without `follow`, does not follow
    /// links.
    fn look(&self, path: &Path, follow: bool) -> io::Result<Option<Status>>;
    /// The kind of standard input.
    fn look_at_input(&self) -> io::Result<Status>;
    /// The kind of standard output.
    fn look_at_output(&self) -> io::Result<Status>;
    /// The kind of an open file.
    fn look_at(&self, file: &Self::File) -> io::Result<Status>;
    /// The text of a symbolic link.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// Fails if this process may not write to a file.
    fn check_writable(&self, path: &Path) -> io::Result<()>;

    /// Creates an unnamed file, which [`System::link`] can name. [`io::ErrorKind::Unsupported`] if
    /// the file system does not support it.
    fn open_unnamed(&self, folder: &Path, mode: u32) -> io::Result<Self::File>;
    /// Creates a new file; fails if the name is taken, even by a dangling link.
    fn open_new(&self, path: &Path, mode: u32) -> io::Result<Self::File>;
    /// Opens a device or a FIFO for writing, without creating or truncating.
    fn open_stream(&self, path: &Path) -> io::Result<Self::File>;
    /// Opens standard output again.
    fn open_output(&self) -> io::Result<Self::File>;
    /// Creates a file that never has a name, for content that is written to a stream only when
    /// complete.
    fn open_spool(&self) -> io::Result<Self::File>;

    /// Waits until the content of a file is on disk.
    fn sync(&self, file: &Self::File) -> io::Result<()>;
    /// Waits until the names in a folder are on disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Sets the permissions of an open file.
    fn set_mode(&self, file: &Self::File, mode: u32) -> io::Result<()>;
    /// Sets the user and the group of an open file.
    fn set_owner(&self, file: &Self::File, owner: (u32, u32)) -> io::Result<()>;
    /// Gives an unnamed file a name; fails if the name is taken.
    fn link(&self, file: &Self::File, path: &Path) -> io::Result<()>;
    /// Renames a file or folder; replaces a file, or an empty folder by a folder.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames; fails if the name is taken.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder; fails if the name is taken.
    fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()>;
    /// Returns `true` if a folder is empty.
    fn is_empty(&self, folder: &Path) -> io::Result<bool>;
    /// Removes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Returns a random number. No other call returns the same, here or in another process, except
    /// with negligible probability.
    fn token(&self) -> u64;
}
