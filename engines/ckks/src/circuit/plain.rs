// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parts of an expression in which nothing is encrypted: computed as they are.

use std::sync::Arc;

use super::expression::Function;
use super::unary::Unary;
use super::CircuitError;
use crate::encoding::{Complex, EncodingError};
use crate::evaluator::EvaluationError;
use crate::linear::LinearError;

/// Values that are not encrypted: one for all slots, or a power of two of them.
pub(super) type Plain = Arc<[Complex]>;

/// Filled up with zeros to a power of two.
pub(super) fn checked(values: &Plain) -> Result<Plain, EncodingError> {
    if let Some(index) = values.iter().position(|value| !value.is_finite()) {
        let Complex { re, im } = values[index];
        return Err(EncodingError::NotFinite { index, value: format!("{re} + {im}i") });
    }
    let count = values.len().next_power_of_two();
    if values.is_empty() {
        return Err(EncodingError::Empty);
    }
    let zeros = std::iter::repeat_n(Complex::default(), count - values.len());
    Ok(values.iter().copied().chain(zeros).collect())
}

/// A sum, a difference or a product, place by place.
pub(super) fn binary(
    a: &Plain,
    b: &Plain,
    of: impl Fn(Complex, Complex) -> Complex,
) -> Result<Plain, EvaluationError> {
    match (&a[..], &b[..]) {
        ([a], b) => Ok(b.iter().map(|b| of(*a, *b)).collect()),
        (a, [b]) => Ok(a.iter().map(|a| of(*a, *b)).collect()),
        (a, b) if a.len() == b.len() => Ok(a.iter().zip(b).map(|(a, b)| of(*a, *b)).collect()),
        (a, b) => Err(EvaluationError::Slots { left: a.len(), right: b.len() }),
    }
}

/// A function of real numbers.
pub(super) fn function(a: &Plain, of: &Function) -> Result<Plain, EvaluationError> {
    a.iter().map(|x| Ok(of(real(*x, "this function")?))).collect()
}

/// An operation on one vector.
pub(super) fn unary(a: &Plain, of: &Unary) -> Result<Plain, EvaluationError> {
    let each = |of: &dyn Fn(f64) -> f64, name| {
        a.iter().map(|x| Ok(of(real(*x, name)?).into())).collect::<Result<Plain, _>>()
    };
    let name = of.name();
    match of {
        Unary::Negate => Ok(a.iter().map(|x| -*x).collect()),
        Unary::Conjugate => Ok(a.iter().map(|x| x.conjugate()).collect()),
        Unary::Rotate(by) => Ok(rotated(a, *by)),
        Unary::InnerSum { count, batch } => sum_of_turns(a, *count, *batch, 1),
        Unary::Replicate { count, batch } => sum_of_turns(a, *count, *batch, -1),
        Unary::Polynomial(p) => Ok(a.iter().map(|x| p.value(*x)).collect()),
        Unary::Transform(matrix) => {
            let slots = matrix.slots();
            match a.len() {
                1 => Ok(matrix.apply(&vec![a[0]; slots]).into()),
                len if len == slots => Ok(matrix.apply(a).into()),
                len => Err(EvaluationError::Slots { left: len, right: slots }),
            }
        }
        Unary::Sign(sign) => each(&|x| sign.value(x), name),
        Unary::IsPositive(sign) => each(&|x| (1.0 + sign.value(x)) / 2.0, name),
        Unary::Relu(sign) => each(&|x| x * (1.0 + sign.value(x)) / 2.0, name),
        Unary::Inverse { .. } => each(&f64::recip, name),
        Unary::SquareRoot { .. } => each(&f64::sqrt, name),
        Unary::InverseSquareRoot { .. } => each(&|x| x.sqrt().recip(), name),
        Unary::Bounded(_) | Unary::Bootstrap => Ok(a.clone()),
    }
}

fn real(x: Complex, what: &'static str) -> Result<f64, EvaluationError> {
    if x.im == 0.0 {
        return Ok(x.re);
    }
    Err(CircuitError::NotReal { what }.into())
}

fn rotated(a: &Plain, by: i64) -> Plain {
    let mut turned = a.to_vec();
    turned.rotate_left(by.rem_euclid(a.len() as i64) as usize);
    turned.into()
}

/// Σ of `count` rotations by multiples of `batch` slots.
fn sum_of_turns(
    a: &Plain,
    count: usize,
    batch: usize,
    sign: i64,
) -> Result<Plain, EvaluationError> {
    let slots = a.len();
    // A number stands in as many slots as are wanted.
    if let [number] = a[..] {
        return Ok(Arc::new([number * count as f64]));
    }
    if count == 0 || batch == 0 || count.checked_mul(batch).is_none_or(|all| all > slots) {
        return Err(LinearError::Batches { count, batch, slots }.into());
    }
    let turns = (0..count).map(|j| rotated(a, sign * (j * batch) as i64));
    let sum = |sum: Vec<Complex>, turned: Plain| {
        sum.iter().zip(turned.iter()).map(|(sum, turned)| *sum + *turned).collect()
    };
    Ok(turns.fold(vec![Complex::default(); slots], sum).into())
}
