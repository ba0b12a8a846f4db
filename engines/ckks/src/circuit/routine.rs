// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations on ciphertexts: steps of circuits, recorded as programs.

use std::sync::Arc;

use super::error::CircuitError;
use super::plain::Plain;
use crate::bootstrap::Bootstrapper;
use crate::complex::Complex;
use crate::evaluator::Ciphertext;
use crate::functions::Sign;
use crate::linear::LinearTransform;
use crate::polynomial::{BlockPolynomials, Polynomial};

/// An operation on ciphertexts with all its arguments except the ciphertexts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the linked methods have the same arguments")]
pub enum Routine {
    /// [`Evaluator::add`](crate::Evaluator::add).
    Add,
    /// [`Evaluator::sub`](crate::Evaluator::sub).
    Subtract,
    /// [`Evaluator::neg`](crate::Evaluator::neg).
    Negate,
    /// [`Evaluator::mul`](crate::Evaluator::mul).
    Multiply,
    /// [`Evaluator::mul_integer`](crate::Evaluator::mul_integer).
    MultiplyInteger(i64),
    /// [`Evaluator::mul_number`](crate::Evaluator::mul_number).
    MultiplyNumber(Complex),
    /// [`Evaluator::mul_by_i`](crate::Evaluator::mul_by_i).
    MultiplyByI,
    /// [`Evaluator::add_number`](crate::Evaluator::add_number).
    AddNumber(Complex),
    /// [`Evaluator::rotate_many`](crate::Evaluator::rotate_many).
    Rotate(Vec<i64>),
    /// [`Evaluator::conjugate`](crate::Evaluator::conjugate).
    Conjugate,
    /// [`Evaluator::sum`](crate::Evaluator::sum).
    Sum,
    /// [`Evaluator::mean`](crate::Evaluator::mean).
    Mean,
    /// [`Evaluator::slice`](crate::Evaluator::slice).
    Slice { from: usize, to: usize },
    /// [`Evaluator::inner_sum`](crate::Evaluator::inner_sum).
    InnerSum { count: usize, batch: usize },
    /// [`Evaluator::replicate`](crate::Evaluator::replicate).
    Replicate { count: usize, batch: usize },
    /// [`Evaluator::add_plain`](crate::Evaluator::add_plain).
    AddPlain(Plain),
    /// [`Evaluator::mul_plain`](crate::Evaluator::mul_plain).
    MultiplyPlain(Plain),
    /// [`Evaluator::rescale`](crate::Evaluator::rescale).
    Rescale,
    /// [`Evaluator::at_level`](crate::Evaluator::at_level).
    ToLevel(usize),
    /// [`Evaluator::linear_transform`](crate::Evaluator::linear_transform).
    Transform(Matrix),
    /// Rows of blocks times vectors: of [`BlockMatrix`](crate::linear::BlockMatrix), encoded with
    /// one split for all.
    TransformBlocks(Vec<Vec<Option<Matrix>>>),
    /// [`Evaluator::evaluate`](crate::Evaluator::evaluate).
    Evaluate(Arc<Polynomial>),
    /// [`Evaluator::evaluate_blocks`](crate::Evaluator::evaluate_blocks).
    EvaluateBlocks(Arc<BlockPolynomials>),
    /// [`Evaluator::sign`](crate::Evaluator::sign).
    Sign(Arc<Sign>),
    /// [`Evaluator::is_positive`](crate::Evaluator::is_positive).
    IsPositive(Arc<Sign>),
    /// [`Evaluator::relu`](crate::Evaluator::relu).
    Relu(Arc<Sign>),
    /// [`Evaluator::inverse`](crate::Evaluator::inverse).
    Inverse { interval: (f64, f64), error: f64 },
    /// [`Evaluator::square_root`](crate::Evaluator::square_root).
    SquareRoot { interval: (f64, f64), error: f64 },
    /// [`Evaluator::inverse_square_root`](crate::Evaluator::inverse_square_root).
    InverseSquareRoot { interval: (f64, f64), error: f64 },
    /// [`Bootstrapper::bootstrap_within`] for values up to this absolute value.
    BootstrapWithin(f64),
    /// [`Bootstrapper::bootstrap`].
    Bootstrap,
}

/// An encoded matrix. Two are equal if they are the same in memory.
#[derive(Clone)]
pub struct Matrix(pub Arc<LinearTransform>);

/// The names of the operations.
macro_rules! names {
    ($($operation:pat => $name:literal,)*) => {
        impl Routine {
            /// The names of all operations, as capabilities list them.
            pub const NAMES: [&'static str; [$($name),*].len()] = [$($name),*];

            /// Returns the name of the operation.
            pub fn name(&self) -> &'static str {
                match self {
                    $($operation => $name,)*
                }
            }
        }
    };
}

names! {
    Routine::Add => "ckks.add",
    Routine::Subtract => "ckks.subtract",
    Routine::Negate => "ckks.negate",
    Routine::Multiply => "ckks.multiply",
    Routine::MultiplyInteger(_) => "ckks.multiply_integer",
    Routine::MultiplyNumber(_) => "ckks.multiply_number",
    Routine::MultiplyByI => "ckks.multiply_by_i",
    Routine::AddNumber(_) => "ckks.add_number",
    Routine::Rotate(_) => "ckks.rotate",
    Routine::Conjugate => "ckks.conjugate",
    Routine::Sum => "ckks.sum",
    Routine::Mean => "ckks.mean",
    Routine::Slice { .. } => "ckks.slice",
    Routine::InnerSum { .. } => "ckks.inner_sum",
    Routine::Replicate { .. } => "ckks.replicate",
    Routine::AddPlain(_) => "ckks.add_plain",
    Routine::MultiplyPlain(_) => "ckks.multiply_plain",
    Routine::Rescale => "ckks.rescale",
    Routine::ToLevel(_) => "ckks.to_level",
    Routine::Transform(_) => "ckks.transform",
    Routine::TransformBlocks(_) => "ckks.transform_blocks",
    Routine::Evaluate(_) => "ckks.evaluate",
    Routine::EvaluateBlocks(_) => "ckks.evaluate_blocks",
    Routine::Sign(_) => "ckks.sign",
    Routine::IsPositive(_) => "ckks.is_positive",
    Routine::Relu(_) => "ckks.relu",
    Routine::Inverse { .. } => "ckks.inverse",
    Routine::SquareRoot { .. } => "ckks.square_root",
    Routine::InverseSquareRoot { .. } => "ckks.inverse_square_root",
    Routine::BootstrapWithin(_) => "ckks.bootstrap_within",
    Routine::Bootstrap => "ckks.bootstrap",
}

impl Routine {
    /// Returns the number of operands.
    pub fn takes(&self) -> usize {
        match self {
            Self::Add | Self::Subtract | Self::Multiply => 2,
            Self::TransformBlocks(rows) => rows.first().map_or(0, Vec::len),
            _ => 1,
        }
    }

    /// Returns the encoded matrices that it needs.
    pub(crate) fn matrices(&self) -> Vec<&LinearTransform> {
        match self {
            Self::Transform(Matrix(matrix)) => vec![matrix],
            Self::TransformBlocks(rows) => {
                rows.iter().flatten().flatten().map(|Matrix(matrix)| &**matrix).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Prepares the reusable parts of the operation, which do not belong to its program.
    pub(crate) fn prepare(
        &self,
        bootstrapper: &Bootstrapper,
        slots: usize,
    ) -> Result<(), CircuitError> {
        match self {
            Self::Bootstrap | Self::BootstrapWithin(_) => {
                Ok(bootstrapper.prepare_bootstrap_of(slots).map(drop)?)
            }
            _ => Ok(()),
        }
    }

    /// Runs the operation with the evaluators' code, on the number of ciphertexts that it needs.
    /// The same ciphertext may occur several times.
    pub(crate) fn apply(
        &self,
        bootstrapper: &Bootstrapper,
        operands: &[&Ciphertext],
    ) -> Result<Vec<Ciphertext>, CircuitError> {
        let [a, others @ ..] = operands else { return Err(CircuitError::NothingEncrypted) };
        let (a, b) = (*a, *others.first().unwrap_or(a));
        let evaluator = bootstrapper.evaluator();
        let result = match self {
            Self::Add => evaluator.add(a, b)?,
            Self::Subtract => evaluator.sub(a, b)?,
            Self::Negate => evaluator.neg(a)?,
            Self::Multiply => evaluator.mul(a, b)?,
            Self::MultiplyInteger(integer) => evaluator.mul_integer(a, *integer)?,
            Self::MultiplyNumber(number) => evaluator.mul_number(a, *number)?,
            Self::MultiplyByI => evaluator.mul_by_i(a)?,
            Self::AddNumber(number) => evaluator.add_number(a, *number)?,
            Self::Rotate(steps) => return Ok(evaluator.rotate_many(a, steps)?),
            Self::Conjugate => evaluator.conjugate(a)?,
            Self::Sum => evaluator.sum(a)?,
            Self::Mean => evaluator.mean(a)?,
            Self::Slice { from, to } => evaluator.slice(a, *from, *to)?,
            Self::InnerSum { count, batch } => evaluator.inner_sum(a, *count, *batch)?,
            Self::Replicate { count, batch } => evaluator.replicate(a, *count, *batch)?,
            Self::AddPlain(values) => evaluator.add_plain(a, values.declared())?,
            Self::MultiplyPlain(values) => evaluator.mul_plain(a, values.declared())?,
            Self::Rescale => evaluator.rescale(a)?,
            Self::ToLevel(level) => evaluator.at_level(a, *level)?,
            Self::Transform(Matrix(matrix)) => evaluator.linear_transform(a, matrix)?,
            Self::TransformBlocks(rows) => {
                let rows: Vec<Vec<Option<&LinearTransform>>> =
                    rows.iter().map(|row| row.iter().map(Matrix::of_block).collect()).collect();
                return Ok(evaluator.transform_blocks(operands, &rows)?);
            }
            Self::Evaluate(p) => evaluator.evaluate(a, p)?,
            Self::EvaluateBlocks(p) => evaluator.evaluate_blocks(a, p)?,
            Self::Sign(sign) => evaluator.sign(a, sign)?,
            Self::IsPositive(sign) => evaluator.is_positive(a, sign)?,
            Self::Relu(sign) => evaluator.relu(a, sign)?,
            Self::Inverse { interval, error } => evaluator.inverse(a, *interval, *error)?,
            Self::SquareRoot { interval, error } => evaluator.square_root(a, *interval, *error)?,
            Self::InverseSquareRoot { interval, error } => {
                evaluator.inverse_square_root(a, *interval, *error)?
            }
            Self::BootstrapWithin(magnitude) => bootstrapper.bootstrap_within(a, *magnitude)?,
            Self::Bootstrap => bootstrapper.bootstrap(a)?,
        };
        Ok(vec![result])
    }
}

impl Matrix {
    /// Returns the transform of a block, if the block is not zero.
    fn of_block(block: &Option<Self>) -> Option<&LinearTransform> {
        block.as_ref().map(|Self(of)| &**of)
    }
}

impl PartialEq for Matrix {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl std::fmt::Debug for Matrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Matrix({} diagonals, level {})", self.0.diagonals(), self.0.level())
    }
}
