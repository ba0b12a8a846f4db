// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Python functions of numbers.

use std::cell::RefCell;

use halimede_ckks::Complex;
use pyo3::prelude::*;

use crate::errors::type_error;

thread_local! {
    /// The exception of a function on this thread since the innermost [`catching`] began.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// A function of a real number.
pub struct Callable(Py<PyAny>);

impl Callable {
    /// # Errors
    /// `TypeError` for an object that is not callable.
    pub fn new(function: &Bound<'_, PyAny>) -> PyResult<Self> {
        if function.is_callable() {
            return Ok(Self(function.clone().unbind()));
        }
        let kind = function.get_type().name()?;
        Err(type_error(format!("function: got {kind}, wanted a function of a number")))
    }

    /// Returns the function's value. After an exception, which [`catching`] returns, the value is
    /// NaN and the function is not called again. Signal handlers run before the call.
    pub fn value(&self, x: f64) -> Complex {
        if RAISED.with_borrow(Option::is_some) {
            return Complex::from(f64::NAN);
        }
        let value = Python::attach(|py| {
            py.check_signals()?;
            number(self.0.bind(py), x)
        });
        value.unwrap_or_else(|error| {
            RAISED.set(Some(error));
            Complex::from(f64::NAN)
        })
    }
}

/// Runs work that calls functions, only on this thread.
///
/// # Errors
/// The exception of a function, unchanged; any other error, converted by `wrong`.
pub fn catching<T, E>(
    work: impl FnOnce() -> Result<T, E>,
    wrong: impl FnOnce(E) -> PyErr,
) -> PyResult<T> {
    // A function may itself run work that calls functions.
    let before = RAISED.take();
    let result = work();
    match RAISED.replace(before) {
        Some(error) => Err(error),
        None => result.map_err(wrong),
    }
}

/// Calls a Python function with a number.
fn number(function: &Bound<'_, PyAny>, x: f64) -> PyResult<Complex> {
    let value = function.call1((x,))?;
    let part = |name: &str| value.getattr(name).and_then(|part| part.extract::<f64>());
    match (part("real"), part("imag")) {
        (Ok(re), Ok(im)) => Ok(Complex::new(re, im)),
        _ => {
            let kind = value.get_type().name()?;
            Err(type_error(format!("function: got {kind} of {x}, wanted a number")))
        }
    }
}
