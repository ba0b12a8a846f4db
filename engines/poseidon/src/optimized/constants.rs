// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Round constants with one element per partial round (Poseidon paper, appendix B).
//!
//! In a partial round only element s passes through the S-box. The constants of the other elements
//! can be added after the S-box instead: multiplied by the MDS matrix, they are added to the next
//! round's constants.

use halimede_arith::field::Modulus;
use halimede_arith::Field;

use crate::{Matrix, Parameters, PoseidonField, RoundNumbers};

/// The constants of an equivalent permutation.
#[derive(Clone, Debug)]
pub(super) struct RoundConstants<M: Modulus> {
    /// t constants for each full round before the partial rounds.
    pub first_full: Vec<Vec<Field<M>>>,
    /// The constant of each partial round, for the element that passes through the S-box.
    pub partial: Vec<Field<M>>,
    /// t constants for each full round after the partial rounds.
    pub last_full: Vec<Vec<Field<M>>>,
}

impl<M: PoseidonField> RoundConstants<M> {
    /// Returns the constants of an instance.
    pub fn new(parameters: &Parameters<M>) -> Self {
        let instance = parameters.instance;
        let rounds =
            RoundNumbers { full: instance.full_rounds(), partial: instance.partial_rounds() };
        let sbox = instance.partial_sbox_index();
        Self::of(rounds, sbox, &parameters.round_constants, &parameters.mds)
    }
}

impl<M: Modulus> RoundConstants<M> {
    /// Moves t constants per round, in the order of use, for partial rounds whose S-box takes
    /// element `sbox`.
    pub fn of(rounds: RoundNumbers, sbox: usize, constants: &[Field<M>], mds: &Matrix<M>) -> Self {
        let width = mds.size();
        let by_round: Vec<Vec<Field<M>>> = constants.chunks(width).map(<[_]>::to_vec).collect();
        let (first_full, rest) = by_round.split_at(rounds.full / 2);
        let (partial_rounds, last_full) = rest.split_at(rounds.partial);
        let mut moved = vec![Field::ZERO; width];
        let mut partial = Vec::with_capacity(partial_rounds.len());
        for constants in partial_rounds {
            add(&mut moved, constants);
            partial.push(std::mem::take(&mut moved[sbox]));
            moved = mds.multiply_vector(&moved);
        }
        let mut last_full = last_full.to_vec();
        if let Some(constants) = last_full.first_mut() {
            add(constants, &moved);
        }
        Self { first_full: first_full.to_vec(), partial, last_full }
    }
}

/// sum += addend, element by element.
pub(super) fn add<M: Modulus>(sum: &mut [Field<M>], addend: &[Field<M>]) {
    for (element, constant) in sum.iter_mut().zip(addend) {
        *element += *constant;
    }
}
