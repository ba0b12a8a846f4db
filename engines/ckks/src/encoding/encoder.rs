// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vectors as plaintexts of a level and a scale, and back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zeroize::Zeroizing;

use super::embedding::Embedding;
use super::error::EncodingError;
use super::parts::{self, Largest, Round};
use super::values::Values;
use crate::complex::Complex;
use crate::estimate::{Bound, Origin};
use crate::params::{ChainLevel, Parameters, Scale};
use crate::ring::{Basis, Form, Polynomial, Repeated, Work};
use crate::sampling::{uniform_pairs, Random};

/// Bits that a coefficient of what is decoded may have.
pub(crate) const MOST_BITS: f64 = 115.0;
/// Bits that a rounded coefficient may have; the rest is a power of two.
const COEFFICIENT_BITS: i32 = 61;

/// A polynomial that stands for a vector: its values in the slots over the scale.
#[derive(Clone)]
pub struct Plaintext {
    pub(crate) polynomial: Polynomial,
    pub(crate) scale: Scale,
    pub(crate) slots: usize,
    /// How many of the slots were given; the others repeat them.
    pub(crate) length: usize,
    pub(crate) bound: Bound,
    /// What the values are, as a number, where everybody may know them.
    pub(crate) origin: Origin,
}

/// Encodes and decodes vectors for some parameters.
pub struct Encoder {
    parameters: Parameters,
    embeddings: Mutex<HashMap<u32, Arc<Embedding>>>,
    /// Plaintexts that a ring without arithmetic recorded.
    drafts: Mutex<Vec<Draft>>,
}

/// A plaintext of a ring without arithmetic, to be encoded in one that computes.
pub(crate) struct Draft {
    /// The coefficients without words, or the values that are held of a factor.
    polynomial: Polynomial,
    values: Vec<Complex>,
    slots: usize,
    scale: Scale,
}

impl Draft {
    /// The name of the polynomial in programs.
    pub fn name(&self) -> u64 {
        self.polynomial.name()
    }
}

impl Plaintext {
    /// The scale: the factor from values to the polynomial.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The number of values.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The number of slots: the next power of two.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The declared bound of the values.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// Marks the polynomial secret: it is overwritten when it is dropped, and so is all that is
    /// computed with it.
    pub fn mark_secret(&mut self) {
        self.polynomial.mark_secret();
    }

    /// The polynomial.
    pub fn polynomial(&self) -> &Polynomial {
        &self.polynomial
    }
}

impl Encoder {
    /// An encoder for these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let (embeddings, drafts) = (Mutex::default(), Mutex::default());
        Self { parameters: parameters.clone(), embeddings, drafts }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The plaintext of a vector, with the moduli and the scale of a level. A vector whose
    /// length is not a power of two is repeated up to the next one; a vector of fewer than N/2
    /// values is repeated to fill the slots.
    ///
    /// # Errors
    /// [`EncodingError`] for values that are not finite, too many or outside their bound, for a
    /// bound that the level has no room for, and for a level above the highest.
    pub fn encode<'a>(
        &self,
        values: impl Into<Values<'a>>,
        level: usize,
    ) -> Result<Plaintext, EncodingError> {
        let at = self.checked_level(level)?;
        self.encode_in(values, &at.basis, at.scale)
    }

    /// The plaintext of a vector in any basis, with any scale.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn encode_in<'a>(
        &self,
        values: impl Into<Values<'a>>,
        basis: &Basis,
        scale: Scale,
    ) -> Result<Plaintext, EncodingError> {
        self.encode_values(&values.into(), basis, scale)
    }

    /// [`Self::encode_in`], compiled once for all types of vectors.
    fn encode_values(
        &self,
        values: &Values<'_>,
        basis: &Basis,
        scale: Scale,
    ) -> Result<Plaintext, EncodingError> {
        let bound = self.checked_bound(values, basis, scale)?;
        Ok(Plaintext { bound, ..self.encode_as(values.values(), basis, scale, None)? })
    }

    /// [`Self::encode`] of values that are encrypted: the plaintext is marked secret, and rounded
    /// at random, so that no choice of values makes roundings add up in a slot.
    pub(crate) fn encode_secret(
        &self,
        values: &Values<'_>,
        level: usize,
        random: &mut Random,
    ) -> Result<Plaintext, EncodingError> {
        let at = self.checked_level(level)?;
        let bound = self.checked_bound(values, &at.basis, at.scale)?;
        let plaintext = self.encode_as(values.values(), &at.basis, at.scale, Some(random))?;
        Ok(Plaintext { bound, ..plaintext })
    }

    /// The plaintext of finite numbers that everybody may know, with their own bound.
    pub(crate) fn encode_public(
        &self,
        values: &[Complex],
        basis: &Basis,
        scale: Scale,
    ) -> Result<Plaintext, EncodingError> {
        let magnitude = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
        let (bound, origin) = (Bound::complex(magnitude), Self::origin_of_public(values));
        Ok(Plaintext { bound, origin, ..self.encode_as(values, basis, scale, None)? })
    }

    /// The factor of a vector that is no secret of a client's, to multiply values by: the words of
    /// what [`Ring::repeated`](crate::ring::Ring::repeated) makes of its plaintext, by transforms of
    /// as many values as there are slots.
    pub(crate) fn encode_factor(
        &self,
        values: &[Complex],
        basis: &Basis,
        scale: Scale,
    ) -> Result<Repeated, EncodingError> {
        let ring = self.parameters.ring();
        let (slots, limit) = (values.len().next_power_of_two(), self.parameters.slots());
        if ring.is_dry() || ring.is_recording() || slots > limit || slots != values.len() {
            let plaintext = self.encode_as(values, basis, scale, None)?;
            return Ok(ring.repeated(plaintext.polynomial, limit / plaintext.slots));
        }
        self.factor(values, basis, scale)
    }

    /// [`Self::encode_factor`] of a power of two of values, whose encoding is part of no program: there
    /// it is a constant.
    pub(crate) fn encode_constant(
        &self,
        values: &[Complex],
        basis: &Basis,
        scale: Scale,
    ) -> Result<Repeated, EncodingError> {
        let ring = self.parameters.ring();
        if !ring.is_dry() {
            return self.factor(values, basis, scale);
        }
        let factor = ring.blank_factor(basis, 2 * values.len());
        self.keep_draft(factor.values(), values, values.len(), scale);
        Ok(factor)
    }

    /// The factor of a power of two of values, in a ring that computes.
    fn factor(
        &self,
        values: &[Complex],
        basis: &Basis,
        scale: Scale,
    ) -> Result<Repeated, EncodingError> {
        let ring = self.parameters.ring();
        let parts = parts::coefficients(&self.embedding(values.len()), values, ring.backend());
        let largest = Largest(&parts).run_on(ring.backend());
        let (factor, exponent) = self.factor_of(largest, basis, scale)?;
        let rounded = Round { parts: &parts, factor }.run_on(ring.backend());
        Ok(ring.factor_of_coefficients(basis, &rounded, exponent))
    }

    /// The origin of numbers that everybody may know.
    pub(crate) fn origin_of_public(values: &[Complex]) -> Origin {
        let words = values.iter().flat_map(|value| [value.re, value.im]).map(f64::to_bits);
        Origin::of_words(words)
    }

    fn checked_level(&self, level: usize) -> Result<&ChainLevel, EncodingError> {
        let top = self.parameters.top();
        match level > top {
            true => Err(EncodingError::Level { got: level, top }),
            false => Ok(self.parameters.level(level)),
        }
    }

    /// The bound of values, which are in it, and for which there is room.
    fn checked_bound(
        &self,
        values: &Values<'_>,
        basis: &Basis,
        scale: Scale,
    ) -> Result<Bound, EncodingError> {
        let bound = values.checked(self.parameters.default_bound())?;
        let got = bound.magnitude().log2() + scale.log2() + 1.0;
        let limit = self.parameters.chain().modulus(basis).log2().min(MOST_BITS);
        // What is no number is not less.
        match got <= limit {
            true => Ok(bound),
            false => Err(EncodingError::TooLarge { got, limit, scale }),
        }
    }

    /// The plaintext of values of which nothing is told: whether they are the same as others shows
    /// in no estimate. Secret, where there is randomness to round with.
    fn encode_as(
        &self,
        values: &[Complex],
        basis: &Basis,
        scale: Scale,
        random: Option<&mut Random>,
    ) -> Result<Plaintext, EncodingError> {
        let (length, limit) = (values.len(), self.parameters.slots());
        if length > limit {
            return Err(EncodingError::TooLong { got: length, limit });
        }
        let slots = length.next_power_of_two();
        let ring = self.parameters.ring();
        let mut polynomial = match ring.is_dry() {
            true => self.draft(values, slots, basis, scale),
            false => self.coefficients(values, slots, basis, scale, random)?,
        };
        ring.forward(&mut polynomial);
        let (bound, origin) = (Bound::complex(f64::INFINITY), Origin::ANY);
        Ok(Plaintext { polynomial, scale, slots, length, bound, origin })
    }

    /// Coefficients without words, of which a draft is kept while steps are recorded.
    fn draft(&self, values: &[Complex], slots: usize, basis: &Basis, scale: Scale) -> Polynomial {
        let polynomial = self.parameters.ring().blank(basis, Form::Coefficients);
        self.keep_draft(&polynomial, values, slots, scale);
        polynomial
    }

    /// Keeps the draft of a polynomial without words while steps are recorded.
    fn keep_draft(&self, polynomial: &Polynomial, values: &[Complex], slots: usize, scale: Scale) {
        if self.parameters.ring().is_recording() {
            let (values, polynomial) = (values.to_vec(), polynomial.clone());
            self.drafts().push(Draft { polynomial, values, slots, scale });
        }
    }

    /// The drafts since they were last taken.
    pub(crate) fn take_drafts(&self) -> Vec<Draft> {
        std::mem::take(&mut *self.drafts())
    }

    fn drafts(&self) -> MutexGuard<'_, Vec<Draft>> {
        self.drafts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The polynomial of a draft in this encoder's ring, which computes: coefficients, or the values of
    /// a factor.
    pub(crate) fn encode_draft(&self, draft: &Draft) -> Result<Polynomial, EncodingError> {
        let Draft { polynomial, values, slots, scale } = draft;
        match polynomial.form() {
            Form::Coefficients => {
                self.coefficients(values, *slots, polynomial.basis(), *scale, None)
            }
            Form::Values => Ok(self.factor(values, polynomial.basis(), *scale)?.into_values()),
        }
    }

    /// The polynomial of values that repeat themselves in the slots, rounded; secret, where there
    /// is randomness to round with.
    fn coefficients(
        &self,
        values: &[Complex],
        slots: usize,
        basis: &Basis,
        scale: Scale,
        random: Option<&mut Random>,
    ) -> Result<Polynomial, EncodingError> {
        // With room for all at once: where a vector grows, a copy stays behind.
        let mut coefficients = Zeroizing::new(Vec::with_capacity(slots));
        coefficients.extend(values.iter().copied().cycle().take(slots));
        self.embedding(slots).to_coefficients(&mut coefficients);
        let is_secret = random.is_some();
        let (rounded, exponent) = self.round(&coefficients, basis, scale, random)?;
        let mut polynomial = self.parameters.ring().from_coefficients(basis, &rounded, exponent);
        if !is_secret {
            polynomial.declassify();
        }
        Ok(polynomial)
    }

    /// The N coefficients times the scale, over a power of two where they have more than 61 bits.
    fn round(
        &self,
        coefficients: &[Complex],
        basis: &Basis,
        scale: Scale,
        random: Option<&mut Random>,
    ) -> Result<(Zeroizing<Vec<i64>>, u32), EncodingError> {
        let largest =
            coefficients.iter().fold(0.0, |most: f64, c| most.max(c.re.abs().max(c.im.abs())));
        let (factor, exponent) = self.factor_of(largest, basis, scale)?;
        let degree = self.parameters.degree();
        let gap = degree / 2 / coefficients.len();
        let mut rounded = Zeroizing::new(vec![0; degree]);
        let thresholds = match random {
            // To the nearest integer.
            None => Zeroizing::new(vec![[0.5; 2]; coefficients.len()]),
            // Up with the probability of what is behind the point.
            Some(random) => uniform_pairs(random, coefficients.len()),
        };
        for (index, (coefficient, [re, im])) in coefficients.iter().zip(&*thresholds).enumerate() {
            rounded[index * gap] = (coefficient.re * factor + re).floor() as i64;
            rounded[degree / 2 + index * gap] = (coefficient.im * factor + im).floor() as i64;
        }
        Ok((rounded, exponent))
    }

    /// By what coefficients up to `largest` are multiplied before they are rounded, and the power of
    /// two that they are multiplied by after it.
    fn factor_of(
        &self,
        largest: f64,
        basis: &Basis,
        scale: Scale,
    ) -> Result<(f64, u32), EncodingError> {
        let bits = if largest > 0.0 { largest.log2() + scale.log2() } else { 0.0 };
        let limit = self.parameters.chain().modulus(basis).log2();
        if bits.is_nan() || bits + 1.0 > limit {
            return Err(EncodingError::TooLarge { got: bits + 1.0, limit, scale });
        }
        let exponent = (bits.ceil() as i32).saturating_sub(COEFFICIENT_BITS).max(0);
        // Below 2⁶¹ times 1 over the largest coefficient, which may be too much for a double.
        Ok(((scale / Scale::power_of_two(exponent)).value(), exponent as u32))
    }

    /// The values of a plaintext.
    pub fn decode(&self, plaintext: &Plaintext) -> Vec<Complex> {
        let Plaintext { polynomial, scale, slots, length, .. } = plaintext;
        let mut values = self.decode_polynomial(polynomial, *scale, *slots);
        values.truncate(*length);
        values
    }

    /// The values of the slots of a polynomial whose coefficients have at most 115 bits.
    ///
    /// # Panics
    /// For more than N/2 slots, and for a number of them that is no power of two.
    pub fn decode_polynomial(
        &self,
        polynomial: &Polynomial,
        scale: Scale,
        slots: usize,
    ) -> Vec<Complex> {
        let ring = self.parameters.ring();
        let half = self.parameters.slots();
        assert!(slots.is_power_of_two() && slots <= half, "{slots} slots");
        let mut polynomial = ring.restrict(polynomial, &self.enough(polynomial.basis()));
        if polynomial.form() == Form::Values {
            ring.inverse(&mut polynomial);
        }
        let gap = half / slots;
        let places: Vec<usize> =
            (0..slots).flat_map(|index| [index * gap, half + index * gap]).collect();
        let numbers = Zeroizing::new(ring.centered(&polynomial, &places));
        let factor = (Scale::ONE / scale).value();
        let pairs = numbers.chunks_exact(2);
        let mut values: Vec<Complex> = pairs
            .map(|pair| Complex::new(pair[0] as f64 * factor, pair[1] as f64 * factor))
            .collect();
        self.embedding(slots).to_slots(&mut values);
        values
    }

    /// As many of the primes as 126 bits hold, the main ones first; all, where they are fewer.
    fn enough(&self, basis: &Basis) -> Basis {
        let last = |count: usize| Basis::new(basis.places().iter().rev().take(count).copied());
        let bits = |count: usize| self.parameters.chain().modulus(&last(count)).log2();
        let fitting = (1..=basis.len()).take_while(|count| bits(*count) < 126.0);
        last(fitting.last().unwrap_or(1))
    }

    fn embedding(&self, slots: usize) -> Arc<Embedding> {
        let log_slots = slots.trailing_zeros();
        let mut embeddings = self.embeddings.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            embeddings.entry(log_slots).or_insert_with(|| Arc::new(Embedding::new(log_slots))),
        )
    }
}
