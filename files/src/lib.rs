// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files that appear whole or not at all, and readers with limits: the one place where Halimede's
//! command, its Python package and its engines create files.
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
//! An output is written to a new file in the folder where it is to appear, without a name where
//! the file system has such files (`O_TMPFILE`), else with a random hidden one. When it is whole it
//! is brought to the disk, takes its name in one step, in place of the file that had it, and its
//! folder is brought to the disk. What is not a regular file is not replaced: devices and FIFOs are
//! written to, folders and sockets are errors. Links lead to what is replaced; a link to nothing is an
//! error.
//!
//! A process that a signal ends calls [`interrupt`] before. `model` (a feature) is a file system in
//! memory that checks all this at each operation: see the README.

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
pub use read::{read_limited, read_to_limit, Start, Steady};
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

/// Begins a folder that its owner alone can look into.
///
/// # Errors
/// As [`FolderIn::create_secret`].
pub fn create_secret_folder(path: &Path) -> Result<Folder, OutputError> {
    Folder::create_secret(&FILES, path)
}

/// Removes what outputs of this process have in the file system before they are complete. The
/// caller ends the process: as long as it holds what is returned, no output can be completed.
pub fn interrupt() -> MutexGuard<'static, Temporaries> {
    FILES.interrupt()
}
