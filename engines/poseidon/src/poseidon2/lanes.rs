// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon2's permutation, eight states side by side.
//!
//! *Ranges*, in multiples of p, of which 2²⁶⁰ holds at least 35. A product of a and b is reduced to
//! below a·b/35 + 1. [`reduce_below`] leaves less than 1.1 and costs a tenth of a product.
//!
//! - An input x of an S-box is below 21 if p is below 2²⁵⁴ + 2¹⁹² (2²⁶⁰ then holds 63), and below
//!   8 otherwise. Its output is then below 1.6. After the last partial round, x is below 26 for the
//!   smaller primes, and the output below 2.2.
//! - Widths 2 and 3: the external matrix leaves x below 4·1.6 + 1. The elements of the partial
//!   rounds that pass no S-box are only added, so they grow: they are reduced every second round
//!   for the smaller primes, with x below 15, otherwise every round,
//!   with x below 2·1.6 + 2·1.1 + 1.
//! - From width 4, each element is reduced after the external matrix, whose rows have a sum of 48.
//!   In a partial round the sum of all elements is reduced and added to the products with the
//!   diagonal before their reduction, which leaves less than 1.1 + 1 + 2.2/35.
//!
//! Groups of eight states are interleaved, so that work on one group hides the latency of the
//! others.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::field::Modulus;
use halimede_arith::lanes::element::{
    add_columns, add_product, carry, factors, multiply, reduce, splat_factors, square, start, LIMBS,
};
use halimede_arith::lanes::quotient::reduce_below;
use halimede_arith::lanes::{transfer, Columns, Factors, Kernel, LaneModulus, Lanes, LANES};
use halimede_arith::Field;

use super::field::Poseidon2Field;
use super::Parameters;
use crate::optimized::lanes::{limbs, Limbs};

/// The largest number of interleaved groups of eight states.
const GROUPS: usize = 4;

/// Returns the number of interleaved groups, whose elements must fit into the first-level cache.
const fn groups(width: usize) -> usize {
    match width {
        ..=4 => GROUPS,
        5..=8 => 2,
        _ => 1,
    }
}

/// The constants of an instance as limbs of c·2²⁶⁰.
#[derive(Debug)]
pub(super) struct Tables<const T: usize> {
    first: Vec<[Limbs; T]>,
    partial: Vec<Limbs>,
    last: Vec<[Limbs; T]>,
    diagonal: [Limbs; T],
    /// The factor that converts from x·2²⁶⁰ to x·2²⁵⁶: the limbs of 2²⁵⁶.
    out: Limbs,
}

impl<const T: usize> Tables<T> {
    /// Returns `None` for parameters of another width.
    pub fn new<M: Poseidon2Field>(parameters: &Parameters<M>) -> Option<Self> {
        let row = |row: &Vec<Field<M>>| -> Option<[Limbs; T]> {
            let limbs: Vec<Limbs> = row.iter().map(limbs).collect();
            limbs.try_into().ok()
        };
        let rows = |rows: &[Vec<Field<M>>]| rows.iter().map(row).collect::<Option<_>>();
        Some(Self {
            first: rows(&parameters.first)?,
            partial: parameters.partial.iter().map(limbs).collect(),
            last: rows(&parameters.last)?,
            diagonal: row(&parameters.diagonal)?,
            out: limbs(&Field::<M>::from(16).inverse()?),
        })
    }
}

/// The permutation of states in place, as a kernel.
pub(super) struct Permutation<'a, M: Modulus, const T: usize> {
    pub tables: &'a Tables<T>,
    pub states: &'a mut [[Field<M>; T]],
}

impl<M: LaneModulus, const T: usize> Kernel for Permutation<'_, M, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let mut block = Block::<L, M, T>::new(self.tables);
        for states in self.states.chunks_mut(groups(T) * LANES) {
            block.load(states);
            block.permute();
            block.store(states);
        }
    }
}

/// Up to [`groups`] groups of eight states.
struct Block<'a, L: Lanes, M, const T: usize> {
    tables: &'a Tables<T>,
    groups: usize,
    state: [[Columns<L>; T]; GROUPS],
    /// The inputs of the S-boxes, and their squares or fourth powers.
    inputs: [[Factors<L>; T]; GROUPS],
    powers: [[Factors<L>; T]; GROUPS],
    modulus: std::marker::PhantomData<M>,
}

impl<'a, L: Lanes, M: LaneModulus, const T: usize> Block<'a, L, M, T> {
    /// The partial rounds between two reductions of the elements without S-box, for widths 2 and 3.
    const PERIOD: usize = if M::VALUE[3] <= 1 << 62 { 2 } else { 1 };

    #[inline(always)]
    fn new(tables: &'a Tables<T>) -> Self {
        let columns = [L::splat(0); LIMBS];
        let zero = factors(columns);
        Self {
            tables,
            groups: 0,
            state: [[columns; T]; GROUPS],
            inputs: [[zero; T]; GROUPS],
            powers: [[zero; T]; GROUPS],
            modulus: std::marker::PhantomData,
        }
    }

    /// Loads the states; surplus lanes repeat the last state.
    #[inline(always)]
    fn load(&mut self, states: &[[Field<M>; T]]) {
        self.groups = states.len().div_ceil(LANES);
        for group in 0..self.groups {
            for index in 0..T {
                let lane =
                    |lane: usize| &states[(group * LANES + lane).min(states.len() - 1)][index];
                let columns = transfer::load::<L, M>([
                    lane(0),
                    lane(1),
                    lane(2),
                    lane(3),
                    lane(4),
                    lane(5),
                    lane(6),
                    lane(7),
                ]);
                self.state[group][index] = carry(reduce_below::<L, M>(columns));
            }
        }
    }

    #[inline(always)]
    fn store(&self, states: &mut [[Field<M>; T]]) {
        let out = splat_factors::<L>(&self.tables.out);
        for (group, states) in states.chunks_mut(LANES).enumerate() {
            for index in 0..T {
                let element = multiply::<L, M>(&factors(self.state[group][index]), &out);
                let elements = transfer::store::<L, M>(element);
                for (state, element) in states.iter_mut().zip(elements) {
                    state[index] = element;
                }
            }
        }
    }

    /// Each operation has only one call for all rounds, because the call is inlined.
    #[inline(always)]
    fn permute(&mut self) {
        let tables = self.tables;
        let (first, partial) = (tables.first.len(), tables.partial.len());
        let rounds = first + partial + tables.last.len();
        for round in 0..=rounds {
            let after_first = round.wrapping_sub(first + 1);
            if round > 0 && after_first < partial {
                self.internal(after_first);
            } else {
                self.external();
            }
            if round == rounds {
                break;
            }
            let place = round.wrapping_sub(first);
            if place < partial {
                self.add(1, std::slice::from_ref(&tables.partial[place]));
                self.sboxes(1);
            } else if round < first {
                self.add(T, &tables.first[round]);
                self.sboxes(T);
            } else {
                self.add(T, &tables.last[place - partial]);
                self.sboxes(T);
            }
        }
    }

    /// Adds the constants of a round to the first `count` elements of each group.
    #[inline(always)]
    fn add(&mut self, count: usize, constants: &[Limbs]) {
        for group in 0..self.groups {
            for index in 0..count {
                add_columns(&mut self.state[group][index], &constants[index]);
            }
        }
    }

    /// Computes the fifth powers of the first `count` elements of each group.
    #[inline(always)]
    fn sboxes(&mut self, count: usize) {
        for group in 0..self.groups {
            for index in 0..count {
                let input = factors(self.state[group][index]);
                self.inputs[group][index] = input;
                self.powers[group][index] = factors(reduce::<L, M>(square::<L, M>(&input)));
            }
        }
        for group in 0..self.groups {
            for index in 0..count {
                let wide = square::<L, M>(&self.powers[group][index]);
                self.powers[group][index] = factors(reduce::<L, M>(wide));
            }
        }
        for group in 0..self.groups {
            for index in 0..count {
                let (power, input) = (&self.powers[group][index], &self.inputs[group][index]);
                self.state[group][index] = carry(multiply::<L, M>(power, input));
            }
        }
    }

    #[inline(always)]
    fn external(&mut self) {
        for group in 0..self.groups {
            let state = &mut self.state[group];
            if T < 4 {
                let sum = sum_of(state);
                for index in 0..T {
                    state[index] = sum_of_two(&state[index], &sum);
                }
                continue;
            }
            let mut columns = [[L::splat(0); LIMBS]; 4];
            for block in 0..T / 4 {
                multiply_m4(&mut state[4 * block..]);
                for place in 0..4 {
                    columns[place] = sum_of_two(&columns[place], &state[4 * block + place]);
                }
            }
            for index in 0..T {
                if T > 4 {
                    state[index] = sum_of_two(&state[index], &columns[index % 4]);
                }
                state[index] = reduce_below::<L, M>(state[index]);
            }
        }
    }

    /// Applies the internal matrix after a partial round.
    #[inline(always)]
    fn internal(&mut self, round: usize) {
        for group in 0..self.groups {
            let state = &mut self.state[group];
            if T < 4 {
                if round.is_multiple_of(Self::PERIOD) {
                    for index in 1..T {
                        state[index] = carry(reduce_below::<L, M>(state[index]));
                    }
                }
                let sum = sum_of(state);
                state[T - 1] = sum_of_two(&state[T - 1], &state[T - 1]);
                for index in 0..T {
                    state[index] = sum_of_two(&state[index], &sum);
                }
                continue;
            }
            let sum = reduce_below::<L, M>(sum_of(state));
            for index in 0..T {
                let mut wide = start::<L, M>(1);
                let diagonal = splat_factors::<L>(&self.tables.diagonal[index]);
                add_product(&mut wide, &diagonal, &factors(state[index]));
                for limb in 0..LIMBS {
                    wide[LIMBS + limb] = wide[LIMBS + limb].add(sum[limb]);
                }
                state[index] = carry(reduce::<L, M>(wide));
            }
        }
    }
}

#[inline(always)]
fn sum_of_two<L: Lanes>(a: &Columns<L>, b: &Columns<L>) -> Columns<L> {
    let mut sum = *a;
    for limb in 0..LIMBS {
        sum[limb] = sum[limb].add(b[limb]);
    }
    sum
}

#[inline(always)]
fn sum_of<L: Lanes, const T: usize>(state: &[Columns<L>; T]) -> Columns<L> {
    let mut sum = state[T - 1];
    for index in (0..T - 1).rev() {
        sum = sum_of_two(&sum, &state[index]);
    }
    sum
}

/// a + 2^BITS·b.
#[inline(always)]
fn with_multiple<L: Lanes, const BITS: u32>(a: &Columns<L>, b: &Columns<L>) -> Columns<L> {
    let mut sum = *a;
    for limb in 0..LIMBS {
        sum[limb] = sum[limb].add(b[limb].shift_left::<BITS>());
    }
    sum
}

/// M4 of the first four elements, by additions (appendix B). Each row has a sum of 16.
#[inline(always)]
fn multiply_m4<L: Lanes>(block: &mut [Columns<L>]) {
    let low = sum_of_two(&block[0], &block[1]);
    let high = sum_of_two(&block[2], &block[3]);
    let with_b = with_multiple::<L, 1>(&high, &block[1]);
    let with_d = with_multiple::<L, 1>(&low, &block[3]);
    let last = with_multiple::<L, 2>(&with_d, &high);
    let second = with_multiple::<L, 2>(&with_b, &low);
    block[0] = sum_of_two(&with_d, &second);
    block[1] = second;
    block[2] = sum_of_two(&with_b, &last);
    block[3] = last;
}
