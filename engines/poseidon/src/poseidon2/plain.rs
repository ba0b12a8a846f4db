// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The permutation as the paper prints it (section 6), with explicit matrices: the reference for
//! the faster forms.

use halimede_arith::Field;

use super::field::Poseidon2Field;
use super::Parameters;

/// The matrix M4 of section 5.1.
const M4: [[u64; 4]; 4] = [[5, 7, 1, 3], [4, 6, 1, 1], [1, 3, 5, 7], [1, 1, 4, 6]];

/// Returns an entry of the external matrix: circ(2, 1) and circ(2, 1, 1) for widths 2 and 3, M4 for
/// width 4, and circ(2·M4, M4, …, M4) for multiples of 4.
fn external_entry(width: usize, row: usize, column: usize) -> u64 {
    if width < 4 {
        return if row == column { 2 } else { 1 };
    }
    let twice = width > 4 && row / 4 == column / 4;
    M4[row % 4][column % 4] * if twice { 2 } else { 1 }
}

/// Permutes a state of the instance's width in place; a state of another width is left unchanged.
pub fn permute_plainly<M: Poseidon2Field>(parameters: &Parameters<M>, state: &mut [Field<M>]) {
    if state.len() != parameters.instance.width() {
        return;
    }
    external(state);
    for constants in &parameters.first {
        full_round(constants, state);
    }
    for constant in &parameters.partial {
        state[0] = fifth_power(state[0] + *constant);
        let sum: Field<M> = state.iter().copied().sum();
        for (element, diagonal) in state.iter_mut().zip(&parameters.diagonal) {
            *element = *element * *diagonal + sum;
        }
    }
    for constants in &parameters.last {
        full_round(constants, state);
    }
}

fn full_round<M: Poseidon2Field>(constants: &[Field<M>], state: &mut [Field<M>]) {
    for (element, constant) in state.iter_mut().zip(constants) {
        *element = fifth_power(*element + *constant);
    }
    external(state);
}

fn external<M: Poseidon2Field>(state: &mut [Field<M>]) {
    let width = state.len();
    let row = |row| {
        let term = |column: usize| Field::from(external_entry(width, row, column)) * state[column];
        (0..width).map(term).sum()
    };
    let mixed: Vec<Field<M>> = (0..width).map(row).collect();
    state.copy_from_slice(&mixed);
}

fn fifth_power<M: Poseidon2Field>(x: Field<M>) -> Field<M> {
    x.square().square() * x
}
