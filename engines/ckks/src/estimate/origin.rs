// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Origins: two numbers that identify what a ciphertext's parts were computed from.
//!
//! Equal polynomials have equal rounding errors, multiples of a polynomial by integers have
//! correlated ones, and errors of others are uncorrelated. To know which are which, parts are taken
//! for formal polynomials in the uniform parts of fresh ciphertexts, and those are evaluated at two
//! random points of a field: sums, products and integers go along, and results of roundings are new
//! points. Two pairs have the same quotient where one polynomial is a multiple of the other, and
//! else hardly ever (Schwartz, "Fast probabilistic algorithms for verification of polynomial
//! identities", J. ACM 27, 1980).

use std::ops::{Add, Mul, Neg, Sub};

/// p = 2⁶⁴ − 2³² + 1, in which −1 has a root.
const P: u64 = 0xffff_ffff_0000_0001;
/// A root of −1.
const I: u64 = 1 << 48;

/// The values at both points, modulo p.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin([u64; 2]);

impl Origin {
    /// The origin of the zero polynomial.
    pub const ZERO: Self = Self([0; 2]);
    /// The origin of secret values. All vectors count as equal, and as 1, so that estimates assume
    /// common errors wherever some value allows them.
    pub const ANY: Self = Self([1; 2]);

    /// A new origin; the bits should be random.
    pub fn new(bits: u64) -> Self {
        Self::of_words([bits])
    }

    /// The origin of the polynomial that a seed expands to.
    pub fn of_seed(seed: &[u8; 32]) -> Self {
        let mut bits = [0; 8];
        bits.copy_from_slice(&seed[..8]);
        Self::new(u64::from_le_bytes(bits))
    }

    /// Both numbers.
    pub fn words(self) -> [u64; 2] {
        self.0
    }

    /// An origin from its numbers. `None` for what [`Self::words`] does not give.
    pub fn from_words(words: [u64; 2]) -> Option<Self> {
        words.iter().all(|word| *word < P).then_some(Self(words))
    }

    /// The origin of an integer.
    pub fn integer(integer: i64) -> Self {
        Self::wide_integer(integer.into())
    }

    /// The origin of an integer.
    pub fn wide_integer(integer: i128) -> Self {
        Self([integer.rem_euclid(i128::from(P)) as u64; 2])
    }

    /// The origin of plain values.
    pub fn of_words(words: impl IntoIterator<Item = u64>) -> Self {
        let bits = words.into_iter().fold(0, mix);
        Self([mix(bits, 1) % P, mix(bits, 2) % P])
    }

    /// The origin of i times a polynomial.
    pub fn by_i(self) -> Self {
        self * Self([I; 2])
    }

    /// The origin of the result of an operation other than a sum or a product: `what` tells
    /// operations apart.
    pub fn derived(what: &str, from: impl IntoIterator<Item = Self>) -> Self {
        let words = from.into_iter().flat_map(|origin| origin.0);
        Self::of_words(what.bytes().map(u64::from).chain(words))
    }

    /// The origin of the result of a division or a key switch, which goes along with factors as far
    /// as is known.
    pub fn rounded(self, what: &str, by: Self) -> Self {
        Self::derived(what, [self.direction(), by]) * Self([self.0[1]; 2])
    }

    /// The origin of the error that an operation adds: the same for all multiples of a polynomial.
    pub fn error(self, what: &str) -> Self {
        Self::derived(what, [self.direction()])
    }

    /// The number that stands for a source of errors.
    pub fn bits(self) -> u64 {
        self.0[0]
    }

    /// The quotient of both values.
    fn direction(self) -> Self {
        // 1/x = x^(p − 2).
        let (mut inverse, mut power, mut exponent) = (1, self.0[1], P - 2);
        while exponent > 0 {
            if exponent & 1 == 1 {
                inverse = product(inverse, power);
            }
            power = product(power, power);
            exponent >>= 1;
        }
        Self([product(self.0[0], inverse), 0])
    }

    fn zip(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self([of(self.0[0], other.0[0]), of(self.0[1], other.0[1])])
    }
}

/// Words mixed one after the other (the finalizer of Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014): by accident no two sequences are alike.
fn mix(state: u64, word: u64) -> u64 {
    let mut bits = (state ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ bits >> 31).rotate_left(17)
}

fn product(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(P)) as u64
}

impl Add for Origin {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| ((u128::from(a) + u128::from(b)) % u128::from(P)) as u64)
    }
}

impl Neg for Origin {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.map(|value| (P - value) % P))
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
        self.zip(other, product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_same_polynomials_have_the_same_origin(
            a in any::<u64>(),
            b in any::<u64>(),
            n in any::<i32>().prop_filter("not zero", |n| *n != 0),
        ) {
            let (a, b, n) = (Origin::new(a), Origin::new(b), i64::from(n));
            prop_assert_eq!((a + b) * (a - b), a * a - b * b);
            prop_assert_eq!(a + a + a, a * Origin::integer(3));
            prop_assert_eq!(a * Origin::integer(n) + a * Origin::integer(-n), Origin::ZERO);
            prop_assert_eq!(a.by_i().by_i(), -a);
            let multiples = [a * Origin::integer(n), -a, a.by_i(), a + a];
            for multiple in multiples {
                prop_assert_eq!(multiple.error("x"), a.error("x"));
                prop_assert_eq!(multiple.rounded("x", b).error("y"), a.rounded("x", b).error("y"));
            }
            prop_assert_eq!((-a).rounded("x", b), -a.rounded("x", b));
            prop_assert_eq!(Origin::derived("x", [a, b]), Origin::derived("x", [a, b]));
            prop_assume!(a != b);
            prop_assert_ne!((a + b).error("x"), a.error("x"));
            prop_assert_ne!(a.error("x"), a.error("y"));
            prop_assert_ne!(Origin::derived("x", [a, b]), Origin::derived("x", [b, a]));
        }
    }

    #[test]
    fn nothing_has_a_direction_as_well() {
        assert_eq!(Origin::ZERO.error("x"), Origin::ZERO.error("x"));
        assert_eq!(Origin::ZERO.rounded("x", Origin::new(1)), Origin::ZERO);
    }
}
