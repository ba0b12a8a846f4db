// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many strings of bytes: a list of buffers, or the rows of an array.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyMemoryView, PyTuple};

use crate::buffers::Buffer;
use crate::errors::type_error;

/// Byte strings, read in place.
pub enum Rows<'py> {
    /// One buffer per string.
    List(Vec<Buffer<'py>>),
    /// Consecutive strings of equal length.
    Table {
        /// The bytes of all strings.
        data: Buffer<'py>,
        /// The number of strings.
        count: usize,
    },
}

impl<'py> Rows<'py> {
    /// Returns the strings of an object. In errors, `name` is its name and `wanted` the expected
    /// kind.
    ///
    /// # Errors
    /// `TypeError` and `ValueError`, as [`Buffer::new`], or for an array of other than two axes.
    pub fn new(name: &str, wanted: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if !object.is_instance_of::<PyList>() && !object.is_instance_of::<PyTuple>() {
            if let Ok(view) = PyMemoryView::from(object) {
                let axes: usize = view.getattr("ndim")?.extract()?;
                if axes != 2 {
                    let got = format!("{name}: got one buffer of {axes} axes, wanted {wanted}");
                    return Err(type_error(got));
                }
                let data = Buffer::of_view(|| name.into(), &view)?;
                return Ok(Self::Table { data, count: view.len()? });
            }
        }
        let kind = object.get_type().name()?;
        let items = object
            .try_iter()
            .map_err(|_| type_error(format!("{name}: got {kind}, wanted {wanted}")))?;
        let mut buffers = Vec::with_capacity(object.len().unwrap_or(0));
        for item in items {
            let number = buffers.len();
            buffers.push(Buffer::new(|| format!("{name}[{number}]"), &item?)?);
        }
        Ok(Self::List(buffers))
    }

    /// The number of strings.
    pub fn count(&self) -> usize {
        match self {
            Self::List(buffers) => buffers.len(),
            Self::Table { count, .. } => *count,
        }
    }

    /// Returns the strings as slices.
    ///
    /// # Errors
    /// As [`Buffer::as_slice`].
    pub fn slices(&self) -> PyResult<Vec<&[u8]>> {
        match self {
            Self::List(buffers) => buffers.iter().map(Buffer::as_slice).collect(),
            Self::Table { data, count } => {
                let data = data.as_slice()?;
                let length = data.len().checked_div(*count).unwrap_or(0);
                Ok((0..*count).map(|row| &data[row * length..][..length]).collect())
            }
        }
    }
}
