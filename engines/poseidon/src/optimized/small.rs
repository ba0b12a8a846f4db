// SPDX-License-Identifier: Apache-2.0 OR MIT
//! StarkWare's permutation with its linear layer in additions.
//!
//! The matrix is all ones but for the diagonal d: row i of the product is Σⱼxⱼ + (dᵢ−1)·xᵢ, and
//! dᵢ−1 lies in −5..=4. A permutation then costs 2 products an S-box and no other.

use halimede_arith::field::StarkPrime;
use halimede_arith::Felt;

use super::constants::{add, RoundConstants};
use crate::parameters::stark_diagonal;
use crate::{Parameters, PoseidonField};

/// A StarkWare instance, ready to permute.
#[derive(Clone, Debug)]
pub(super) struct SmallMatrixPermutation {
    constants: RoundConstants<StarkPrime>,
    /// The matrix less the all-ones matrix: its diagonal.
    excess: Vec<i64>,
}

impl SmallMatrixPermutation {
    pub fn new(parameters: &Parameters<StarkPrime>) -> Self {
        let diagonal = stark_diagonal(parameters.instance.width());
        Self {
            constants: RoundConstants::new(parameters),
            excess: diagonal.iter().map(|entry| entry - 1).collect(),
        }
    }

    pub fn permute(&self, state: &mut [Felt]) {
        for constants in &self.constants.first_full {
            self.full_round(state, constants);
        }
        let sbox = state.len() - 1;
        for constant in &self.constants.partial {
            state[sbox] = StarkPrime::sbox(state[sbox] + *constant);
            self.mix(state);
        }
        for constants in &self.constants.last_full {
            self.full_round(state, constants);
        }
    }

    fn full_round(&self, state: &mut [Felt], constants: &[Felt]) {
        add(state, constants);
        state.iter_mut().for_each(|element| *element = StarkPrime::sbox(*element));
        self.mix(state);
    }

    fn mix(&self, state: &mut [Felt]) {
        let sum: Felt = state.iter().copied().sum();
        for (element, &excess) in state.iter_mut().zip(&self.excess) {
            let scaled = multiple(*element, excess.unsigned_abs());
            *element = if excess < 0 { sum - scaled } else { sum + scaled };
        }
    }
}

/// factor·x for a factor of at most 5, by doublings and additions.
#[inline(always)]
fn multiple(x: Felt, factor: u64) -> Felt {
    match factor {
        0 => Felt::ZERO,
        1 => x,
        2 => x.double(),
        3 => x.double() + x,
        4 => x.double().double(),
        _ => x.double().double() + x,
    }
}
