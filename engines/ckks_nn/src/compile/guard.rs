// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The guard of a circuit: the sum of powers of all arguments of activations.
//!
//! A single input's sum is added in all slots of the result, which needs no level. In a batch, each
//! input has its own guard: the sum over a block is in its first slot, and a matrix brings it to
//! the slot of the guard next to the input's values.

use std::collections::BTreeMap;

use halimede_ckks::{Complex, Expression, Values};

use super::layer_values::{part_of, Halves, Joined};
use crate::error::NetworkError;
use crate::graph::Shape;
use crate::layout::{place_at, Affine, Batch, Packing, SlotPlace};

/// The exponent of the guard, whose sum is below 1 only if all arguments are.
const EXPONENT: u32 = 16;
/// The promised bound of the guard's sum, for all valid results.
const BOUND: f64 = 4.0;

/// The powers so far, by the slots of their blocks, for each ciphertext.
#[derive(Default)]
pub(super) struct Guards(BTreeMap<usize, Halves>);

impl Guards {
    /// Adds the powers of arguments in one of the ciphertexts with blocks of `block` slots. A mask
    /// marks the slots with arguments, in its real part for the first half, where other slots are
    /// not 0.
    pub fn add(
        &mut self,
        block: usize,
        ciphertext: usize,
        arguments: &[Expression],
        mask: Option<&[Complex]>,
    ) {
        let sums = self.0.entry(block).or_default();
        if sums.len() <= ciphertext {
            sums.resize(ciphertext + 1, Vec::new());
        }
        let sums = &mut sums[ciphertext];
        for (half, argument) in arguments.iter().enumerate() {
            let power = match mask {
                None => argument.powi(EXPONENT),
                Some(mask) => {
                    let mask = part_of(mask, half);
                    argument.powi(EXPONENT) * Expression::plain(Values::from(&mask).within(1.0))
                }
            };
            match sums.get_mut(half) {
                Some(sum) => *sum = &*sum + power,
                None => sums.push(power),
            }
        }
    }

    /// Returns `true` if there are powers.
    pub fn is_there(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns the sum of one input, in all slots.
    pub fn of_one(self) -> Option<Expression> {
        let sum = self.0.into_values().flatten().flatten().reduce(|sum, power| sum + power)?;
        Some(sum.sum().between(0.0, BOUND).labeled("guard"))
    }

    /// Returns the sums of a batch, for each ciphertext with blocks of `block` slots, in one slot
    /// of each block.
    ///
    /// # Errors
    /// As [`place_at`].
    pub fn of_batch(
        self,
        batch: Batch,
        block: usize,
        slot: usize,
    ) -> Result<Vec<Option<Expression>>, NetworkError> {
        let mut sums: Vec<Option<Expression>> = vec![None; batch.ciphertexts(block)];
        for (of, powers) in self.0 {
            let sum_of = |powers: Vec<Expression>| Joined::of(powers, BOUND).whole.inner_sum(of, 1);
            let swept: Vec<Expression> = powers.into_iter().map(sum_of).collect();
            let vector =
                |values: usize| Ok::<_, NetworkError>(Packing::dense(&Shape::new(&[values])?));
            let from = SlotPlace { packing: vector(1)?, block: of, period: of };
            let to = SlotPlace { packing: vector(slot + 1)?, block, period: block };
            let affine = Affine::of_base(0, 1, 1.0).below(slot);
            let placed = place_at(to, &affine, &[from], batch, 1.0)?;
            for (sum, matrices) in sums.iter_mut().zip(placed.matrices) {
                for ((_, source), matrix) in matrices {
                    let term = swept[source].linear_transform(matrix);
                    *sum = Some(match sum.take() {
                        Some(sum) => sum + term,
                        None => term,
                    });
                }
            }
        }
        let promised = |sum: Expression| match batch.is_paired() {
            true => sum.bounded(BOUND.hypot(BOUND)),
            false => sum.between(0.0, BOUND),
        };
        Ok(sums.into_iter().map(|sum| Some(promised(sum?).labeled("guard"))).collect())
    }
}
