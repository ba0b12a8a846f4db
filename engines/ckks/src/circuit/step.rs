// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One step of a plan, and its name.

use std::sync::Arc;

use super::graph::{GraphStep, Operation};
use super::transforms::Transform;
use super::unary::Unary;
use crate::estimate::{Bound, Estimate};
use crate::keys::{RotationKeys, LOW_LEVEL};

/// An operation on ciphertexts.
#[derive(Clone)]
pub struct Step {
    pub(super) operation: Operation,
    pub(super) operands: Vec<usize>,
    pub(super) label: Option<Arc<str>>,
    pub(super) level: usize,
    pub(super) length: usize,
    pub(super) estimate: Estimate,
    /// The level to which operands are brought down beforehand, if specified.
    pub(super) from: Option<usize>,
    /// The keys of a matrix's rotations.
    pub(super) keys: RotationKeys,
    /// The transform, or the transforms of a row of blocks.
    pub(super) transforms: Vec<Transform>,
}

impl Step {
    /// Returns `true` if it is a matrix at the level of keys with few primes.
    pub(super) fn is_low_matrix(&self) -> bool {
        let is_matrix = matches!(
            self.operation,
            Operation::Blocks { .. } | Operation::Unary(Unary::Transform(_))
        );
        is_matrix && self.from == Some(LOW_LEVEL)
    }

    /// Returns a description of the operation.
    pub fn description(&self) -> String {
        match &self.operation {
            Operation::Input(name) => format!("input {name}"),
            Operation::Unary(of) => of.description(),
            Operation::Blocks { matrix, row } => {
                let blocks: Vec<_> = matrix.rows()[*row].iter().flatten().collect();
                let diagonals: usize = blocks.iter().map(|block| block.steps().count()).sum();
                let name = self.operation.name();
                format!("{name} of {} blocks, {diagonals} diagonals", blocks.len())
            }
            Operation::MultiplyInteger { integer, is_imaginary } => {
                format!(
                    "{} {integer}{}",
                    self.operation.name(),
                    if *is_imaginary { "i" } else { "" }
                )
            }
            operation => operation.name().to_owned(),
        }
    }

    /// Returns the operands, as places in [`Plan::steps`](crate::Plan::steps).
    pub fn operands(&self) -> &[usize] {
        &self.operands
    }

    /// Returns the label from [`Expression::labeled`](crate::Expression::labeled).
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// Returns the level of the result.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Returns the number of values of the result.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns the largest absolute value that the result may have.
    pub fn magnitude(&self) -> f64 {
        self.estimate.magnitude()
    }

    /// Returns the bound of the result's values.
    pub fn bound(&self) -> Bound {
        self.estimate.bound
    }

    /// Returns `true` if it is a bootstrap.
    pub fn is_bootstrap(&self) -> bool {
        self.operation == Operation::Unary(Unary::Bootstrap)
    }

    /// Returns the name of the step in errors; places count from 1.
    pub(super) fn called(&self, place: usize) -> String {
        called(&self.operation, self.label.as_ref(), place)
    }
}

impl GraphStep {
    /// Returns the name of the step in errors; places count from 1.
    pub(super) fn called(&self, place: usize) -> String {
        called(&self.operation, self.label.as_ref(), place)
    }
}

fn called(operation: &Operation, label: Option<&Arc<str>>, place: usize) -> String {
    match label {
        Some(label) => label.to_string(),
        None => format!("step {place}, {}", operation.name()),
    }
}

impl Operation {
    /// Returns the name in descriptions.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::Add => "sum",
            Self::Subtract => "difference",
            Self::Multiply => "product",
            Self::AddPlain(values) if values.is_number() => "sum with a number",
            Self::AddPlain(_) => "sum with a vector",
            Self::MultiplyPlain(values) if values.is_number() => "product with a number",
            Self::MultiplyPlain(_) => "product with a vector",
            Self::MultiplyInteger { .. } => "product with",
            Self::Unary(of) => of.name(),
            Self::Blocks { .. } => "linear transform",
        }
    }
}
