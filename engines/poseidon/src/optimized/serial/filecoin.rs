// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Filecoin's permutation with its partial rounds as a linear recurrence ([`Recurrence`]).
//!
//! The inner product of a partial round does not depend on its S-box, so the next S-box waits only
//! for one addition and its reduction. Ranges, in multiples of r: S-box inputs below 1.02, outputs
//! below 1.93, inner products below 64.

use halimede_arith::serial::limbs::Limbs;
use halimede_arith::serial::{fr, Arithmetic, Kernel};
use halimede_arith::{Field, Fr};

use crate::instance::MAX_WIDTH;
use crate::optimized::recurrence::{Recurrence, Row};

/// The most partial rounds of any instance, plus the entry's values before them.
const HISTORY: usize = 80 + MAX_WIDTH;

/// The tables of a Filecoin instance.
#[derive(Clone, Debug)]
pub(in crate::optimized) struct FilecoinPermutation {
    width: usize,
    first_full: Vec<Vec<Limbs>>,
    mds: Vec<Vec<Limbs>>,
    entry: Vec<Combination>,
    rounds: Vec<Combination>,
    exit_first: Combination,
    exit: Vec<Combination>,
    last_full: Vec<Vec<Limbs>>,
}

/// A [`Row`] in limbs.
#[derive(Clone, Debug)]
struct Combination {
    inputs: Vec<Limbs>,
    outputs: Vec<Limbs>,
    constant: Limbs,
}

/// Permutes a state in place.
pub(in crate::optimized) struct Permute<'a> {
    pub permutation: &'a FilecoinPermutation,
    pub state: &'a mut [Fr],
}

/// Element 1 of the permuted state.
pub(in crate::optimized) struct Digest<'a> {
    pub permutation: &'a FilecoinPermutation,
    pub state: &'a [Fr],
}

impl Kernel for Permute<'_> {
    type Output = ();

    #[inline(always)]
    fn compute<C: Arithmetic>(self) {
        let powers = self.permutation.last_powers::<C>(self.state);
        for (element, row) in self.state.iter_mut().zip(&self.permutation.mds) {
            *element = output_element::<C>(row, &powers);
        }
    }
}

impl Kernel for Digest<'_> {
    type Output = Fr;

    #[inline(always)]
    fn compute<C: Arithmetic>(self) -> Fr {
        let powers = self.permutation.last_powers::<C>(self.state);
        output_element::<C>(&self.permutation.mds[1], &powers)
    }
}

type Powers = [Limbs; MAX_WIDTH];

/// The values that the partial rounds have computed so far, oldest first.
struct History {
    /// U₂₋ₜ, …
    inputs: [Limbs; HISTORY],
    inputs_made: usize,
    /// Y₋₁, …
    outputs: [Limbs; HISTORY],
    outputs_made: usize,
}

impl FilecoinPermutation {
    /// Returns `None` for more partial rounds than any instance has.
    pub fn new(recurrence: &Recurrence) -> Option<Self> {
        let width = recurrence.entry.len() + 1;
        if recurrence.rounds.len() + 1 + width > HISTORY {
            return None;
        }
        let entry_row = |(index, row): (usize, &Vec<Fr>)| Combination {
            inputs: limbs(row),
            outputs: Vec::new(),
            constant: if index + 2 == width { recurrence.entry_constant } else { Fr::ZERO }
                .montgomery_limbs(),
        };
        Some(Self {
            width,
            first_full: recurrence.first_full.iter().map(|round| limbs(round)).collect(),
            mds: recurrence.mds.rows().iter().map(|row| limbs(row)).collect(),
            entry: recurrence.entry.iter().enumerate().map(entry_row).collect(),
            rounds: recurrence.rounds.iter().map(Combination::new).collect(),
            exit_first: Combination::new(&recurrence.exit_first),
            exit: recurrence.exit.iter().map(Combination::new).collect(),
            last_full: recurrence.last_full.iter().map(|round| limbs(round)).collect(),
        })
    }

    /// Returns the S-boxes' outputs of the last round.
    #[inline(always)]
    fn last_powers<C: Arithmetic>(&self, state: &[Fr]) -> Powers {
        let mut inputs: Powers = [[0; 4]; MAX_WIDTH];
        let mut powers: Powers = [[0; 4]; MAX_WIDTH];
        if let Some(constants) = self.first_full.first() {
            for ((input, element), constant) in inputs.iter_mut().zip(state).zip(constants) {
                let [x0, x1, x2, x3] = element.montgomery_limbs();
                *input = fr::fold::<C>(fr::add::<C>([x0, x1, x2, x3, 0], *constant));
            }
        }
        for constants in &self.first_full[1..] {
            self.sboxes::<C>(&inputs, &mut powers);
            self.mix::<C>(&powers, constants, &mut inputs);
        }
        self.sboxes::<C>(&inputs, &mut powers);
        self.partial_rounds::<C>(&powers, &mut inputs);
        for constants in &self.last_full {
            self.sboxes::<C>(&inputs, &mut powers);
            self.mix::<C>(&powers, constants, &mut inputs);
        }
        self.sboxes::<C>(&inputs, &mut powers);
        powers
    }

    #[inline(always)]
    fn sboxes<C: Arithmetic>(&self, inputs: &Powers, powers: &mut Powers) {
        for (power, input) in powers[..self.width].iter_mut().zip(inputs) {
            *power = C::fifth_power(*input);
        }
    }

    /// Computes the next full round's inputs.
    #[inline(always)]
    fn mix<C: Arithmetic>(&self, powers: &Powers, constants: &[Limbs], inputs: &mut Powers) {
        for ((input, row), constant) in inputs.iter_mut().zip(&self.mds).zip(constants) {
            *input = fr::fold::<C>(fr::inner_product::<C>(*constant, (powers, row), (&[], &[])));
        }
    }

    /// Maps the outputs of the full round before to the inputs of the full round after.
    #[inline(always)]
    fn partial_rounds<C: Arithmetic>(&self, powers: &Powers, next: &mut Powers) {
        let mut history = History::enter::<C>(&self.entry, powers);
        for row in &self.rounds {
            let output = C::fifth_power(history.newest_input());
            let known = history.combine::<C>(row);
            history.push_output(output);
            history.push_input(fr::fold::<C>(fr::add::<C>(known, output)));
        }
        history.push_output(C::fifth_power(history.newest_input()));
        history.push_input(fr::fold::<C>(history.combine::<C>(&self.exit_first)));
        next[0] = history.newest_input();
        for (input, row) in next[1..].iter_mut().zip(&self.exit) {
            *input = fr::fold::<C>(history.combine::<C>(row));
        }
    }
}

impl History {
    #[inline(always)]
    fn enter<C: Arithmetic>(entry: &[Combination], powers: &Powers) -> Self {
        let mut history = Self {
            inputs: [[0; 4]; HISTORY],
            inputs_made: 0,
            outputs: [[0; 4]; HISTORY],
            outputs_made: 0,
        };
        history.push_output(powers[0]);
        for row in entry {
            let sum = fr::inner_product::<C>(row.constant, (powers, &row.inputs), (&[], &[]));
            history.push_input(fr::fold::<C>(sum));
        }
        history
    }

    #[inline(always)]
    fn push_input(&mut self, input: Limbs) {
        self.inputs[self.inputs_made] = input;
        self.inputs_made += 1;
    }

    #[inline(always)]
    fn push_output(&mut self, output: Limbs) {
        self.outputs[self.outputs_made] = output;
        self.outputs_made += 1;
    }

    #[inline(always)]
    fn newest_input(&self) -> Limbs {
        self.inputs[self.inputs_made - 1]
    }

    /// A row's inner product with the newest values.
    #[inline(always)]
    fn combine<C: Arithmetic>(&self, row: &Combination) -> fr::Sum {
        let inputs = &self.inputs[self.inputs_made - row.inputs.len()..self.inputs_made];
        let outputs = &self.outputs[self.outputs_made - row.outputs.len()..self.outputs_made];
        fr::inner_product::<C>(row.constant, (inputs, &row.inputs), (outputs, &row.outputs))
    }
}

impl Combination {
    fn new(row: &Row) -> Self {
        Self {
            inputs: limbs(&row.inputs),
            outputs: limbs(&row.outputs),
            constant: row.constant.montgomery_limbs(),
        }
    }
}

fn limbs(elements: &[Fr]) -> Vec<Limbs> {
    elements.iter().map(Field::montgomery_limbs).collect()
}

#[inline(always)]
fn output_element<C: Arithmetic>(row: &[Limbs], powers: &Powers) -> Fr {
    let sum = fr::inner_product::<C>([0; 4], (powers, row), (&[], &[]));
    fr::canonical::<C>(fr::fold::<C>(sum))
}
