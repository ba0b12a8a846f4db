// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Security bounds on the numbers of rounds (Poseidon paper, section 5.5; the authors' scripts).
//!
//! Notation: M bits of security, n the bit length of p, t elements. For x^α:
//!
//! - statistical: R_F ≥ 6 if M ≤ ⌊log₂ p − (α−1)/2⌋·(t+1), else R_F ≥ 10;
//! - interpolation: R_F + R_P ≥ 1 + ⌈log_α 2 · min(M, n)⌉ + ⌈log_α t⌉;
//! - Gröbner, first: R_F + R_P ≥ log_α 2 · min(M, log₂ p);
//! - Gröbner, second: R_F + R_P ≥ t − 1 + log_α 2 · min(M/(t+1), log₂ p / 2);
//! - Gröbner, third: (t−1)·R_F + R_P ≥ t − 2 + M/(2·log₂ α);
//! - Gröbner, fourth (Ashur, Buschman, Mahzoun, eprint 2023/537): 2·log₂ C(over, under) ≥ M.
//!
//! For x⁻¹, with C = 2 in the statistical bound and L = log₂ t:
//!
//! - interpolation: ⌊L·R_F⌋ + R_P ≥ 1 + ⌈min(M, n)/2⌉ + ⌈L⌉;
//! - Gröbner: ⌊L·R_F⌋ + R_P ≥ t − 1 + ⌈L⌉ + min(⌈M/(t+1)⌉, ⌈log₂ p / 2⌉).

use num_bigint::BigUint;

use super::field::RuntimeField;
use super::sbox::Sbox;
use crate::round_numbers::RoundNumbers;

/// The parameters of the bounds, except the round numbers.
#[derive(Clone, Debug)]
pub(super) struct SecurityBounds {
    sbox: Sbox,
    width: usize,
    security_bits: usize,
    /// log₂ p.
    log_modulus: f64,
    /// The right side of the interpolation bound.
    interpolation: usize,
}

impl SecurityBounds {
    pub fn new(field: &RuntimeField, sbox: Sbox, width: usize, security_bits: usize) -> Self {
        let smaller = security_bits.min(field.bits());
        let interpolation = match sbox {
            Sbox::Power(alpha) => {
                let two_to_smaller = BigUint::from(1u32) << smaller;
                1 + ceil_log(alpha, &two_to_smaller) + ceil_log(alpha, &BigUint::from(width))
            }
            Sbox::Inverse => 1 + smaller.div_ceil(2) + ceil_log(2, &BigUint::from(width)),
        };
        Self { sbox, width, security_bits, log_modulus: field.log2(), interpolation }
    }

    /// Returns `true` if these rounds, without any margin, are secure.
    pub fn hold(&self, rounds: RoundNumbers) -> bool {
        match self.sbox {
            Sbox::Power(alpha) => {
                let loss = f64::from(alpha - 1) / 2.0;
                self.statistical(rounds, loss) && self.hold_for_power(rounds, f64::from(alpha))
            }
            Sbox::Inverse => self.statistical(rounds, 2.0) && self.hold_for_inverse(rounds),
        }
    }

    fn statistical(&self, rounds: RoundNumbers, loss: f64) -> bool {
        let reach = (self.log_modulus - loss).floor() * (self.width as f64 + 1.0);
        rounds.full >= if self.security_bits as f64 <= reach { 6 } else { 10 }
    }

    fn hold_for_power(&self, rounds: RoundNumbers, alpha: f64) -> bool {
        let (security, width) = (self.security_bits as f64, self.width as f64);
        let (full, partial) = (rounds.full as f64, rounds.partial as f64);
        let log_alpha_2 = 1.0 / alpha.log2();
        let first = log_alpha_2 * security.min(self.log_modulus);
        let second = log_alpha_2 * (security / (width + 1.0)).min(self.log_modulus / 2.0);
        let third = width - 2.0 + security / (2.0 * alpha.log2());
        rounds.full + rounds.partial >= self.interpolation
            && full + partial >= first
            && full + partial >= width - 1.0 + second
            && (width - 1.0) * full + partial >= third
            && self.fourth(rounds, alpha)
    }

    /// The cost of a Gröbner basis when a third of the partial rounds' S-boxes can be skipped.
    /// Conservatively uses ω = 2 where the paper has 2.3727.
    fn fourth(&self, rounds: RoundNumbers, alpha: f64) -> bool {
        let (full, partial) = (rounds.full as f64, rounds.partial as f64);
        let third = (self.width / 3) as f64;
        let under = third * (full / 2.0) + partial + alpha;
        let over = (full - 1.0) * self.width as f64 + partial + third + under;
        (2.0 * log2_binomial(over, under)).ceil() >= self.security_bits as f64
    }

    fn hold_for_inverse(&self, rounds: RoundNumbers) -> bool {
        let width = BigUint::from(self.width);
        // ⌊R_F·log₂ t⌋ exactly: the bits of t^R_F.
        let exponent = u32::try_from(rounds.full).unwrap_or(u32::MAX);
        let degrees = usize::try_from(width.pow(exponent).bits() - 1).unwrap_or(usize::MAX);
        let half = (self.log_modulus / 2.0).ceil() as usize;
        let groebner = self.width - 1
            + ceil_log(2, &width)
            + self.security_bits.div_ceil(self.width + 1).min(half);
        degrees + rounds.partial >= self.interpolation.max(groebner)
    }
}

/// ⌈log_base value⌉, exactly, for a base of at least 2 and a value of at least 1.
fn ceil_log(base: u32, value: &BigUint) -> usize {
    let mut power = BigUint::from(1u32);
    let mut exponent = 0;
    while power < *value {
        power *= base;
        exponent += 1;
    }
    exponent
}

/// log₂ of over choose under for whole numbers, as Σ log₂((over − under + i)/i).
fn log2_binomial(over: f64, under: f64) -> f64 {
    let terms = under.floor() as usize;
    (1..=terms).map(|i| ((over - under + i as f64) / i as f64).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round_numbers::fewest_sboxes;

    fn rounds(modulus: &str, width: usize, sbox: Sbox, security_bits: usize) -> RoundNumbers {
        let modulus = BigUint::parse_bytes(modulus.as_bytes(), 16).unwrap();
        let bounds = SecurityBounds::new(&RuntimeField::new(modulus), sbox, width, security_bits);
        fewest_sboxes(width, |rounds| bounds.hold(rounds), RoundNumbers::with_margin).unwrap()
    }

    /// The round numbers of small fields are those of Plonky3's `poseidon2_round_numbers_128`,
    /// which are computed with the authors' bounds and hold for Poseidon too.
    #[test]
    fn small_fields_have_the_published_rounds() {
        let mersenne = "7fffffff";
        let koala_bear = "7f000001";
        let baby_bear = "78000001";
        let goldilocks = "ffffffff00000001";
        let cases = [
            (koala_bear, 16, 3, 20),
            (koala_bear, 24, 3, 23),
            (mersenne, 16, 5, 14),
            (mersenne, 24, 5, 22),
            (baby_bear, 16, 7, 13),
            (baby_bear, 24, 7, 21),
            (goldilocks, 8, 7, 22),
            (goldilocks, 12, 7, 22),
            (goldilocks, 16, 7, 22),
        ];
        for (modulus, width, alpha, partial) in cases {
            let found = rounds(modulus, width, Sbox::Power(alpha), 128);
            assert_eq!(found, RoundNumbers { full: 8, partial }, "{modulus} {width}");
        }
    }

    #[test]
    fn inverses_need_fewer_rounds_the_wider_the_state() {
        // By hand for t = 3, M = 128, n = 255: ⌊6·log₂3⌋ = 9, so R_P ≥ 1 + 64 + 2 − 9 = 58, or 63
        // with the margin. Each pair of further full rounds saves only three partial rounds.
        let r = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
        assert_eq!(rounds(r, 3, Sbox::Inverse, 128), RoundNumbers { full: 8, partial: 63 });
        let wide = rounds(r, 16, Sbox::Inverse, 128);
        assert_eq!(wide, RoundNumbers { full: 8, partial: 49 });
    }

    #[test]
    fn every_bound_can_be_the_one_that_fails() {
        let field = RuntimeField::new(BigUint::parse_bytes(b"78000001", 16).unwrap());
        let hold = |alpha, width, security, full, partial| {
            SecurityBounds::new(&field, Sbox::Power(alpha), width, security)
                .hold(RoundNumbers { full, partial })
        };
        // Second Gröbner bound at t = 16: 15 + 7.53·0.356 = 17.7 rounds.
        assert!(hold(7, 16, 128, 6, 12) && !hold(7, 16, 128, 6, 11));
        // Statistical: at least 6 full rounds, 10 where M exceeds 27·17.
        assert!(!hold(7, 16, 128, 4, 100));
        assert!(hold(7, 16, 459, 6, 100) && !hold(7, 16, 460, 6, 100));
        assert!(hold(7, 16, 460, 10, 100));
    }

    #[test]
    fn logarithms_of_powers_are_exact() {
        for (base, exponent) in [(3, 5), (5, 3), (7, 100), (2, 255)] {
            let power = BigUint::from(base).pow(exponent);
            assert_eq!(ceil_log(base, &power), exponent as usize);
            assert_eq!(ceil_log(base, &(power + 1u32)), exponent as usize + 1);
        }
        assert_eq!(ceil_log(5, &BigUint::from(1u32)), 0);
        assert!((log2_binomial(10.0, 3.0) - 120f64.log2()).abs() < 1e-9);
        assert!((log2_binomial(300.0, 150.0) - 295.549).abs() < 1e-2);
    }
}
