// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a ciphertext's parts were computed from, as a number.
//!
//! Equal polynomials have equal rounding errors, and errors of unequal ones are uncorrelated. To know which
//! are equal, parts are taken for formal polynomials in the uniform parts of fresh ciphertexts, and those
//! are evaluated at a random point of a field: sums, products and integers go along, and results of
//! roundings are new points. Two are the same number where they are the same polynomial, and else hardly ever
//! (Schwartz, "Fast probabilistic algorithms for verification of polynomial identities", J. ACM 27, 1980).

use std::ops::{Add, Mul, Neg, Sub};

/// p = 2⁶⁴ − 2³² + 1, in which −1 has a root.
const P: u64 = 0xffff_ffff_0000_0001;
/// A root of −1.
const I: u64 = 1 << 48;

/// A number modulo p.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Origin(u64);

impl Origin {
    /// Of a polynomial without coefficients.
    pub const ZERO: Self = Self(0);

    /// Of what is new: the bits should be random.
    pub fn new(bits: u64) -> Self {
        Self(bits % P)
    }

    /// Of the polynomial that a seed makes.
    pub fn of_seed(seed: &[u8; 32]) -> Self {
        let mut bits = [0; 8];
        bits.copy_from_slice(&seed[..8]);
        Self::new(u64::from_le_bytes(bits))
    }

    /// Of an integer.
    pub fn integer(integer: i64) -> Self {
        Self::wide_integer(integer.into())
    }

    /// Of an integer.
    pub fn wide_integer(integer: i128) -> Self {
        Self(integer.rem_euclid(i128::from(P)) as u64)
    }

    /// Of i times a polynomial.
    pub fn by_i(self) -> Self {
        self * Self(I)
    }

    /// Of the result of an operation that is no sum or product: `what` tells operations apart.
    pub fn derived(what: &str, from: impl IntoIterator<Item = Self>) -> Self {
        Self::hashed(what.bytes().map(u64::from).chain(from.into_iter().map(|origin| origin.0)))
    }

    /// Of the result of an operation that is no sum or product, but goes along with units: −1, i and −i.
    pub fn rounded(self, what: &str, by: Self) -> Self {
        let (least, unit) = self.least();
        Self::derived(what, [least, by]) * unit
    }

    /// What an error that an operation adds is called: the same for polynomials that differ by a unit.
    pub fn error(self, what: &str) -> Self {
        Self::derived(what, [self.least().0])
    }

    /// The least of what differs by a unit, and the unit that makes this one of it.
    fn least(self) -> (Self, Self) {
        let (one, i) = (Self(1), Self(I));
        let divided = [(self, one), (-self.by_i(), i), (-self, -one), (self.by_i(), -i)];
        divided.into_iter().min().unwrap_or((self, one))
    }

    /// The number's bits.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Of values that are not encrypted.
    pub fn of_words(words: impl IntoIterator<Item = u64>) -> Self {
        Self::hashed(words)
    }

    /// Words mixed one after the other (the finalizer of Steele, Lea, Flood, "Fast splittable pseudorandom
    /// number generators", OOPSLA 2014): by accident no two are alike.
    fn hashed(words: impl IntoIterator<Item = u64>) -> Self {
        let mix = |state: u64, word: u64| {
            let mut bits = (state ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
            bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (bits ^ bits >> 31).rotate_left(17)
        };
        Self::new(words.into_iter().fold(0, mix))
    }
}

impl Add for Origin {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(((u128::from(self.0) + u128::from(other.0)) % u128::from(P)) as u64)
    }
}

impl Neg for Origin {
    type Output = Self;

    fn neg(self) -> Self {
        Self((P - self.0) % P)
    }
}

impl Sub for Origin {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Origin {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self((u128::from(self.0) * u128::from(other.0) % u128::from(P)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_same_polynomials_have_the_same_origin(a in any::<u64>(), b in any::<u64>(), n in any::<i32>()) {
            let (a, b) = (Origin::new(a), Origin::new(b));
            prop_assert_eq!((a + b) * (a - b), a * a - b * b);
            prop_assert_eq!(a + a + a, a * Origin::integer(3));
            prop_assert_eq!(a * Origin::integer(n.into()) + a * Origin::integer(-i64::from(n)), Origin::ZERO);
            prop_assert_eq!(a.by_i().by_i(), -a);
            for unit in [Origin(1), -Origin(1), Origin(I), -Origin(I)] {
                prop_assert_eq!((a * unit).rounded("x", b), a.rounded("x", b) * unit);
                prop_assert_eq!((a * unit).error("x"), a.error("x"));
            }
            prop_assert_eq!(Origin::derived("x", [a, b]), Origin::derived("x", [a, b]));
            prop_assume!(a != b);
            prop_assert_ne!(Origin::derived("x", [a, b]), Origin::derived("x", [b, a]));
            prop_assert_ne!(Origin::derived("x", [a]), Origin::derived("y", [a]));
        }
    }
}
