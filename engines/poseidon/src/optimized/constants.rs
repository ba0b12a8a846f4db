// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Round constants with one element per partial round (Poseidon paper, appendix B).
//!
//! In a partial round only element s passes through the S-box. The constants of the other elements
//! can be added after the S-box instead: multiplied by the MDS matrix, they are added to the next
//! round's constants.

use halimede_arith::Field;

use crate::{Parameters, PoseidonField};

/// The constants of an equivalent permutation.
#[derive(Clone, Debug)]
pub(super) struct RoundConstants<M: PoseidonField> {
    /// t constants for each full round before the partial rounds.
    pub first_full: Vec<Vec<Field<M>>>,
    /// The constant of each partial round, for the element that passes through the S-box.
    pub partial: Vec<Field<M>>,
    /// t constants for each full round after the partial rounds.
    pub last_full: Vec<Vec<Field<M>>>,
}

impl<M: PoseidonField> RoundConstants<M> {
    pub fn new(parameters: &Parameters<M>) -> Self {
        let instance = parameters.instance;
        let rounds: Vec<Vec<Field<M>>> =
            parameters.round_constants.chunks(instance.width()).map(<[_]>::to_vec).collect();
        let (first_full, rest) = rounds.split_at(instance.full_rounds() / 2);
        let (partial_rounds, last_full) = rest.split_at(instance.partial_rounds());
        let sbox = instance.partial_sbox_index();
        let mut moved = vec![Field::ZERO; instance.width()];
        let mut partial = Vec::with_capacity(partial_rounds.len());
        for constants in partial_rounds {
            add(&mut moved, constants);
            partial.push(std::mem::take(&mut moved[sbox]));
            moved = parameters.mds.multiply_vector(&moved);
        }
        let mut last_full = last_full.to_vec();
        if let Some(constants) = last_full.first_mut() {
            add(constants, &moved);
        }
        Self { first_full: first_full.to_vec(), partial, last_full }
    }
}

/// sum += addend, element by element.
pub(super) fn add<M: PoseidonField>(sum: &mut [Field<M>], addend: &[Field<M>]) {
    for (element, constant) in sum.iter_mut().zip(addend) {
        *element += *constant;
    }
}
