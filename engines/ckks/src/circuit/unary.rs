// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on one vector: their levels, and what becomes of values.

use std::sync::Arc;

use crate::estimate::Estimate;
use crate::evaluator::EvaluationError;
use crate::functions::{inverse_levels, inverse_square_root_levels, square_root_levels, Sign};
use crate::linear::{inner_sum_rotations, replicate_rotations, Diagonals};
use crate::polynomial::Polynomial;

/// An operation on one vector.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unary {
    Negate,
    Rotate(i64),
    Conjugate,
    InnerSum { count: usize, batch: usize },
    Replicate { count: usize, batch: usize },
    Polynomial(Arc<Polynomial>),
    Transform(Arc<Diagonals>),
    Sign(Arc<Sign>),
    IsPositive(Arc<Sign>),
    Relu(Arc<Sign>),
    Inverse { interval: (f64, f64), error: f64 },
    SquareRoot { interval: (f64, f64), error: f64 },
    InverseSquareRoot { interval: (f64, f64), error: f64 },
    Bounded(f64),
    Bootstrap,
}

/// A key that an operation needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Need {
    /// That for products of ciphertexts.
    Multiply,
    Conjugate,
    /// Those for a rotation, which others may make up for.
    Rotation(i64),
    /// That for a rotation, and no other.
    Exactly(i64),
    Bootstrap,
}

impl Unary {
    /// What plans and errors call it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Negate => "negative",
            Self::Rotate(_) => "rotation",
            Self::Conjugate => "conjugate",
            Self::InnerSum { .. } => "inner sum",
            Self::Replicate { .. } => "replication",
            Self::Polynomial(_) => "polynomial",
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

    /// The name with its numbers.
    pub fn description(&self) -> String {
        let name = self.name();
        match self {
            Self::Rotate(by) => format!("{name} by {by}"),
            Self::InnerSum { count, batch } | Self::Replicate { count, batch } => {
                format!("{name} of {count} × {batch}")
            }
            Self::Polynomial(p) => format!("{name} of degree {}", p.degree()),
            Self::Transform(matrix) => format!("{name} of {} diagonals", matrix.steps().count()),
            Self::Inverse { interval, .. }
            | Self::SquareRoot { interval, .. }
            | Self::InverseSquareRoot { interval, .. } => {
                format!("{name} on [{}, {}]", interval.0, interval.1)
            }
            Self::Bounded(magnitude) => format!("{name} of {magnitude}"),
            _ => name.to_owned(),
        }
    }

    /// The levels that it takes.
    ///
    /// # Errors
    /// Where there is no such function.
    pub fn levels(&self) -> Result<usize, EvaluationError> {
        Ok(match self {
            Self::Polynomial(p) => p.levels(),
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

    /// What becomes of the values' bound, and roughly of their error.
    pub fn estimate(&self, a: Estimate) -> Estimate {
        let Estimate { error, magnitude } = a;
        match self {
            Self::InnerSum { count, .. } | Self::Replicate { count, .. } => {
                let count = *count as f64;
                Estimate { error: error * count.sqrt(), magnitude: magnitude * count }
            }
            Self::Polynomial(p) => p.estimate(a),
            Self::Transform(matrix) => {
                let (sum, root) = matrix.row_norms();
                Estimate { error: error * root, magnitude: magnitude * sum }
            }
            Self::Sign(sign) => bounded_by(1.0 + sign.error(), sign.error()),
            Self::IsPositive(sign) => bounded_by(1.0 + sign.error() / 2.0, sign.error()),
            Self::Relu(sign) => {
                let largest = sign.bound() * (1.0 + sign.error());
                bounded_by(largest, error.hypot(sign.error()))
            }
            Self::Inverse { interval: (from, to), error: missed } => {
                let least = from.abs().min(to.abs());
                bounded_by(least.recip() + missed, missed.hypot(error / least.powi(2)))
            }
            Self::SquareRoot { interval: (_, to), error: missed } => {
                bounded_by(to.sqrt() + missed, missed.hypot(error))
            }
            Self::InverseSquareRoot { interval: (from, _), error: missed } => {
                let largest = from.sqrt().recip() + missed;
                bounded_by(largest, missed.hypot(error / (2.0 * from.powf(1.5))))
            }
            Self::Bounded(bound) => Estimate { error, magnitude: magnitude.min(*bound) },
            Self::Negate | Self::Rotate(_) | Self::Conjugate | Self::Bootstrap => a,
        }
    }

    /// The keys that it needs.
    pub fn needs(&self) -> Vec<Need> {
        let turns = |all: Vec<i64>| all.into_iter().map(Need::Rotation).collect();
        match self {
            Self::Rotate(by) => turns(vec![*by]),
            Self::Conjugate => vec![Need::Conjugate],
            Self::InnerSum { count, batch } => turns(inner_sum_rotations(*count, *batch)),
            Self::Replicate { count, batch } => turns(replicate_rotations(*count, *batch)),
            Self::Polynomial(p) if p.cost().products > 0 => vec![Need::Multiply],
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

fn bounded_by(magnitude: f64, error: f64) -> Estimate {
    Estimate { error, magnitude }
}
