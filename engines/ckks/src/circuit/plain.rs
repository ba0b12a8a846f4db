// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The plain parts of an expression, computed without encryption.

use std::sync::Arc;

use super::error::CircuitError;
use super::expression::Function;
use super::unary::Unary;
use crate::complex::Complex;
use crate::encoding::{EncodingError, Values};
use crate::estimate::{Bound, Estimate};
use crate::evaluator::EvaluationError;

/// The number of points at which a function is evaluated to bound it.
const BOUND_POINTS: usize = 1024;
/// The part of the range at those points by which a function may leave that range.
const BOUND_MARGIN: f64 = 1.0 / 64.0;

/// Unencrypted values, one for all places or one for each, with their declared bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    pub(super) values: Arc<[Complex]>,
    pub(super) bound: Bound,
}

impl Plain {
    /// Checks the declaration of values. A number is part of the circuit, and its own bound.
    /// `default` bounds values without a declaration.
    ///
    /// # Errors
    /// [`EncodingError`] for values that are not finite or violate the declaration.
    pub fn checked(values: &Values<'_>, default: f64) -> Result<Self, EncodingError> {
        let bound = match values.number()? {
            Some((_, bound)) => bound,
            None => values.checked(default)?,
        };
        Ok(Self { values: values.values().into(), bound })
    }

    /// Returns `true` if it is one number for all places.
    pub(super) fn is_number(&self) -> bool {
        self.values.len() == 1
    }

    /// Returns the values with their declaration, as a server uses them.
    pub(super) fn declared(&self) -> Values<'_> {
        Values::from(&self.values[..]).bounded(self.bound)
    }

    /// Returns the number if it is public: no other bound was declared.
    pub(super) fn public_number(&self) -> Option<Complex> {
        match self.values[..] {
            [number] => Some(number).filter(|number| Bound::of_number(*number) == self.bound),
            _ => None,
        }
    }

    /// Returns other values in a bound. The bound of public numbers is public.
    fn of(values: Vec<Complex>, bound: Bound, is_public: bool) -> Self {
        let bound = match values[..] {
            [number] if is_public => Bound::of_number(number),
            _ => bound,
        };
        Self { values: values.into(), bound }
    }

    fn each(&self, of: impl Fn(Complex) -> Complex, bound: Bound) -> Self {
        let values = self.values.iter().map(|x| of(*x)).collect();
        Self::of(values, bound, self.public_number().is_some())
    }
}

/// Returns a sum, a difference or a product, place by place.
pub(super) fn binary(
    a: &Plain,
    b: &Plain,
    bound: Bound,
    of: impl Fn(Complex, Complex) -> Complex,
) -> Result<Plain, CircuitError> {
    let values: Vec<Complex> = match (&a.values[..], &b.values[..]) {
        ([a], b) => b.iter().map(|b| of(*a, *b)).collect(),
        (a, [b]) => a.iter().map(|a| of(*a, *b)).collect(),
        (a, b) if a.len() == b.len() => a.iter().zip(b).map(|(a, b)| of(*a, *b)).collect(),
        (a, b) => return Err(EvaluationError::Length { left: a.len(), right: b.len() }.into()),
    };
    Ok(Plain::of(values, bound, a.public_number().and(b.public_number()).is_some()))
}

/// Returns a function of real numbers. The declared bound of the arguments determines the bound of
/// the values.
pub(super) fn function(a: &Plain, of: &Function, default: f64) -> Result<Plain, CircuitError> {
    let values = a.values.iter().map(|x| Ok(of(real(*x, "this function")?)));
    let bound = bound_of(of, a.bound, default);
    let is_public = a.public_number().is_some();
    Ok(Plain::of(values.collect::<Result<_, CircuitError>>()?, bound, is_public))
}

/// Returns the range of a function for arguments in a bound, sampled at many points. The range is
/// `default` without such an interval, and where the function is not finite.
fn bound_of(of: &Function, argument: Bound, default: f64) -> Bound {
    let Some((low, high)) = argument.interval() else { return Bound::complex(default) };
    let point = |k: usize| low + (high - low) * k as f64 / BOUND_POINTS as f64;
    let values: Vec<Complex> = (0..=BOUND_POINTS).map(|k| of(point(k))).collect();
    if !values.iter().all(|value| value.is_finite()) {
        return Bound::complex(default);
    }
    if values.iter().any(|value| value.im != 0.0) {
        let largest = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
        return Bound::complex(largest * (1.0 + BOUND_MARGIN));
    }
    let least = values.iter().map(|value| value.re).fold(f64::INFINITY, f64::min);
    let most = values.iter().map(|value| value.re).fold(f64::NEG_INFINITY, f64::max);
    let margin = BOUND_MARGIN * (most - least).max(least.abs().max(most.abs()) * f64::EPSILON);
    Bound::between(least - margin, most + margin)
}

/// Returns the result of an operation on one vector.
pub(super) fn unary(a: &Plain, of: &Unary) -> Result<Plain, CircuitError> {
    let name = of.name();
    // The estimate also checks that arguments lie in the domain of the operation. The product of a
    // matrix and a number is not public and is a vector, and so is the result of polynomials of
    // blocks.
    let is_vector = matches!(of, Unary::Transform(_) | Unary::BlockPolynomials(_));
    let is_public = a.public_number().is_some() && !is_vector;
    let bound = match is_public {
        true => a.bound,
        false => of.estimate(Estimate { error: 0.0, bound: a.bound }, a.values.len())?.bound,
    };
    let each = |of: &dyn Fn(f64) -> f64| {
        let values = a.values.iter().map(|x| Ok(of(real(*x, name)?).into()));
        Ok(Plain::of(values.collect::<Result<_, CircuitError>>()?, bound, is_public))
    };
    let whole = |values: Vec<Complex>| Ok(Plain::of(values, bound, is_public));
    match of {
        Unary::Negate => Ok(a.each(|x| -x, bound)),
        Unary::Conjugate => Ok(a.each(Complex::conjugate, bound)),
        Unary::Rotate(by) => whole(rotated(&a.values, *by)),
        Unary::Sum => whole(vec![sum(&a.values); a.values.len()]),
        Unary::Mean => {
            let count = a.values.len();
            whole(vec![sum(&a.values) * (1.0 / count as f64); count])
        }
        Unary::Slice { from, to } => match a.values.get(*from..*to) {
            Some(part) if !part.is_empty() => whole(part.to_vec()),
            _ => {
                Err(EvaluationError::Range { from: *from, to: *to, length: a.values.len() }.into())
            }
        },
        Unary::InnerSum { count, batch } => whole(sum_of_rotations(&a.values, *count, *batch, 1)?),
        Unary::Replicate { count, batch } => {
            whole(sum_of_rotations(&a.values, *count, *batch, -1)?)
        }
        Unary::Polynomial(p) => Ok(a.each(|x| p.value(x), bound)),
        Unary::BlockPolynomials(p) => {
            // A number fills one block of each polynomial.
            let values = match a.values[..] {
                [number] => vec![number; p.period()?],
                _ => a.values.to_vec(),
            };
            p.check_length(values.len())?;
            whole(values.iter().enumerate().map(|(slot, x)| p.value(slot, *x)).collect())
        }
        Unary::Transform(matrix) => {
            let columns = matrix.columns();
            let vector = match a.values.len() {
                1 => vec![a.values[0]; columns],
                len if len == columns => a.values.to_vec(),
                len => return Err(EvaluationError::Length { left: len, right: columns }.into()),
            };
            whole(matrix.apply(&vector))
        }
        Unary::Sign(sign) => each(&|x| sign.value(x)),
        Unary::IsPositive(sign) => each(&|x| (1.0 + sign.value(x)) / 2.0),
        Unary::Relu(sign) => each(&|x| x * (1.0 + sign.value(x)) / 2.0),
        Unary::Inverse { .. } => each(&f64::recip),
        Unary::SquareRoot { .. } => each(&f64::sqrt),
        Unary::InverseSquareRoot { .. } => each(&|x| x.sqrt().recip()),
        Unary::Bounded(_) => Ok(Plain { bound, ..a.clone() }),
        Unary::Bootstrap => Ok(a.clone()),
    }
}

fn sum(values: &[Complex]) -> Complex {
    values.iter().fold(Complex::default(), |sum, value| sum + *value)
}

fn real(x: Complex, what: &'static str) -> Result<f64, CircuitError> {
    if x.im == 0.0 {
        return Ok(x.re);
    }
    Err(CircuitError::NotReal { what })
}

fn rotated(a: &[Complex], by: i64) -> Vec<Complex> {
    let mut rotated = a.to_vec();
    rotated.rotate_left(by.rem_euclid(a.len() as i64) as usize);
    rotated
}

/// Returns Σ of `count` rotations by multiples of `batch` slots.
fn sum_of_rotations(
    a: &[Complex],
    count: usize,
    batch: usize,
    sign: i64,
) -> Result<Vec<Complex>, CircuitError> {
    let slots = a.len();
    // A number fills the requested slots.
    if let [number] = *a {
        return Ok(vec![number * count as f64]);
    }
    if count == 0 || batch == 0 || count.checked_mul(batch).is_none_or(|all| all > slots) {
        return Err(EvaluationError::Batches { count, batch, slots }.into());
    }
    let rotations = (0..count).map(|j| rotated(a, sign * (j * batch) as i64));
    let sum = |sum: Vec<Complex>, rotated: Vec<Complex>| {
        sum.iter().zip(rotated.iter()).map(|(sum, rotated)| *sum + *rotated).collect()
    };
    Ok(rotations.fold(vec![Complex::default(); slots], sum))
}
