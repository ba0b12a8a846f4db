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

/// A computation on encrypted vectors, unencrypted vectors and numbers, and named inputs.
///
/// Clones share everything, and a shared part is computed once. No operation fails:
/// [`Plan::new`](super::Plan::new) reports what cannot be computed.
#[derive(Clone)]
pub struct Expression(pub(super) Arc<Node>);

pub(super) struct Node {
    pub kind: NodeKind,
    pub operands: Vec<Expression>,
    pub label: Option<Arc<str>>,
}

/// A function of real numbers.
pub(super) type Function = Arc<dyn Fn(f64) -> Complex + Send + Sync>;

/// The operation of a node.
#[derive(Clone)]
pub(super) enum NodeKind {
    /// The input of a name.
    Input(Arc<str>),
    /// Unencrypted values; a single value applies to all places.
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
    /// A function on an interval, or on the known range of the values.
    Function {
        function: Function,
        interval: Option<(f64, f64)>,
        accuracy: Accuracy,
    },
}

/// Expressions are as deep as computations are long: operands are dropped in a loop, without
/// recursion.
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

    /// Returns the input with this name. Every use of a name is the same input.
    pub fn input(name: impl Into<Arc<str>>) -> Self {
        Self::new(NodeKind::Input(name.into()), Vec::new())
    }

    /// Returns an unencrypted vector with its declared bound. The vector is as long as the
    /// encrypted ones, or a single number that applies to all places.
    pub fn plain<'v>(values: impl Into<Values<'v>>) -> Self {
        Self::new(NodeKind::Plain(Arc::new(values.into().into_owned())), Vec::new())
    }

    /// Returns the same expression with a label for plans and errors.
    #[must_use]
    pub fn labeled(&self, label: impl Into<Arc<str>>) -> Self {
        let (kind, operands) = (self.0.kind.clone(), self.0.operands.clone());
        Self(Arc::new(Node { kind, operands, label: Some(label.into()) }))
    }

    /// Returns the sum of all values, in each place: [`crate::Evaluator::sum`].
    #[must_use]
    pub fn sum(&self) -> Self {
        self.unary(Unary::Sum)
    }

    /// Returns the mean of all values, in each place: [`crate::Evaluator::mean`].
    #[must_use]
    pub fn mean(&self) -> Self {
        self.unary(Unary::Mean)
    }

    /// Returns the values from one place up to another: [`crate::Evaluator::slice`].
    #[must_use]
    pub fn slice(&self, from: usize, to: usize) -> Self {
        self.unary(Unary::Slice { from, to })
    }

    /// Returns the values rotated to the left by `steps` places.
    #[must_use]
    pub fn rotate(&self, steps: i64) -> Self {
        self.unary(Unary::Rotate(steps))
    }

    /// Returns the complex conjugates.
    #[must_use]
    pub fn conjugate(&self) -> Self {
        self.unary(Unary::Conjugate)
    }

    /// Returns the n-th powers, with ⌈log₂ n⌉ levels.
    #[must_use]
    pub fn powi(&self, n: u32) -> Self {
        // x^m and x^(m+1) for each prefix m of n's bits: of the next two powers, one is a square
        // and the other a product of both.
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

    /// Returns the sum of `count` batches of `batch` slots: [`crate::Evaluator::inner_sum`].
    #[must_use]
    pub fn inner_sum(&self, count: usize, batch: usize) -> Self {
        self.unary(Unary::InnerSum { count, batch })
    }

    /// Returns the first `batch` slots in each of `count` batches: [`crate::Evaluator::replicate`].
    #[must_use]
    pub fn replicate(&self, count: usize, batch: usize) -> Self {
        self.unary(Unary::Replicate { count, batch })
    }

    /// Returns a polynomial of the values.
    #[must_use]
    pub fn evaluate(&self, polynomial: Polynomial) -> Self {
        self.unary(Unary::Polynomial(Arc::new(polynomial)))
    }

    /// Returns a polynomial for each block of `block` slots: slot s has `polynomials[(s / block) %
    /// polynomials.len()]`. Together they need the levels and products of one polynomial. Both
    /// numbers are powers of two, vectors fill their slots with at least one block of each
    /// polynomial, and all polynomials have the same basis and interval, as
    /// [`BlockPolynomials::new`](crate::BlockPolynomials::new) requires. Applied to a number, the
    /// result is a vector with one block of each polynomial.
    #[must_use]
    pub fn evaluate_blocks(&self, polynomials: Vec<Polynomial>, block: usize) -> Self {
        let polynomials = polynomials.into();
        Self::new(NodeKind::Polynomials { polynomials, block }, vec![self.clone()])
    }

    /// Returns a function of real values, by a polynomial on an interval that contains all of them.
    #[must_use]
    pub fn evaluate_function<C: Into<Complex>>(
        &self,
        function: impl Fn(f64) -> C + Send + Sync + 'static,
        interval: (f64, f64),
        accuracy: Accuracy,
    ) -> Self {
        self.function(function, Some(interval), accuracy)
    }

    /// Returns a function of real values, by a polynomial on an interval around 0 that contains
    /// them according to the estimates. [`bounded`](Self::bounded) narrows it.
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

    /// Returns the product of a matrix and the vector.
    #[must_use]
    pub fn linear_transform(&self, matrix: impl Into<Arc<Diagonals>>) -> Self {
        self.unary(Unary::Transform(matrix.into()))
    }

    /// Returns the products of a matrix of blocks and vectors: one vector for each row of blocks.
    /// The rows share the rotations of the vectors.
    #[must_use]
    pub fn block_transform(vectors: &[Self], matrix: impl Into<Arc<BlockMatrix>>) -> Vec<Self> {
        let matrix = matrix.into();
        let row = |row: usize| {
            Self::new(NodeKind::Blocks { matrix: Arc::clone(&matrix), row }, vectors.to_vec())
        };
        (0..matrix.rows().len()).map(row).collect()
    }

    /// Returns the signs of real values: [`crate::Evaluator::sign`].
    #[must_use]
    pub fn sign(&self, sign: &Sign) -> Self {
        self.unary(Unary::Sign(Arc::new(sign.clone())))
    }

    /// Returns 1 for positive values and 0 for negative ones: [`crate::Evaluator::is_positive`].
    #[must_use]
    pub fn is_positive(&self, sign: &Sign) -> Self {
        self.unary(Unary::IsPositive(Arc::new(sign.clone())))
    }

    /// Returns 1 where a value is larger than the other's, and 0 where it is smaller.
    #[must_use]
    pub fn greater(&self, other: &Self, sign: &Sign) -> Self {
        (self - other).is_positive(sign)
    }

    /// Returns max(0, x) of real values: [`crate::Evaluator::relu`].
    #[must_use]
    pub fn relu(&self, sign: &Sign) -> Self {
        self.unary(Unary::Relu(Arc::new(sign.clone())))
    }

    /// Returns the larger of two values in each place.
    #[must_use]
    pub fn max(&self, other: &Self, sign: &Sign) -> Self {
        other + (self - other).relu(sign)
    }

    /// Returns the smaller of two values in each place.
    #[must_use]
    pub fn min(&self, other: &Self, sign: &Sign) -> Self {
        self - (self - other).relu(sign)
    }

    /// Returns 1/x of real values in an interval, with at most this error:
    /// [`crate::Evaluator::inverse`].
    #[must_use]
    pub fn inverse(&self, interval: (f64, f64), error: f64) -> Self {
        self.unary(Unary::Inverse { interval, error })
    }

    /// Returns √x of real values in an interval: [`crate::Evaluator::square_root`].
    #[must_use]
    pub fn square_root(&self, interval: (f64, f64), error: f64) -> Self {
        self.unary(Unary::SquareRoot { interval, error })
    }

    /// Returns 1/√x of real values in an interval: [`crate::Evaluator::inverse_square_root`].
    #[must_use]
    pub fn inverse_square_root(&self, interval: (f64, f64), error: f64) -> Self {
        self.unary(Unary::InverseSquareRoot { interval, error })
    }

    /// Returns the same expression, with the promise that no absolute value exceeds `magnitude`.
    /// Estimates are upper bounds: with a smaller bound, a bootstrap or a function's interval is
    /// more precise.
    #[must_use]
    pub fn bounded(&self, magnitude: f64) -> Self {
        self.unary(Unary::Bounded(Bound::complex(magnitude)))
    }

    /// Returns the same expression, with the promise that all values are real and lie in the
    /// interval.
    #[must_use]
    pub fn between(&self, low: f64, high: f64) -> Self {
        self.unary(Unary::Bounded(Bound::between(low, high)))
    }

    /// Returns the same values after a bootstrap at this place.
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
