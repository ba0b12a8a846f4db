// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Quotients, roots, signs, and functions that are composed of signs.

use halimede_ckks::{Complex, Evaluator, Sign};
use numpy::{Complex64, PyArray1};
use pyo3::prelude::*;

use super::arrays::{array, vector};
use super::brief;
use super::ciphertext::CkksCiphertext;
use super::server::CkksServer;
use crate::errors::value_error;

/// An approximate sign of values in [-bound, -threshold] or [threshold, bound], with an error of at
/// most `error`; between -threshold and threshold it rises from -1 to 1.
///
/// The constructor searches for the composition of polynomials with the fewest levels. It can be
/// used any number of times.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksSign(Sign);

#[pymethods]
impl CkksSign {
    #[new]
    fn new(py: Python<'_>, bound: f64, threshold: f64, error: f64) -> PyResult<Self> {
        brief(py, || Sign::new(bound, threshold, error)).map(Self).map_err(value_error)
    }

    /// The largest absolute value of an argument.
    #[getter]
    fn bound(&self) -> f64 {
        self.0.bound()
    }

    /// The smallest absolute value whose sign is resolved.
    #[getter]
    fn threshold(&self) -> f64 {
        self.0.threshold()
    }

    /// The largest error.
    #[getter]
    fn error(&self) -> f64 {
        self.0.error()
    }

    /// The number of levels.
    #[getter]
    fn levels(&self) -> usize {
        self.0.levels()
    }

    /// The degrees of the polynomials.
    #[getter]
    fn degrees(&self) -> Vec<usize> {
        self.0.degrees()
    }

    /// Returns the approximate signs of plain real numbers.
    fn values<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
        let arguments = vector("arguments", arguments)?;
        let values = arguments.iter().map(|x| Complex::from(self.0.value(x.re)));
        Ok(array(py, &values.collect::<Vec<_>>()))
    }
}

impl CkksSign {
    /// The sign itself.
    pub fn sign(&self) -> &Sign {
        &self.0
    }
}

/// The error for an unknown function.
pub fn no_function(what: &str) -> PyErr {
    value_error(format!("unknown function {what:?}"))
}

type Operand<'b, 'py> = &'b Bound<'py, CkksCiphertext>;

/// "sign", "positive" (1 or 0) or "relu".
#[pyfunction]
pub fn ckks_sign(
    py: Python<'_>,
    server: &Bound<'_, CkksServer>,
    what: &str,
    a: Operand<'_, '_>,
    sign: &Bound<'_, CkksSign>,
) -> PyResult<CkksCiphertext> {
    let of = match what {
        "sign" => Evaluator::sign,
        "positive" => Evaluator::is_positive,
        "relu" => Evaluator::relu,
        _ => return Err(no_function(what)),
    };
    let sign = &sign.get().0;
    server.get().lengthy(py, a.get(), |server, a| of(server, a, sign))
}

/// "greater" (1 or 0), "max" or "min".
#[pyfunction]
pub fn ckks_compare(
    py: Python<'_>,
    server: &Bound<'_, CkksServer>,
    what: &str,
    a: Operand<'_, '_>,
    b: Operand<'_, '_>,
    sign: &Bound<'_, CkksSign>,
) -> PyResult<CkksCiphertext> {
    let of = match what {
        "greater" => Evaluator::greater,
        "max" => Evaluator::max,
        "min" => Evaluator::min,
        _ => return Err(no_function(what)),
    };
    let (b, sign) = (b.get().of(&server.get().parameters)?, &sign.get().0);
    server.get().lengthy(py, a.get(), |server, a| of(server, a, b, sign))
}

/// "inverse", "sqrt" or "inverse_sqrt" of values in an interval.
#[pyfunction]
pub fn ckks_refined(
    py: Python<'_>,
    server: &Bound<'_, CkksServer>,
    what: &str,
    a: Operand<'_, '_>,
    from_: f64,
    to: f64,
    error: f64,
) -> PyResult<CkksCiphertext> {
    let of = match what {
        "inverse" => Evaluator::inverse,
        "sqrt" => Evaluator::square_root,
        "inverse_sqrt" => Evaluator::inverse_square_root,
        _ => return Err(no_function(what)),
    };
    server.get().lengthy(py, a.get(), |server, a| of(server, a, (from_, to), error))
}
