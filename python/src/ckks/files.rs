// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Saving and loading: bytes or files.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read};
use std::path::Path;

use halimede_ckks::files::expect_end;
use halimede_ckks::FileError;
use halimede_files::{Options, Output, OutputError};
use pyo3::exceptions::PyPermissionError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::errors::loading_error;
use super::{brief, long};
use crate::errors::{file_error, value_error};
pub use crate::sources::Source;

/// A reader of any kind.
pub type Input<'i> = &'i mut (dyn Read + Send);

impl<'py> Source<'py> {
    /// Loads the whole source with `load`; `open` opens a file.
    ///
    /// # Errors
    /// `ValueError` for content that is damaged or of another kind, `OSError` if it cannot be read.
    pub fn load_with<T: Send>(
        &self,
        py: Python<'py>,
        open: impl FnOnce(&Path) -> Result<File, FileError> + Send,
        load: impl FnOnce(Input<'_>) -> Result<T, FileError> + Send,
    ) -> PyResult<T> {
        match self {
            Self::Path(path) => {
                let read = || {
                    let mut input = BufReader::new(open(path)?);
                    let loaded = load(&mut input)?;
                    expect_end(input).map(|()| loaded)
                };
                long(py, |_| read())?.map_err(|error| of_file(py, path, error))
            }
            Self::Bytes(buffer) => {
                let mut bytes = buffer.as_slice()?;
                let read = || {
                    let loaded = load(&mut bytes)?;
                    expect_end(bytes).map(|()| loaded)
                };
                long(py, |_| read())?.map_err(loading_error)
            }
        }
    }

    /// The same for content that is not secret.
    ///
    /// # Errors
    /// As [`Self::load_with`].
    pub fn load<T: Send>(
        &self,
        py: Python<'py>,
        load: impl FnOnce(Input<'_>) -> Result<T, FileError> + Send,
    ) -> PyResult<T> {
        self.load_with(py, open_file, load)
    }
}

/// Opens a file that is not secret.
///
/// # Errors
/// If the file cannot be opened.
pub fn open_file(path: &Path) -> Result<File, FileError> {
    Ok(File::open(path)?)
}

/// Returns the bytes that `save` writes.
///
/// # Errors
/// `ValueError` if `save` fails.
pub fn to_bytes<'py>(
    py: Python<'py>,
    save: impl FnOnce(&mut Vec<u8>) -> Result<(), FileError> + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = brief(py, || {
        let mut bytes = Vec::new();
        save(&mut bytes).map(|()| bytes)
    });
    Ok(PyBytes::new(py, &bytes.map_err(value_error)?))
}

/// Writes a file atomically; replaces an existing one.
///
/// # Errors
/// `OSError` if writing fails.
pub fn to_file(
    py: Python<'_>,
    path: &Path,
    save: impl FnOnce(&mut BufWriter<Output>) -> Result<(), FileError> + Send,
) -> PyResult<()> {
    let write = || {
        let output = halimede_files::create(path, &Options::default());
        let mut output = BufWriter::new(output.map_err(OutputError::into_io)?);
        save(&mut output)?;
        let output = output.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        Ok(output.complete().map_err(OutputError::into_io)?)
    };
    long(py, |_| write())?.map_err(|error| of_file(py, path, error))
}

/// Adds the path of the file to an error.
pub fn of_file(py: Python<'_>, path: &Path, error: FileError) -> PyErr {
    match error {
        FileError::Io(source) => file_error(py, path, &source),
        // This error already names the file.
        error @ FileError::Permissions { .. } => PyPermissionError::new_err(error.to_string()),
        error @ FileError::Insecure { .. } => {
            value_error(format!("{}: {error}: insecure=True", path.display()))
        }
        error => value_error(format!("{}: {error}", path.display())),
    }
}
