// SPDX-License-Identifier: Apache-2.0 OR MIT
//! StarkWare's permutation of one state: full rounds with one element per lane, partial rounds on
//! the ordinary multiplier ([`StarkPermutation`]).
//!
//! The cubes of a full round are independent, but one has more instructions than the scheduler of
//! an Intel processor holds, so that they hardly overlap. In lanes they are computed at once. The
//! matrix is all ones plus the diagonal e: the sum of all lanes is rotated into each lane, and the
//! multiple by e is a sum of shifted and masked elements, one for each bit of e.
//!
//! *Forms.* Lanes hold x·2²⁶⁰, partial rounds x·2²⁵⁶. *Ranges*: a full round's inputs are below
//! 3.1·p, its cubes below 1.1·p, in columns of at most 16 half products; the mixed columns have at
//! most 2·8·16 + 15·16 of them, below 2⁶².

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::field::StarkPrime;
use halimede_arith::lanes::element::{
    carry, factors, folded, multiply, reduce, square, Columns, LIMBS,
};
use halimede_arith::lanes::{transfer, Kernel, Lanes, LANES};
use halimede_arith::serial::limbs::{add, Limbs as Words};
use halimede_arith::serial::{felt, Arithmetic};
use halimede_arith::Felt;

use super::{limbs, pack, Packed};
use crate::optimized::constants::RoundConstants;
use crate::optimized::serial::stark::StarkPermutation;
use crate::parameters::stark_diagonal;
use crate::Parameters;

/// The constants before each full round, in groups of eight elements.
#[derive(Clone, Debug)]
pub(in crate::optimized) struct FullRounds {
    first: Vec<Vec<Packed>>,
    last: Vec<Vec<Packed>>,
}

impl FullRounds {
    /// Constants of an instance of StarkWare.
    pub fn new(parameters: &Parameters<StarkPrime>) -> Self {
        let constants = RoundConstants::new(parameters);
        let mut last = constants.last_full;
        if let (Some(first), false) = (last.first_mut(), constants.partial.is_empty()) {
            // The partial rounds have added the constant of the last element.
            if let Some(element) = first.last_mut() {
                *element = Felt::ZERO;
            }
        }
        let packed =
            |rounds: Vec<Vec<Felt>>| rounds.iter().map(|round| pack(round, limbs)).collect();
        Self { first: packed(constants.first_full), last: packed(last) }
    }
}

/// A permutation of one state in place.
pub(in crate::optimized) struct Permutation<'a, const T: usize> {
    pub full: &'a FullRounds,
    pub partial: &'a StarkPermutation<T>,
    pub state: &'a mut [Felt; T],
}

impl<const T: usize> Kernel for Permutation<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let words = self.state.map(|element| element.montgomery_limbs());
        let permuted = if T <= LANES {
            permute::<L, T, 1>(self.full, self.partial, words)
        } else {
            permute::<L, T, 2>(self.full, self.partial, words)
        };
        for (element, words) in self.state.iter_mut().zip(permuted) {
            *element = felt::canonical::<L::Serial>(words);
        }
    }
}

#[inline(always)]
fn permute<L: Lanes, const T: usize, const GROUPS: usize>(
    full: &FullRounds,
    partial: &StarkPermutation<T>,
    state: [Words; T],
) -> [Words; T] {
    let mut words = state;
    for half in 0..2 {
        // Both halves share one call, because the inlined code is large.
        let rounds = if half == 0 { &full.first } else { &full.last };
        let mut groups = load::<L, T, GROUPS>(&words);
        for constants in rounds {
            groups = full_round::<L, T, GROUPS>(groups, constants);
        }
        words = store::<L, T, GROUPS>(groups);
        if half == 0 {
            for element in &mut words {
                *element = partial_input::<L::Serial>(*element);
            }
            words = partial.partial_rounds::<L::Serial>(words);
        }
    }
    words
}

/// Returns the same residue between p and 2·p, as the partial rounds expect it.
#[inline(always)]
fn partial_input<C: Arithmetic>(element: Words) -> Words {
    felt::fold::<C>(add::<C>(element, felt::multiple_of_modulus(1)))
}

/// Loads x·2²⁵⁶ below 2·p as x·2²⁶⁰ below 2.1·p.
#[inline(always)]
fn load<L: Lanes, const T: usize, const GROUPS: usize>(state: &[Words; T]) -> [Columns<L>; GROUPS] {
    let mut groups = [[L::splat(0); LIMBS]; GROUPS];
    for group in 0..GROUPS {
        let mut words = [[0; LANES]; 4];
        for lane in 0..LANES.min(T - group * LANES) {
            for word in 0..4 {
                words[word][lane] = state[group * LANES + lane][word];
            }
        }
        let words = [0, 1, 2, 3].map(|word| words[word]);
        let sixteenfold = transfer::sixteenfold::<L>([
            L::load(&words[0]),
            L::load(&words[1]),
            L::load(&words[2]),
            L::load(&words[3]),
        ]);
        groups[group] = carry(folded(sixteenfold));
    }
    groups
}

/// Stores x·2²⁶⁰ below 2.1·p as x·2²⁵⁶ below 1.1·p: (X + q·p)/16 for q = −X mod 16, since p is 1
/// modulo 16.
#[inline(always)]
fn store<L: Lanes, const T: usize, const GROUPS: usize>(
    groups: [Columns<L>; GROUPS],
) -> [Words; T] {
    let mut state = [[0; 4]; T];
    for group in 0..GROUPS {
        let [c0, c1, c2, c3, c4] = groups[group];
        let quotient = L::splat(0).sub(c0).and(L::splat(15));
        let by_17 = quotient.shift_left::<4>().add(quotient);
        let [l0, l1, l2, l3, l4] = carry([
            c0.add(quotient),
            c1,
            c2,
            c3.add(by_17.shift_left::<36>()),
            c4.add(quotient.shift_left::<43>()),
        ]);
        let words = [
            l0.shift_right::<4>().add(l1.shift_left::<48>()).store(),
            l1.shift_right::<16>().add(l2.shift_left::<36>()).store(),
            l2.shift_right::<28>().add(l3.shift_left::<24>()).store(),
            l3.shift_right::<40>().add(l4.shift_left::<12>()).store(),
        ];
        for lane in 0..LANES.min(T - group * LANES) {
            for word in 0..4 {
                state[group * LANES + lane][word] = words[word][lane];
            }
        }
    }
    state
}

/// Adds the constants to elements below 2.1·p, cubes them and applies the linear layer; lanes
/// without an element hold a multiple of p before and zero after.
#[inline(always)]
fn full_round<L: Lanes, const T: usize, const GROUPS: usize>(
    groups: [Columns<L>; GROUPS],
    constants: &[Packed],
) -> [Columns<L>; GROUPS] {
    let mut inputs = [factors(groups[0]); GROUPS];
    for group in 0..GROUPS {
        let mut columns = groups[group];
        for limb in 0..LIMBS {
            columns[limb] = columns[limb].add(L::load(&constants[group][limb]));
        }
        inputs[group] = factors(columns);
    }
    let mut squares = inputs;
    for group in 0..GROUPS {
        squares[group] = factors(reduce::<L, StarkPrime>(square::<L, StarkPrime>(&inputs[group])));
    }
    let mut cubes = groups;
    for group in 0..GROUPS {
        cubes[group] = multiply::<L, StarkPrime>(&inputs[group], &squares[group]);
    }
    let mut mixed = groups;
    for limb in 0..LIMBS {
        let mut sum = cubes[0][limb];
        for group in 1..GROUPS {
            sum = sum.add(cubes[group][limb]);
        }
        sum = sum.add(sum.permuted::<0x4567_0123>());
        sum = sum.add(sum.permuted::<0x2345_6701>());
        sum = sum.add(sum.permuted::<0x1234_5670>());
        for group in 0..GROUPS {
            let multiple = excess_multiple::<L, T>(cubes[group][limb], group);
            let lanes = L::load(&const { masks::<T>() }[group].elements);
            mixed[group][limb] = sum.and(lanes).add(multiple);
        }
    }
    for group in 0..GROUPS {
        mixed[group] = carry(folded(mixed[group]));
    }
    mixed
}

/// All bits set in some lanes of a group.
#[derive(Clone, Copy)]
struct Masks {
    /// The lanes with an element.
    elements: [u64; LANES],
    /// For each bit of the excess e in two's complement, the lanes in which it is set.
    bits: [[u64; LANES]; 4],
}

/// The masks of both groups.
const fn masks<const T: usize>() -> [Masks; 2] {
    let mut masks = [Masks { elements: [0; LANES], bits: [[0; LANES]; 4] }; 2];
    let mut index = 0;
    while index < T {
        let (group, lane) = (index / LANES, index % LANES);
        let excess = stark_diagonal(T)[index] - 1;
        assert!(-8 <= excess && excess < 8);
        masks[group].elements[lane] = u64::MAX;
        let mut bit = 0;
        while bit < 4 {
            if excess >> bit & 1 == 1 {
                masks[group].bits[bit][lane] = u64::MAX;
            }
            bit += 1;
        }
        index += 1;
    }
    masks
}

/// e·x in the lanes with an element, otherwise zero.
#[inline(always)]
fn excess_multiple<L: Lanes, const T: usize>(x: L, group: usize) -> L {
    let bits = &const { masks::<T>() }[group].bits;
    let one = x.and(L::load(&bits[0]));
    let two = x.shift_left::<1>().and(L::load(&bits[1]));
    let four = x.shift_left::<2>().and(L::load(&bits[2]));
    let eight = x.shift_left::<3>().and(L::load(&bits[3]));
    one.add(two).add(four).sub(eight)
}
