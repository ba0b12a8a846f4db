// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Origins: pairs of numbers that identify the inputs of a ciphertext's parts.
//!
//! Equal polynomials have equal rounding errors, integer multiples of a polynomial have correlated
//! ones, and other errors are uncorrelated. To find these relations, parts are treated as formal
//! polynomials in the uniform parts of fresh ciphertexts, and evaluated at two random points of a
//! field. Sums, products and integers are evaluated too, and each result of a rounding is a new
//! point. The quotients of two pairs are equal if one polynomial is a multiple of the other, and
//! almost never otherwise (Schwartz, "Fast probabilistic algorithms for verification of polynomial
//! identities", J. ACM 27, 1980).

use std::ops::{Add, Mul, Neg, Sub};

/// p = 2⁶⁴ − 2³² + 1. −1 has a square root modulo p.
const P: u64 = 0xffff_ffff_0000_0001;
/// A square root of −1.
const I: u64 = 1 << 48;

/// The values at both points, modulo p.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin([u64; 2]);

impl Origin {
    /// The origin of the zero polynomial.
    pub const ZERO: Self = Self([0; 2]);
    /// The origin of secret values. All such vectors count as equal to 1, so that estimates assume
    /// common errors whenever some value allows them.
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

    /// Returns both numbers.
    pub fn words(self) -> [u64; 2] {
        self.0
    }

    /// Returns the origin with these numbers, or `None` for numbers that [`Self::words`] never
    /// returns.
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

    /// The origin of the result of an operation other than a sum or a product. `what` identifies
    /// the operation.
    pub fn derived(what: &str, from: impl IntoIterator<Item = Self>) -> Self {
        let words = from.into_iter().flat_map(|origin| origin.0);
        Self::of_words(what.bytes().map(u64::from).chain(words))
    }

    /// The origin of the result of a division or a key switch. Factors of its argument carry over
    /// as far as they are known.
    pub fn rounded(self, what: &str, by: Self) -> Self {
        Self::derived(what, [self.direction(), by]) * Self([self.0[1]; 2])
    }

    /// The origin of the error that an operation adds: the same for all multiples of a polynomial.
    pub fn error(self, what: &str) -> Self {
        Self::derived(what, [self.direction()])
    }

    /// The number that identifies a source of errors.
    pub fn bits(self) -> u64 {
        self.0[0]
    }

    /// The quotient of the two values.
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

/// Mixes a word into the state (the finalizer of Steele, Lea, Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014). Different sequences of words almost never collide.
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
