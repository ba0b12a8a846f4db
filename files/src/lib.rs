// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Atomic output files, and readers with limits. Halimede's command, its Python package and its
//! engines create all files with this crate.
//!
//! ```
//! use std::io::Write;
//! # let folder = tempfile::tempdir()?;
//! # let path = &folder.path().join("answer");
//! let mut output = halimede_files::create(path, &halimede_files::Options::default())?;
//! output.write_all(b"42\n")?;
//! assert!(!path.exists());
//! output.complete()?;
//! assert_eq!(std::fs::read(path)?, b"42\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An output is written to a new file in its final folder. The file has no name if the file system
//! supports that (`O_TMPFILE`), otherwise a random hidden name. When the output is complete, the
//! file is written to disk, takes its name in one step, replacing an existing file, and the folder
//! is written to disk. Only regular files are replaced: devices and FIFOs are written to, folders
//! and sockets are errors. Links are followed; a dangling link is an error.
//!
//! A process that ends by a signal must call [`interrupt`] first. The feature `model` has a file
//! system in memory that checks these guarantees at each operation: see the README.

mod error;
mod folder;
#[cfg(feature = "model")]
pub mod model;
mod output;
mod read;
mod real;
mod staging;
mod system;

use std::path::Path;
use std::sync::MutexGuard;

pub use error::{Changed, OutputError, TooLong};
pub use folder::{FolderFile, FolderIn};
pub use output::{Options, OutputIn};
pub use read::{read_limited, read_secret, read_secret_to_limit, read_to_limit, Start, Steady};
pub use real::Real;
pub use staging::{Files, Temporaries};
pub use system::{Kind, Status, System};

/// An output of this process.
pub type Output = OutputIn<'static, Real>;
/// A folder that this process fills.
pub type Folder = FolderIn<'static, Real>;

static FILES: Files<Real> = Files::new(Real);

/// Begins an output.
///
/// # Errors
/// As [`OutputIn::create`].
pub fn create(path: &Path, options: &Options) -> Result<Output, OutputError> {
    Output::create(&FILES, path, options)
}

/// Begins a folder of files.
///
/// # Errors
/// As [`FolderIn::create`].
pub fn create_folder(path: &Path) -> Result<Folder, OutputError> {
    Folder::create(&FILES, path)
}

/// Begins a folder that only its owner can read.
///
/// # Errors
/// As [`FolderIn::create_secret`].
pub fn create_secret_folder(path: &Path) -> Result<Folder, OutputError> {
    Folder::create_secret(&FILES, path)
}

/// Removes the temporary files and folders of all outputs of this process that are not complete,
/// for a process that is about to end. While the caller holds the returned guard, no output can be
/// completed.
pub fn interrupt() -> MutexGuard<'static, Temporaries> {
    FILES.interrupt()
}
