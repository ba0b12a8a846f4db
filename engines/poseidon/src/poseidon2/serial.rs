// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One permutation at a time, with the matrices as additions.

use halimede_arith::Field;

use super::field::Poseidon2Field;
use super::Parameters;

/// Permutes a state of T elements in place.
pub(super) fn permute<M: Poseidon2Field, const T: usize>(
    parameters: &Parameters<M>,
    state: &mut [Field<M>; T],
) {
    external(state);
    for constants in &parameters.first {
        full_round(constants, state);
    }
    for constant in &parameters.partial {
        state[0] = fifth_power(state[0] + *constant);
        internal(&parameters.diagonal, state);
    }
    for constants in &parameters.last {
        full_round(constants, state);
    }
}

#[inline(always)]
fn fifth_power<M: Poseidon2Field>(x: Field<M>) -> Field<M> {
    x.square().square() * x
}

#[inline(always)]
fn full_round<M: Poseidon2Field, const T: usize>(
    constants: &[Field<M>],
    state: &mut [Field<M>; T],
) {
    for (element, constant) in state.iter_mut().zip(constants) {
        *element = fifth_power(*element + *constant);
    }
    external(state);
}

#[inline(always)]
fn sum<M: Poseidon2Field, const T: usize>(state: &[Field<M>; T]) -> Field<M> {
    // The S-box's output is added last: the others are known before.
    state[1..].iter().rev().fold(Field::ZERO, |sum, element| sum + *element) + state[0]
}

#[inline(always)]
fn internal<M: Poseidon2Field, const T: usize>(diagonal: &[Field<M>], state: &mut [Field<M>; T]) {
    let sum = sum(state);
    match T {
        2 | 3 => {
            state[T - 1] = state[T - 1].double();
            state.iter_mut().for_each(|element| *element += sum);
        }
        _ => {
            for (element, diagonal) in state.iter_mut().zip(diagonal) {
                *element = *element * *diagonal + sum;
            }
        }
    }
}

#[inline(always)]
fn external<M: Poseidon2Field, const T: usize>(state: &mut [Field<M>; T]) {
    if T < 4 {
        let sum = sum(state);
        state.iter_mut().for_each(|element| *element += sum);
        return;
    }
    let mut columns = [Field::ZERO; 4];
    for block in state.as_chunks_mut::<4>().0 {
        multiply_m4(block);
        for (column, element) in columns.iter_mut().zip(block) {
            *column += *element;
        }
    }
    if T > 4 {
        for block in state.as_chunks_mut::<4>().0 {
            for (element, column) in block.iter_mut().zip(columns) {
                *element += column;
            }
        }
    }
}

/// M4 in eight additions and four doublings (appendix B).
#[inline(always)]
fn multiply_m4<M: Poseidon2Field>(block: &mut [Field<M>; 4]) {
    let [a, b, c, d] = *block;
    let (low, high) = (a + b, c + d);
    let with_b = b.double() + high;
    let with_d = d.double() + low;
    let last = high.double().double() + with_d;
    let second = low.double().double() + with_b;
    *block = [with_d + second, second, with_b + last, last];
}
