// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Square roots modulo p, where p − 1 = 2³²·t with odd t.
//!
//! x^t is a power g^e of an element of order 2³². If e is even, x^((t + 1)/2)·g^(−e/2) is a root of
//! x; if e is odd, x is not a square. The logarithm e is found in windows of eight bits with tables
//! (Bernstein: "Faster square roots in annoying finite fields", 2001; Sarkar: "Computing square
//! roots faster than the Tonelli-Shanks/Bernstein algorithm", 2020): ten products, where Tonelli
//! and Shanks need up to 500 squarings.

use std::sync::OnceLock;

use halimede_arith::field::{Bls12381Scalar, Modulus, PallasBase, VestaBase};
use halimede_arith::Field;

/// The bits of a window of a discrete logarithm of 32 bits.
pub const WINDOW_BITS: u32 = 8;
/// The number of windows.
pub const WINDOWS: usize = 32 / WINDOW_BITS as usize;

/// An element, or several, with which the chain computes.
pub trait Element: Copy {
    /// self·other.
    #[must_use]
    fn times(&self, other: &Self) -> Self;
    /// self^(2^count).
    #[must_use]
    fn squared(&self, count: u32) -> Self;
}

/// The powers of an element x.
#[derive(Clone, Copy, Debug)]
pub struct Powers<E> {
    /// x^((t + 1)/2).
    pub root: E,
    /// x^(t·2^(8k)) for window k.
    pub odd: [E; WINDOWS],
}

/// The number of values of a window.
const VALUES: usize = 1 << WINDOW_BITS;

/// The number of bits of a hash value, for which most multipliers of a few dozen collide.
const HASH_BITS: u32 = 13;

/// The number of bits of the order of the roots of unity.
const ORDER_BITS: u32 = 32;

/// Returns t.
const fn odd_part<M: Modulus>() -> [u64; 4] {
    let [a, b, c, d] = M::VALUE;
    [a >> 32 | b << 32, b >> 32 | c << 32, c >> 32 | d << 32, d >> 32]
}

/// A modulus p with 2³² | p − 1, and tables for its roots.
pub trait HasRoots: Modulus {
    /// Returns the tables, which the first call computes.
    fn roots() -> &'static Roots<Self>;
}

macro_rules! has_roots {
    ($($modulus:ty),*) => {$(
        impl HasRoots for $modulus {
            fn roots() -> &'static Roots<Self> {
                static TABLES: OnceLock<Roots<$modulus>> = OnceLock::new();
                TABLES.get_or_init(Roots::new)
            }
        }
    )*};
}

has_roots!(Bls12381Scalar, PallasBase, VestaBase);

/// Tables of an element g of order 2³².
pub struct Roots<M: Modulus> {
    /// g^(−j·2^(8k)) at `[k][j]`.
    inverses: [Vec<Field<M>>; WINDOWS],
    /// j, at the hash of g^(j·2²⁴).
    logarithms: Vec<u8>,
    /// The multiplier of the hash.
    multiplier: u64,
}

/// Returns the powers 0 to 255 of an element.
fn first_powers<M: Modulus>(base: Field<M>) -> Vec<Field<M>> {
    std::iter::successors(Some(Field::ONE), |power| Some(*power * base)).take(VALUES).collect()
}

fn hash<M: Modulus>(element: &Field<M>, multiplier: u64) -> usize {
    (element.montgomery_limbs()[0].wrapping_mul(multiplier) >> (64 - HASH_BITS)) as usize
}

/// Returns a table of the logarithms of elements by their hash, or `None` if two hashes are equal.
fn table<M: Modulus>(elements: &[Field<M>], multiplier: u64) -> Option<Vec<u8>> {
    let (mut table, mut taken) = (vec![0; 1 << HASH_BITS], vec![false; 1 << HASH_BITS]);
    for (number, element) in elements.iter().enumerate() {
        let place = hash(element, multiplier);
        if std::mem::replace(&mut taken[place], true) {
            return None;
        }
        table[place] = number as u8;
    }
    Some(table)
}

impl<M: Modulus> Roots<M> {
    fn new() -> Self {
        // An element that is not a square: its power t has the order 2³².
        let powers = (2..).map(|number| Field::<M>::from(number).pow(&odd_part::<M>()));
        let mut powers = powers.filter(|power| power.pow(&[1 << (ORDER_BITS - 1)]) != Field::ONE);
        let generator = powers.next().unwrap_or_default();
        let inverse = generator.inverse().unwrap_or_default();
        let shifted =
            |base: Field<M>, window: usize| base.pow(&[1 << (window as u32 * WINDOW_BITS)]);
        let inverses = std::array::from_fn(|window| first_powers(shifted(inverse, window)));
        let last = first_powers(shifted(generator, WINDOWS - 1));
        let odd_numbers = (0u64..).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let found = odd_numbers.map(|multiplier| (multiplier, table(&last, multiplier)));
        let mut found = found.filter_map(|(multiplier, table)| Some((multiplier, table?)));
        let (multiplier, logarithms) = found.next().unwrap_or_default();
        Self { inverses, logarithms, multiplier }
    }

    /// Returns j < 256 for g^(j·2²⁴).
    fn logarithm(&self, element: &Field<M>) -> usize {
        usize::from(self.logarithms[hash(element, self.multiplier)])
    }

    /// Returns a square root of x from its powers; `None` if x is not a square.
    #[inline(always)]
    pub fn root(&self, powers: &Powers<Field<M>>) -> Option<Field<M>> {
        let [first, second, third, fourth] = &powers.odd;
        if first.is_zero() {
            return Some(Field::ZERO);
        }
        let [low, middle, high, top] = &self.inverses;
        let e0 = self.logarithm(fourth);
        let e1 = self.logarithm(&(*third * high[e0]));
        let e2 = self.logarithm(&(*second * middle[e0] * high[e1]));
        let e3 = self.logarithm(&(*first * low[e0] * middle[e1] * high[e2]));
        if e0 % 2 == 1 {
            return None;
        }
        let half = (e3 << 24 | e2 << 16 | e1 << 8 | e0) >> 1;
        let digit = |window: usize| half >> (window * WINDOW_BITS as usize) & (VALUES - 1);
        let factor = (low[digit(0)] * middle[digit(1)]) * (high[digit(2)] * top[digit(3)]);
        Some(powers.root * factor)
    }
}
