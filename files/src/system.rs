// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of a file system that outputs are made of.
//!
//! They are behind a trait so that the same procedure runs over the real file system and over a
//! virtual one, which crashes it at each of them.

use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The kind of a file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    Regular,
    /// A folder.
    Folder,
    /// A symbolic link, where it was not followed.
    Link,
    /// A device or a FIFO: what is written to it is gone at once.
    Stream,
    /// A socket.
    Socket,
}

/// The state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The kind.
    pub kind: Kind,
    /// Device and inode: two paths with the same are the same file.
    pub id: (u64, u64),
    /// The permissions: the lowest 12 bits of the mode.
    pub mode: u32,
    /// User and group.
    pub owner: (u32, u32),
}

/// A file system, as one process sees it.
pub trait System {
    /// An open file.
    type File: Read + Write + Seek;

    /// What a path names, `None` where that is nothing. Without `follow`, a link is itself.
    fn look(&self, path: &Path, follow: bool) -> io::Result<Option<Status>>;
    /// The kind of standard input.
    fn look_at_input(&self) -> io::Result<Status>;
    /// The kind of standard output.
    fn look_at_output(&self) -> io::Result<Status>;
    /// The kind of an open file.
    fn look_at(&self, file: &Self::File) -> io::Result<Status>;
    /// The text of a symbolic link.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// Fails where this process may not write to a file.
    fn check_writable(&self, path: &Path) -> io::Result<()>;

    /// A new file without a name, which [`System::link`] can name. [`io::ErrorKind::Unsupported`]
    /// where the file system has none.
    fn open_unnamed(&self, folder: &Path, mode: u32) -> io::Result<Self::File>;
    /// A new file; an error where the name is taken, be it by a link that leads nowhere.
    fn open_new(&self, path: &Path, mode: u32) -> io::Result<Self::File>;
    /// A device or a FIFO, for writing; nothing is created and nothing cut.
    fn open_stream(&self, path: &Path) -> io::Result<Self::File>;
    /// Standard output once more.
    fn open_output(&self) -> io::Result<Self::File>;
    /// A file that never has a name, for what must be written to a stream only when it is whole.
    fn open_spool(&self) -> io::Result<Self::File>;

    /// Waits until the content of a file is on the disk.
    fn sync(&self, file: &Self::File) -> io::Result<()>;
    /// Waits until the names in a folder are on the disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Sets the permissions of an open file.
    fn set_mode(&self, file: &Self::File, mode: u32) -> io::Result<()>;
    /// Sets user and group of an open file.
    fn set_owner(&self, file: &Self::File, owner: (u32, u32)) -> io::Result<()>;
    /// Gives an unnamed file a name; an error where it is taken.
    fn link(&self, file: &Self::File, path: &Path) -> io::Result<()>;
    /// Renames, in place of a file, or of an empty folder where a folder is renamed.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames; an error where the name is taken.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder; an error where the name is taken.
    fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()>;
    /// Whether a folder has nothing in it.
    fn is_empty(&self, folder: &Path) -> io::Result<bool>;
    /// Removes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// A number that no other call gives, here or in another process, but by a rare chance.
    fn token(&self) -> u64;
}
