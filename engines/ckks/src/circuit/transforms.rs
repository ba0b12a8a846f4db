// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The encoded matrices of a plan's steps. Steps with the same matrix share it, as all steps of a
//! recurrent network do.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::graph::Operation;
use super::unary::Unary;
use crate::linear::{Diagonals, LinearTransform, Split};

/// A matrix for a level, encoded when it is first applied. Steps with the same matrix in memory,
/// level and split share it.
pub(super) type Transform = Arc<OnceLock<Arc<LinearTransform>>>;

impl Operation {
    /// Returns the matrices of the operation, and the split that its blocks share.
    fn matrices(&self) -> (Vec<Option<&Arc<Diagonals>>>, Option<Split>) {
        match self {
            Self::Unary(Unary::Transform(matrix)) => (vec![Some(matrix)], None),
            Self::Blocks { matrix, row } => {
                (matrix.rows()[*row].iter().map(Option::as_ref).collect(), Some(matrix.split()))
            }
            _ => (Vec::new(), None),
        }
    }
}

/// Returns the cells for the transforms of operations at their levels. Equal matrices, levels and
/// splits share a cell.
pub(super) fn shared<'a>(
    operations: impl Iterator<Item = (&'a Operation, usize)>,
) -> Vec<Vec<Transform>> {
    let mut known: HashMap<(*const Diagonals, usize, Option<Split>), Transform> = HashMap::new();
    let of_operation = |(operation, level): (&Operation, usize)| {
        let (matrices, split) = operation.matrices();
        let of = |matrix: Option<&Arc<Diagonals>>| {
            // An absent block is never encoded.
            let Some(matrix) = matrix else { return Transform::default() };
            known.entry((Arc::as_ptr(matrix), level, split)).or_default().clone()
        };
        matrices.into_iter().map(of).collect()
    };
    operations.map(of_operation).collect()
}

/// Returns the number of distinct matrices of these transforms.
pub(super) fn distinct<'a>(
    operations: impl Iterator<Item = (&'a Operation, &'a [Transform])>,
) -> usize {
    let of_operation = |(operation, transforms): (&Operation, &[Transform])| {
        let (matrices, _) = operation.matrices();
        let pairs = transforms.iter().zip(matrices);
        pairs.filter_map(|(of, matrix)| matrix.map(|_| Arc::as_ptr(of))).collect::<Vec<_>>()
    };
    operations.flat_map(of_operation).collect::<HashSet<_>>().len()
}
