// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic modulo a prime that is known only at run time. Elements are integers in [0, p).

use num_bigint::BigUint;
use sha2::{Digest, Sha256};

/// A prime field, for generating and checking parameters; not optimized for speed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeField {
    modulus: BigUint,
}

impl RuntimeField {
    /// Returns the field of this prime; the caller has checked with [`is_prime`] that it is prime.
    pub(crate) fn new(modulus: BigUint) -> Self {
        Self { modulus }
    }

    /// The modulus p.
    pub fn modulus(&self) -> &BigUint {
        &self.modulus
    }

    /// The length of p in bits.
    pub fn bits(&self) -> usize {
        // A specification has at most 768 bits.
        usize::try_from(self.modulus.bits()).unwrap_or(usize::MAX)
    }

    /// log₂ p, to the precision of `f64`.
    pub fn log2(&self) -> f64 {
        let shift = self.modulus.bits().saturating_sub(64);
        let top = (&self.modulus >> shift).iter_u64_digits().next().unwrap_or_default();
        (top as f64).log2() + shift as f64
    }

    /// a + b.
    pub fn add(&self, a: &BigUint, b: &BigUint) -> BigUint {
        let sum = a + b;
        if sum < self.modulus {
            sum
        } else {
            sum - &self.modulus
        }
    }

    /// a − b.
    pub fn subtract(&self, a: &BigUint, b: &BigUint) -> BigUint {
        if a >= b {
            a - b
        } else {
            a + &self.modulus - b
        }
    }

    /// a·b.
    pub fn multiply(&self, a: &BigUint, b: &BigUint) -> BigUint {
        a * b % &self.modulus
    }

    /// Σ aᵢ·bᵢ, reduced once.
    pub fn inner_product<'a>(
        &self,
        a: impl IntoIterator<Item = &'a BigUint>,
        b: impl IntoIterator<Item = &'a BigUint>,
    ) -> BigUint {
        let sum: BigUint = a.into_iter().zip(b).map(|(a, b)| a * b).sum();
        sum % &self.modulus
    }

    /// a^exponent.
    pub fn power(&self, a: &BigUint, exponent: &BigUint) -> BigUint {
        a.modpow(exponent, &self.modulus)
    }

    /// 1/a, or `None` for 0.
    pub fn inverse(&self, a: &BigUint) -> Option<BigUint> {
        a.modinv(&self.modulus)
    }
}

/// Returns `true` if `candidate` is prime: trial division by small primes, then 64 rounds of
/// Miller–Rabin.
///
/// The bases are SHA-256 of the candidate and a counter. The answer is therefore deterministic, and
/// nobody can construct a composite number against bases known in advance. A composite number
/// passes with probability below 4⁻⁶⁴.
pub fn is_prime(candidate: &BigUint) -> bool {
    const SMALL: [u32; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    let (zero, one) = (BigUint::ZERO, BigUint::from(1u32));
    if *candidate <= one {
        return false;
    }
    for small in SMALL.map(BigUint::from) {
        if candidate % &small == zero {
            return *candidate == small;
        }
    }
    // candidate − 1 = odd·2^twos.
    let minus_one = candidate - &one;
    let twos = minus_one.trailing_zeros().unwrap_or_default();
    let odd = &minus_one >> twos;
    (0..64u32).all(|round| {
        let mut power = witness(candidate, round).modpow(&odd, candidate);
        if power == one || power == minus_one {
            return true;
        }
        for _ in 1..twos {
            power = &power * &power % candidate;
            if power == minus_one {
                return true;
            }
        }
        false
    })
}

/// A base in [2, candidate − 2], for a candidate above 37.
fn witness(candidate: &BigUint, round: u32) -> BigUint {
    let mut bytes = Vec::new();
    // Blocks beyond the candidate's length make the remainder almost uniform.
    for block in 0..=candidate.bits() / 256 + 1 {
        let mut hash = Sha256::new();
        hash.update(candidate.to_bytes_be());
        hash.update(round.to_be_bytes());
        hash.update(block.to_be_bytes());
        bytes.extend_from_slice(&hash.finalize());
    }
    BigUint::from_bytes_be(&bytes) % (candidate - 3u32) + 2u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_below_2000_are_those_of_the_sieve() {
        let mut composite = [false; 2000];
        composite[..2].fill(true);
        for factor in 2..45 {
            (factor * factor..2000).step_by(factor).for_each(|multiple| composite[multiple] = true);
        }
        for (number, composite) in composite.iter().enumerate() {
            assert_eq!(is_prime(&BigUint::from(number)), !composite, "{number}");
        }
    }

    #[test]
    fn large_primes_pass_and_pseudoprimes_do_not() {
        let mersenne = |exponent: u32| (BigUint::from(1u32) << exponent) - 1u32;
        assert!([31, 61, 127, 521, 607].into_iter().all(|exponent| is_prime(&mersenne(exponent))));
        assert!(![67, 257, 509].into_iter().any(|exponent| is_prime(&mersenne(exponent))));
        // A Carmichael number, the least strong pseudoprime to the first 12 prime bases, a square
        // of a prime.
        let arnault = "318665857834031151167461";
        let numbers = [BigUint::from(825_265u32), arnault.parse().unwrap(), mersenne(31).pow(2)];
        assert!(!numbers.iter().any(is_prime));
    }

    #[test]
    fn the_operations_are_those_of_integers_modulo_p() {
        let field = RuntimeField::new(BigUint::from(101u32));
        let number = |value: u32| BigUint::from(value);
        for a in 0..101u32 {
            assert_eq!(field.inverse(&number(a)).is_some(), a != 0);
            for b in [0, 1, 2, 50, 99, 100u32] {
                assert_eq!(field.add(&number(a), &number(b)), number((a + b) % 101));
                assert_eq!(field.subtract(&number(a), &number(b)), number((a + 101 - b) % 101));
                assert_eq!(field.multiply(&number(a), &number(b)), number(a * b % 101));
            }
        }
        assert!((field.log2() - 101f64.log2()).abs() < 1e-12);
        let large = RuntimeField::new(BigUint::from(1u32) << 700u32);
        assert!((large.log2() - 700.0).abs() < 1e-9);
    }
}
