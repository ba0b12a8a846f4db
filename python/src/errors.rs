// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversion of this library's errors to Python exceptions: bad input becomes a `ValueError`, a
//! failure of a device a `DeviceError`.

use std::fmt::Display;
use std::io;
use std::path::Path;

use halimede_arith::job;
use halimede_device::flat::FlatError;
use halimede_poseidon::tree::TreeError;
use pyo3::exceptions::{PyOSError, PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    halimede,
    DeviceError,
    PyRuntimeError,
    "A device is not available, does not support a request, or failed during it."
);

/// The exception for an invalid value of the right type.
pub fn value_error(reason: impl Display) -> PyErr {
    PyValueError::new_err(reason.to_string())
}

/// Returns a function that converts the errors of an argument to `ValueError`.
pub fn named<E: Display>(name: &'static str) -> impl Fn(E) -> PyErr {
    move |error| value_error(format!("{name}: {error}"))
}

/// The exception for a value of the wrong type.
pub fn type_error(reason: impl Display) -> PyErr {
    PyTypeError::new_err(reason.to_string())
}

/// Converts a count, an integer from 0.
///
/// # Errors
/// `ValueError` for a negative or too large integer, `TypeError` for anything except an integer.
pub fn count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.extract().or_else(|error| Err(no_number(name, value, &error)?))
}

/// Converts an offset, an integer from 0, into data that may be larger than memory.
///
/// # Errors
/// As [`count`].
pub fn offset(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    value.extract().or_else(|error| Err(no_number(name, value, &error)?))
}

fn no_number(name: &str, value: &Bound<'_, PyAny>, error: &PyErr) -> PyResult<PyErr> {
    let wrong = format!("{name}: got {}, wanted an integer from 0", value.repr()?);
    Ok(match error.is_instance_of::<PyOverflowError>(value.py()) {
        true => value_error(wrong),
        false => type_error(wrong),
    })
}

/// The exception for a failure of a device.
pub fn device_error(error: &job::DeviceError) -> PyErr {
    DeviceError::new_err(error.to_string())
}

/// The exception for a batch that failed.
pub fn flat_error(error: FlatError) -> PyErr {
    match error {
        FlatError::Device(error) => device_error(&error),
        FlatError::Tree(TreeError::Device { .. }) => DeviceError::new_err(error.to_string()),
        FlatError::Tree(TreeError::Read { source, .. }) => source.into(),
        _ => value_error(error),
    }
}

/// The `OSError` subclass that Python's `open` would raise.
pub fn file_error(py: Python<'_>, path: &Path, source: &io::Error) -> PyErr {
    let Some(number) = source.raw_os_error() else {
        return value_error(format!("{:?}: {source}", path.display()));
    };
    let words = py.import("os").and_then(|os| os.call_method1("strerror", (number,)));
    match words {
        Ok(words) => PyOSError::new_err((number, words.unbind(), path.as_os_str().to_owned())),
        Err(error) => error,
    }
}
