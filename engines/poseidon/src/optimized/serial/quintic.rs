// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The permutation with x⁵ over any field, one state at a time, with the partial rounds as a
//! [`Recurrence`].

use halimede_arith::field::Modulus;
use halimede_arith::Field;

use crate::optimized::recurrence::{Recurrence, Row};

/// A permutation with room for the inputs and outputs of its partial rounds' S-boxes.
pub(in crate::optimized) struct QuinticPermutation<'a, M: Modulus> {
    recurrence: &'a Recurrence<M>,
    /// U₂₋ₜ, …
    inputs: Vec<Field<M>>,
    /// Y₋₁, …
    outputs: Vec<Field<M>>,
}

#[inline(always)]
fn fifth_power<M: Modulus>(x: Field<M>) -> Field<M> {
    x.square().square() * x
}

impl<'a, M: Modulus> QuinticPermutation<'a, M> {
    pub fn new(recurrence: &'a Recurrence<M>) -> Self {
        let values = recurrence.mds.size() + recurrence.rounds.len() + 2;
        let room = || Vec::with_capacity(values);
        Self { recurrence, inputs: room(), outputs: room() }
    }

    /// Returns one element of the permuted state. The state has the width of the instance.
    pub fn element(&mut self, state: &[Field<M>], index: usize) -> Field<M> {
        let powers = self.last_powers(state);
        Field::inner_product(&self.recurrence.mds.rows()[index], &powers)
    }

    /// Returns the S-boxes' outputs of the last round.
    fn last_powers(&mut self, state: &[Field<M>]) -> Vec<Field<M>> {
        let recurrence = self.recurrence;
        let mut state = state.to_vec();
        for (round, constants) in recurrence.first_full.iter().enumerate() {
            if round > 0 {
                state = recurrence.mds.multiply_vector(&state);
            }
            for (element, constant) in state.iter_mut().zip(constants) {
                *element = fifth_power(*element + *constant);
            }
        }
        self.inputs.clear();
        self.inputs.extend(recurrence.entry.iter().map(|row| Field::inner_product(row, &state)));
        if let Some(newest) = self.inputs.last_mut() {
            *newest += recurrence.entry_constant;
        }
        self.outputs.clear();
        self.outputs.push(state[0]);
        for row in &recurrence.rounds {
            let output = self.newest_output();
            self.inputs.push(self.combined(row) + output);
            self.outputs.push(output);
        }
        self.outputs.push(self.newest_output());
        self.inputs.push(self.combined(&recurrence.exit_first));
        state[0] = self.inputs[self.inputs.len() - 1];
        for (element, row) in state[1..].iter_mut().zip(&recurrence.exit) {
            *element = self.combined(row);
        }
        for constants in &recurrence.last_full {
            state.iter_mut().for_each(|element| *element = fifth_power(*element));
            state = recurrence.mds.multiply_vector(&state);
            state.iter_mut().zip(constants).for_each(|(element, constant)| *element += *constant);
        }
        state.iter_mut().for_each(|element| *element = fifth_power(*element));
        state
    }

    /// The output of the S-box whose input is the newest.
    fn newest_output(&self) -> Field<M> {
        self.inputs.last().map_or(Field::ZERO, |input| fifth_power(*input))
    }

    /// The row over the latest inputs and outputs.
    fn combined(&self, row: &Row<M>) -> Field<M> {
        let inputs = &self.inputs[self.inputs.len() - row.inputs.len()..];
        let outputs = &self.outputs[self.outputs.len() - row.outputs.len()..];
        Field::two_inner_products([&row.inputs, &row.outputs], [inputs, outputs]) + row.constant
    }
}
