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

use super::identity::KeyId;
use super::secret::{error, SecretKey};
use super::uses::{KeyUse, LOW_LEVEL};
use crate::params::Parameters;
use crate::ring::{Basis, Finish, Form, Named, Polynomial};
use crate::sampling::{uniform, Random, Seed};

/// A key that takes ciphertexts from one secret to another.
pub struct SwitchingKey {
    parameters: Parameters,
    owner: KeyId,
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
    /// That of most keys.
    pub fn of(parameters: &Parameters) -> Self {
        let chain = parameters.chain();
        Self { special: chain.special.clone(), digits: chain.digits.clone() }
    }

    /// That of the keys for a use. A sparse secret is only as safe as its modulus is small; a low level
    /// takes the less time, and the less memory, the fewer primes there are.
    pub fn of_use(parameters: &Parameters, of: KeyUse) -> Self {
        match of {
            KeyUse::ToSparse => Self::of_digit(parameters, parameters.raised_basis()),
            KeyUse::LowAutomorphism(_) => Self::low(parameters).unwrap_or(Self::of(parameters)),
            _ => Self::of(parameters),
        }
    }

    /// That of keys for level 1 with fewer primes than others have; none where they would not be fewer, or
    /// what a ciphertext has there is more than one digit.
    pub fn low(parameters: &Parameters) -> Option<Self> {
        let (chain, usual) = (parameters.chain(), Self::of(parameters));
        let level = chain.levels.get(LOW_LEVEL)?;
        let gadget = Self::of_digit(parameters, level.basis.clone());
        let is_enough = chain.modulus(&gadget.special).log2() >= level.modulus.log2();
        (is_enough && gadget.special.len() < usual.special.len()).then_some(gadget)
    }

    /// For polynomials with these primes alone, as one digit, divided by as few primes as are as
    /// large.
    fn of_digit(parameters: &Parameters, digit: Basis) -> Self {
        Self { special: parameters.chain().special_of(&digit), digits: vec![digit] }
    }

    /// The places of the digits that polynomials with these primes have, and what they have of
    /// their primes.
    fn parts<'a>(&'a self, primes: &'a Basis) -> impl Iterator<Item = (usize, Basis)> + 'a {
        let parts = self.digits.iter().map(|digit| digit.common(primes)).enumerate();
        parts.filter(|(_, part)| !part.is_empty())
    }

    /// The primes of each digit of a key for polynomials with these primes: none, where they have
    /// none of the digit's.
    pub fn key_bases(&self, primes: &Basis) -> Vec<Basis> {
        let own = self.digits.iter().fold(Basis::new([]), |own, digit| own.union(digit));
        let all = own.common(primes).union(&self.special);
        let basis = |digit: &Basis| match digit.common(primes).is_empty() {
            true => Basis::new([]),
            false => all.clone(),
        };
        self.digits.iter().map(basis).collect()
    }
}

/// A polynomial's digits as values modulo its own primes and those that a switch divides by: what
/// several rotations of a ciphertext have in common (Halevi, Shoup, "Faster homomorphic linear
/// transformations in HElib", CRYPTO 2018, section 5).
pub(crate) struct Decomposed<'a> {
    parameters: &'a Parameters,
    basis: Basis,
    /// The places of the digits that the polynomial has.
    places: Vec<usize>,
    digits: Vec<Polynomial>,
}

impl SwitchingKey {
    /// The key from the secret with the values `from` to the secret with the values `to`, for
    /// ciphertexts of a secret's owner up to a level.
    pub(crate) fn generate(
        secret: &SecretKey,
        gadget: Gadget,
        level: usize,
        from: &Polynomial,
        to: &Polynomial,
        random: &mut Random,
    ) -> Self {
        let parameters = secret.parameters();
        let (ring, seed) = (parameters.ring(), random.seed());
        let special = ring.moduli(&gadget.special);
        let bases = gadget.key_bases(&parameters.primes_to_level(level));
        let digit = |(index, (digit, basis)): (usize, (&Basis, &Basis))| {
            let a = uniform(ring, basis, &seed, index as u32);
            // P·gᵢ·s', which is 0 modulo all but the digit's primes, and the error, times 2³².
            let mut b = error(parameters, basis, random);
            let mut message = ring.restrict(from, &digit.common(basis));
            ring.scale(&mut message, |modulus| modulus.product(&special));
            ring.add_part(&mut b, &message);
            ring.scale(&mut b, |modulus| modulus.reduce(1 << 32));
            let mut product = a.clone();
            ring.mul(&mut product, to);
            ring.sub(&mut b, &product);
            // The error hides the rest.
            b.declassify();
            (b, a)
        };
        let digits = gadget.digits.iter().zip(&bases).enumerate().map(digit).collect();
        let owner = secret.id();
        Self { parameters: parameters.clone(), owner, seed, level, gadget, digits }
    }

    /// The key for a use of a seed and its bᵢ, for ciphertexts up to a level.
    pub(crate) fn of_halves(
        parameters: &Parameters,
        owner: KeyId,
        of: KeyUse,
        seed: Seed,
        level: usize,
        halves: Vec<Polynomial>,
    ) -> Self {
        let ring = parameters.ring();
        let second = |(index, b): (u32, &Polynomial)| uniform(ring, b.basis(), &seed, index);
        let seconds: Vec<Polynomial> = (0..).zip(&halves).map(second).collect();
        let digits = halves.into_iter().zip(seconds).collect();
        let gadget = Gadget::of_use(parameters, of);
        Self { parameters: parameters.clone(), owner, seed, level, gadget, digits }
    }

    /// The key for a use and ciphertexts up to a level in a ring without arithmetic: it takes no
    /// randomness and no memory, belongs to nobody, and is recorded as one that a client makes.
    pub(crate) fn dry(parameters: &Parameters, of: KeyUse, level: usize) -> Self {
        let gadget = Gadget::of_use(parameters, of);
        let blank = |basis: &Basis| parameters.ring().blank(basis, Form::Values);
        let bases = gadget.key_bases(&parameters.primes_to_level(level));
        let digits = bases.iter().map(|basis| (blank(basis), blank(basis))).collect();
        let (owner, seed) = (KeyId::NOBODY, Seed::default());
        Self { parameters: parameters.clone(), owner, seed, level, gadget, digits }
    }

    /// Bytes of both halves.
    pub fn bytes(&self) -> usize {
        let words = |(b, _): &(Polynomial, Polynomial)| b.basis().len() * b.degree();
        2 * size_of::<u32>() * self.digits.iter().map(words).sum::<usize>()
    }

    /// What [`Self::bytes`] will be of the key for a use and ciphertexts up to a level.
    pub fn bytes_of(parameters: &Parameters, of: KeyUse, level: usize) -> usize {
        let bases = Gadget::of_use(parameters, of).key_bases(&parameters.primes_to_level(level));
        2 * size_of::<u32>() * parameters.degree() * bases.iter().map(Basis::len).sum::<usize>()
    }

    /// All bᵢ.
    pub(crate) fn first_halves(&self) -> impl Iterator<Item = &Polynomial> {
        self.digits.iter().map(|(b, _)| b)
    }

    /// All its polynomials, with names in programs.
    pub(crate) fn named(&self, of: KeyUse) -> impl Iterator<Item = Named<'_>> {
        let digits = self.digits.iter().enumerate();
        digits.flat_map(move |(digit, (b, a))| {
            [(format!("key {of}, digit {digit}, b"), b), (format!("key {of}, digit {digit}, a"), a)]
        })
    }

    /// The highest level of ciphertexts that the key can switch.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The relinearization key, from s² to s, up to a level.
    pub fn relinearization(secret: &SecretKey, level: usize, random: &mut Random) -> Self {
        let (parameters, values) = (secret.parameters(), secret.values());
        let mut square = values.clone();
        parameters.ring().mul(&mut square, values);
        let gadget = Gadget::of(parameters);
        Self::generate(secret, gadget, level, &square, values, random)
    }

    /// The key by which X → X^`exponent` is applied, up to a level: from s to what that
    /// automorphism makes s of, so that switching comes first and the automorphism last.
    ///
    /// # Panics
    /// For an even exponent.
    pub fn automorphism(
        secret: &SecretKey,
        exponent: u64,
        level: usize,
        random: &mut Random,
    ) -> Self {
        let gadget = Gadget::of(secret.parameters());
        Self::of_automorphism(secret, gadget, exponent, level, random)
    }

    /// The same with few primes, for matrices at level 1.
    ///
    /// # Panics
    /// For an even exponent.
    pub(crate) fn low_automorphism(secret: &SecretKey, exponent: u64, random: &mut Random) -> Self {
        let gadget = Gadget::of_use(secret.parameters(), KeyUse::LowAutomorphism(exponent));
        Self::of_automorphism(secret, gadget, exponent, LOW_LEVEL, random)
    }

    fn of_automorphism(
        secret: &SecretKey,
        gadget: Gadget,
        exponent: u64,
        level: usize,
        random: &mut Random,
    ) -> Self {
        let (parameters, values) = (secret.parameters(), secret.values());
        let inverse = inverse_exponent(exponent, parameters.ring().log_degree());
        let image = parameters.ring().automorphism(values, inverse);
        Self::generate(secret, gadget, level, values, &image, random)
    }

    /// The key of a bootstrap, to a sparse secret or back from it.
    ///
    /// # Panics
    /// For another use.
    pub(crate) fn of_bootstrap(
        of: KeyUse,
        secret: &SecretKey,
        sparse: &SecretKey,
        random: &mut Random,
    ) -> Self {
        let parameters = secret.parameters();
        let (from, to, level) = match of {
            KeyUse::ToSparse => (secret, sparse, 0),
            KeyUse::FromSparse => (sparse, secret, parameters.top()),
            KeyUse::Multiply | KeyUse::Automorphism(_) | KeyUse::LowAutomorphism(_) => {
                unreachable!("no key of a bootstrap")
            }
        };
        let gadget = Gadget::of_use(parameters, of);
        Self::generate(secret, gadget, level, from.values(), to.values(), random)
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The secret key that the key belongs to.
    pub fn owner(&self) -> KeyId {
        self.owner
    }

    /// The seed of the uniform halves.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// What (c₀, c₁), a ciphertext's parts under the key's first secret, are under its second, X
    /// being X^`exponent` then.
    pub(crate) fn switch_parts(
        &self,
        [first, second]: [&Polynomial; 2],
        exponent: u64,
    ) -> [Polynomial; 2] {
        let switched = self.switch_lazily(second, &Finish::NOTHING);
        self.divided(&switched, &Finish { added: [Some(first), None], exponent })
    }

    /// What was switched lazily, over P, and what a finish makes of it.
    pub(crate) fn divided(&self, [b, a]: &[Polynomial; 2], finish: &Finish) -> [Polynomial; 2] {
        let (ring, special) = (self.parameters.ring(), &self.gadget.special);
        ring.divide_all([b, a], special, &Basis::new([]), finish)
    }

    /// P·x·s' under s, modulo x's primes and those of P, and what a finish makes of it: what sums
    /// of switches are taken of.
    pub(crate) fn switch_lazily(&self, x: &Polynomial, finish: &Finish) -> [Polynomial; 2] {
        let basis = x.basis().union(&self.gadget.special);
        let (places, parts): (Vec<usize>, Vec<Basis>) = self.gadget.parts(x.basis()).unzip();
        let key = self.halves(&places);
        self.parameters.ring().extend_and_multiply(x, &parts, &key, &basis, finish)
    }

    /// Both halves for the digits at these places.
    fn halves(&self, places: &[usize]) -> Vec<[&Polynomial; 2]> {
        let halves = |place: &usize| [&self.digits[*place].0, &self.digits[*place].1];
        places.iter().map(halves).collect()
    }
}

impl<'a> Decomposed<'a> {
    /// The digits of a polynomial of values modulo main primes, as some keys take it apart.
    pub(crate) fn new(parameters: &'a Parameters, gadget: &Gadget, x: &Polynomial) -> Self {
        let basis = x.basis().union(&gadget.special);
        let (places, parts): (Vec<usize>, Vec<Basis>) = gadget.parts(x.basis()).unzip();
        let digits = parameters.ring().extend(x, &parts, &basis);
        Self { parameters, basis, places, digits }
    }

    /// As [`SwitchingKey::switch_lazily`] by several keys at once, which share one reading of the
    /// digits.
    pub(crate) fn switch_lazily(&self, keys: &[(&SwitchingKey, Finish)]) -> Vec<[Polynomial; 2]> {
        let keys = keys.iter().map(|(key, finish)| (key.halves(&self.places), *finish));
        let keys: Vec<_> = keys.collect();
        let digits: Vec<&Polynomial> = self.digits.iter().collect();
        self.parameters.ring().inner_products(&self.basis, &digits, &keys)
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
