// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of outputs and inputs.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// The error of an output.
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
        "{path}: this is an input and is not overwritten: name another output",
        path = path.display()
    )]
    Input {
        /// The output.
        path: PathBuf,
    },
    /// The path exists and must not be replaced.
    #[error(
        "{path}: already exists and is not overwritten: name another output",
        path = path.display()
    )]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output is a link to a path that does not exist. Following it would let the link's owner
    /// choose the path of the new file.
    #[error(
        "{path} is a link to {target}, which does not exist: name that file itself, \
         or remove the link",
        path = path.display(), target = target.display()
    )]
    DanglingLink {
        /// The output.
        path: PathBuf,
        /// The target of the link.
        target: PathBuf,
    },
    /// The output folder is not empty.
    #[error(
        "{path}: this folder is not empty, and its files are not overwritten: name a new \
         folder or an empty one", path = path.display()
    )]
    FolderInUse {
        /// The folder.
        path: PathBuf,
    },
    /// The output folder is the current folder of this process.
    #[error(
        "{path}: this is the current folder, which cannot be replaced: name a \
         new folder in it", path = path.display()
    )]
    CurrentFolder {
        /// The folder.
        path: PathBuf,
    },
}

impl OutputError {
    /// Returns `true` if the output was refused because of an existing path, `false` if it failed.
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }

    /// Converts the error to an [`io::Error`], for callers that add the file's name themselves.
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

/// An input is longer than the limit of its reader.
#[derive(Debug, thiserror::Error)]
#[error("more than {limit} bytes, the limit")]
pub struct TooLong {
    /// The limit in bytes.
    pub limit: u64,
}

/// A file changed while it was read.
#[derive(Debug, thiserror::Error)]
#[error("the file changed while it was read: it had {before} bytes before, {after} after")]
pub struct Changed {
    /// The length of the file when it was opened.
    pub before: u64,
    /// The number of bytes that were read, or the length of the file at the end.
    pub after: u64,
}
