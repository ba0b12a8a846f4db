// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why there is no output, and why no input.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// Why an output could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The operating system refused.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The output.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The output is an input.
    #[error(
        "{path}: this is an input, and is not written over: name another output",
        path = path.display()
    )]
    Input {
        /// The output.
        path: PathBuf,
    },
    /// There is something that must not be replaced.
    #[error(
        "{path} exists, and is not written over: name another output",
        path = path.display()
    )]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output is a link to what is not there: who made the link chooses what is made.
    #[error(
        "{path} is a link to {target}, which is not there, and is not made: name that file itself, \
         or remove the link",
        path = path.display(), target = target.display()
    )]
    DanglingLink {
        /// The output.
        path: PathBuf,
        /// What the link says.
        target: PathBuf,
    },
    /// A folder that is to be filled has something in it.
    #[error(
        "{path}: this folder has files in it already, and they are not written over: name a new \
         folder or an empty one", path = path.display()
    )]
    FolderInUse {
        /// The folder.
        path: PathBuf,
    },
    /// The folder that is to be filled is the one that this process runs in.
    #[error(
        "{path}: this is the current folder, which cannot be replaced by one that is whole: name a \
         new folder in it", path = path.display()
    )]
    CurrentFolder {
        /// The folder.
        path: PathBuf,
    },
}

impl OutputError {
    /// Whether the output was refused for what stands there, rather than failed.
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }

    /// For callers that name the file themselves: what the operating system says, or what it would.
    pub fn into_io(self) -> io::Error {
        match self {
            Self::Io { source, .. } => source,
            Self::Exists { .. } => Errno::EXIST.into(),
            refusal => io::Error::new(io::ErrorKind::InvalidInput, refusal),
        }
    }

    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_path_buf(), source }
    }
}

/// Something stands behind what a reader takes.
#[derive(Debug, thiserror::Error)]
#[error("more than {limit} bytes, which is the limit")]
pub struct TooLong {
    /// Bytes that are taken at most.
    pub limit: u64,
}

/// A file was not the same at the end of reading as at its beginning.
#[derive(Debug, thiserror::Error)]
#[error("the file had {before} bytes, and {after} when they were read: it was changed meanwhile")]
pub struct Changed {
    /// Its length when it was opened.
    pub before: u64,
    /// Bytes that were there, or its length, at the end.
    pub after: u64,
}
