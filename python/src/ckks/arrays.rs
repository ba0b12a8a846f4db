// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversion of array-like objects to vectors and matrices of numbers, and back.

use halimede_ckks::Complex;
use numpy::{Complex64, PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;

use crate::errors::{type_error, value_error};

/// NumPy's kinds of numbers: booleans, integers, floating-point and complex numbers.
const NUMBERS: &str = "biufc";
/// NumPy's kind of complex numbers.
const COMPLEX: char = 'c';

/// An array of numbers.
pub struct Numbers {
    /// The numbers, row by row.
    pub values: Vec<Complex>,
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// True if the array's type is real, regardless of the values.
    pub is_real: bool,
}

/// Returns the numbers of an array.
///
/// # Errors
/// `TypeError` for an array of another type, and NumPy's exception for objects that are not
/// array-like.
fn numbers(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Numbers> {
    let py = values.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let array = numpy.call_method1(intern!(py, "asarray"), (values,))?;
    let of = array.getattr(intern!(py, "dtype"))?;
    let kind = of.getattr(intern!(py, "kind"))?.extract::<char>()?;
    if !NUMBERS.contains(kind) {
        return Err(type_error(format!("{name}: got an array of {of}, wanted numbers")));
    }
    let array = numpy.call_method1(
        intern!(py, "asarray"),
        (array, intern!(py, "complex128"), intern!(py, "C")),
    )?;
    let array = array.cast_into::<PyArrayDyn<Complex64>>().map_err(value_error)?;
    let array = array.try_readonly().map_err(value_error)?;
    let shape = array.shape().to_vec();
    let numbers = array.as_slice().map_err(value_error)?.iter();
    let values = numbers.map(|number| Complex::new(number.re, number.im)).collect();
    Ok(Numbers { values, shape, is_real: kind != COMPLEX })
}

/// Returns a vector, or a number without an axis.
///
/// # Errors
/// `TypeError` for values that are not numbers, `ValueError` for more than one axis.
pub fn vector_or_number(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Numbers> {
    let numbers = numbers(name, values)?;
    if numbers.shape.len() > 1 {
        let wanted = "wanted one axis, as numpy.ravel makes it";
        return Err(value_error(format!("{name}: got shape {:?}, {wanted}", numbers.shape)));
    }
    Ok(numbers)
}

/// Returns the values of a vector; a number is a vector of length 1.
///
/// # Errors
/// As [`vector_or_number`].
pub fn vector(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Vec<Complex>> {
    Ok(vector_or_number(name, values)?.values)
}

/// Returns the numbers of rows and of columns, and the entries of a matrix.
///
/// # Errors
/// As [`vector`], with two axes instead of one.
pub fn matrix(name: &str, values: &Bound<'_, PyAny>) -> PyResult<(usize, usize, Numbers)> {
    let numbers = numbers(name, values)?;
    match numbers.shape[..] {
        [rows, columns] => Ok((rows, columns, numbers)),
        _ => Err(value_error(format!("{name}: got shape {:?}, wanted two axes", numbers.shape))),
    }
}

/// `complex128[n]`.
pub fn array<'py>(py: Python<'py>, values: &[Complex]) -> Bound<'py, PyArray1<Complex64>> {
    PyArray1::from_iter(py, values.iter().map(|value| Complex64::new(value.re, value.im)))
}

/// `float64[n]`: the real parts.
pub fn real_array<'py>(py: Python<'py>, values: &[Complex]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_iter(py, values.iter().map(|value| value.re))
}
