// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vectors that are to be encoded, and what is declared of them.

use std::borrow::Cow;

use super::complex::Complex;
use super::encoder::EncodingError;
use crate::estimate::Bound;

/// A vector that is not encrypted, and where its values are declared to lie.
///
/// The bound goes along with ciphertexts, where everybody can read it: it is what the caller declares, or
/// [the default of the parameters](crate::Parameters::default_bound), and never computed from the values.
/// Values beyond it are an error. Vectors of real numbers are declared real.
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
    values: Cow<'a, [Complex]>,
    is_real: bool,
    bound: Option<Bound>,
}

impl<'a> Values<'a> {
    /// The same with no absolute value above `magnitude`.
    #[must_use]
    pub fn within(self, magnitude: f64) -> Self {
        let bound = self.of_magnitude(magnitude);
        self.bounded(bound)
    }

    /// The same with all values in a bound.
    #[must_use]
    pub fn bounded(self, bound: Bound) -> Self {
        Self { bound: Some(bound), ..self }
    }

    /// The same with the values copied.
    pub fn into_owned(self) -> Values<'static> {
        Values { values: Cow::Owned(self.values.into_owned()), ..self }
    }

    /// The values.
    pub fn values(&self) -> &[Complex] {
        &self.values
    }

    /// The bound that was declared, or the one of a default magnitude.
    ///
    /// # Errors
    /// [`EncodingError::Bound`] for what is no bound.
    pub fn declared(&self, default: f64) -> Result<Bound, EncodingError> {
        let bound = self.bound.unwrap_or_else(|| self.of_magnitude(default));
        match bound.is_valid() {
            true => Ok(bound),
            false => Err(EncodingError::Bound { bound }),
        }
    }

    /// The bound, in which all values are.
    ///
    /// # Errors
    /// [`EncodingError`] for no values, for what is no number, and for one outside the bound.
    pub(crate) fn checked(&self, default: f64) -> Result<Bound, EncodingError> {
        let bound = self.declared(default)?;
        if self.values.is_empty() {
            return Err(EncodingError::Empty);
        }
        let text = |value: &Complex| match value.im == 0.0 {
            true => format!("{:?}", value.re),
            false => format!("{:?}{:+?}i", value.re, value.im),
        };
        if let Some(index) = self.values.iter().position(|value| !value.is_finite()) {
            return Err(EncodingError::NotFinite { index, value: text(&self.values[index]) });
        }
        if let Some(index) = self.values.iter().position(|value| !bound.contains(*value)) {
            let value = text(&self.values[index]);
            let largest = self.values.iter().map(|value| value.abs()).fold(0.0, f64::max);
            return Err(EncodingError::OutOfBound { index, value, bound, largest });
        }
        Ok(bound)
    }

    /// The only value, where there is one, and its bound: where none was declared, it is part of the circuit,
    /// which everybody may know, and its own bound.
    ///
    /// # Errors
    /// As [`Self::checked`].
    pub(crate) fn number(&self) -> Result<Option<(Complex, Bound)>, EncodingError> {
        let [number] = *self.values else { return Ok(None) };
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
        Self { values: Cow::Borrowed(values), is_real: false, bound: None }
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
        let values = values.iter().map(|value| Complex::from(*value)).collect();
        Self { values: Cow::Owned(values), is_real: true, bound: None }
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

impl From<Vec<Complex>> for Values<'_> {
    fn from(values: Vec<Complex>) -> Self {
        Self { values: Cow::Owned(values), is_real: false, bound: None }
    }
}

impl<'a> From<&'a Values<'_>> for Values<'a> {
    fn from(values: &'a Values<'_>) -> Self {
        Self { values: Cow::Borrowed(&values.values), ..*values }
    }
}
