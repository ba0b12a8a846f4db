// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bytes of Python objects, read in place.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyMemoryView, PyString};

use crate::errors::{type_error, value_error};

/// The bytes of an object. The object is kept alive and its buffer is held.
pub enum Buffer<'py> {
    /// The bytes of a `bytes` object.
    Bytes(Bound<'py, PyBytes>),
    /// The bytes of any other object with a buffer.
    View(PyReadonlyArray1<'py, u8>),
}

impl<'py> Buffer<'py> {
    /// Returns the bytes of an object. `name` is its name in errors.
    ///
    /// # Errors
    /// `TypeError` for an object without bytes, `ValueError` for a buffer that is not contiguous.
    pub fn new(name: impl Fn() -> String, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone()));
        }
        match PyMemoryView::from(object) {
            Ok(view) => Self::of_view(name, &view),
            Err(_) => Err(no_bytes(&name(), object)),
        }
    }

    /// Returns the bytes of all items of a view.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of_view(name: impl Fn() -> String, view: &Bound<'py, PyMemoryView>) -> PyResult<Self> {
        let py = view.py();
        let format = view.getattr(intern!(py, "format"))?;
        if format.cast::<PyString>().map_err(value_error)?.to_cow()?.contains('O') {
            return Err(type_error(format!("{}: got an array of objects, wanted bytes", name())));
        }
        if !view.getattr(intern!(py, "c_contiguous"))?.is_truthy()? {
            let wanted = "wanted one that is, as numpy.ascontiguousarray makes it";
            let name = name();
            return Err(value_error(format!(
                "{name}: got a buffer that is not contiguous, {wanted}"
            )));
        }
        static FROM_BUFFER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let array =
            FROM_BUFFER.import(py, "numpy", "frombuffer")?.call1((view, intern!(py, "u1")))?;
        let array = array.cast_into::<PyArray1<u8>>().map_err(value_error)?;
        Ok(Self::View(array.try_readonly().map_err(value_error)?))
    }

    /// The bytes.
    ///
    /// # Errors
    /// None, since the buffer is known to be contiguous.
    pub fn as_slice(&self) -> PyResult<&[u8]> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.as_bytes()),
            Self::View(array) => array.as_slice().map_err(value_error),
        }
    }
}

fn no_bytes(name: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let kind = match object.get_type().name() {
        Ok(kind) => kind,
        Err(error) => return error,
    };
    let advice = if object.is_instance_of::<PyString>() { "; a text is to be encoded" } else { "" };
    type_error(format!("{name}: got {kind}, wanted bytes or another buffer{advice}"))
}
