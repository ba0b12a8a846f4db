// SPDX-License-Identifier: Apache-2.0 OR MIT
//! StarkWare's permutation, eight states side by side.
//!
//! The matrix is all ones except for its diagonal 1 + e. In a partial round, with y the cube of the
//! last element and s the sum of the others, xᵢ' = s + y + eᵢ·xᵢ, and the last element becomes s +
//! (1+e)·y: additions of columns. Only the last element is reduced each round, because it is cubed
//! next; the others are reduced when their columns might overflow ([`period`]).
//!
//! *Constants.* y + κ costs no addition if the columns of the product start from κ. So each round
//! constant c becomes the κ with (1+e)·κ = c minus the offset of s that the earlier κ have caused.
//! The offsets of the other elements are subtracted after the last partial round.
//!
//! A cube needs 80 + 40 additions of half products, 60 clocks at two per clock; groups of eight
//! states are interleaved cube by cube, so that work on one group hides the latency of the others.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use std::ops::Range;

use halimede_arith::field::{Modulus, StarkPrime};
use halimede_arith::lanes::element::{
    add_columns, add_product, carry, factors, folded, limbs_52, multiply, reduce, splat_factors,
    square, start,
};
use halimede_arith::lanes::{transfer, Columns, Factors, Kernel, Lanes, LANES};
use halimede_arith::Felt;

use super::{limbs, Limbs};
use crate::optimized::constants::RoundConstants;
use crate::parameters::stark_diagonal;
use crate::Parameters;

/// The number of interleaved groups of eight states.
const GROUPS: usize = 4;

/// The bound on the size of a column, in units of the largest half product.
const COLUMN_LIMIT: u64 = 1 << 10;
/// The half products in a column of a product and its reduction, plus the column of κ.
const PRODUCT_HALVES: u64 = 16;

/// The tables of the StarkWare instance of width `T` for lanes. Constants are limbs of c·2²⁶⁰.
#[derive(Clone, Debug)]
pub(in crate::optimized) struct StarkLanes<const T: usize> {
    /// The constants before the first round.
    initial: [Limbs; T],
    /// The constants after each of the first full rounds.
    first: Vec<[Limbs; T]>,
    /// The κ of each partial round.
    partial: Vec<Limbs>,
    /// The constants after the last partial round.
    exit: [Limbs; T],
    /// The constants after each of the last full rounds.
    last: Vec<[Limbs; T]>,
}

/// The diagonal e of the matrix minus the all-ones matrix.
const fn excess<const T: usize>() -> [i64; T] {
    let diagonal = stark_diagonal(T);
    let mut excess = [0; T];
    let mut index = 0;
    while index < T {
        excess[index] = diagonal[index] - 1;
        index += 1;
    }
    excess
}

/// The number of partial rounds after which the other elements must be reduced so that no column
/// reaches [`COLUMN_LIMIT`], computed from the largest possible columns.
const fn period<const T: usize>() -> usize {
    let excess = excess::<T>();
    let mut columns = [1; T];
    let mut rounds = 0;
    loop {
        let mut sum = 0;
        let mut index = 0;
        while index < T - 1 {
            sum += columns[index];
            index += 1;
        }
        let mut largest = sum + (1 + excess[T - 1]).unsigned_abs() * PRODUCT_HALVES;
        index = 0;
        while index < T - 1 {
            let multiple = excess[index].unsigned_abs() * columns[index];
            columns[index] = sum + PRODUCT_HALVES + multiple;
            if columns[index] > largest {
                largest = columns[index];
            }
            index += 1;
        }
        if largest >= COLUMN_LIMIT {
            return rounds;
        }
        rounds += 1;
    }
}

impl<const T: usize> StarkLanes<T> {
    const EXCESS: [i64; T] = excess::<T>();
    const PERIOD: usize = {
        assert!(period::<T>() > 0);
        period::<T>()
    };

    /// Returns `None` only for parameters that are not of width `T`.
    pub fn new(parameters: &Parameters<StarkPrime>) -> Option<Self> {
        let constants = RoundConstants::new(parameters);
        let in_lanes = |constants: &Vec<Felt>| -> Option<[Limbs; T]> {
            let limbs: Vec<Limbs> = constants.iter().map(limbs).collect();
            limbs.try_into().ok()
        };
        let (initial, first) = constants.first_full.split_first()?;
        let (entering, partial) = constants.partial.split_first()?;
        let (leaving, last) = constants.last_full.split_first()?;
        let mut entry = vec![Felt::ZERO; T];
        entry[T - 1] = *entering;
        let mut offsets = [Felt::ZERO; T];
        let following = partial.iter().chain(leaving.last());
        let partial = following.map(|constant| shift_constant(&mut offsets, *constant)).collect();
        let mut exit = leaving.clone();
        exit.iter_mut().zip(offsets).for_each(|(constant, offset)| *constant -= offset);
        exit[T - 1] = Felt::ZERO;
        let end = vec![Felt::ZERO; T];
        Some(Self {
            initial: in_lanes(initial)?,
            first: first.iter().chain([&entry]).map(in_lanes).collect::<Option<_>>()?,
            partial,
            exit: in_lanes(&exit)?,
            last: last.iter().chain([&end]).map(in_lanes).collect::<Option<_>>()?,
        })
    }
}

/// Returns the κ that adds `constant` to the last element, given the offsets of the others, and
/// updates these offsets.
fn shift_constant<const T: usize>(offsets: &mut [Felt; T], constant: Felt) -> Limbs {
    let excess = excess::<T>().map(small);
    let sum: Felt = offsets[..T - 1].iter().copied().sum();
    let factor = (Felt::ONE + excess[T - 1]).inverse().unwrap_or_default();
    let kappa = (constant - sum) * factor;
    for (offset, excess) in offsets[..T - 1].iter_mut().zip(excess) {
        *offset = sum + kappa + *offset * excess;
    }
    limbs(&kappa)
}

fn small(value: i64) -> Felt {
    let magnitude = Felt::from(value.unsigned_abs());
    if value < 0 {
        -magnitude
    } else {
        magnitude
    }
}

/// An operation on states of width `T`.
pub(in crate::optimized) enum Job<'a, const T: usize> {
    /// Permutes the states in place.
    Permute(&'a mut [[Felt; T]]),
    /// Stores the digest of each state, element 0 of the permuted state, in the second slice.
    Digest(&'a [[Felt; T]], &'a mut [Felt]),
}

/// A [`Job`] as a kernel.
pub(in crate::optimized) struct Permutation<'a, const T: usize> {
    pub tables: &'a StarkLanes<T>,
    pub job: Job<'a, T>,
}

impl<const T: usize> Kernel for Permutation<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let count = self.job.states().len();
        for start in (0..count).step_by(GROUPS * LANES) {
            let end = count.min(start + GROUPS * LANES);
            let block = Block::<L, T>::permuted(self.tables, &self.job.states()[start..end]);
            let indices = match self.job {
                Job::Permute(_) => 0..T,
                Job::Digest(..) => 0..1,
            };
            for place in (start..end).step_by(LANES) {
                for index in indices.clone() {
                    let elements = block.element((place - start) / LANES, index);
                    let lanes = place..end.min(place + LANES);
                    self.job.put(lanes, index, &elements);
                }
            }
        }
    }
}

impl<const T: usize> Job<'_, T> {
    fn states(&self) -> &[[Felt; T]] {
        match self {
            Job::Permute(states) => states,
            Job::Digest(states, _) => states,
        }
    }

    fn put(&mut self, places: Range<usize>, index: usize, elements: &[Felt; LANES]) {
        match self {
            Job::Permute(states) => {
                for (state, element) in states[places].iter_mut().zip(elements) {
                    state[index] = *element;
                }
            }
            Job::Digest(_, digests) => {
                let count = places.len();
                digests[places].copy_from_slice(&elements[..count]);
            }
        }
    }
}

/// Up to [`GROUPS`] groups of eight states.
struct Block<L: Lanes, const T: usize> {
    groups: usize,
    /// The elements as columns. In the partial rounds the last one is not kept here.
    states: [[Columns<L>; T]; GROUPS],
    /// The inputs of the next S-boxes, below 17·p.
    inputs: [[Factors<L>; T]; GROUPS],
    /// The squares of the inputs, below 2·p.
    squares: [[Factors<L>; T]; GROUPS],
}

impl<L: Lanes, const T: usize> Block<L, T> {
    #[inline(always)]
    fn permuted(tables: &StarkLanes<T>, states: &[[Felt; T]]) -> Self {
        let mut block = Self::load(tables, states);
        block.full_rounds(&tables.first);
        block.partial_rounds(&tables.partial, &tables.exit);
        block.full_rounds(&tables.last);
        block
    }

    /// Loads the states and adds the first round's constants; surplus lanes repeat the last state.
    #[inline(always)]
    fn load(tables: &StarkLanes<T>, states: &[[Felt; T]]) -> Self {
        let zero = L::splat(0);
        let mut block = Self {
            groups: states.len().div_ceil(LANES),
            states: [[[zero; 5]; T]; GROUPS],
            inputs: [[[zero.factor(); 5]; T]; GROUPS],
            squares: [[[zero.factor(); 5]; T]; GROUPS],
        };
        for group in 0..block.groups {
            for index in 0..T {
                let lane =
                    |lane: usize| &states[(group * LANES + lane).min(states.len() - 1)][index];
                let mut columns = transfer::load::<L, StarkPrime>([
                    lane(0),
                    lane(1),
                    lane(2),
                    lane(3),
                    lane(4),
                    lane(5),
                    lane(6),
                    lane(7),
                ]);
                add_columns(&mut columns, &tables.initial[index]);
                block.inputs[group][index] = factors(columns);
            }
        }
        block
    }

    /// Returns one element of each state of a group.
    #[inline(always)]
    fn element(&self, group: usize, index: usize) -> [Felt; LANES] {
        const OUT: Limbs = limbs_52(StarkPrime::R);
        let element = &self.inputs[group][index];
        transfer::store::<L, StarkPrime>(multiply::<L, StarkPrime>(
            element,
            &splat_factors::<L>(&OUT),
        ))
    }

    /// Computes full rounds: S-boxes, linear layer and the constants after it, for each set of
    /// constants.
    #[inline(always)]
    fn full_rounds(&mut self, constants: &[[Limbs; T]]) {
        for constants in constants {
            for group in 0..self.groups {
                for index in 0..T {
                    self.square(group, index);
                }
            }
            for group in 0..self.groups {
                for index in 0..T {
                    let cube = self.cube(group, index, &[0; 5]);
                    self.states[group][index] = cube;
                }
                self.mix(group, constants);
            }
        }
    }

    /// Applies the linear layer of a full round and adds the next round's constants; the elements
    /// are then in [0, 2.01·p).
    #[inline(always)]
    fn mix(&mut self, group: usize, constants: &[Limbs; T]) {
        let state = &mut self.states[group];
        for limb in 0..5 {
            let mut sum = state[0][limb];
            for element in &state[1..] {
                sum = sum.add(element[limb]);
            }
            for index in 0..T {
                let excess = StarkLanes::<T>::EXCESS[index];
                let mixed = add_multiple(sum, state[index][limb], excess);
                state[index][limb] = mixed.add(L::splat(constants[index][limb]));
            }
        }
        for (element, input) in state.iter_mut().zip(&mut self.inputs[group]) {
            *element = carry(folded(*element));
            *input = factors(*element);
        }
    }

    #[inline(always)]
    fn partial_rounds(&mut self, constants: &[Limbs], exit: &[Limbs; T]) {
        for constants in constants.chunks(StarkLanes::<T>::PERIOD) {
            for kappa in constants {
                for group in 0..self.groups {
                    self.square(group, T - 1);
                }
                for group in 0..self.groups {
                    let cube = self.cube(group, T - 1, kappa);
                    self.mix_partial(group, cube);
                }
            }
            for state in &mut self.states[..self.groups] {
                for element in &mut state[..T - 1] {
                    *element = carry(folded(*element));
                }
            }
        }
        for (state, inputs) in self.states.iter_mut().zip(&mut self.inputs) {
            for index in 0..T - 1 {
                add_columns(&mut state[index], &exit[index]);
                inputs[index] = factors(state[index]);
            }
        }
    }

    /// Applies the linear layer of a partial round: the last element is then in [0, 2.01·p), the
    /// others are unreduced.
    #[inline(always)]
    fn mix_partial(&mut self, group: usize, cube: Columns<L>) {
        let state = &mut self.states[group];
        let mut last = cube;
        for limb in 0..5 {
            let mut sum = state[0][limb];
            for element in &state[1..T - 1] {
                sum = sum.add(element[limb]);
            }
            let all = sum.add(cube[limb]);
            for index in 0..T - 1 {
                let excess = StarkLanes::<T>::EXCESS[index];
                state[index][limb] = add_multiple(all, state[index][limb], excess);
            }
            last[limb] = add_multiple(sum, cube[limb], StarkLanes::<T>::EXCESS[T - 1] + 1);
        }
        self.inputs[group][T - 1] = factors(folded(last));
    }

    /// Squares an element below 17·p: below (17²/512 + 1)·p.
    #[inline(always)]
    fn square(&mut self, group: usize, index: usize) {
        let wide = square::<L, StarkPrime>(&self.inputs[group][index]);
        self.squares[group][index] = factors(reduce::<L, StarkPrime>(wide));
    }

    /// Returns the columns of the element times its square, plus a constant: below 1.1·p + κ.
    #[inline(always)]
    fn cube(&self, group: usize, index: usize, kappa: &Limbs) -> Columns<L> {
        let mut wide = start::<L, StarkPrime>(1);
        add_columns(&mut wide[5..], kappa);
        add_product(&mut wide, &self.inputs[group][index], &self.squares[group][index]);
        reduce::<L, StarkPrime>(wide)
    }
}

/// sum + k·x for |k| ≤ 5.
#[inline(always)]
fn add_multiple<L: Lanes>(sum: L, x: L, k: i64) -> L {
    let multiple = match k.unsigned_abs() {
        0 => return sum,
        1 => x,
        2 => x.shift_left::<1>(),
        3 => x.shift_left::<1>().add(x),
        4 => x.shift_left::<2>(),
        _ => x.shift_left::<2>().add(x),
    };
    if k < 0 {
        sum.sub(multiple)
    } else {
        sum.add(multiple)
    }
}
