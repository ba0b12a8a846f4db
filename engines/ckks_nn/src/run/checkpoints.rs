// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A folder of checkpoints: an interrupted run continues from the last one.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use halimede_ckks::circuit::{Checkpoint, RunId};
use halimede_ckks::files::expect_end;
use halimede_ckks::{FileError, Parameters, Server};

use crate::error::NetworkError;

/// The extension of checkpoints. The name before it is the hash of the run.
const EXTENSION: &str = "checkpoint";

/// The folder in which runs of a server leave checkpoints, one file per run.
#[derive(Clone, Debug)]
pub(super) struct Checkpoints {
    folder: PathBuf,
}

impl Checkpoints {
    /// Returns the folder, which is created if it does not exist. The server takes over the random
    /// angles of existing checkpoints.
    ///
    /// # Errors
    /// [`NetworkError::Checkpoint`] if the folder cannot be read or created, for a file in it that
    /// is not a checkpoint of these parameters, and for a server that already has other angles.
    pub fn open(folder: &Path, server: &Server) -> Result<Self, NetworkError> {
        make_folder(folder).map_err(of_file(folder))?;
        let opened = Self { folder: folder.to_owned() };
        for entry in fs::read_dir(folder).map_err(of_file(folder))? {
            let path = entry.map_err(of_file(folder))?.path();
            if path.extension().is_some_and(|extension| extension == EXTENSION) {
                let checkpoint = load(&path, server.parameters())?;
                server.take_angles(&checkpoint).map_err(of_file(&path))?;
                break;
            }
        }
        Ok(opened)
    }

    /// Returns the path of a run's checkpoint.
    fn path(&self, run: RunId) -> PathBuf {
        self.folder.join(format!("{run}.{EXTENSION}"))
    }

    /// Returns the checkpoint of a run, if it exists.
    ///
    /// # Errors
    /// [`NetworkError::Checkpoint`] for an invalid file.
    pub fn of(
        &self,
        run: RunId,
        parameters: &Parameters,
    ) -> Result<Option<Checkpoint>, NetworkError> {
        let path = self.path(run);
        match path.try_exists() {
            Ok(false) => Ok(None),
            _ => load(&path, parameters).map(Some),
        }
    }

    /// Writes the checkpoint of a run over an earlier one.
    ///
    /// # Errors
    /// [`NetworkError::Checkpoint`] if it cannot be written.
    pub fn keep(
        &self,
        checkpoint: &Checkpoint,
        parameters: &Parameters,
    ) -> Result<(), NetworkError> {
        let path = self.path(checkpoint.run());
        write(&path, checkpoint, parameters).map_err(of_file(&path))
    }

    /// Removes the checkpoint of a completed run.
    ///
    /// # Errors
    /// [`NetworkError::Checkpoint`] if it cannot be removed.
    pub fn remove(&self, run: RunId) -> Result<(), NetworkError> {
        let path = self.path(run);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(of_file(&path)(error)),
            _ => Ok(()),
        }
    }
}

/// Writes a checkpoint to a file that only its owner can access.
#[cfg(not(target_family = "wasm"))]
fn write(path: &Path, checkpoint: &Checkpoint, parameters: &Parameters) -> Result<(), FileError> {
    use halimede_files::{create, Options, OutputError};
    let options = Options { is_secret: true, ..Options::default() };
    let mut output = create(path, &options).map_err(OutputError::into_io)?;
    checkpoint.save(io::BufWriter::new(&mut output), parameters)?;
    Ok(output.complete().map_err(OutputError::into_io)?)
}

#[cfg(target_family = "wasm")]
fn write(_: &Path, _: &Checkpoint, _: &Parameters) -> Result<(), FileError> {
    Err(io::Error::from(io::ErrorKind::Unsupported).into())
}

/// Creates a folder that only its owner can access.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn load(path: &Path, parameters: &Parameters) -> Result<Checkpoint, NetworkError> {
    let read = || -> Result<Checkpoint, FileError> {
        let mut file = BufReader::new(File::open(path)?);
        let checkpoint = Checkpoint::load(&mut file, parameters)?;
        expect_end(file)?;
        Ok(checkpoint)
    };
    read().map_err(of_file(path))
}

/// Returns the error of a file or folder.
fn of_file<E: ToString>(path: &Path) -> impl Fn(E) -> NetworkError + '_ {
    |error| NetworkError::Checkpoint { path: path.to_owned(), reason: error.to_string() }
}
