// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keys that take a ciphertext from one secret to another: hybrid key switching (Han, Ki, "Better
//! bootstrapping for approximate homomorphic encryption", CT-RSA 2020, section 3).
//!
//! The main primes are parted into digits D₁ … D_d. A key from s' to s is, for each digit, (bᵢ, aᵢ)
//! with bᵢ = −aᵢ·s + eᵢ + P·gᵢ·s' modulo all primes, gᵢ being 1 modulo the primes of Dᵢ and 0
//! modulo the other main ones. A polynomial x is taken apart into digits xᵢ = x mod Dᵢ, of least
//! absolute value, so that Σ xᵢ·gᵢ = x; then (Σ xᵢ·bᵢ, Σ xᵢ·aᵢ)/P decrypts under s to x·s', and
//! errors of Σ xᵢ·eᵢ/P.
//!
//! Keys stand in Montgomery form (times 2³²), so that sums of products are reduced once.

use super::secret::{error, SecretKey};
use crate::params::Parameters;
use crate::ring::{Basis, Polynomial};
use crate::sampling::{uniform, Random, Seed};

/// A key that takes ciphertexts from one secret to another.
pub struct SwitchingKey {
    parameters: Parameters,
    seed: Seed,
    /// The highest level of ciphertexts that it has primes for.
    level: usize,
    gadget: Gadget,
    /// For each digit, bᵢ and aᵢ.
    digits: Vec<(Polynomial, Polynomial)>,
}

/// How polynomials are taken apart, and what a switch divides by.
#[derive(Clone)]
pub(crate) struct Gadget {
    /// The primes of P.
    pub special: Basis,
    /// The primes of each digit.
    pub digits: Vec<Basis>,
}

impl Gadget {
    /// That of all keys but the bootstrap's.
    pub fn of(parameters: &Parameters) -> Self {
        let chain = parameters.chain();
        Self { special: chain.special.clone(), digits: chain.digits.clone() }
    }

    /// For polynomials of one level alone, as one digit, divided by as few primes as are as large.
    pub fn of_level(parameters: &Parameters, level: usize) -> Self {
        let (chain, digit) = (parameters.chain(), &parameters.level(level).basis);
        let modulus = chain.modulus(digit).log2();
        let first = |count: usize| Basis::new(chain.special.places()[..count].iter().copied());
        let is_enough = |count: &usize| chain.modulus(&first(*count)).log2() >= modulus;
        let count = (1..chain.special.len()).find(is_enough).unwrap_or(chain.special.len());
        Self { special: first(count), digits: vec![digit.clone()] }
    }

    /// All primes of its keys.
    fn all(&self) -> Basis {
        self.digits.iter().fold(self.special.clone(), |all, digit| all.union(digit))
    }
}

/// A polynomial's digits as values modulo its own primes and those that a switch divides by: what
/// several rotations of a ciphertext have in common (Halevi, Shoup, "Faster homomorphic linear
/// transformations in HElib", CRYPTO 2018, section 5).
pub struct Decomposed {
    basis: Basis,
    /// The places of the digits that the polynomial has, and their values.
    digits: Vec<(usize, Polynomial)>,
}

impl SwitchingKey {
    /// The key from the secret with the values `from` to the secret with the values `to`.
    pub(crate) fn generate(
        parameters: &Parameters,
        gadget: Gadget,
        from: &Polynomial,
        to: &Polynomial,
        random: &mut Random,
    ) -> Self {
        let ring = parameters.ring();
        let (all, seed) = (gadget.all(), random.seed());
        let special = ring.moduli(&gadget.special);
        let digit = |(index, digit): (usize, &Basis)| {
            let a = uniform(ring, &all, &seed, index as u32);
            // P·gᵢ·s', which is 0 modulo all but the digit's primes, and the error, times 2³².
            let mut b = error(parameters, &all, random);
            let mut message = ring.restrict(from, digit);
            ring.scale(&mut message, |modulus| modulus.product(&special));
            ring.add_part(&mut b, &message);
            message.wipe();
            ring.scale(&mut b, |modulus| modulus.reduce(1 << 32));
            let mut product = a.clone();
            ring.mul(&mut product, to);
            ring.sub(&mut b, &product);
            product.wipe();
            (b, a)
        };
        let digits = gadget.digits.iter().enumerate().map(digit).collect();
        Self { parameters: parameters.clone(), seed, level: parameters.top(), gadget, digits }
    }

    /// The key of a seed and its bᵢ, for ciphertexts up to a level.
    pub(crate) fn of_halves(
        parameters: &Parameters,
        seed: Seed,
        level: usize,
        halves: Vec<Polynomial>,
    ) -> Self {
        let ring = parameters.ring();
        let second = |(index, b): (u32, &Polynomial)| uniform(ring, b.basis(), &seed, index);
        let seconds: Vec<Polynomial> = (0..).zip(&halves).map(second).collect();
        let digits = halves.into_iter().zip(seconds).collect();
        let gadget = Gadget::of(parameters);
        Self { parameters: parameters.clone(), seed, level, gadget, digits }
    }

    /// All bᵢ.
    pub(crate) fn first_halves(&self) -> impl Iterator<Item = &Polynomial> {
        self.digits.iter().map(|(b, _)| b)
    }

    /// The highest level of ciphertexts that it can switch.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The key by which a product of three parts becomes one of two: from s² to s.
    pub fn relinearisation(secret: &SecretKey, random: &mut Random) -> Self {
        let parameters = secret.parameters();
        let mut square = secret.values().clone();
        parameters.ring().mul(&mut square, secret.values());
        let key =
            Self::generate(parameters, Gadget::of(parameters), &square, secret.values(), random);
        square.wipe();
        key
    }

    /// The key by which X → X^`exponent` is applied: from s to what that automorphism makes s of, so
    /// that switching comes first and the automorphism last.
    ///
    /// # Panics
    /// For an even exponent.
    pub fn automorphism(secret: &SecretKey, exponent: u64, random: &mut Random) -> Self {
        let parameters = secret.parameters();
        let inverse = inverse_exponent(exponent, parameters.shape().log_degree);
        let mut image = parameters.ring().automorphism(secret.values(), inverse);
        let key =
            Self::generate(parameters, Gadget::of(parameters), secret.values(), &image, random);
        image.wipe();
        key
    }

    /// The parameters that it is for.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// What the uniform halves are made from.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// What x·s' is under s: x being the polynomial that was taken apart.
    pub fn switch(&self, x: &Decomposed) -> (Polynomial, Polynomial) {
        let (b, a) = self.switch_lazily(x);
        let (ring, special) = (self.parameters.ring(), &self.gadget.special);
        let [b, a] = ring.divide_all([&b, &a], special, &Basis::new([]));
        (b, a)
    }

    /// What (c₀, c₁), a ciphertext's parts under the key's first secret, are under its second.
    pub(crate) fn switch_parts(&self, parts: [&Polynomial; 2]) -> [Polynomial; 2] {
        let x = Decomposed::with(&self.parameters, &self.gadget, parts[1]);
        let (mut b, a) = self.switch(&x);
        self.parameters.ring().add(&mut b, parts[0]);
        [b, a]
    }

    /// P·x·s' under s, modulo x's primes and those of P: what sums of switches are taken of.
    pub fn switch_lazily(&self, x: &Decomposed) -> (Polynomial, Polynomial) {
        let terms: Vec<[&Polynomial; 3]> = x
            .digits
            .iter()
            .map(|(index, digit)| [digit, &self.digits[*index].0, &self.digits[*index].1])
            .collect();
        self.parameters.ring().inner_products(&x.basis, &terms)
    }
}

impl Decomposed {
    /// The digits of a polynomial of values modulo main primes.
    pub fn new(parameters: &Parameters, x: &Polynomial) -> Self {
        Self::with(parameters, &Gadget::of(parameters), x)
    }

    fn with(parameters: &Parameters, gadget: &Gadget, x: &Polynomial) -> Self {
        let ring = parameters.ring();
        let basis = x.basis().union(&gadget.special);
        let mut coefficients = x.clone();
        ring.inverse(&mut coefficients);
        let parts = gadget.digits.iter().map(|digit| digit.common(x.basis())).enumerate();
        let digits = parts
            .filter(|(_, part)| !part.is_empty())
            .map(|(index, part)| (index, ring.extend(&coefficients, x, &part, &basis)))
            .collect();
        Self { basis, digits }
    }
}

/// The exponent of the inverse automorphism: its inverse modulo 2N.
pub(crate) fn inverse_exponent(exponent: u64, log_degree: u32) -> u64 {
    let mut inverse = exponent;
    // Right modulo 2³ for an odd exponent; each step doubles the bits.
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(exponent.wrapping_mul(inverse)));
    }
    inverse & ((2 << log_degree) - 1)
}
