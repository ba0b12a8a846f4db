// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vectors to be encoded, with their declared bounds.

use zeroize::Zeroizing;

use super::error::EncodingError;
use crate::complex::Complex;
use crate::estimate::Bound;

/// A plain vector with the declared bound of its values.
///
/// Ciphertexts carry the bound, and everybody can read it. It is the bound that the caller
/// declares, or the [default of the parameters](crate::Parameters::default_bound), and is never
/// computed from the values. Values beyond it are an error. Vectors of real numbers are declared
/// real.
///
/// ```
/// use halimede_ckks::encoding::Values;
///
/// let temperatures = [21.5, 19.0, 30.25];
/// let declared = Values::from(&temperatures).within(60.0);
/// # let _ = declared;
/// ```
#[derive(Clone, Debug)]
pub struct Values<'a> {
    values: Store<'a>,
    is_real: bool,
    bound: Option<Bound>,
}

/// A complex number as errors show it.
pub(crate) fn number_text(number: Complex) -> String {
    let sign = if number.im.is_sign_negative() { '-' } else { '+' };
    format!("{:?} {sign} {:?}i", number.re, number.im.abs())
}

/// The caller's vector, or our own copy, which is wiped.
#[derive(Clone, Debug)]
enum Store<'a> {
    Borrowed(&'a [Complex]),
    Owned(Zeroizing<Vec<Complex>>),
}

impl<'a> Values<'a> {
    fn new(values: Store<'a>, is_real: bool) -> Self {
        Self { values, is_real, bound: None }
    }

    /// Declares `magnitude` as the largest absolute value.
    #[must_use]
    pub fn within(self, magnitude: f64) -> Self {
        let bound = self.of_magnitude(magnitude);
        self.bounded(bound)
    }

    /// Declares this bound.
    #[must_use]
    pub fn bounded(self, bound: Bound) -> Self {
        Self { bound: Some(bound), ..self }
    }

    /// Copies the values.
    pub fn into_owned(self) -> Values<'static> {
        let values = match self.values {
            Store::Borrowed(values) => Zeroizing::new(values.to_vec()),
            Store::Owned(values) => values,
        };
        Values { values: Store::Owned(values), ..self }
    }

    /// The values.
    pub fn values(&self) -> &[Complex] {
        match &self.values {
            Store::Borrowed(values) => values,
            Store::Owned(values) => values,
        }
    }

    /// Returns the declared bound, or a bound with the default magnitude.
    ///
    /// # Errors
    /// [`EncodingError::Bound`] for an invalid bound.
    pub fn declared(&self, default: f64) -> Result<Bound, EncodingError> {
        let bound = self.bound.unwrap_or_else(|| self.of_magnitude(default));
        match bound.is_valid() {
            true => Ok(bound),
            false => Err(EncodingError::Bound { bound }),
        }
    }

    /// Returns the bound after a check that all values are within it.
    ///
    /// # Errors
    /// [`EncodingError`] if the vector is empty, a value is not finite, or a value is outside the
    /// bound.
    pub(crate) fn checked(&self, default: f64) -> Result<Bound, EncodingError> {
        let bound = self.declared(default)?;
        let values = self.values();
        if values.is_empty() {
            return Err(EncodingError::Empty);
        }
        let text = |value: &Complex| match value.im == 0.0 {
            true => format!("{:?}", value.re),
            false => number_text(*value),
        };
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(EncodingError::NotFinite { index, value: text(&values[index]) });
        }
        if let Some(index) = values.iter().position(|value| !bound.contains(*value)) {
            let value = text(&values[index]);
            let largest = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
            return Err(EncodingError::OutOfBound { index, value, bound, largest });
        }
        Ok(bound)
    }

    /// Returns the value of a vector of length one, and its bound. If no bound was declared, the
    /// value is part of the circuit, hence public, and determines its own bound.
    ///
    /// # Errors
    /// As [`Self::checked`].
    pub(crate) fn number(&self) -> Result<Option<(Complex, Bound)>, EncodingError> {
        let [number] = *self.values() else { return Ok(None) };
        let bound = match self.bound {
            None if number.is_finite() => Bound::of_number(number),
            _ => self.checked(0.0)?,
        };
        Ok(Some((number, bound)))
    }

    fn of_magnitude(&self, magnitude: f64) -> Bound {
        match self.is_real {
            true => Bound::real(magnitude),
            false => Bound::complex(magnitude),
        }
    }
}

impl<'a> From<&'a [Complex]> for Values<'a> {
    fn from(values: &'a [Complex]) -> Self {
        Self::new(Store::Borrowed(values), false)
    }
}

impl<'a> From<&'a Vec<Complex>> for Values<'a> {
    fn from(values: &'a Vec<Complex>) -> Self {
        Self::from(&values[..])
    }
}

impl<'a, const COUNT: usize> From<&'a [Complex; COUNT]> for Values<'a> {
    fn from(values: &'a [Complex; COUNT]) -> Self {
        Self::from(&values[..])
    }
}

impl From<&[f64]> for Values<'_> {
    fn from(values: &[f64]) -> Self {
        let mut complex = Zeroizing::new(Vec::with_capacity(values.len()));
        complex.extend(values.iter().map(|value| Complex::from(*value)));
        Self::new(Store::Owned(complex), true)
    }
}

impl From<&Vec<f64>> for Values<'_> {
    fn from(values: &Vec<f64>) -> Self {
        Self::from(&values[..])
    }
}

impl<const COUNT: usize> From<&[f64; COUNT]> for Values<'_> {
    fn from(values: &[f64; COUNT]) -> Self {
        Self::from(&values[..])
    }
}

impl<'a> From<&'a Zeroizing<Vec<Complex>>> for Values<'a> {
    fn from(values: &'a Zeroizing<Vec<Complex>>) -> Self {
        Self::from(&values[..])
    }
}

impl<'a> From<&'a Values<'_>> for Values<'a> {
    fn from(values: &'a Values<'_>) -> Self {
        Self { values: Store::Borrowed(values.values()), ..*values }
    }
}
