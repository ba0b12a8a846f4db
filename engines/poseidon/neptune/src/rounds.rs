// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The permutation over any prime field, in plain and in optimized rounds (Filecoin specification,
//! Poseidon, "The Poseidon hash function", "Optimized Poseidon").

use ff::PrimeField;

use crate::arity::Arity;
use crate::constants::{PoseidonConstants, SparseMatrix};
use crate::field::fifth_power;
use crate::matrix::Matrix;

/// The linear layer after a round.
pub enum Layer<'c, F: PrimeField> {
    /// By rows, for a state that is a row.
    Dense(&'c Matrix<F>),
    /// By columns.
    Transposed(&'c Matrix<F>),
    Sparse(&'c SparseMatrix<F>),
}

impl<F: PrimeField, A: Arity<F>> PoseidonConstants<F, A> {
    /// The linear layer after optimized round `round`.
    pub(crate) fn layer(&self, round: usize) -> Layer<'_, F> {
        let half = self.half_full_rounds;
        match round.checked_sub(half) {
            None if round + 1 == half => Layer::Dense(&self.pre_sparse_matrix),
            Some(partial) if partial < self.partial_rounds => {
                Layer::Sparse(&self.sparse_matrixes[partial])
            }
            _ => Layer::Transposed(&self.mds_matrices.m),
        }
    }
}

/// Permutes in optimized rounds.
pub fn permute<F: PrimeField, A: Arity<F>>(constants: &PoseidonConstants<F, A>, state: &mut [F]) {
    let mut keys = constants.compressed_round_constants.iter();
    add(state, &mut keys);
    let half = constants.half_full_rounds;
    let partial = half..half + constants.partial_rounds;
    for round in 0..constants.full_rounds + constants.partial_rounds {
        if partial.contains(&round) {
            state[0] = fifth_power(state[0]);
            add(&mut state[..1], &mut keys);
        } else {
            state.iter_mut().for_each(|element| *element = fifth_power(*element));
            // No constants are left after the last round.
            add(state, &mut keys);
        }
        mix(state, &constants.layer(round));
    }
}

/// Permutes in the rounds that the paper prints. Constants without those of the plain rounds
/// permute in optimized rounds.
pub fn permute_plain<F: PrimeField, A: Arity<F>>(
    constants: &PoseidonConstants<F, A>,
    state: &mut [F],
) {
    let Some(keys) = &constants.round_constants else {
        return permute(constants, state);
    };
    let half = constants.half_full_rounds;
    let partial = half..half + constants.partial_rounds;
    let mut keys = keys.iter();
    for round in 0..constants.full_rounds + constants.partial_rounds {
        add(state, &mut keys);
        let active = if partial.contains(&round) { 1 } else { state.len() };
        state[..active].iter_mut().for_each(|element| *element = fifth_power(*element));
        mix(state, &Layer::Transposed(&constants.mds_matrices.m));
    }
}

/// Adds the next constants to elements, while there are any.
fn add<'k, F: PrimeField>(elements: &mut [F], keys: &mut impl Iterator<Item = &'k F>) {
    elements.iter_mut().zip(keys).for_each(|(element, key)| *element += key);
}

fn mix<F: PrimeField>(state: &mut [F], layer: &Layer<F>) {
    let dot = |left: &[F], right: &[F]| -> F { left.iter().zip(right).map(|(x, y)| *x * y).sum() };
    match layer {
        Layer::Dense(matrix) => {
            state.copy_from_slice(&crate::matrix::row_times(state, matrix));
        }
        Layer::Transposed(matrix) => {
            let mixed: Vec<F> = matrix.iter().map(|row| dot(row, state)).collect();
            state.copy_from_slice(&mixed);
        }
        Layer::Sparse(matrix) => {
            let first = dot(&matrix.w_hat, state);
            let factor = state[0];
            let rest = state[1..].iter_mut().zip(&matrix.v_rest);
            rest.for_each(|(element, entry)| *element += factor * entry);
            state[0] = first;
        }
    }
}
