// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vectors and matrices of complex numbers from anything that NumPy makes an array of, and back.

use halimede_ckks::Complex;
use numpy::{Complex64, PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;

use crate::errors::{type_error, value_error};

/// The kinds of NumPy's types that are numbers: booleans, integers, floating-point and complex ones.
const NUMBERS: &str = "biufc";

/// The numbers of an array, row by row, and its axes.
///
/// # Errors
/// `TypeError` for what are no numbers, and what NumPy raises for what is no array.
fn numbers(name: &str, values: &Bound<'_, PyAny>) -> PyResult<(Vec<Complex>, Vec<usize>)> {
    let py = values.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let array = numpy.call_method1(intern!(py, "asarray"), (values,))?;
    let kind = array.getattr(intern!(py, "dtype"))?;
    if !NUMBERS.contains(kind.getattr(intern!(py, "kind"))?.extract::<char>()?) {
        return Err(type_error(format!("{name}: got an array of {kind}, wanted numbers")));
    }
    let array = numpy.call_method1(
        intern!(py, "asarray"),
        (array, intern!(py, "complex128"), intern!(py, "C")),
    )?;
    let array = array.cast_into::<PyArrayDyn<Complex64>>().map_err(value_error)?;
    let array = array.try_readonly().map_err(value_error)?;
    let shape = array.shape().to_vec();
    let numbers = array.as_slice().map_err(value_error)?;
    Ok((numbers.iter().map(|number| Complex::new(number.re, number.im)).collect(), shape))
}

/// A vector; a number is one of length 1.
///
/// # Errors
/// `TypeError` for what are no numbers, `ValueError` for more than one axis.
pub fn vector(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Vec<Complex>> {
    let (numbers, shape) = numbers(name, values)?;
    if shape.len() > 1 {
        let wanted = "wanted one axis, as numpy.ravel makes it";
        return Err(value_error(format!("{name}: got shape {shape:?}, {wanted}")));
    }
    Ok(numbers)
}

/// A matrix row by row, and how many rows and columns it has.
///
/// # Errors
/// As [`vector`], for another number of axes than two.
pub fn matrix(name: &str, values: &Bound<'_, PyAny>) -> PyResult<(usize, usize, Vec<Complex>)> {
    let (numbers, shape) = numbers(name, values)?;
    match shape[..] {
        [rows, columns] => Ok((rows, columns, numbers)),
        _ => Err(value_error(format!("{name}: got shape {shape:?}, wanted two axes"))),
    }
}

/// `complex128[n]`.
pub fn array<'py>(py: Python<'py>, values: &[Complex]) -> Bound<'py, PyArray1<Complex64>> {
    PyArray1::from_iter(py, values.iter().map(|value| Complex64::new(value.re, value.im)))
}
