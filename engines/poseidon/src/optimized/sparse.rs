// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Filecoin's permutation with sparse partial rounds (Poseidon paper, appendix B).
//!
//! Write the matrix of a partial round as M = S·D with D = diag(1, M̂) and M̂ the matrix without its
//! first row and column; then S has the first row (m₀₀, v·M̂⁻¹), the first column of M, and ones on
//! the rest of the diagonal. D leaves element 0 alone, so it commutes with the partial S-box and
//! its constant, and joins the matrix of the round before, which is split in turn. What is left of
//! it before the first partial round joins the matrix of the last full round.

use halimede_arith::field::Bls12381Scalar;
use halimede_arith::{Field, Fr};

use super::constants::{add, RoundConstants};
use crate::instance::MAX_WIDTH;
use crate::{Matrix, Parameters, PoseidonField};

type FrMatrix = Matrix<Bls12381Scalar>;

/// One partial round's matrix: 2t−1 numbers.
#[derive(Clone, Debug)]
struct SparseMatrix {
    /// The first row: products with the whole state.
    row: Vec<Fr>,
    /// The first column below the corner: element 0 joins each other element through it.
    column: Vec<Fr>,
}

/// A Filecoin instance, ready to permute.
#[derive(Clone, Debug)]
pub(super) struct SparsePermutation {
    constants: RoundConstants<Bls12381Scalar>,
    mds: FrMatrix,
    /// The matrix of the last full round before the partial rounds: D·M.
    entry: FrMatrix,
    sparse: Vec<SparseMatrix>,
}

impl SparsePermutation {
    /// `None` only for a singular matrix, which no instance has.
    pub fn new(parameters: &Parameters<Bls12381Scalar>) -> Option<Self> {
        let mds = parameters.mds.clone();
        let mut sparse = Vec::with_capacity(parameters.instance.partial_rounds());
        let mut matrix = mds.clone();
        for _ in 0..parameters.instance.partial_rounds() {
            let minor = matrix.minor();
            sparse.push(SparseMatrix::split(&matrix, &minor.inverse()?));
            matrix = extend(&minor).multiply(&mds);
        }
        sparse.reverse();
        Some(Self { constants: RoundConstants::new(parameters), mds, entry: matrix, sparse })
    }

    pub fn permute(&self, state: &mut [Fr]) {
        if let Some((last, first)) = self.constants.first_full.split_last() {
            first.iter().for_each(|constants| full_round(state, constants, &self.mds));
            full_round(state, last, &self.entry);
        }
        for (constant, matrix) in self.constants.partial.iter().zip(&self.sparse) {
            state[0] = Bls12381Scalar::sbox(state[0] + *constant);
            matrix.apply(state);
        }
        for constants in &self.constants.last_full {
            full_round(state, constants, &self.mds);
        }
    }
}

impl SparseMatrix {
    /// S of `matrix` = S·diag(1, minor), given the minor's inverse.
    fn split(matrix: &FrMatrix, minor_inverse: &FrMatrix) -> Self {
        let rows = matrix.rows();
        let mut row = vec![rows[0][0]];
        for column in 0..minor_inverse.size() {
            let entry = |k: usize| rows[0][k + 1] * minor_inverse.rows()[k][column];
            row.push((0..minor_inverse.size()).map(entry).sum());
        }
        Self { row, column: rows[1..].iter().map(|row| row[0]).collect() }
    }

    fn apply(&self, state: &mut [Fr]) {
        let first = Field::inner_product(&self.row, state);
        let power = state[0];
        for (element, factor) in state[1..].iter_mut().zip(&self.column) {
            *element += power * *factor;
        }
        state[0] = first;
    }
}

/// diag(1, minor).
fn extend(minor: &FrMatrix) -> FrMatrix {
    Matrix::from_fn(minor.size() + 1, |i, j| match (i, j) {
        (0, 0) => Fr::ONE,
        (0, _) | (_, 0) => Fr::ZERO,
        _ => minor.rows()[i - 1][j - 1],
    })
}

fn full_round(state: &mut [Fr], constants: &[Fr], matrix: &FrMatrix) {
    add(state, constants);
    let mut powers = [Fr::ZERO; MAX_WIDTH];
    for (power, element) in powers.iter_mut().zip(state.iter()) {
        *power = Bls12381Scalar::sbox(*element);
    }
    for (element, row) in state.iter_mut().zip(matrix.rows()) {
        *element = Field::inner_product(row, &powers);
    }
}
