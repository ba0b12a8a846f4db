// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vectors as plaintexts of a level and a scale, and back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use zeroize::Zeroizing;

use super::complex::Complex;
use super::embedding::Embedding;
use crate::params::{ChainLevel, Parameters, Scale};
use crate::ring::{Basis, Form, Polynomial};

/// Bits that a rounded coefficient may have; the rest is a power of two.
const COEFFICIENT_BITS: i32 = 61;

/// A polynomial that stands for a vector: its values in the slots over the scale.
#[derive(Clone)]
pub struct Plaintext {
    pub(crate) polynomial: Polynomial,
    pub(crate) scale: Scale,
    pub(crate) slots: usize,
    /// The largest absolute value.
    pub(crate) magnitude: f64,
}

/// Why a vector is no plaintext, or a plaintext no vector.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodingError {
    /// The encoder is of other parameters.
    #[error("the encoder is for the parameters {encoder}, and the key for {key}")]
    Parameters {
        /// The encoder's.
        encoder: String,
        /// The key's.
        key: String,
    },
    /// There is no such level.
    #[error("level {got}, and the highest is {top}")]
    Level {
        /// What was asked for.
        got: usize,
        /// The highest.
        top: usize,
    },
    /// A value is infinite or no number.
    #[error("value {index} is {value}: only finite numbers can be encoded")]
    NotFinite {
        /// Which.
        index: usize,
        /// It.
        value: String,
    },
    /// There are more values than slots.
    #[error(
        "{got} values, but a plaintext has {limit} slots; split the vector or take a larger N"
    )]
    TooLong {
        /// Values.
        got: usize,
        /// N/2.
        limit: usize,
    },
    /// No value at all.
    #[error("there is no value to encode")]
    Empty,
    /// The values times the scale exceed the modulus.
    #[error(
        "the largest coefficient has {got:.1} bits with scale {scale}, and the modulus has only \
         {limit:.1}; take smaller values, a smaller scale or a higher level"
    )]
    TooLarge {
        /// log₂ of it, and a bit for its sign.
        got: f64,
        /// log₂ of the modulus.
        limit: f64,
        /// The scale.
        scale: Scale,
    },
}

/// Encodes and decodes vectors for some parameters.
pub struct Encoder {
    parameters: Parameters,
    embeddings: Mutex<HashMap<u32, Arc<Embedding>>>,
}

impl Plaintext {
    /// By how much it is larger than the values.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// How many values it stands for, a power of two.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Marks the polynomial secret: it is overwritten when it is dropped, and so is all that is computed with
    /// it.
    pub fn mark_secret(&mut self) {
        self.polynomial.mark_secret();
    }

    /// The polynomial.
    pub fn polynomial(&self) -> &Polynomial {
        &self.polynomial
    }
}

impl Encoder {
    /// An encoder.
    pub fn new(parameters: &Parameters) -> Self {
        Self { parameters: parameters.clone(), embeddings: Mutex::default() }
    }

    /// The parameters that it encodes for.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The plaintext of a vector, with the moduli and the scale of a level. A vector that is no power of two
    /// long is filled up with zeros; one of fewer than N/2 values is repeated to fill the slots.
    ///
    /// # Errors
    /// [`EncodingError`] for values that are not finite, too many or too large, and for a level above the
    /// highest.
    pub fn encode(&self, values: &[Complex], level: usize) -> Result<Plaintext, EncodingError> {
        let at = self.checked_level(level)?;
        self.encode_in(values, &at.basis, at.scale)
    }

    /// The plaintext of a vector in any basis, with any scale.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn encode_in(
        &self,
        values: &[Complex],
        basis: &Basis,
        scale: Scale,
    ) -> Result<Plaintext, EncodingError> {
        self.encode_as(values, basis, scale, false)
    }

    /// [`Self::encode`] of values that are encrypted: the plaintext is marked secret.
    pub(crate) fn encode_secret(
        &self,
        values: &[Complex],
        level: usize,
    ) -> Result<Plaintext, EncodingError> {
        let at = self.checked_level(level)?;
        self.encode_as(values, &at.basis, at.scale, true)
    }

    fn checked_level(&self, level: usize) -> Result<&ChainLevel, EncodingError> {
        let top = self.parameters.top();
        match level > top {
            true => Err(EncodingError::Level { got: level, top }),
            false => Ok(self.parameters.level(level)),
        }
    }

    fn encode_as(
        &self,
        values: &[Complex],
        basis: &Basis,
        scale: Scale,
        is_secret: bool,
    ) -> Result<Plaintext, EncodingError> {
        let limit = self.parameters.slots();
        if values.len() > limit {
            return Err(EncodingError::TooLong { got: values.len(), limit });
        }
        if values.is_empty() {
            return Err(EncodingError::Empty);
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let Complex { re, im } = values[index];
            return Err(EncodingError::NotFinite { index, value: format!("{re} + {im}i") });
        }
        let slots = values.len().next_power_of_two();
        let magnitude = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
        // With room for all at once: where a vector grows, a copy stays behind.
        let mut coefficients = Zeroizing::new(Vec::with_capacity(slots));
        coefficients.extend_from_slice(values);
        coefficients.resize(slots, Complex::default());
        self.embedding(slots).to_coefficients(&mut coefficients);
        let (rounded, exponent) = self.round(&coefficients, basis, scale)?;
        let ring = self.parameters.ring();
        let mut polynomial = ring.from_coefficients(basis, &rounded, exponent);
        if !is_secret {
            polynomial.declassify();
        }
        ring.forward(&mut polynomial);
        Ok(Plaintext { polynomial, scale, slots, magnitude })
    }

    /// The N coefficients times the scale, over a power of two where they have more than 61 bits.
    fn round(
        &self,
        coefficients: &[Complex],
        basis: &Basis,
        scale: Scale,
    ) -> Result<(Zeroizing<Vec<i64>>, u32), EncodingError> {
        let largest =
            coefficients.iter().fold(0.0, |most: f64, c| most.max(c.re.abs().max(c.im.abs())));
        let bits = if largest > 0.0 { largest.log2() + scale.log2() } else { 0.0 };
        let limit = self.parameters.chain().modulus(basis).log2();
        if bits + 1.0 > limit {
            return Err(EncodingError::TooLarge { got: bits + 1.0, limit, scale });
        }
        let exponent = (bits.ceil() as i32 - COEFFICIENT_BITS).max(0);
        // Below 2⁶¹ times 1 over the largest coefficient, which may be too much for a double.
        let factor = (scale / Scale::power_of_two(exponent)).value();
        let degree = self.parameters.degree();
        let gap = degree / 2 / coefficients.len();
        let mut rounded = Zeroizing::new(vec![0; degree]);
        for (index, coefficient) in coefficients.iter().enumerate() {
            rounded[index * gap] = (coefficient.re * factor).round() as i64;
            rounded[degree / 2 + index * gap] = (coefficient.im * factor).round() as i64;
        }
        Ok((rounded, exponent as u32))
    }

    /// The values of a plaintext's slots.
    pub fn decode(&self, plaintext: &Plaintext) -> Vec<Complex> {
        self.decode_polynomial(&plaintext.polynomial, plaintext.scale, plaintext.slots)
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
        let numbers = Zeroizing::new(ring.centred(&polynomial, &places));
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
