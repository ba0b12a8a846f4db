// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials, and functions as polynomials.

use std::cell::RefCell;

use halimede_ckks::polynomial::Kind;
use halimede_ckks::{Accuracy, Complex, Polynomial};
use numpy::{Complex64, PyArray1};
use pyo3::prelude::*;

use super::arrays::{array, vector};
use super::ciphertext::CkksCiphertext;
use super::server::CkksServer;
use crate::errors::{count, type_error, value_error};

/// A polynomial with complex coefficients, in powers or in Chebyshev polynomials on an interval.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksPolynomial(Polynomial);

#[pymethods]
impl CkksPolynomial {
    /// Σ cₖ·xᵏ.
    #[staticmethod]
    fn monomial(coefficients: &Bound<'_, PyAny>) -> PyResult<Self> {
        let coefficients = vector("coefficients", coefficients)?;
        Polynomial::monomial(&coefficients).map(Self).map_err(value_error)
    }

    /// Σ cₖ·Tₖ on an interval.
    #[staticmethod]
    fn chebyshev(coefficients: &Bound<'_, PyAny>, from_: f64, to: f64) -> PyResult<Self> {
        let coefficients = vector("coefficients", coefficients)?;
        Polynomial::chebyshev(&coefficients, (from_, to)).map(Self).map_err(value_error)
    }

    /// The interpolation of a function of numbers, by a degree or up to an error.
    #[staticmethod]
    fn approximation(
        function: &Bound<'_, PyAny>,
        from_: f64,
        to: f64,
        degree: Option<&Bound<'_, PyAny>>,
        error: Option<f64>,
    ) -> PyResult<Self> {
        let accuracy = match (degree, error) {
            (Some(degree), None) => Accuracy::Degree(count("degree", degree)?),
            (None, Some(error)) => Accuracy::Error(error),
            _ => return Err(type_error("give either a degree or an error")),
        };
        let raised = RefCell::new(None);
        let value = |x: f64| {
            let value = match raised.borrow().is_some() {
                true => None,
                false => Some(number(function, x)),
            };
            match value {
                Some(Ok(value)) => value,
                Some(Err(error)) => {
                    raised.replace(Some(error));
                    Complex::from(f64::NAN)
                }
                None => Complex::from(f64::NAN),
            }
        };
        let found = Polynomial::approximation(value, (from_, to), accuracy);
        match raised.take() {
            Some(error) => Err(error),
            None => found.map(Self).map_err(value_error),
        }
    }

    /// The degree.
    #[getter]
    fn degree(&self) -> usize {
        self.0.degree()
    }

    /// The levels that an evaluation takes.
    #[getter]
    fn levels(&self) -> usize {
        self.0.levels()
    }

    /// By how much it differs at most from its function.
    #[getter]
    fn error(&self) -> f64 {
        self.0.approximation_error()
    }

    /// The interval; None for one in powers.
    #[getter]
    fn interval(&self) -> Option<(f64, f64)> {
        match self.0.kind() {
            Kind::Monomial => None,
            Kind::Chebyshev { from, to } => Some((from, to)),
        }
    }

    /// `complex128[degree + 1]`.
    #[getter]
    fn coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<Complex64>> {
        array(py, self.0.coefficients())
    }

    /// Its values, `complex128[n]`.
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

/// What a function of Python makes of a number.
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
