// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Expressions: descriptions of computations on encrypted vectors.

use std::fmt;
use std::sync::Arc;

use super::unary::Unary;
use crate::complex::Complex;
use crate::encoding::Values;
use crate::estimate::Bound;
use crate::functions::Sign;
use crate::linear::{BlockMatrix, Diagonals};
use crate::polynomial::{Accuracy, Polynomial};

/// A computation on encrypted vectors, vectors and numbers that are not encrypted, and names of
/// inputs.
///
/// A value: a clone shares everything, and what stands in several places is computed once. No
/// operation fails; what cannot be computed is told by [`Plan::new`](super::Plan::new).
#[derive(Clone)]
pub struct Expression(pub(super) Arc<Node>);

pub(super) struct Node {
    pub kind: NodeKind,
    pub operands: Vec<Expression>,
    pub label: Option<Arc<str>>,
}

/// A function of real numbers.
pub(super) type Function = Arc<dyn Fn(f64) -> Complex + Send + Sync>;

/// What a node does with its operands.
#[derive(Clone)]
pub(super) enum NodeKind {
    /// The input of a name.
    Input(Arc<str>),
    /// Values that are not encrypted; one stands for all places.
    Plain(Arc<Values<'static>>),
    Add,
    Subtract,
    Multiply,
    Unary(Unary),
    /// A polynomial for each block of slots.
    Polynomials {
        polynomials: Arc<[Polynomial]>,
        block: usize,
    },
    /// A row of a matrix of blocks times all operands.
    Blocks {
        matrix: Arc<BlockMatrix>,
        row: usize,
    },
    /// A function on an interval, or where the values lie as far as is known.
    Function {
        function: Function,
        interval: Option<(f64, f64)>,
        accuracy: Accuracy,
    },
}

/// Expressions are as deep as computations are long: operands are dropped one after the other, and
/// not by calls within calls.
impl Drop for Node {
    fn drop(&mut self) {
        let mut pending = std::mem::take(&mut self.operands);
        while let Some(Expression(node)) = pending.pop() {
            if let Some(mut node) = Arc::into_inner(node) {
                pending.append(&mut node.operands);
            }
        }
    }
}

impl Expression {
    pub(super) fn new(kind: NodeKind, operands: Vec<Self>) -> Self {
        Self(Arc::new(Node { kind, operands, label: None }))
    }

    fn unary(&self, of: Unary) -> Self {
        Self::new(NodeKind::Unary(of), vec![self.clone()])
    }

    /// The input with this name. Every use of a name is the same input.
    pub fn input(name: impl Into<Arc<str>>) -> Self {
        Self::new(NodeKind::Input(name.into()), Vec::new())
    }

    /// A vector that is not encrypted, as long as the encrypted ones, and its declared bound; one
    /// number stands for all places.
    pub fn plain<'v>(values: impl Into<Values<'v>>) -> Self {
        Self::new(NodeKind::Plain(Arc::new(values.into().into_owned())), Vec::new())
    }

    /// The same expression with a label for plans and errors.
    #[must_use]
    pub fn labeled(&self, label: impl Into<Arc<str>>) -> Self {
        let (kind, operands) = (self.0.kind.clone(), self.0.operands.clone());
        Self(Arc::new(Node { kind, operands, label: Some(label.into()) }))
    }

    /// The sum of all values, in each place: [`crate::Evaluator::sum`].
    #[must_use]
    pub fn sum(&self) -> Self {
        self.unary(Unary::Sum)
    }

    /// The mean of all values, in each place: [`crate::Evaluator::mean`].
    #[must_use]
    pub fn mean(&self) -> Self {
        self.unary(Unary::Mean)
    }

    /// The values from one place up to another: [`crate::Evaluator::slice`].
    #[must_use]
    pub fn slice(&self, from: usize, to: usize) -> Self {
        self.unary(Unary::Slice { from, to })
    }

    /// The values rotated to the left by `steps` places.
    #[must_use]
    pub fn rotate(&self, steps: i64) -> Self {
        self.unary(Unary::Rotate(steps))
    }

    /// The complex conjugates.
    #[must_use]
    pub fn conjugate(&self) -> Self {
        self.unary(Unary::Conjugate)
    }

    /// The n-th powers, with ⌈log₂ n⌉ levels.
    #[must_use]
    pub fn powi(&self, n: u32) -> Self {
        // x^m and x^(m+1) for each prefix m of n's bits: one of the next two is a square, the other
        // a product of both.
        let bits = 0..u32::BITS - n.leading_zeros();
        let mut pair = (Self::from(1.0), self.clone());
        for bit in bits.rev() {
            let (low, high) = &pair;
            let is_first = n >> bit == 1;
            let between = if is_first { self.clone() } else { low * high };
            pair = if n >> bit & 1 == 1 { (between, high * high) } else { (low * low, between) };
        }
        pair.0
    }

    /// The sum of `count` batches of `batch` slots: [`crate::Evaluator::inner_sum`].
    #[must_use]
    pub fn inner_sum(&self, count: usize, batch: usize) -> Self {
        self.unary(Unary::InnerSum { count, batch })
    }

    /// The first `batch` slots in each of `count` batches: [`crate::Evaluator::replicate`].
    #[must_use]
    pub fn replicate(&self, count: usize, batch: usize) -> Self {
        self.unary(Unary::Replicate { count, batch })
    }

    /// A polynomial of the values.
    #[must_use]
    pub fn evaluate(&self, polynomial: Polynomial) -> Self {
        self.unary(Unary::Polynomial(Arc::new(polynomial)))
    }

    /// A polynomial for each block of `block` slots: slot s has
    /// `polynomials[(s / block) % polynomials.len()]`. They take the levels and products of one
    /// polynomial. Both numbers are powers of two, vectors fill their slots with at least one block of
    /// each, and all polynomials have the same basis and interval, as
    /// [`BlockPolynomials::new`](crate::BlockPolynomials::new) says. Of a number it is the vector of
    /// one block of each.
    #[must_use]
    pub fn evaluate_blocks(&self, polynomials: Vec<Polynomial>, block: usize) -> Self {
        let polynomials = polynomials.into();
        Self::new(NodeKind::Polynomials { polynomials, block }, vec![self.clone()])
    }

    /// A function of real values by a polynomial on an interval in which all of them lie.
    #[must_use]
    pub fn evaluate_function<C: Into<Complex>>(
        &self,
        function: impl Fn(f64) -> C + Send + Sync + 'static,
        interval: (f64, f64),
        accuracy: Accuracy,
    ) -> Self {
        self.function(function, Some(interval), accuracy)
    }

    /// A function of real values by a polynomial on an interval around 0 that holds them by the
    /// estimates; [`bounded`](Self::bounded) narrows it.
    #[must_use]
    pub fn map<C: Into<Complex>>(
        &self,
        function: impl Fn(f64) -> C + Send + Sync + 'static,
        accuracy: Accuracy,
    ) -> Self {
        self.function(function, None, accuracy)
    }

    fn function<C: Into<Complex>>(
        &self,
        function: impl Fn(f64) -> C + Send + Sync + 'static,
        interval: Option<(f64, f64)>,
        accuracy: Accuracy,
    ) -> Self {
        let function: Function = Arc::new(move |x| function(x).into());
        Self::new(NodeKind::Function { function, interval, accuracy }, vec![self.clone()])
    }

    /// A matrix times the vector.
    #[must_use]
    pub fn linear_transform(&self, matrix: impl Into<Arc<Diagonals>>) -> Self {
        self.unary(Unary::Transform(matrix.into()))
    }

    /// A matrix of blocks times vectors: a vector for each row of blocks. Rows that are computed share
    /// the rotations of the vectors.
    #[must_use]
    pub fn block_transform(vectors: &[Self], matrix: impl Into<Arc<BlockMatrix>>) -> Vec<Self> {
        let matrix = matrix.into();
        let row = |row: usize| {
            Self::new(NodeKind::Blocks { matrix: Arc::clone(&matrix), row }, vectors.to_vec())
        };
        (0..matrix.rows().len()).map(row).collect()
    }

    /// The signs of real values: [`crate::Evaluator::sign`].
    #[must_use]
    pub fn sign(&self, sign: &Sign) -> Self {
        self.unary(Unary::Sign(Arc::new(sign.clone())))
    }

    /// 1 for positive values and 0 for negative ones: [`crate::Evaluator::is_positive`].
    #[must_use]
    pub fn is_positive(&self, sign: &Sign) -> Self {
        self.unary(Unary::IsPositive(Arc::new(sign.clone())))
    }

    /// 1 where a value is larger than the other's, and 0 where it is smaller.
    #[must_use]
    pub fn greater(&self, other: &Self, sign: &Sign) -> Self {
        (self - other).is_positive(sign)
    }

    /// max(0, x) of real values: [`crate::Evaluator::relu`].
    #[must_use]
    pub fn relu(&self, sign: &Sign) -> Self {
        self.unary(Unary::Relu(Arc::new(sign.clone())))
    }

    /// The larger of two values in each place.
    #[must_use]
    pub fn max(&self, other: &Self, sign: &Sign) -> Self {
        other + (self - other).relu(sign)
    }

    /// The smaller of two values in each place.
    #[must_use]
    pub fn min(&self, other: &Self, sign: &Sign) -> Self {
        self - (self - other).relu(sign)
    }

    /// 1/x of real values in an interval, with at most this error: [`crate::Evaluator::inverse`].
    #[must_use]
    pub fn inverse(&self, interval: (f64, f64), error: f64) -> Self {
        self.unary(Unary::Inverse { interval, error })
    }

    /// √x of real values in an interval: [`crate::Evaluator::square_root`].
    #[must_use]
    pub fn square_root(&self, interval: (f64, f64), error: f64) -> Self {
        self.unary(Unary::SquareRoot { interval, error })
    }

    /// 1/√x of real values in an interval: [`crate::Evaluator::inverse_square_root`].
    #[must_use]
    pub fn inverse_square_root(&self, interval: (f64, f64), error: f64) -> Self {
        self.unary(Unary::InverseSquareRoot { interval, error })
    }

    /// The same expression, with the promise that no absolute value exceeds `magnitude`. Estimates
    /// are upper bounds; with a smaller bound a bootstrap or a function's interval is more precise.
    #[must_use]
    pub fn bounded(&self, magnitude: f64) -> Self {
        self.unary(Unary::Bounded(Bound::complex(magnitude)))
    }

    /// The same expression, with the promise that all values are real and lie in the interval.
    #[must_use]
    pub fn between(&self, low: f64, high: f64) -> Self {
        self.unary(Unary::Bounded(Bound::between(low, high)))
    }

    /// The same values after a bootstrap at this place.
    #[must_use]
    pub fn bootstrap(&self) -> Self {
        self.unary(Unary::Bootstrap)
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match &self.0.kind {
            NodeKind::Input(name) => return write!(f, "Expression({name})"),
            NodeKind::Plain(_) => "plain",
            NodeKind::Add => "sum",
            NodeKind::Subtract => "difference",
            NodeKind::Multiply => "product",
            NodeKind::Unary(of) => of.name(),
            NodeKind::Polynomials { .. } => "polynomials of blocks",
            NodeKind::Blocks { .. } => "linear transform of blocks",
            NodeKind::Function { .. } => "function",
        };
        write!(f, "Expression({name} …)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_expressions_are_dropped_and_shared() {
        let x = Expression::input("x");
        let mut sum = x.clone();
        for _ in 0..300_000 {
            sum = sum + &x;
        }
        let kept = sum.clone();
        drop(sum);
        assert_eq!(format!("{kept:?}"), "Expression(sum …)");
    }
}
