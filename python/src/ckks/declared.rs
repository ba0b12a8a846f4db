// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Declared bounds of values. Bounds are public: they come from the caller and from the types of
//! arrays, never from values.

use halimede_ckks::{Bound as Range, Complex, Values};
use pyo3::prelude::*;

use super::arrays::{vector_or_number, Numbers};
use crate::errors::{type_error, value_error};

/// A bound from Python.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Declared {
    /// The largest absolute value.
    Magnitude(f64),
    /// The ends of an interval of real numbers.
    Between(f64, f64),
}

impl Declared {
    /// Converts a number or a pair of numbers; `None` if nothing is declared.
    ///
    /// # Errors
    /// `TypeError` for other types, `ValueError` for an invalid bound.
    pub fn new(bound: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Self>> {
        let Some(given) = bound.filter(|bound| !bound.is_none()) else { return Ok(None) };
        let declared = match (given.extract::<f64>(), given.extract::<(f64, f64)>()) {
            (Ok(magnitude), _) => Self::Magnitude(magnitude),
            (_, Ok((low, high))) => Self::Between(low, high),
            _ => {
                let wanted = "wanted a number, or a pair of them (low, high)";
                return Err(type_error(format!("bound: got {}, {wanted}", given.repr()?)));
            }
        };
        match declared.range(true)?.is_valid() {
            true => Ok(Some(declared)),
            false => {
                let wanted = "wanted a finite number from 0, or two, the smaller one first";
                Err(value_error(format!("bound: got {}, {wanted}", given.repr()?)))
            }
        }
    }

    /// Returns the bound of real or complex values.
    ///
    /// # Errors
    /// `ValueError` for an interval and complex values.
    pub fn range(self, is_real: bool) -> PyResult<Range> {
        match (self, is_real) {
            (Self::Magnitude(magnitude), true) => Ok(Range::real(magnitude)),
            (Self::Magnitude(magnitude), false) => Ok(Range::complex(magnitude)),
            (Self::Between(low, high), true) => Ok(Range::between(low, high)),
            (Self::Between(low, high), false) => Err(value_error(format!(
                "bound: ({low}, {high}) is an interval of real numbers, and these are complex \
                ones: give one number that no absolute value exceeds, or an array of real numbers"
            ))),
        }
    }
}

/// Converts a bound to Python: to a pair for real values, to a number for complex values.
pub fn bound_of(py: Python<'_>, range: Range) -> PyResult<Bound<'_, PyAny>> {
    match range.interval() {
        Some(interval) => Ok(interval.into_pyobject(py)?.into_any()),
        None => Ok(range.magnitude().into_pyobject(py)?.into_any()),
    }
}

/// Converts values for encryption; a number is a vector of length 1.
///
/// # Errors
/// As [`vector_or_number`] and [`Declared`].
pub fn data(
    name: &str,
    values: &Bound<'_, PyAny>,
    bound: Option<&Bound<'_, PyAny>>,
) -> PyResult<Values<'static>> {
    let numbers = vector_or_number(name, values)?;
    declare(numbers, Declared::new(bound)?)
}

/// Converts the plain operand of an operation with an encrypted operand. A number without a
/// declared bound is part of the circuit, and public; a vector of length 1 is not a number, and has
/// the default bound.
///
/// # Errors
/// As [`data`].
pub fn operand(
    name: &str,
    values: &Bound<'_, PyAny>,
    bound: Option<&Bound<'_, PyAny>>,
    default_bound: f64,
) -> PyResult<Values<'static>> {
    let (numbers, declared) = (vector_or_number(name, values)?, Declared::new(bound)?);
    let own = match (&numbers.values[..], &numbers.shape[..]) {
        _ if declared.is_some() => None,
        ([number], []) if number.is_finite() => Some(of_number(*number)),
        ([_], [_]) => Some(Declared::Magnitude(default_bound).range(numbers.is_real)?),
        _ => None,
    };
    let values = declare(numbers, declared)?;
    Ok(own.map_or(values.clone(), |own| values.bounded(own)))
}

/// Returns the bound of a public number.
fn of_number(number: Complex) -> Range {
    match number.im == 0.0 {
        true => Range::between(number.re, number.re),
        false => Range::complex(number.abs()),
    }
}

fn declare(numbers: Numbers, declared: Option<Declared>) -> PyResult<Values<'static>> {
    let Numbers { values, is_real, .. } = numbers;
    let range = declared.map(|declared| declared.range(is_real)).transpose()?;
    let values = match is_real {
        true => Values::from(&values.iter().map(|value| value.re).collect::<Vec<_>>()),
        false => Values::from(&values).into_owned(),
    };
    Ok(match range {
        Some(range) => values.bounded(range),
        None => values,
    })
}
