// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keys that switch a ciphertext from one secret to another: hybrid key switching (Han, Ki, "Better
//! bootstrapping for approximate homomorphic encryption", CT-RSA 2020, section 3).
//!
//! The main primes are split into digits D₁ … D_d. A key from s' to s has one pair (bᵢ, aᵢ) for
//! each digit, with bᵢ = −aᵢ·s + eᵢ + P·gᵢ·s' modulo all primes, where gᵢ is 1 modulo the primes of
//! Dᵢ and 0 modulo the other main ones. A polynomial x is decomposed into digits xᵢ = x mod Dᵢ, of
//! least absolute value, so that Σ xᵢ·gᵢ = x. Then (Σ xᵢ·bᵢ, Σ xᵢ·aᵢ)/P decrypts under s to x·s'
//! plus the error Σ xᵢ·eᵢ/P.
//!
//! Keys are in Montgomery form (times 2³²), so that sums of products need only one reduction.

use super::identity::KeyId;
use super::secret::{error, SecretKey};
use super::uses::{KeyUse, LOW_LEVEL};
use crate::params::Parameters;
use crate::ring::{Basis, Finish, Form, Named, Polynomial};
use crate::sampling::{uniform, Random, Seed};

/// A key that switches ciphertexts from one secret to another.
pub struct SwitchingKey {
    parameters: Parameters,
    owner: KeyId,
    seed: Seed,
    /// The highest level of ciphertexts that the key can switch.
    level: usize,
    gadget: Gadget,
    /// For each digit, bᵢ and aᵢ.
    digits: Vec<(Polynomial, Polynomial)>,
}

/// The gadget of a key switch: the digits of the decomposition, and the primes by which ModDown
/// divides.
#[derive(Clone)]
pub(crate) struct Gadget {
    /// The primes of P.
    pub special: Basis,
    /// The primes of each digit.
    pub digits: Vec<Basis>,
}

impl Gadget {
    /// The default gadget.
    pub fn of(parameters: &Parameters) -> Self {
        let chain = parameters.chain();
        Self { special: chain.special.clone(), digits: chain.digits.clone() }
    }

    /// The gadget of keys for this use. The key to a sparse secret needs a small modulus for its
    /// security. Keys for a low level are faster and smaller with fewer primes.
    pub fn of_use(parameters: &Parameters, of: KeyUse) -> Self {
        match of {
            KeyUse::ToSparse => Self::of_digit(parameters, parameters.raised_basis()),
            KeyUse::LowAutomorphism(_) => Self::low(parameters).unwrap_or(Self::of(parameters)),
            _ => Self::of(parameters),
        }
    }

    /// The gadget of keys for level 1 with fewer primes than the default. `None` if they would not
    /// be fewer, or if a ciphertext at this level has more than one digit.
    pub fn low(parameters: &Parameters) -> Option<Self> {
        let (chain, usual) = (parameters.chain(), Self::of(parameters));
        let level = chain.levels.get(LOW_LEVEL)?;
        let gadget = Self::of_digit(parameters, level.basis.clone());
        let is_enough = chain.modulus(&gadget.special).log2() >= level.modulus.log2();
        (is_enough && gadget.special.len() < usual.special.len()).then_some(gadget)
    }

    /// The gadget for polynomials with exactly these primes as one digit. It divides by the fewest
    /// special primes whose product is at least as large.
    fn of_digit(parameters: &Parameters, digit: Basis) -> Self {
        Self { special: parameters.chain().special_of(&digit), digits: vec![digit] }
    }

    /// Returns the indices of the digits that polynomials with these primes have, and their primes
    /// in each digit.
    fn parts<'a>(&'a self, primes: &'a Basis) -> impl Iterator<Item = (usize, Basis)> + 'a {
        let parts = self.digits.iter().map(|digit| digit.common(primes)).enumerate();
        parts.filter(|(_, part)| !part.is_empty())
    }

    /// Returns the primes of each digit of a key for polynomials with these primes. A digit without
    /// any of them is empty.
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

/// The digits of a polynomial, as values modulo its own primes and the special primes: the shared
/// part of several rotations of a ciphertext (hoisting; Halevi, Shoup, "Faster homomorphic linear
/// transformations in HElib", CRYPTO 2018, section 5).
pub(crate) struct Decomposed<'a> {
    parameters: &'a Parameters,
    basis: Basis,
    /// The indices of the digits that the polynomial has.
    places: Vec<usize>,
    digits: Vec<Polynomial>,
}

impl SwitchingKey {
    /// Generates the key from the secret with the values `from` to the secret with the values `to`,
    /// for ciphertexts of the owner of `secret` up to `level`.
    pub(crate) fn generate(
        secret: &SecretKey,
        gadget: Gadget,
        level: usize,
        from: &Polynomial,
        to: &Polynomial,
        random: &mut Random,
    ) -> Self {
        let (parameters, seed) = (secret.parameters(), random.seed());
        let digits = Self::digits(parameters, &gadget, level, [from, to], &seed, random);
        let owner = secret.id();
        Self { parameters: parameters.clone(), owner, seed, level, gadget, digits }
    }

    /// Samples bᵢ for each digit of a key from the secret with the values `from` to the secret with
    /// the values `to`, and expands aᵢ from the seed. Both are linear in the secrets and the
    /// errors: sums of the bᵢ of several parties are those of the sums of their secrets.
    pub(crate) fn digits(
        parameters: &Parameters,
        gadget: &Gadget,
        level: usize,
        [from, to]: [&Polynomial; 2],
        seed: &Seed,
        random: &mut Random,
    ) -> Vec<(Polynomial, Polynomial)> {
        let ring = parameters.ring();
        let special = ring.moduli(&gadget.special);
        let bases = gadget.key_bases(&parameters.primes_to_level(level));
        let digit = |(index, (digit, basis)): (usize, (&Basis, &Basis))| {
            let a = uniform(ring, basis, seed, index as u32);
            // P·gᵢ·s', which is 0 modulo all primes except those of the digit, and the error, times
            // 2³².
            let mut b = error(parameters, basis, random);
            let mut message = ring.restrict(from, &digit.common(basis));
            ring.scale(&mut message, |modulus| modulus.product(&special));
            ring.add_part(&mut b, &message);
            ring.scale(&mut b, |modulus| modulus.reduce(1 << 32));
            let mut product = a.clone();
            ring.mul(&mut product, to);
            ring.sub(&mut b, &product);
            // The error hides the secret.
            b.declassify();
            (b, a)
        };
        gadget.digits.iter().zip(&bases).enumerate().map(digit).collect()
    }

    /// Builds the key for a use from a seed and the bᵢ, for ciphertexts up to `level`.
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

    /// Returns a key in a ring without arithmetic, for a use and ciphertexts up to `level`. It
    /// needs no randomness and no memory, belongs to nobody, and is recorded like a key from a
    /// client.
    pub(crate) fn dry(parameters: &Parameters, of: KeyUse, level: usize) -> Self {
        let gadget = Gadget::of_use(parameters, of);
        let blank = |basis: &Basis| parameters.ring().blank(basis, Form::Values);
        let bases = gadget.key_bases(&parameters.primes_to_level(level));
        let digits = bases.iter().map(|basis| (blank(basis), blank(basis))).collect();
        let (owner, seed) = (KeyId::NOBODY, Seed::default());
        Self { parameters: parameters.clone(), owner, seed, level, gadget, digits }
    }

    /// The size of both halves in bytes.
    pub fn bytes(&self) -> usize {
        let words = |(b, _): &(Polynomial, Polynomial)| b.basis().len() * b.degree();
        2 * size_of::<u32>() * self.digits.iter().map(words).sum::<usize>()
    }

    /// The size in bytes of a key for this use and ciphertexts up to `level`; see [`Self::bytes`].
    pub fn bytes_of(parameters: &Parameters, of: KeyUse, level: usize) -> usize {
        let bases = Gadget::of_use(parameters, of).key_bases(&parameters.primes_to_level(level));
        2 * size_of::<u32>() * parameters.degree() * bases.iter().map(Basis::len).sum::<usize>()
    }

    /// The bᵢ of all digits.
    pub(crate) fn first_halves(&self) -> impl Iterator<Item = &Polynomial> {
        self.digits.iter().map(|(b, _)| b)
    }

    /// All polynomials of the key, with their names in programs.
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

    /// Generates the relinearization key, from s² to s, up to `level`.
    pub fn relinearization(secret: &SecretKey, level: usize, random: &mut Random) -> Self {
        let (parameters, values) = (secret.parameters(), secret.values());
        let mut square = values.clone();
        parameters.ring().mul(&mut square, values);
        let gadget = Gadget::of(parameters);
        Self::generate(secret, gadget, level, &square, values, random)
    }

    /// Generates the key that applies the automorphism X → X^`exponent`, up to `level`. It switches
    /// from s to the image of s under the inverse automorphism, so that the key switch comes first
    /// and the automorphism last.
    ///
    /// # Panics
    /// Panics for an even exponent.
    pub fn automorphism(
        secret: &SecretKey,
        exponent: u64,
        level: usize,
        random: &mut Random,
    ) -> Self {
        let gadget = Gadget::of(secret.parameters());
        Self::of_automorphism(secret, gadget, exponent, level, random)
    }

    /// Like [`Self::automorphism`], with few primes, for matrices at level 1.
    ///
    /// # Panics
    /// Panics for an even exponent.
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

    /// Generates a key of bootstraps, to the sparse secret or back from it.
    ///
    /// # Panics
    /// Panics for any other use.
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
                unreachable!("not a key of bootstraps")
            }
        };
        let gadget = Gadget::of_use(parameters, of);
        Self::generate(secret, gadget, level, from.values(), to.values(), random)
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The identity of the secret key to which the key belongs.
    pub fn owner(&self) -> KeyId {
        self.owner
    }

    /// The seed of the uniform halves.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// Switches the parts (c₀, c₁) of a ciphertext from the key's first secret to its second, then
    /// applies X → X^`exponent`.
    pub(crate) fn switch_parts(
        &self,
        [first, second]: [&Polynomial; 2],
        exponent: u64,
    ) -> [Polynomial; 2] {
        let switched = self.gadget_product(second, &Finish::NOTHING);
        self.mod_down(&switched, &Finish { added: [Some(first), None], exponent })
    }

    /// Divides a [gadget product](Self::gadget_product) by P (ModDown), then applies `finish`.
    pub(crate) fn mod_down(&self, [b, a]: &[Polynomial; 2], finish: &Finish) -> [Polynomial; 2] {
        let (ring, special) = (self.parameters.ring(), &self.gadget.special);
        ring.divide_all([b, a], special, &Basis::new([]), finish)
    }

    /// Computes the gadget product of x and the key: P·x·s' under s, modulo the primes of x and of
    /// P. Then applies `finish`. Sums of gadget products need only one [`Self::mod_down`].
    pub(crate) fn gadget_product(&self, x: &Polynomial, finish: &Finish) -> [Polynomial; 2] {
        let basis = x.basis().union(&self.gadget.special);
        let (places, parts): (Vec<usize>, Vec<Basis>) = self.gadget.parts(x.basis()).unzip();
        let key = self.halves(&places);
        self.parameters.ring().extend_and_multiply(x, &parts, &key, &basis, finish)
    }

    /// Both halves of the digits with these indices.
    fn halves(&self, places: &[usize]) -> Vec<[&Polynomial; 2]> {
        let halves = |place: &usize| [&self.digits[*place].0, &self.digits[*place].1];
        places.iter().map(halves).collect()
    }
}

impl<'a> Decomposed<'a> {
    /// Decomposes a polynomial of values modulo main primes with a gadget.
    pub(crate) fn new(parameters: &'a Parameters, gadget: &Gadget, x: &Polynomial) -> Self {
        let basis = x.basis().union(&gadget.special);
        let (places, parts): (Vec<usize>, Vec<Basis>) = gadget.parts(x.basis()).unzip();
        let digits = parameters.ring().extend(x, &parts, &basis);
        Self { parameters, basis, places, digits }
    }

    /// Computes the gadget products of several keys in one pass over the digits.
    pub(crate) fn gadget_products(&self, keys: &[(&SwitchingKey, Finish)]) -> Vec<[Polynomial; 2]> {
        let keys = keys.iter().map(|(key, finish)| (key.halves(&self.places), *finish));
        let keys: Vec<_> = keys.collect();
        let digits: Vec<&Polynomial> = self.digits.iter().collect();
        self.parameters.ring().inner_products(&self.basis, &digits, &keys)
    }
}

/// The exponent of the inverse automorphism: its inverse modulo 2N.
pub(crate) fn inverse_exponent(exponent: u64, log_degree: u32) -> u64 {
    let mut inverse = exponent;
    // Correct modulo 2³ for an odd exponent. Each step doubles the number of correct bits.
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(exponent.wrapping_mul(inverse)));
    }
    inverse & ((2 << log_degree) - 1)
}
