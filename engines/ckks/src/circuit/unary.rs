// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on one vector: their levels, bounds and errors.

use std::sync::Arc;

use super::error::CircuitError;
use crate::estimate::{Bound, Estimate};
use crate::evaluator::{inner_sum_rotations, replicate_rotations, roll_rotations, slice_rotations};
use crate::functions::{inverse_levels, inverse_square_root_levels, square_root_levels, Sign};
use crate::linear::{Diagonals, Norms};
use crate::polynomial::{check_argument, BlockPolynomials, Polynomial};

/// An operation on one vector.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unary {
    Negate,
    Rotate(i64),
    Conjugate,
    Sum,
    Mean,
    Slice { from: usize, to: usize },
    InnerSum { count: usize, batch: usize },
    Replicate { count: usize, batch: usize },
    Polynomial(Arc<Polynomial>),
    BlockPolynomials(Arc<BlockPolynomials>),
    Transform(Arc<Diagonals>),
    Sign(Arc<Sign>),
    IsPositive(Arc<Sign>),
    Relu(Arc<Sign>),
    Inverse { interval: (f64, f64), error: f64 },
    SquareRoot { interval: (f64, f64), error: f64 },
    InverseSquareRoot { interval: (f64, f64), error: f64 },
    Bounded(Bound),
    Bootstrap,
}

/// A key that an operation needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Need {
    /// The key for products of ciphertexts.
    Multiply,
    Conjugate,
    /// The key for a rotation, or keys of other rotations that can replace it.
    Rotation(i64),
    /// The key for exactly this rotation.
    Exactly(i64),
    /// The key for exactly this rotation at low levels.
    Low(i64),
    Bootstrap,
}

impl Unary {
    /// Returns the name in plans and errors.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Negate => "negative",
            Self::Rotate(_) => "rotation",
            Self::Conjugate => "conjugate",
            Self::Sum => "sum of all",
            Self::Mean => "mean",
            Self::Slice { .. } => "slice",
            Self::InnerSum { .. } => "inner sum",
            Self::Replicate { .. } => "replication",
            Self::Polynomial(_) => "polynomial",
            Self::BlockPolynomials(_) => "polynomials of blocks",
            Self::Transform(_) => "linear transform",
            Self::Sign(_) => "sign",
            Self::IsPositive(_) => "comparison",
            Self::Relu(_) => "ReLU",
            Self::Inverse { .. } => "inverse",
            Self::SquareRoot { .. } => "square root",
            Self::InverseSquareRoot { .. } => "inverse square root",
            Self::Bounded(_) => "bound",
            Self::Bootstrap => "bootstrap",
        }
    }

    /// Returns the name with its numbers.
    pub fn description(&self) -> String {
        let name = self.name();
        match self {
            Self::Rotate(by) => format!("{name} by {by}"),
            Self::InnerSum { count, batch } | Self::Replicate { count, batch } => {
                format!("{name} of {count} × {batch}")
            }
            Self::Polynomial(p) => format!("{name} of degree {}", p.degree()),
            Self::BlockPolynomials(p) => {
                let (count, block) = (p.polynomials().len(), p.block());
                format!("{name} of {count} × {block}, degree {}", p.degree())
            }
            Self::Transform(matrix) => format!("{name} of {} diagonals", matrix.steps().count()),
            Self::Inverse { interval, .. }
            | Self::SquareRoot { interval, .. }
            | Self::InverseSquareRoot { interval, .. } => {
                format!("{name} on [{}, {}]", interval.0, interval.1)
            }
            Self::Slice { from, to } => format!("{name} from {from} to {to}"),
            Self::Bounded(bound) => format!("{name}: {bound}"),
            _ => name.to_owned(),
        }
    }

    /// Returns the number of levels that it needs on vectors of a length. Operations that move
    /// values between places need a level if the vector does not fill its slots.
    ///
    /// # Errors
    /// If the function does not exist.
    pub fn levels(&self, length: usize) -> Result<usize, CircuitError> {
        let ragged = usize::from(!length.is_power_of_two());
        Ok(match self {
            Self::Rotate(_) | Self::Sum => ragged,
            Self::Mean => 1,
            Self::Slice { from, to } => usize::from(!keeps_slots(to.saturating_sub(*from), length)),
            Self::Polynomial(p) => p.levels(),
            Self::BlockPolynomials(p) => p.levels(),
            Self::Transform(_) => 1,
            Self::Sign(sign) | Self::IsPositive(sign) => sign.levels(),
            Self::Relu(sign) => sign.levels() + 1,
            Self::Inverse { interval, error } => inverse_levels(*interval, *error)?,
            Self::SquareRoot { interval, error } => square_root_levels(*interval, *error)?,
            Self::InverseSquareRoot { interval, error } => {
                inverse_square_root_levels(*interval, *error)?
            }
            _ => 0,
        })
    }

    /// Returns the number of values of the result for a vector of `length` values.
    pub fn length(&self, length: usize) -> usize {
        match self {
            Self::Slice { from, to } => to.saturating_sub(*from),
            Self::Transform(matrix) => matrix.rows(),
            _ => length,
        }
    }

    /// Returns the bound of the result, and roughly its error.
    ///
    /// # Errors
    /// If values may lie outside the domain of the operation.
    pub fn estimate(&self, a: Estimate, length: usize) -> Result<Estimate, CircuitError> {
        let Estimate { error, bound } = a;
        Ok(match self {
            Self::InnerSum { count, .. } | Self::Replicate { count, .. } => times(a, *count),
            Self::Sum => times(a, length),
            Self::Polynomial(p) => p.estimate(a)?,
            Self::BlockPolynomials(p) => p.estimate(a)?,
            Self::Transform(matrix) => of_product(matrix, a)?,
            Self::Sign(sign) | Self::IsPositive(sign) | Self::Relu(sign) => {
                check_argument(bound, (-sign.bound(), sign.bound()))?;
                let most = 1.0 + sign.error();
                match self {
                    Self::Sign(_) => between(-most, most, sign.error()),
                    Self::IsPositive(_) => between(-sign.error(), most, sign.error()),
                    _ => Estimate { error: error + sign.error(), bound: sign.relu_bound() },
                }
            }
            Self::Inverse { interval, error: missed } => {
                check_argument(bound, *interval)?;
                let (a, b) = (interval.0.recip(), interval.1.recip());
                let least = interval.0.abs().min(interval.1.abs());
                between(a.min(b) - missed, a.max(b) + missed, missed + error / least.powi(2))
            }
            Self::SquareRoot { interval, error: missed } => {
                check_argument(bound, *interval)?;
                let (low, high) = (interval.0.sqrt() - missed, interval.1.sqrt() + missed);
                between(low, high, missed + error)
            }
            Self::InverseSquareRoot { interval, error: missed } => {
                check_argument(bound, *interval)?;
                let of = |x: f64| x.sqrt().recip();
                let inherited = error / (2.0 * interval.0.powf(1.5));
                between(of(interval.1) - missed, of(interval.0) + missed, missed + inherited)
            }
            Self::Bounded(more) => Estimate { error, bound: bound.intersection(*more) },
            Self::Negate => Estimate { error, bound: bound.negative() },
            Self::Rotate(_)
            | Self::Conjugate
            | Self::Mean
            | Self::Slice { .. }
            | Self::Bootstrap => a,
        })
    }

    /// Returns the keys that the operation needs for vectors of a length.
    pub fn needs(&self, length: usize) -> Vec<Need> {
        let rotations = |all: Vec<i64>| all.into_iter().map(Need::Rotation).collect();
        let slots = length.next_power_of_two();
        match self {
            Self::Rotate(by) => rotations(roll_rotations(*by, length, slots)),
            Self::Sum | Self::Mean => rotations(inner_sum_rotations(slots, 1)),
            Self::Slice { from, to } => rotations(slice_rotations(*from, *to, length)),
            Self::Conjugate => vec![Need::Conjugate],
            Self::InnerSum { count, batch } => rotations(inner_sum_rotations(*count, *batch)),
            Self::Replicate { count, batch } => rotations(replicate_rotations(*count, *batch)),
            Self::Polynomial(p) if p.cost().products > 0 => vec![Need::Multiply],
            Self::BlockPolynomials(p) if p.cost().products > 0 => vec![Need::Multiply],
            Self::Transform(matrix) => matrix.rotations().into_iter().map(Need::Exactly).collect(),
            Self::Sign(_)
            | Self::IsPositive(_)
            | Self::Relu(_)
            | Self::Inverse { .. }
            | Self::SquareRoot { .. }
            | Self::InverseSquareRoot { .. } => vec![Need::Multiply],
            Self::Bootstrap => vec![Need::Bootstrap],
            _ => Vec::new(),
        }
    }
}

/// Returns the bound of a matrix times a vector, and roughly its error.
///
/// # Errors
/// For entries that violate their declaration.
pub(super) fn of_product(matrix: &Diagonals, a: Estimate) -> Result<Estimate, CircuitError> {
    let Norms { sum, is_real, .. } = matrix.norms()?;
    let by = if is_real { Bound::real(sum) } else { Bound::complex(sum) };
    Ok(Estimate { error: a.error * sum, bound: a.bound.product(by) })
}

/// Returns `true` if `count` of a vector's values need the same number of slots as all values.
fn keeps_slots(count: usize, length: usize) -> bool {
    count.next_power_of_two() == length.next_power_of_two()
}

fn times(a: Estimate, count: usize) -> Estimate {
    let count = count as f64;
    Estimate { error: a.error * count, bound: a.bound.times(count) }
}

fn between(low: f64, high: f64, error: f64) -> Estimate {
    Estimate { error, bound: Bound::between(low, high) }
}
