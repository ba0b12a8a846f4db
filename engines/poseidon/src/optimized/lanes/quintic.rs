// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon's permutation with x⁵, as Filecoin and circom have it, eight states side by side, with
//! the partial rounds as a [`Recurrence`].
//!
//! The latest n = t−1 inputs and outputs of the partial rounds' S-boxes are stored in 2n slots,
//! where the newest value overwrites the oldest. The coefficients of each round are arranged
//! accordingly, so a row is one inner product of two arrays, reduced once.
//!
//! *Ranges*, in multiples of BLS12-381's r, of which 2²⁶⁰ holds 35; it holds 84 of BN254's. A
//! product of a and b is reduced to below a·b/35 + 1. An input x of an S-box is below 17 in the
//! first round, which makes the output below 2.7, and below 8 later, which makes the output below
//! 1.3. A row of a matrix over t ≤ 37 outputs, with its constant, is below 37·2.7/35 + 2 < 5. A row
//! of the recurrence plus the newest output is below n·(x + 1.3)/35 + 2 + 1.3, which keeps x below
//! 8 for n ≤ 16; for a larger n the input is multiplied by 1 once more, which leaves x/35 + 1.
//!
//! Groups of eight states are interleaved operation by operation, so that work on one group hides
//! the latency of the others.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use std::marker::PhantomData;
use std::ops::Range;

use halimede_arith::field::Bls12381Scalar;
use halimede_arith::lanes::element::{
    add_columns, add_product, factors, multiply, reduce, splat_factors, square, start, ProductSum,
};
use halimede_arith::lanes::{transfer, Columns, Factors, Kernel, LaneModulus, Lanes, LANES};
use halimede_arith::Field;

use super::{limbs, Limbs};
use crate::optimized::recurrence::{Recurrence, Row};
use crate::Matrix;

/// The number of interleaved groups of eight states.
const GROUPS: usize = 4;
/// The largest n for which the recurrence keeps its inputs small.
const SHORT_HISTORY: usize = 16;

/// The coefficients of an inner product, in the order of the factors, and the constant term.
#[derive(Clone, Debug)]
struct Sum {
    coefficients: Vec<Limbs>,
    constant: Limbs,
}

/// The tables of an instance for lanes. Constants are limbs of c·2²⁶⁰.
#[derive(Clone, Debug)]
pub(in crate::optimized) struct QuinticLanes<M = Bls12381Scalar> {
    width: usize,
    /// The constants before the first round.
    initial: Vec<Limbs>,
    /// The linear layers after the first full rounds, except the last of them.
    first: Vec<Vec<Sum>>,
    /// The first inputs of the recurrence, after the last of the first full rounds.
    entry: Vec<Sum>,
    /// The next input minus the newest output, after each partial round except the last.
    partial: Vec<Sum>,
    /// Element 0 after the last partial round; the newest output follows the slots.
    exit_first: Sum,
    /// The other elements after the last partial round.
    exit: Vec<Sum>,
    /// The linear layers after the last full rounds; the last one also converts from 2²⁶⁰ to 2²⁵⁶.
    last: Vec<Vec<Sum>>,
    modulus: PhantomData<M>,
}

impl<M: LaneModulus> QuinticLanes<M> {
    /// Returns `None` only for a recurrence without rounds.
    pub fn new(recurrence: &Recurrence<M>) -> Option<Self> {
        let n = recurrence.entry.len();
        let partial_rounds = recurrence.rounds.len() + 1;
        let mds = &recurrence.mds;
        let (initial, first) = recurrence.first_full.split_first()?;
        let mut entry: Vec<Sum> =
            recurrence.entry.iter().map(|row| Sum::new(row, &Field::ZERO)).collect();
        entry.last_mut()?.constant = limbs(&recurrence.entry_constant);
        let partial = recurrence.rounds.iter().enumerate().map(|(k, row)| arranged(row, n, k));
        let exit = recurrence.exit.iter().map(|row| arranged(row, n, partial_rounds));
        let mut last: Vec<Vec<Sum>> =
            recurrence.last_full.iter().map(|constants| rows(mds, constants)).collect();
        let sixteenth = Field::from(16).inverse()?;
        let out = Matrix::from_fn(n + 1, |i, j| mds.rows()[i][j] * sixteenth);
        last.push(rows(&out, &vec![Field::ZERO; n + 1]));
        Some(Self {
            width: n + 1,
            initial: initial.iter().map(limbs).collect(),
            first: first.iter().map(|constants| rows(mds, constants)).collect(),
            entry,
            partial: partial.collect(),
            exit_first: arranged(&recurrence.exit_first, n, partial_rounds - 1),
            exit: exit.collect(),
            last,
            modulus: PhantomData,
        })
    }
}

impl Sum {
    fn new<M: LaneModulus>(coefficients: &[Field<M>], constant: &Field<M>) -> Self {
        Self { coefficients: coefficients.iter().map(limbs).collect(), constant: limbs(constant) }
    }
}

/// The sums of a matrix with the constant term of each row.
fn rows<M: LaneModulus>(matrix: &Matrix<M>, constants: &[Field<M>]) -> Vec<Sum> {
    matrix.rows().iter().zip(constants).map(|(row, constant)| Sum::new(row, constant)).collect()
}

/// The slot of the input U with an index of at least 1−n, given the index plus n.
fn input_slot(index: usize, n: usize) -> usize {
    (index - 1) % n
}

/// The slot, after the inputs, of the output Y with an index of at least −1, given the index plus
/// n.
fn output_slot(index: usize, n: usize) -> usize {
    n + (index + 1) % n
}

/// Arranges by slots a row whose latest input is U of `latest` and whose latest output is the one
/// before. If the row has n+1 outputs, the last is the newest output, which follows the slots.
fn arranged<M: LaneModulus>(row: &Row<M>, n: usize, latest: usize) -> Sum {
    let outputs = row.outputs.len().min(n);
    let mut coefficients = vec![Field::ZERO; n + row.outputs.len()];
    for (place, coefficient) in row.inputs.iter().enumerate() {
        // The first is U of latest − n + 1.
        coefficients[input_slot(latest + 1 + place, n)] = *coefficient;
    }
    for (place, coefficient) in row.outputs[..outputs].iter().enumerate() {
        // The first is Y of latest − outputs.
        coefficients[output_slot(latest + place + n - outputs, n)] = *coefficient;
    }
    if let Some(newest) = row.outputs.get(n) {
        coefficients[2 * n] = *newest;
    }
    Sum::new(&coefficients, &row.constant)
}

/// An operation on states that are stored contiguously.
pub(in crate::optimized) enum Job<'a, M: LaneModulus = Bls12381Scalar> {
    /// Permutes the states in place.
    Permute(&'a mut [Field<M>]),
    /// Stores one element of each permuted state in the second slice.
    Digest(&'a [Field<M>], &'a mut [Field<M>], usize),
}

/// A [`Job`] as a kernel.
pub(in crate::optimized) struct Permutation<'a, M: LaneModulus = Bls12381Scalar> {
    pub tables: &'a QuinticLanes<M>,
    pub job: Job<'a, M>,
}

impl<M: LaneModulus> Kernel for Permutation<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let width = self.tables.width;
        let count = self.job.states().len() / width;
        let mut block = Block::<L, M>::new(self.tables);
        for start in (0..count).step_by(GROUPS * LANES) {
            let end = count.min(start + GROUPS * LANES);
            block.permute(&self.job.states()[start * width..end * width]);
            let indices = match self.job {
                Job::Permute(_) => 0..width,
                Job::Digest(_, _, index) => index..index + 1,
            };
            for place in (start..end).step_by(LANES) {
                for index in indices.clone() {
                    let elements = block.last_row((place - start) / LANES, index);
                    let lanes = place..end.min(place + LANES);
                    self.job.put(lanes, width, index, &elements);
                }
            }
        }
    }
}

impl<M: LaneModulus> Job<'_, M> {
    fn states(&self) -> &[Field<M>] {
        match self {
            Job::Permute(states) => states,
            Job::Digest(states, ..) => states,
        }
    }

    fn put(
        &mut self,
        places: Range<usize>,
        width: usize,
        index: usize,
        elements: &[Field<M>; LANES],
    ) {
        match self {
            Job::Permute(states) => {
                for (place, element) in places.zip(elements) {
                    states[place * width + index] = *element;
                }
            }
            Job::Digest(_, digests, _) => {
                let count = places.len();
                digests[places].copy_from_slice(&elements[..count]);
            }
        }
    }
}

/// Up to [`GROUPS`] groups of eight states.
struct Block<'a, L: Lanes, M> {
    tables: &'a QuinticLanes<M>,
    groups: usize,
    /// The inputs of the next S-boxes: t per group, of which a partial round uses the first.
    inputs: Vec<Factors<L>>,
    /// Squares and fourth powers, t per group.
    powers: Vec<Factors<L>>,
    /// The outputs of the S-boxes, t per group, as columns and below as factors.
    columns: Vec<Columns<L>>,
    outputs: Vec<Factors<L>>,
    /// 2t−1 per group: t−1 inputs, t−1 outputs and the newest output.
    slots: Vec<Factors<L>>,
}

impl<'a, L: Lanes, M: LaneModulus> Block<'a, L, M> {
    #[inline(always)]
    fn new(tables: &'a QuinticLanes<M>) -> Self {
        let columns = [L::splat(0); 5];
        let zero = factors(columns);
        let places = GROUPS * tables.width;
        Self {
            tables,
            groups: 0,
            inputs: vec![zero; places],
            powers: vec![zero; places],
            columns: vec![columns; places],
            outputs: vec![zero; places],
            slots: vec![zero; GROUPS * (2 * tables.width - 1)],
        }
    }

    /// Permutes, except for the last linear layer, which [`Self::last_row`] computes. Each
    /// operation has only one call for all rounds, because the call is inlined.
    #[inline(always)]
    fn permute(&mut self, states: &[Field<M>]) {
        let tables = self.tables;
        let (first, partial) = (tables.first.len() + 1, tables.partial.len() + 1);
        let rounds = first + partial + tables.last.len();
        self.load(states);
        for round in 0..rounds {
            let is_partial = (first..first + partial).contains(&round);
            self.sboxes(if is_partial { 1 } else { tables.width });
            if is_partial {
                self.recur(round - first);
            } else if round + 1 == first {
                self.enter();
            } else if round + 1 < first {
                self.mix(&tables.first[round]);
            } else if round + 1 < rounds {
                self.mix(&tables.last[round - first - partial]);
            }
        }
    }

    /// Loads the states and adds the first round's constants; surplus lanes repeat the last state.
    #[inline(always)]
    fn load(&mut self, states: &[Field<M>]) {
        let width = self.tables.width;
        let count = states.len() / width;
        self.groups = count.div_ceil(LANES);
        for group in 0..self.groups {
            for index in 0..width {
                let lane =
                    |lane: usize| &states[(group * LANES + lane).min(count - 1) * width + index];
                let mut columns = transfer::load::<L, M>([
                    lane(0),
                    lane(1),
                    lane(2),
                    lane(3),
                    lane(4),
                    lane(5),
                    lane(6),
                    lane(7),
                ]);
                add_columns(&mut columns, &self.tables.initial[index]);
                self.inputs[group * width + index] = factors(columns);
            }
        }
    }

    /// Computes the fifth powers of the first `count` elements of each group.
    #[inline(always)]
    fn sboxes(&mut self, count: usize) {
        let width = self.tables.width;
        for group in 0..self.groups {
            for place in group * width..group * width + count {
                let wide = square::<L, M>(&self.inputs[place]);
                self.powers[place] = factors(reduce::<L, M>(wide));
            }
        }
        for group in 0..self.groups {
            for place in group * width..group * width + count {
                let wide = square::<L, M>(&self.powers[place]);
                self.powers[place] = factors(reduce::<L, M>(wide));
            }
        }
        for group in 0..self.groups {
            for place in group * width..group * width + count {
                let mut wide = start::<L, M>(1);
                add_product(&mut wide, &self.powers[place], &self.inputs[place]);
                let output = reduce::<L, M>(wide);
                self.columns[place] = output;
                self.outputs[place] = factors(output);
            }
        }
    }

    /// Applies the linear layer of a full round and adds the next round's constants.
    #[inline(always)]
    fn mix(&mut self, rows: &[Sum]) {
        let width = self.tables.width;
        for group in 0..self.groups {
            let places = group * width..(group + 1) * width;
            for (index, row) in rows.iter().enumerate() {
                let mixed = inner_product::<L, M>(row, &self.outputs[places.clone()]);
                self.inputs[places.start + index] = factors(mixed);
            }
        }
    }

    /// Returns one row of the last linear layer as elements.
    #[inline(always)]
    fn last_row(&self, group: usize, index: usize) -> [Field<M>; LANES] {
        let width = self.tables.width;
        let Some(rows) = self.tables.last.last() else { return [Field::ZERO; LANES] };
        let outputs = &self.outputs[group * width..(group + 1) * width];
        transfer::store::<L, M>(inner_product::<L, M>(&rows[index], outputs))
    }

    /// Maps the outputs of the S-boxes before the partial rounds to the first input of the
    /// recurrence.
    #[inline(always)]
    fn enter(&mut self) {
        let (width, n) = (self.tables.width, self.tables.width - 1);
        for group in 0..self.groups {
            let outputs = &self.outputs[group * width..(group + 1) * width];
            let slots = &mut self.slots[group * (2 * n + 1)..][..2 * n + 1];
            for (slot, row) in self.tables.entry.iter().enumerate() {
                slots[slot] = factors(inner_product::<L, M>(row, outputs));
            }
            slots[n] = outputs[0];
            self.inputs[group * width] = slots[n - 1];
        }
    }

    /// Maps the output of a partial round's S-box to the next input or, after the last, to all
    /// elements.
    #[inline(always)]
    fn recur(&mut self, round: usize) {
        let tables = self.tables;
        let (width, n) = (tables.width, tables.width - 1);
        let next = tables.partial.get(round);
        for group in 0..self.groups {
            let slots = group * (2 * n + 1);
            self.slots[slots + 2 * n] = self.outputs[group * width];
            let row = next.unwrap_or(&tables.exit_first);
            let columns = inner_product::<L, M>(row, &self.slots[slots..]);
            self.next_input(group, round, columns, next.is_some());
            if next.is_none() {
                for (index, row) in tables.exit.iter().enumerate() {
                    let element = inner_product::<L, M>(row, &self.slots[slots..]);
                    self.inputs[group * width + 1 + index] = factors(element);
                }
            }
        }
    }

    /// Stores the next input and the output of the round in their slots; adds the newest output to
    /// the input if `add_output` is set.
    #[inline(always)]
    fn next_input(&mut self, group: usize, round: usize, row: Columns<L>, add_output: bool) {
        let (width, n) = (self.tables.width, self.tables.width - 1);
        let mut columns = row;
        if add_output {
            let output = &self.columns[group * width];
            for limb in 0..5 {
                columns[limb] = columns[limb].add(output[limb]);
            }
        }
        let mut input = factors(columns);
        if n > SHORT_HISTORY {
            let one = splat_factors::<L>(&limbs(&Field::<M>::ONE));
            input = factors(multiply::<L, M>(&input, &one));
        }
        let slots = &mut self.slots[group * (2 * n + 1)..];
        slots[input_slot(round + 1 + n, n)] = input;
        slots[output_slot(round + n, n)] = self.outputs[group * width];
        self.inputs[group * width] = input;
    }
}

/// Σ coefficient·factor + constant, over all coefficients; surplus factors are ignored.
#[inline(always)]
fn inner_product<L: Lanes, M: LaneModulus>(sum: &Sum, operands: &[Factors<L>]) -> Columns<L> {
    let mut products = ProductSum::new();
    for (coefficient, factor) in sum.coefficients.iter().zip(operands) {
        products.add_product(&splat_factors::<L>(coefficient), factor);
    }
    let mut wide = products.finish::<M>(sum.coefficients.len() as u64);
    add_columns(&mut wide[5..], &sum.constant);
    reduce::<L, M>(wide)
}
