// SPDX-License-Identifier: Apache-2.0 OR MIT
//! StarkWare's permutation with its linear layer in additions.
//!
//! The matrix is all ones but for the diagonal d: row i of the product is Σⱼxⱼ + (dᵢ−1)·xᵢ, and
//! dᵢ−1 lies in −5..=4. A permutation then costs 2 products an S-box and no other.

use halimede_arith::field::{LazySum, StarkPrime};
use halimede_arith::Felt;

use super::constants::{add, RoundConstants};
use crate::parameters::stark_diagonal;
use crate::{Parameters, PoseidonField};

/// The StarkWare instance of width `T`, ready to permute.
#[derive(Clone, Debug)]
pub(super) struct SmallMatrixPermutation<const T: usize> {
    constants: RoundConstants<StarkPrime>,
}

impl<const T: usize> SmallMatrixPermutation<T> {
    /// The matrix less the all-ones matrix: its diagonal.
    const EXCESS: [i64; T] = {
        let diagonal = stark_diagonal(T);
        let mut excess = [0; T];
        let mut index = 0;
        while index < T {
            excess[index] = diagonal[index] - 1;
            index += 1;
        }
        excess
    };

    pub fn new(parameters: &Parameters<StarkPrime>) -> Self {
        Self { constants: RoundConstants::new(parameters) }
    }

    pub fn permute(&self, state: &mut [Felt; T]) {
        for constants in &self.constants.first_full {
            Self::full_round(state, constants);
        }
        let mut constants = self.constants.partial.iter();
        state[T - 1] += constants.next().copied().unwrap_or_default();
        for _ in 0..self.constants.partial.len() {
            state[T - 1] = StarkPrime::sbox(state[T - 1]);
            Self::mix(state, constants.next().copied().unwrap_or_default());
        }
        for constants in &self.constants.last_full {
            Self::full_round(state, constants);
        }
    }

    fn full_round(state: &mut [Felt; T], constants: &[Felt]) {
        add(state, constants);
        state.iter_mut().for_each(|element| *element = StarkPrime::sbox(*element));
        Self::mix(state, Felt::ZERO);
    }

    /// The linear layer, with the next round's constant added to the last element. A row's
    /// multiples sum to at most 9 + 5 + 1 elements before it is reduced.
    #[inline(always)]
    fn mix(state: &mut [Felt; T], last_constant: Felt) {
        let sum = state.iter().fold(LazySum::ZERO, LazySum::plus);
        for (index, (element, excess)) in state.iter_mut().zip(Self::EXCESS).enumerate() {
            let row = sum.plus_multiple(excess, element);
            let row = if index == T - 1 { row.plus(&last_constant) } else { row };
            *element = row.reduce();
        }
    }
}
