// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations on ciphertexts that programs are recorded of.

use std::sync::Arc;

use crate::circuit::CircuitError;
use crate::complex::Complex;
use crate::evaluator::Ciphertext;
use crate::linear::LinearTransform;
use crate::polynomial::Polynomial;
use crate::server::Server;

/// An operation on ciphertexts with all its arguments except the ciphertexts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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
    /// [`Evaluator::rescale`](crate::Evaluator::rescale).
    Rescale,
    /// [`Evaluator::at_level`](crate::Evaluator::at_level).
    ToLevel(usize),
    /// [`Server::linear_transform`].
    Transform(Matrix),
    /// [`Server::evaluate`].
    Evaluate(Polynomial),
    /// [`Server::bootstrap`].
    Bootstrap,
}

/// An encoded matrix. Two are equal where they are the same in memory.
#[derive(Clone)]
pub struct Matrix(pub Arc<LinearTransform>);

impl Routine {
    /// The names of all operations, as capabilities list them.
    pub const NAMES: [&'static str; 15] = [
        "ckks.add",
        "ckks.subtract",
        "ckks.negate",
        "ckks.multiply",
        "ckks.multiply_integer",
        "ckks.multiply_number",
        "ckks.multiply_by_i",
        "ckks.add_number",
        "ckks.rotate",
        "ckks.conjugate",
        "ckks.rescale",
        "ckks.to_level",
        "ckks.transform",
        "ckks.evaluate",
        "ckks.bootstrap",
    ];

    /// The name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Add => "ckks.add",
            Self::Subtract => "ckks.subtract",
            Self::Negate => "ckks.negate",
            Self::Multiply => "ckks.multiply",
            Self::MultiplyInteger(_) => "ckks.multiply_integer",
            Self::MultiplyNumber(_) => "ckks.multiply_number",
            Self::MultiplyByI => "ckks.multiply_by_i",
            Self::AddNumber(_) => "ckks.add_number",
            Self::Rotate(_) => "ckks.rotate",
            Self::Conjugate => "ckks.conjugate",
            Self::Rescale => "ckks.rescale",
            Self::ToLevel(_) => "ckks.to_level",
            Self::Transform(_) => "ckks.transform",
            Self::Evaluate(_) => "ckks.evaluate",
            Self::Bootstrap => "ckks.bootstrap",
        }
    }

    /// The number of operands.
    pub fn takes(&self) -> usize {
        match self {
            Self::Add | Self::Subtract | Self::Multiply => 2,
            _ => 1,
        }
    }

    /// The encoded matrices that it takes.
    pub(super) fn matrices(&self) -> Vec<&LinearTransform> {
        match self {
            Self::Transform(Matrix(matrix)) => vec![matrix],
            _ => Vec::new(),
        }
    }

    /// Prepares what a server makes once for the operation, which is no part of the program.
    pub(super) fn prepare(&self, server: &Server, slots: usize) -> Result<(), CircuitError> {
        match self {
            Self::Bootstrap => Ok(server.prepare_bootstrap_of(slots).map(drop)?),
            _ => Ok(()),
        }
    }

    /// Does it on a server, with one ciphertext or two that may be the same.
    pub(super) fn apply(
        &self,
        server: &Server,
        a: &Ciphertext,
        b: &Ciphertext,
    ) -> Result<Vec<Ciphertext>, CircuitError> {
        let result = match self {
            Self::Add => server.add(a, b)?,
            Self::Subtract => server.sub(a, b)?,
            Self::Negate => server.neg(a)?,
            Self::Multiply => server.mul(a, b)?,
            Self::MultiplyInteger(integer) => server.mul_integer(a, *integer)?,
            Self::MultiplyNumber(number) => server.mul_number(a, *number)?,
            Self::MultiplyByI => server.mul_by_i(a)?,
            Self::AddNumber(number) => server.add_number(a, *number)?,
            Self::Rotate(steps) => return Ok(server.rotate_many(a, steps)?),
            Self::Conjugate => server.conjugate(a)?,
            Self::Rescale => server.rescale(a)?,
            Self::ToLevel(level) => server.at_level(a, *level)?,
            Self::Transform(Matrix(matrix)) => server.linear_transform(a, matrix)?,
            Self::Evaluate(polynomial) => server.evaluate(a, polynomial)?,
            Self::Bootstrap => server.bootstrap(a)?,
        };
        Ok(vec![result])
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
