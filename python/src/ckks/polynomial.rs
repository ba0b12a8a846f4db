// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials, and polynomial approximations of functions.

use halimede_ckks::polynomial::PolynomialBasis;
use halimede_ckks::{Accuracy, BlockPolynomials, Complex, Polynomial};
use numpy::{Complex64, PyArray1};
use pyo3::prelude::*;

use super::arrays::{array, vector};
use super::callable::{catching, Callable};
use super::ciphertext::CkksCiphertext;
use super::server::CkksServer;
use crate::errors::{count, type_error, value_error};

/// A polynomial with complex coefficients, in the power basis or in the Chebyshev basis on an
/// interval.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksPolynomial(Polynomial);

#[pymethods]
impl CkksPolynomial {
    /// Returns Σ cₖ·xᵏ.
    #[staticmethod]
    fn monomial(coefficients: &Bound<'_, PyAny>) -> PyResult<Self> {
        let coefficients = vector("coefficients", coefficients)?;
        Polynomial::monomial(&coefficients).map(Self).map_err(value_error)
    }

    /// Returns Σ cₖ·Tₖ on an interval.
    #[staticmethod]
    fn chebyshev(coefficients: &Bound<'_, PyAny>, from_: f64, to: f64) -> PyResult<Self> {
        let coefficients = vector("coefficients", coefficients)?;
        Polynomial::chebyshev(&coefficients, (from_, to)).map(Self).map_err(value_error)
    }

    /// Interpolates a function of numbers, with a degree or up to an error.
    #[staticmethod]
    fn approximation(
        function: &Bound<'_, PyAny>,
        from_: f64,
        to: f64,
        degree: Option<&Bound<'_, PyAny>>,
        error: Option<f64>,
    ) -> PyResult<Self> {
        let (accuracy, function) = (accuracy(degree, error)?, Callable::new(function)?);
        let value = |x: f64| function.value(x);
        catching(|| Polynomial::approximation(value, (from_, to), accuracy), value_error).map(Self)
    }

    /// The degree.
    #[getter]
    fn degree(&self) -> usize {
        self.0.degree()
    }

    /// The number of levels that an evaluation consumes.
    #[getter]
    fn levels(&self) -> usize {
        self.0.levels()
    }

    /// The largest difference from the function.
    #[getter]
    fn error(&self) -> f64 {
        self.0.approximation_error()
    }

    /// The interval; None in the power basis.
    #[getter]
    fn interval(&self) -> Option<(f64, f64)> {
        match self.0.kind() {
            PolynomialBasis::Monomial => None,
            PolynomialBasis::Chebyshev { from, to } => Some((from, to)),
        }
    }

    /// `complex128[degree + 1]`.
    #[getter]
    fn coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<Complex64>> {
        array(py, self.0.coefficients())
    }

    /// Returns the values at arguments, `complex128[n]`.
    fn values<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
        let arguments = vector("arguments", arguments)?;
        let values: Vec<Complex> = arguments.iter().map(|x| self.0.value(*x)).collect();
        Ok(array(py, &values))
    }
}

impl CkksPolynomial {
    /// The polynomial itself.
    pub fn polynomial(&self) -> &Polynomial {
        &self.0
    }
}

/// Copies the polynomials of blocks.
pub fn copies(of: &[Bound<'_, CkksPolynomial>]) -> Vec<Polynomial> {
    of.iter().map(|polynomial| polynomial.get().0.clone()).collect()
}

/// Returns the accuracy of an approximation.
///
/// # Errors
/// `TypeError` unless exactly one of the two is given and a degree is an integer.
pub fn accuracy(degree: Option<&Bound<'_, PyAny>>, error: Option<f64>) -> PyResult<Accuracy> {
    match (degree, error) {
        (Some(degree), None) => Ok(Accuracy::Degree(count("degree", degree)?)),
        (None, Some(error)) => Ok(Accuracy::Error(error)),
        _ => Err(type_error("degree, error: give one of them")),
    }
}

#[pyfunction]
pub fn ckks_evaluate(
    py: Python<'_>,
    server: &Bound<'_, CkksServer>,
    a: &Bound<'_, CkksCiphertext>,
    polynomial: &Bound<'_, CkksPolynomial>,
) -> PyResult<CkksCiphertext> {
    let polynomial = &polynomial.get().0;
    server.get().lengthy(py, a.get(), |server, a| server.evaluate(a, polynomial))
}

#[pyfunction]
pub fn ckks_evaluate_blocks(
    py: Python<'_>,
    server: &Bound<'_, CkksServer>,
    a: &Bound<'_, CkksCiphertext>,
    polynomials: Vec<Bound<'_, CkksPolynomial>>,
    block: &Bound<'_, PyAny>,
) -> PyResult<CkksCiphertext> {
    let block = count("block", block)?;
    let all = BlockPolynomials::new(copies(&polynomials), block).map_err(value_error)?;
    server.get().lengthy(py, a.get(), |server, a| server.evaluate_blocks(a, &all))
}
