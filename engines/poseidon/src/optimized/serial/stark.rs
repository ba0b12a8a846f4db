// SPDX-License-Identifier: Apache-2.0 OR MIT
//! StarkWare's permutation with a linear layer of additions.
//!
//! The matrix is all ones except for the diagonal d. In a partial round let y be the last element's
//! cube, S the sum of the others and t = S + y; with eᵢ = dᵢ − 1 the round is
//!
//! ```text
//! xᵢ' = t + eᵢ·xᵢ        last' = S + d·y
//! ```
//!
//! All eᵢ except two come in pairs ±e. For u = x₊ + x₋ and v = x₊ − x₋, the round is u' = 2t + e·v,
//! v' = e·u, so the sum of such a pair does not depend on other elements: u'' = 2t' + e²·u
//! ([`Pair`]). The next S-box waits for y and the addition of d·y; the sums, their reduction
//! ([`felt::fold`]) and the round constant are computed in parallel with the cube.
//!
//! Ranges, in multiples of p ≈ 2²⁵⁶/32: folded values are below 2, a full round's cubes below 2.3,
//! a partial round's S-box input below 10, its cube below 4.

use halimede_arith::field::StarkPrime;
use halimede_arith::serial::limbs::{add, double, sub, Limbs};
use halimede_arith::serial::{felt, Arithmetic, Kernel, Portable};
use halimede_arith::{Felt, Field};

use crate::optimized::constants::RoundConstants;
use crate::parameters::stark_diagonal;
use crate::Parameters;

const P: Limbs = felt::multiple_of_modulus(1);
const FOUR_P: Limbs = felt::multiple_of_modulus(4);
const EIGHT_P: Limbs = felt::multiple_of_modulus(8);
const ELEVEN_P: Limbs = felt::multiple_of_modulus(11);

/// Repeats an expression with a constant index. The compiler keeps longer bodies as loops, and then
/// chooses among the multiples of each index while the program runs.
macro_rules! unrolled {
    ($index:ident in $($value:literal)+ => $body:expr) => {
        $({
            const $index: usize = $value;
            $body;
        })+
    };
}

/// The tables of the StarkWare instance of width `T`.
#[derive(Clone, Debug)]
pub(in crate::optimized) struct StarkPermutation<const T: usize> {
    first_full: Vec<[Limbs; T]>,
    /// The first partial round's constant.
    entry: Limbs,
    /// For each partial round, the term of its last element besides S − |d|·y: the constant of the
    /// next round, plus a multiple of p that keeps the sum positive.
    partial: Vec<Limbs>,
    last_full: Vec<[Limbs; T]>,
}

/// Permutes a state in place.
pub(in crate::optimized) struct Permute<'a, const T: usize> {
    pub permutation: &'a StarkPermutation<T>,
    pub state: &'a mut [Felt; T],
}

impl<const T: usize> Kernel for Permute<'_, T> {
    type Output = ();

    #[inline(always)]
    fn compute<C: Arithmetic>(self) {
        let permuted = self.permutation.permute::<C>(self.state);
        for (element, limbs) in self.state.iter_mut().zip(permuted) {
            *element = felt::canonical::<C>(limbs);
        }
    }
}

impl<const T: usize> StarkPermutation<T> {
    pub fn new(parameters: &Parameters<StarkPrime>) -> Self {
        let constants = RoundConstants::new(parameters);
        let limbs = |rounds: Vec<Vec<Felt>>| rounds.iter().map(|round| to_limbs(round)).collect();
        let mut last_full: Vec<[Limbs; T]> = limbs(constants.last_full);
        let mut entry = [0; 4];
        let mut partial: Vec<Limbs> =
            constants.partial.iter().map(Field::montgomery_limbs).collect();
        if let (Some(first), false) = (last_full.first_mut(), partial.is_empty()) {
            // The constant of the last element is added one round earlier than the others.
            let next = std::mem::take(&mut first[T - 1]);
            partial.push(next);
            entry = partial.remove(0);
        }
        let positive = felt::multiple_of_modulus(corner::<T>() * cube_bound::<T>() + 1);
        let partial = partial.iter().map(|c| add::<Portable>(*c, positive)).collect();
        Self { first_full: limbs(constants.first_full), entry, partial, last_full }
    }

    /// Returns the permuted state, below 2·p.
    #[inline(always)]
    fn permute<C: Arithmetic>(&self, state: &[Felt; T]) -> [Limbs; T] {
        let mut state = state.map(|element| element.montgomery_limbs());
        for constants in &self.first_full {
            state = full_round::<C, T>(&state, constants);
        }
        state = self.partial_rounds::<C>(state);
        for constants in &self.last_full {
            state = full_round::<C, T>(&state, constants);
        }
        state
    }

    /// Computes all partial rounds; elements are below 2·p before and after.
    #[inline(always)]
    pub fn partial_rounds<C: Arithmetic>(&self, mut state: [Limbs; T]) -> [Limbs; T] {
        let mut others = Others::enter::<C>(&state);
        let mut input = add::<C>(state[T - 1], self.entry);
        let mut previous = None;
        for constant in &self.partial {
            let cube = C::cube(input);
            let cube = if T == 9 { felt::fold::<C>(cube) } else { cube };
            // In this order the processor computes the sum while the next instructions of the cube
            // wait for each other.
            if let Some(previous) = previous {
                others.advance::<C>(previous);
            }
            // The input is below 2 + 1 + 9 minus |d|·cube > |d|, and at least p.
            let known = add::<C>(others.sum, *constant);
            input = sub::<C>(known, times::<C>(cube, corner::<T>()));
            previous = Some(cube);
        }
        if let Some(previous) = previous {
            others.advance::<C>(previous);
        }
        others.leave::<C>(&mut state);
        state[T - 1] = felt::fold::<C>(input);
        state
    }
}

/// The elements except the last in the partial rounds.
#[derive(Clone, Copy)]
struct Others<const T: usize> {
    /// The pairs with e = 1, 2 and 4, if the width has them.
    pairs: [Pair; 3],
    /// The elements with e = 0, 1 and 3, if the width has them without −e.
    singles: [Limbs; 3],
    /// The sum of all elements except the last, below 2·p.
    sum: Limbs,
}

/// The sums u of two elements with ±e in this round and the one before.
#[derive(Clone, Copy)]
struct Pair {
    /// Below 2·p.
    current: Limbs,
    /// Below 2.5·p and above p/2.
    previous: Limbs,
}

const PAIR_EXCESSES: [i64; 3] = [1, 2, 4];
const SINGLE_EXCESSES: [i64; 3] = [0, 1, 3];

impl<const T: usize> Others<T> {
    /// The indices of the pairs: the elements with +e and −e.
    const PAIRS: [Option<(usize, usize)>; 3] = {
        let mut pairs = [None; 3];
        let mut index = 0;
        while index < 3 {
            let e = PAIR_EXCESSES[index];
            if let (Some(plus), Some(minus)) = (position::<T>(e), position::<T>(-e)) {
                pairs[index] = Some((plus, minus));
            }
            index += 1;
        }
        pairs
    };
    /// The indices of the singles.
    const SINGLES: [Option<usize>; 3] = {
        let mut singles = [None; 3];
        let mut index = 0;
        while index < 3 {
            let e = SINGLE_EXCESSES[index];
            if e == 0 || position::<T>(-e).is_none() {
                singles[index] = position::<T>(e);
            }
            index += 1;
        }
        singles
    };

    /// Starts from a state of folded elements.
    #[inline(always)]
    fn enter<C: Arithmetic>(state: &[Limbs; T]) -> Self {
        let nothing = Pair { current: [0; 4], previous: [0; 4] };
        let mut others = Self { pairs: [nothing; 3], singles: [[0; 4]; 3], sum: [0; 4] };
        unrolled!(INDEX in 0 1 2 => {
            if let Some((plus, minus)) = Self::PAIRS[INDEX] {
                others.pairs[INDEX] = Pair::enter::<C>(state[plus], state[minus], INDEX);
            }
            if let Some(place) = Self::SINGLES[INDEX] {
                others.singles[INDEX] = state[place];
            }
        });
        others.sum_up::<C>();
        others
    }

    /// Advances by the round with the given cube; t stays below 6·p, or 4·p in width 9.
    #[inline(always)]
    fn advance<C: Arithmetic>(&mut self, cube: Limbs) {
        let t = add::<C>(self.sum, cube);
        unrolled!(INDEX in 0 1 2 => {
            if Self::PAIRS[INDEX].is_some() {
                self.pairs[INDEX].advance::<C>(t, INDEX);
            }
            if Self::SINGLES[INDEX].is_some() {
                self.singles[INDEX] = match SINGLE_EXCESSES[INDEX].unsigned_abs() {
                    0 => t,
                    e => felt::fold::<C>(add::<C>(t, times::<C>(self.singles[INDEX], e))),
                };
            }
        });
        self.sum_up::<C>();
    }

    /// Computes the sum. A single pair is already folded; a longer sum is at most 6 + 4·2.
    #[inline(always)]
    fn sum_up<C: Arithmetic>(&mut self) {
        let mut terms = 0;
        unrolled!(INDEX in 0 1 2 => {
            if Self::PAIRS[INDEX].is_some() {
                self.append::<C>(terms, self.pairs[INDEX].current);
                terms += 1;
            }
        });
        unrolled!(INDEX in 0 1 2 => {
            if Self::SINGLES[INDEX].is_some() {
                self.append::<C>(terms, self.singles[INDEX]);
                terms += 1;
            }
        });
        if terms > 1 {
            self.sum = felt::fold::<C>(self.sum);
        }
    }

    /// Adds a term to the sum of `terms` terms.
    #[inline(always)]
    fn append<C: Arithmetic>(&mut self, terms: usize, term: Limbs) {
        self.sum = if terms == 0 { term } else { add::<C>(self.sum, term) };
    }

    /// Writes the elements back into a state, below 2·p.
    #[inline(always)]
    fn leave<C: Arithmetic>(self, state: &mut [Limbs; T]) {
        unrolled!(INDEX in 0 1 2 => {
            if let Some((plus, minus)) = Self::PAIRS[INDEX] {
                let (x, y) = self.pairs[INDEX].leave::<C>(INDEX);
                state[plus] = felt::fold::<C>(add::<C>(x, P));
                state[minus] = felt::fold::<C>(add::<C>(y, P));
            }
            if let Some(place) = Self::SINGLES[INDEX] {
                state[place] = felt::fold::<C>(add::<C>(self.singles[INDEX], P));
            }
        });
    }
}

impl Pair {
    /// Starts from two folded elements. The previous u, which did not exist, is v/e.
    #[inline(always)]
    fn enter<C: Arithmetic>(plus: Limbs, minus: Limbs, log_e: usize) -> Self {
        let shifted = add::<C>(plus, FOUR_P);
        let mut previous = felt::fold::<C>(sub::<C>(shifted, minus));
        for _ in 0..log_e {
            previous = felt::halve::<C>(previous);
        }
        let previous = if log_e == 0 { previous } else { add::<C>(previous, P) };
        Self { current: felt::fold::<C>(add::<C>(plus, minus)), previous }
    }

    /// 2t + e²·previous is at most 2·6 + 4·2.5 or, for e = 4, 2·4 + 4·2.
    #[inline(always)]
    fn advance<C: Arithmetic>(&mut self, t: Limbs, log_e: usize) {
        let sum = if log_e == 0 {
            add::<C>(double::<C>(t), self.previous)
        } else {
            let half = match log_e {
                1 => self.previous,
                _ => felt::fold::<C>(times::<C>(self.previous, 4)),
            };
            double::<C>(add::<C>(t, double::<C>(half)))
        };
        *self = Self { current: felt::fold::<C>(sum), previous: self.current };
    }

    /// Returns the two elements, (u ± v)/2, below 5.5·p.
    #[inline(always)]
    fn leave<C: Arithmetic>(self, log_e: usize) -> (Limbs, Limbs) {
        let v = times::<C>(felt::fold::<C>(add::<C>(self.previous, P)), 1 << log_e);
        let shifted = add::<C>(self.current, EIGHT_P);
        (felt::halve::<C>(add::<C>(self.current, v)), felt::halve::<C>(sub::<C>(shifted, v)))
    }
}

/// Returns the index at which the diagonal minus one is `e`; the last element is excluded.
const fn position<const T: usize>(e: i64) -> Option<usize> {
    let mut index = 0;
    while index < T - 1 {
        if stark_diagonal(T)[index] - 1 == e {
            return Some(index);
        }
        index += 1;
    }
    None
}

/// Returns −d of the last element, for which d is negative in every width.
const fn corner<const T: usize>() -> u64 {
    let d = stark_diagonal(T)[T - 1];
    assert!(d < 0);
    d.unsigned_abs()
}

/// The bound on a partial round's cube, in multiples of p; width 9, whose |d| is 4, folds it.
const fn cube_bound<const T: usize>() -> u64 {
    if T == 9 {
        2
    } else {
        4
    }
}

/// k·x, for a product below 2²⁵⁶ and k ≤ 8.
#[inline(always)]
fn times<C: Arithmetic>(x: Limbs, k: u64) -> Limbs {
    match k {
        0 => [0; 4],
        1 => x,
        _ if k % 2 == 1 => add::<C>(times_even::<C>(x, k - 1), x),
        _ => times_even::<C>(x, k),
    }
}

#[inline(always)]
fn times_even<C: Arithmetic>(x: Limbs, k: u64) -> Limbs {
    let twice = double::<C>(x);
    match k {
        2 => twice,
        4 => double::<C>(twice),
        6 => add::<C>(double::<C>(twice), twice),
        _ => double::<C>(double::<C>(twice)),
    }
}

fn to_limbs<const T: usize>(elements: &[Felt]) -> [Limbs; T] {
    let mut limbs = [[0; 4]; T];
    for (limbs, element) in limbs.iter_mut().zip(elements) {
        *limbs = element.montgomery_limbs();
    }
    limbs
}

/// Computes a full round: elements below 2·p become cubes from p to 2.3·p, then folded elements.
#[inline(always)]
fn full_round<C: Arithmetic, const T: usize>(
    state: &[Limbs; T],
    constants: &[Limbs; T],
) -> [Limbs; T] {
    let mut cubes = [[0; 4]; T];
    for index in 0..T {
        cubes[index] = C::cube(add::<C>(state[index], constants[index]));
    }
    let sum = cubes[1..].iter().fold(cubes[0], |sum, cube| add::<C>(sum, *cube));
    let mut mixed = [[0; 4]; T];
    unrolled!(INDEX in 0 1 2 3 4 5 6 7 8 => if INDEX < T {
        mixed[INDEX] = mix_row::<C, T>(sum, &cubes, INDEX);
    });
    mixed
}

/// Computes one element of a full round's linear layer: before folding it is at most 9·2.3 + 4·2.3,
/// and at least p, since 11 > 4·2.3 + 1.
#[inline(always)]
fn mix_row<C: Arithmetic, const T: usize>(sum: Limbs, cubes: &[Limbs; T], index: usize) -> Limbs {
    let excess = stark_diagonal(T)[index] - 1;
    let multiple = times::<C>(cubes[index], excess.unsigned_abs());
    felt::fold::<C>(if excess < 0 {
        sub::<C>(add::<C>(sum, ELEVEN_P), multiple)
    } else {
        add::<C>(sum, multiple)
    })
}
