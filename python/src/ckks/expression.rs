// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Expressions: computations that are written first and run later.

use halimede_ckks::{Complex, Expression};
use pyo3::prelude::*;

use super::callable::Callable;
use super::ciphertext::known;
use super::declared::operand;
use super::functions::{no_function, CkksSign};
use super::matrix::{diagonals_of, CkksMatrix};
use super::polynomial::{accuracy, copies, CkksPolynomial};
use super::power::exponent;
use crate::errors::count;

/// The bound of a vector without a declared bound, the same for all parameters.
pub const DEFAULT_BOUND: f64 = 1.0;

/// A computation on named inputs.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksExpression {
    expression: Expression,
    /// True if planning calls Python functions, which needs the interpreter's lock.
    calls_python: bool,
}

type Other<'b, 'py> = &'b Bound<'py, CkksExpression>;

#[pymethods]
impl CkksExpression {
    /// Returns the input with this name.
    #[staticmethod]
    fn input(name: &str) -> Self {
        Self { expression: Expression::input(name), calls_python: false }
    }

    /// Returns plain numbers as an expression.
    #[staticmethod]
    fn plain(values: &Bound<'_, PyAny>, bound: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(Self { expression: plain(values, bound)?, calls_python: false })
    }

    fn labeled(&self, label: &str) -> Self {
        self.with(self.expression.labeled(label))
    }

    fn add(&self, other: Other<'_, '_>) -> Self {
        self.with_other(other, |a, b| a + b)
    }

    fn sub(&self, other: Other<'_, '_>) -> Self {
        self.with_other(other, |a, b| a - b)
    }

    fn mul(&self, other: Other<'_, '_>) -> Self {
        self.with_other(other, |a, b| a * b)
    }

    fn neg(&self) -> Self {
        self.with(-&self.expression)
    }

    fn add_plain(
        &self,
        values: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(self.with(&self.expression + plain(values, bound)?))
    }

    fn mul_plain(
        &self,
        values: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(self.with(&self.expression * plain(values, bound)?))
    }

    /// The product with re + i·im.
    fn mul_gaussian(&self, re: i32, im: i32) -> Self {
        let real = || &self.expression * re;
        let turned = || &self.expression * Complex::new(0.0, f64::from(im));
        self.with(match (re, im) {
            (_, 0) => real(),
            (0, _) => turned(),
            _ => real() + turned(),
        })
    }

    /// The n-th powers for n from 1 on.
    fn power(&self, by: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(self.with(self.expression.powi(exponent(by)? as u32)))
    }

    fn rotate(&self, steps: i64) -> Self {
        self.with(self.expression.rotate(steps))
    }

    fn conjugate(&self) -> Self {
        self.with(self.expression.conjugate())
    }

    /// The sum of all values, in each place.
    fn sum(&self) -> Self {
        self.with(self.expression.sum())
    }

    /// The mean of all values, in each place.
    fn mean(&self) -> Self {
        self.with(self.expression.mean())
    }

    /// The values from place `from_` to before place `to`.
    fn slice(&self, from_: usize, to: usize) -> Self {
        self.with(self.expression.slice(from_, to))
    }

    /// The sum of this number of batches, or copies of the first batch.
    fn inner_sum(
        &self,
        terms: &Bound<'_, PyAny>,
        batch: &Bound<'_, PyAny>,
        copies: bool,
    ) -> PyResult<Self> {
        let (terms, batch) = (count("count", terms)?, count("batch", batch)?);
        let of = if copies { Expression::replicate } else { Expression::inner_sum };
        Ok(self.with(of(&self.expression, terms, batch)))
    }

    /// The product with a `Matrix`, which keeps its encodings, or with an array of two axes.
    fn transform(
        &self,
        py: Python<'_>,
        matrix: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(self.with(match matrix.cast::<CkksMatrix>() {
            Ok(matrix) => self.expression.linear_transform(matrix.get().entries()),
            Err(_) => self.expression.linear_transform(diagonals_of(py, matrix, bound)?),
        }))
    }

    fn evaluate(&self, polynomial: &Bound<'_, CkksPolynomial>) -> Self {
        self.with(self.expression.evaluate(polynomial.get().polynomial().clone()))
    }

    /// A polynomial for each block of slots.
    fn evaluate_blocks(
        &self,
        polynomials: Vec<Bound<'_, CkksPolynomial>>,
        block: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let block = count("block", block)?;
        Ok(self.with(self.expression.evaluate_blocks(copies(&polynomials), block)))
    }

    /// A function on the interval that a plan derives for the values.
    fn map(
        &self,
        function: &Bound<'_, PyAny>,
        degree: Option<&Bound<'_, PyAny>>,
        error: Option<f64>,
    ) -> PyResult<Self> {
        let (accuracy, function) = (accuracy(degree, error)?, Callable::new(function)?);
        let expression = self.expression.map(move |x| function.value(x), accuracy);
        Ok(Self { expression, calls_python: true })
    }

    /// "sign", "positive" (1 or 0) or "relu".
    fn signed(&self, what: &str, sign: &Bound<'_, CkksSign>) -> PyResult<Self> {
        let of = match what {
            "sign" => Expression::sign,
            "positive" => Expression::is_positive,
            "relu" => Expression::relu,
            _ => return Err(no_function(what)),
        };
        Ok(self.with(of(&self.expression, sign.get().sign())))
    }

    /// "greater" (1 or 0), "max" or "min".
    fn compared(
        &self,
        what: &str,
        other: Other<'_, '_>,
        sign: &Bound<'_, CkksSign>,
    ) -> PyResult<Self> {
        let of = match what {
            "greater" => Expression::greater,
            "max" => Expression::max,
            "min" => Expression::min,
            _ => return Err(no_function(what)),
        };
        Ok(self.with_other(other, |a, b| of(a, b, sign.get().sign())))
    }

    /// "inverse", "sqrt" or "inverse_sqrt" of values in an interval.
    fn refined(&self, what: &str, from_: f64, to: f64, error: f64) -> PyResult<Self> {
        let of = match what {
            "inverse" => Expression::inverse,
            "sqrt" => Expression::square_root,
            "inverse_sqrt" => Expression::inverse_square_root,
            _ => return Err(no_function(what)),
        };
        Ok(self.with(of(&self.expression, (from_, to), error)))
    }

    /// The same values with a promised bound: a magnitude, or the ends of an interval.
    fn bounded(&self, bound: &Bound<'_, PyAny>) -> PyResult<Self> {
        let known = known(bound)?;
        Ok(self.with(match known.interval() {
            Some((low, high)) => self.expression.between(low, high),
            None => self.expression.bounded(known.magnitude()),
        }))
    }

    /// The same values, marked as real.
    fn known_real(&self) -> Self {
        self.with(self.expression.between(f64::MIN, f64::MAX))
    }

    fn bootstrap(&self) -> Self {
        self.with(self.expression.bootstrap())
    }

    fn __repr__(&self) -> String {
        format!("<halimede.ckks.{:?}>", self.expression)
    }
}

impl CkksExpression {
    /// Calls `of` with the expression, without the interpreter's lock unless a function needs it.
    pub fn planned<T: Send>(&self, py: Python<'_>, of: impl FnOnce(&Expression) -> T + Send) -> T {
        match self.calls_python {
            true => of(&self.expression),
            false => py.detach(|| of(&self.expression)),
        }
    }

    fn with(&self, expression: Expression) -> Self {
        Self { expression, calls_python: self.calls_python }
    }

    fn with_other(
        &self,
        other: Other<'_, '_>,
        of: impl FnOnce(&Expression, &Expression) -> Expression,
    ) -> Self {
        let other = other.get();
        let calls_python = self.calls_python || other.calls_python;
        Self { expression: of(&self.expression, &other.expression), calls_python }
    }
}

fn plain(values: &Bound<'_, PyAny>, bound: Option<&Bound<'_, PyAny>>) -> PyResult<Expression> {
    Ok(Expression::plain(operand("operand", values, bound, DEFAULT_BOUND)?))
}
