// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The matrices of a plan's steps, encoded: steps with the same one have it in common, as all steps of a
//! recurrent network do.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::graph::Operation;
use super::plan::{working_level, Plan, Step};
use super::unary::Unary;
use crate::linear::{Diagonals, LinearTransform, Split};

/// A matrix for a level, encoded when it is first applied. Steps with the same matrix in memory, level and
/// split have it in common.
pub(super) type Transform = Arc<OnceLock<Arc<LinearTransform>>>;

impl Plan {
    /// The distinct matrices that the steps take, those of different levels counted as different ones:
    /// each is encoded once where [`Self::keeping_matrices`] has room for it.
    pub fn matrices(&self) -> usize {
        let of_step = |step: &Step| {
            let (matrices, _) = step.operation.matrices();
            let pairs = step.transforms.iter().zip(matrices);
            pairs.filter_map(|(of, matrix)| matrix.map(|_| Arc::as_ptr(of))).collect::<Vec<_>>()
        };
        self.steps.iter().flat_map(of_step).collect::<HashSet<_>>().len()
    }
}

impl Operation {
    /// The matrices that it takes, and the split that blocks have in common.
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

/// Gives steps room for the transforms that they take: the same for the same matrix, level and split.
pub(super) fn share_transforms(steps: &mut [Step]) {
    let mut known: HashMap<(*const Diagonals, usize, Option<Split>), Transform> = HashMap::new();
    for place in 0..steps.len() {
        let level = working_level(steps, &steps[place]);
        let (matrices, split) = steps[place].operation.matrices();
        let of = |matrix: Option<&Arc<Diagonals>>| {
            // What is no block is never encoded.
            let Some(matrix) = matrix else { return Transform::default() };
            known.entry((Arc::as_ptr(matrix), level, split)).or_default().clone()
        };
        steps[place].transforms = matrices.into_iter().map(of).collect();
    }
}
