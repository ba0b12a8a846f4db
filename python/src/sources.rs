// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments that are a file or its content.

use std::io;
use std::path::{Path, PathBuf};

use halimede_files::{read_limited, read_secret};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::buffers::Buffer;
use crate::errors::file_error;
use crate::work;

/// The source of a load.
pub enum Source<'py> {
    /// A file: a `str` or an `os.PathLike`.
    Path(PathBuf),
    /// The content itself: any object with a buffer.
    Bytes(Buffer<'py>),
}

impl<'py> Source<'py> {
    /// # Errors
    /// `TypeError` for any other object.
    pub fn new(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let is_path = object.hasattr("__fspath__")? || object.cast::<PyString>().is_ok();
        if is_path {
            let path = py.import("os")?.call_method1("fspath", (object,))?;
            return Ok(Self::Path(path.extract()?));
        }
        Ok(Self::Bytes(Buffer::new(|| "source".into(), object)?))
    }

    /// Parses the content with `parse`. Reads at most `limit` bytes of a file.
    ///
    /// # Errors
    /// `OSError` if the file cannot be read, `ValueError` if it has more than `limit` bytes.
    pub fn parse<T: Send>(
        &self,
        py: Python<'py>,
        limit: usize,
        parse: impl FnOnce(&[u8]) -> T + Send,
    ) -> PyResult<T> {
        self.parse_read(py, parse, |path| read_limited(path, limit as u64))
    }

    /// As [`Self::parse`]. The content of a file is overwritten in memory after use.
    pub fn parse_secret<T: Send>(
        &self,
        py: Python<'py>,
        limit: usize,
        parse: impl FnOnce(&[u8]) -> T + Send,
    ) -> PyResult<T> {
        self.parse_read(py, parse, |path| read_secret(path, limit as u64))
    }

    fn parse_read<T: Send, B: AsRef<[u8]>>(
        &self,
        py: Python<'py>,
        parse: impl FnOnce(&[u8]) -> T + Send,
        read: impl FnOnce(&Path) -> io::Result<B> + Send,
    ) -> PyResult<T> {
        match self {
            Self::Bytes(buffer) => {
                let bytes = buffer.as_slice()?;
                work::run(py, |_| parse(bytes))
            }
            Self::Path(path) => {
                let parsed = work::run(py, |_| read(path).map(|bytes| parse(bytes.as_ref())))?;
                parsed.map_err(|source| file_error(py, path, &source))
            }
        }
    }
}
