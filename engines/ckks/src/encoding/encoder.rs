// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encodes vectors as plaintexts of a level and a scale, and decodes them.

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

/// The maximal number of bits of a coefficient that can be decoded.
pub(crate) const MOST_BITS: f64 = 115.0;
/// The maximal number of bits of a rounded coefficient. The rest is a power of two.
const COEFFICIENT_BITS: i32 = 61;

/// The encoding of a vector: a polynomial whose slots hold the values times the scale.
#[derive(Clone)]
pub struct Plaintext {
    pub(crate) polynomial: Polynomial,
    pub(crate) scale: Scale,
    pub(crate) slots: usize,
    /// The number of given values. The other slots repeat them.
    pub(crate) length: usize,
    pub(crate) bound: Bound,
    /// Identifies the values if they are public.
    pub(crate) origin: Origin,
}

/// Encodes and decodes vectors for given parameters.
pub struct Encoder {
    parameters: Parameters,
    embeddings: Mutex<HashMap<u32, Arc<Embedding>>>,
    /// Plaintexts that a ring without arithmetic recorded.
    drafts: Mutex<Vec<Draft>>,
}

/// A plaintext of a ring without arithmetic, which a ring with arithmetic can encode.
pub(crate) struct Draft {
    /// The coefficients without words, or the stored values of a factor.
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

    /// Marks the polynomial secret: it is overwritten on drop, and so are all results that are
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
    /// Creates an encoder for these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let (embeddings, drafts) = (Mutex::default(), Mutex::default());
        Self { parameters: parameters.clone(), embeddings, drafts }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Encodes a vector with the moduli and the scale of a level. A vector whose length is not a
    /// power of two is repeated up to the next one. A vector of fewer than N/2 values is repeated
    /// to fill the slots.
    ///
    /// # Errors
    /// [`EncodingError`] if values are not finite, too many or outside their bound, if the bound
    /// does not fit the level, or if the level is above the highest.
    pub fn encode<'a>(
        &self,
        values: impl Into<Values<'a>>,
        level: usize,
    ) -> Result<Plaintext, EncodingError> {
        let at = self.checked_level(level)?;
        self.encode_in(values, &at.basis, at.scale)
    }

    /// Encodes a vector in any basis and with any scale.
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

    /// Like [`Self::encode_in`], compiled once for all types of vectors.
    fn encode_values(
        &self,
        values: &Values<'_>,
        basis: &Basis,
        scale: Scale,
    ) -> Result<Plaintext, EncodingError> {
        let bound = self.checked_bound(values, basis, scale)?;
        Ok(Plaintext { bound, ..self.encode_as(values.values(), basis, scale, None)? })
    }

    /// Like [`Self::encode`], for values that are encrypted: the plaintext is marked secret and
    /// rounded at random, so that no choice of values makes rounding errors add up in a slot.
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

    /// Encodes finite, public numbers with their own bound.
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

    /// Encodes a vector that is not a client's secret as a factor: the words of
    /// [`Ring::repeated`](crate::ring::Ring::repeated) of its plaintext, with transforms of the
    /// size of the number of slots.
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

    /// Like [`Self::encode_factor`], for a number of values that is a power of two. In a program
    /// the result is a constant, not an encoding.
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

    /// The factor of a vector whose length is a power of two, in a ring with arithmetic.
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

    /// The origin of public numbers.
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

    /// Returns the bound of the values, after checks that the values are within it and that it
    /// fits.
    fn checked_bound(
        &self,
        values: &Values<'_>,
        basis: &Basis,
        scale: Scale,
    ) -> Result<Bound, EncodingError> {
        let bound = values.checked(self.parameters.default_bound())?;
        let got = bound.magnitude().log2() + scale.log2() + 1.0;
        let limit = self.parameters.chain().modulus(basis).log2().min(MOST_BITS);
        // False for NaN too.
        match got <= limit {
            true => Ok(bound),
            false => Err(EncodingError::TooLarge { got, limit, scale }),
        }
    }

    /// Encodes values without their origin, so that no estimate reveals whether they equal others.
    /// The plaintext is secret if `random` is given for the rounding.
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

    /// Coefficients without words. While steps are recorded, a draft is kept for them.
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

    /// Takes the drafts since the last call.
    pub(crate) fn take_drafts(&self) -> Vec<Draft> {
        std::mem::take(&mut *self.drafts())
    }

    fn drafts(&self) -> MutexGuard<'_, Vec<Draft>> {
        self.drafts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Encodes a draft in the ring of this encoder, which must have arithmetic: as coefficients, or
    /// as the values of a factor.
    pub(crate) fn encode_draft(&self, draft: &Draft) -> Result<Polynomial, EncodingError> {
        let Draft { polynomial, values, slots, scale } = draft;
        match polynomial.form() {
            Form::Coefficients => {
                self.coefficients(values, *slots, polynomial.basis(), *scale, None)
            }
            Form::Values => Ok(self.factor(values, polynomial.basis(), *scale)?.into_values()),
        }
    }

    /// Returns the rounded polynomial of values that repeat in the slots. It is secret if `random`
    /// is given for the rounding.
    fn coefficients(
        &self,
        values: &[Complex],
        slots: usize,
        basis: &Basis,
        scale: Scale,
        random: Option<&mut Random>,
    ) -> Result<Polynomial, EncodingError> {
        // With the full capacity: a vector that grows leaves a copy in memory.
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

    /// Returns the N coefficients times the scale, divided by a power of two if they have more than
    /// 61 bits, and its exponent.
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
            // Round to the nearest integer.
            None => Zeroizing::new(vec![[0.5; 2]; coefficients.len()]),
            // Round up with a probability equal to the fractional part.
            Some(random) => uniform_pairs(random, coefficients.len()),
        };
        for (index, (coefficient, [re, im])) in coefficients.iter().zip(&*thresholds).enumerate() {
            rounded[index * gap] = (coefficient.re * factor + re).floor() as i64;
            rounded[degree / 2 + index * gap] = (coefficient.im * factor + im).floor() as i64;
        }
        Ok((rounded, exponent))
    }

    /// Returns the factor by which coefficients up to `largest` are multiplied before the rounding,
    /// and the exponent of the power of two by which they are multiplied afterwards.
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
        // Below 2⁶¹ divided by the largest coefficient. This may exceed the range of a double.
        Ok(((scale / Scale::power_of_two(exponent)).value(), exponent as u32))
    }

    /// Returns the values of a plaintext.
    pub fn decode(&self, plaintext: &Plaintext) -> Vec<Complex> {
        let Plaintext { polynomial, scale, slots, length, .. } = plaintext;
        let mut values = self.decode_polynomial(polynomial, *scale, *slots);
        values.truncate(*length);
        values
    }

    /// Returns the slots of a polynomial whose coefficients have at most 115 bits.
    ///
    /// # Panics
    /// Panics if `slots` is above N/2 or not a power of two.
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

    /// The primes whose product fits 126 bits, the main ones first, or all primes if they fit.
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
