// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The coefficient of a power in one polynomial or in several.

use super::polynomial::Polynomial;
use crate::complex::Complex;

/// One number for each polynomial.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Coefficient(Vec<Complex>);

impl From<Complex> for Coefficient {
    fn from(number: Complex) -> Self {
        Self(vec![number])
    }
}

impl Coefficient {
    /// Returns the coefficients of a degree, which may exceed that of some polynomials.
    pub fn of_degree(polynomials: &[Polynomial], degree: usize) -> Self {
        let number = |p: &Polynomial| p.coefficients().get(degree).copied().unwrap_or_default();
        Self(polynomials.iter().map(number).collect())
    }

    /// Returns the numbers in the order of the polynomials.
    pub fn numbers(&self) -> &[Complex] {
        &self.0
    }

    /// Returns the number that all polynomials share, if there is one.
    pub fn number(&self) -> Option<Complex> {
        let first = *self.0.first()?;
        self.0.iter().all(|number| *number == first).then_some(first)
    }

    /// Returns `true` if the coefficient is 0 in all polynomials.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|number| *number == Complex::default())
    }

    /// Subtracts another coefficient of the same polynomials.
    pub fn subtract(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(number, other)| *number = *number - *other);
    }

    /// Multiplies the coefficient by 2.
    pub fn double(&mut self) {
        self.0.iter_mut().for_each(|number| *number = *number * 2.0);
    }
}
