// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What this library's errors are in Python: bad input is a `ValueError`, a device's failure a
//! `DeviceError`.

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
    "A device is not there, cannot do what it was asked, or failed while doing it."
);

/// A value that is of the right type and not acceptable.
pub fn value_error(reason: impl Display) -> PyErr {
    PyValueError::new_err(reason.to_string())
}

/// A value of the wrong type.
pub fn type_error(reason: impl Display) -> PyErr {
    PyTypeError::new_err(reason.to_string())
}

/// A number of things, from 0.
///
/// # Errors
/// `ValueError` for a negative or absurd one, `TypeError` for what is no integer.
pub fn count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.extract().or_else(|error| Err(no_number(name, value, &error)?))
}

/// A place in something that may be larger than memory, from 0.
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

/// A device's failure.
pub fn device_error(error: &job::DeviceError) -> PyErr {
    DeviceError::new_err(error.to_string())
}

/// Why a batch was not answered.
pub fn flat_error(error: FlatError) -> PyErr {
    match error {
        FlatError::Device(error) => device_error(&error),
        FlatError::Tree(TreeError::Device { .. }) => DeviceError::new_err(error.to_string()),
        FlatError::Tree(TreeError::Read { source, .. }) => source.into(),
        _ => value_error(error),
    }
}

/// The `OSError` of the right kind, as Python's own `open` would raise it.
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
