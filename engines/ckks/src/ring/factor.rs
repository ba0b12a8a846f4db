// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Factors from integer coefficients, with transforms in a subring: a polynomial in X^r needs a
//! transform of only N/r coefficients for each prime.

use super::basis::Basis;
use super::form::Form;
use super::repeated::{held_run, Repeated};
use super::ring::Ring;

/// The number of bits of a coefficient's digit.
const DIGIT_BITS: u32 = 30;
/// Coefficients below this in absolute value have two digits.
const TWO_DIGITS: i64 = 1 << (2 * DIGIT_BITS - 1);

impl Ring {
    /// Returns the factor with the coefficients cₖ·2^`exponent` of X^(k·r), where r is N divided by
    /// the number of coefficients and each cₖ is below 2⁶² in absolute value. The words are those
    /// of [`Self::repeated`] for the values of that polynomial.
    ///
    /// # Panics
    /// Panics if the number of coefficients is not a power of two up to N.
    pub fn factor_of_coefficients(
        &self,
        basis: &Basis,
        coefficients: &[i64],
        exponent: u32,
    ) -> Repeated {
        let (degree, count) = (self.degree(), coefficients.len());
        assert!(count.is_power_of_two() && count <= degree, "{count} coefficients");
        let run = held_run(degree, degree / count);
        // With fewer coefficients than stored values, the other coefficients are 0.
        let gap = degree / count / run;
        let held = degree / run;
        let is_small = coefficients.iter().all(|number| number.unsigned_abs() < TWO_DIGITS as u64);
        let shift = if is_small { 2 * DIGIT_BITS - 1 } else { 62 };
        let mut digits = vec![vec![0u32; held]; if is_small { 2 } else { 3 }];
        for (index, digits) in (0..).zip(&mut digits) {
            let shifted = |number: &i64| number.wrapping_add(1 << shift) as u64;
            for (digit, number) in digits.iter_mut().step_by(gap).zip(coefficients) {
                *digit = (shifted(number) >> (DIGIT_BITS * index)) as u32 & ((1 << DIGIT_BITS) - 1);
            }
        }
        let mut ones = vec![0; held];
        ones.iter_mut().step_by(gap).for_each(|one| *one = 1);
        let mut values = self.fresh_of(held, basis, Form::Values);
        self.each_limb(&mut values, |place, twiddles, limb| {
            let modulus = twiddles.modulus();
            // Once for the Montgomery form of factors, and once for the kernel.
            let power = |bits: u32| {
                let power = modulus.pow(2, u64::from(bits) + u64::from(exponent));
                modulus.to_montgomery(modulus.to_montgomery(power))
            };
            let mut terms: Vec<(&[u32], u32)> = Vec::with_capacity(digits.len() + 1);
            for (index, digit) in (0..).zip(&digits) {
                terms.push((digit, power(DIGIT_BITS * index)));
            }
            terms.push((&ones, modulus.neg(power(shift))));
            self.kernels.combine(modulus, limb, &terms);
            self.kernels.forward(&self.subring_twiddles(place, held.trailing_zeros()), limb);
        });
        Repeated::new(values, run)
    }

    /// Returns the factor of a polynomial with `count` coefficients, without words.
    ///
    /// # Panics
    /// Panics if the ring has arithmetic, and if `count` is not a power of two up to N.
    pub(crate) fn blank_factor(&self, basis: &Basis, count: usize) -> Repeated {
        assert!(self.is_dry(), "a factor without residues needs a ring without arithmetic");
        assert!(count.is_power_of_two() && count <= self.degree(), "{count} coefficients");
        let run = held_run(self.degree(), self.degree() / count);
        Repeated::new(self.fresh_of(self.degree() / run, basis, Form::Values), run)
    }
}
