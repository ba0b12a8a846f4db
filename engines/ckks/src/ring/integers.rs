// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions between integers and residues of coefficients.

use rayon::prelude::*;
use zeroize::Zeroizing;

use super::basis::Basis;
use super::form::Form;
use super::modulus::reduce_once;
use super::polynomial::Polynomial;
use super::ring::Ring;

impl Ring {
    /// Returns the polynomial with these small coefficients, in time independent of them. It is
    /// marked secret, since secrets and errors are made this way.
    ///
    /// # Panics
    /// Panics if there are not N coefficients.
    pub fn from_small(&self, basis: &Basis, coefficients: &[i8]) -> Polynomial {
        assert_eq!(coefficients.len(), self.degree(), "the number of coefficients is not N");
        self.written(basis, Form::Coefficients, true, |_, modulus, limb| {
            for (residue, coefficient) in limb.iter_mut().zip(coefficients) {
                let shifted = modulus.value().wrapping_add_signed(i32::from(*coefficient));
                *residue = reduce_once(shifted, modulus.value());
            }
        })
    }

    /// Returns the polynomial with these coefficients, each below 2⁶² in absolute value, times
    /// 2^`exponent`, in time independent of the coefficients. Copies of them are wiped, and the
    /// result is marked secret.
    ///
    /// # Panics
    /// Panics if there are not N coefficients.
    pub fn from_coefficients(
        &self,
        basis: &Basis,
        coefficients: &[i64],
        exponent: u32,
    ) -> Polynomial {
        let shifted = |number: &i64| u128::from(number.wrapping_add(1 << 62) as u64);
        self.shifted_to_residues::<3>(basis, coefficients.iter().map(shifted), 62, exponent)
    }

    /// Returns the polynomial with these coefficients, each below 2¹²⁶ in absolute value, in time
    /// independent of them. Copies of them are wiped, and the result is marked secret.
    ///
    /// # Panics
    /// Panics if there are not N coefficients.
    pub fn from_wide(&self, basis: &Basis, coefficients: &[i128]) -> Polynomial {
        let shifted = |number: &i128| number.wrapping_add(1 << 126) as u128;
        self.shifted_to_residues::<5>(basis, coefficients.iter().map(shifted), 126, 0)
    }

    /// Returns the polynomial with these coefficients times 2^`exponent`. The given numbers exceed
    /// the coefficients by 2^`shift` and have `DIGITS` digits of 30 bits.
    fn shifted_to_residues<const DIGITS: usize>(
        &self,
        basis: &Basis,
        shifted: impl ExactSizeIterator<Item = u128>,
        shift: u32,
        exponent: u32,
    ) -> Polynomial {
        assert_eq!(shifted.len(), self.degree(), "the number of coefficients is not N");
        let mut digits = [(); DIGITS].map(|()| Zeroizing::new(vec![0u32; self.degree()]));
        for (place, number) in shifted.enumerate() {
            for (digit, index) in digits.iter_mut().zip(0..) {
                digit[place] = (number >> (30 * index)) as u32 & ((1 << 30) - 1);
            }
        }
        let ones = vec![1; self.degree()];
        self.written(basis, Form::Coefficients, true, |_, modulus, limb| {
            let power = |bits: u32| modulus.pow(2, u64::from(bits) + u64::from(exponent));
            let mut terms: Vec<(&[u32], u32)> = Vec::with_capacity(DIGITS + 1);
            for (index, digit) in (0..).zip(&digits) {
                terms.push((digit, modulus.to_montgomery(power(30 * index))));
            }
            terms.push((&ones, modulus.to_montgomery(modulus.neg(power(shift)))));
            self.kernels.combine(modulus, limb, &terms);
        })
    }

    /// Returns the coefficients at some indices, of least absolute value modulo the product of the
    /// primes.
    ///
    /// # Panics
    /// Panics for values, and if the product of the primes exceeds 126 bits.
    pub fn centered(&self, a: &Polynomial, places: &[usize]) -> Vec<i128> {
        assert_eq!(a.form, Form::Coefficients, "coefficients of values");
        let moduli = self.moduli(&a.basis);
        let bits: f64 = moduli.iter().map(|modulus| f64::from(modulus.value()).log2()).sum();
        assert!(bits < 126.5, "a modulus of {bits} bits is too large for numbers of 128 bits");
        let whole: i128 = moduli.iter().map(|by| i128::from(by.value())).product();
        // Mixed radix (Garner): x = d₀ + q₀·(d₁ + q₁·(d₂ + …)), each dᵢ in [0, qᵢ).
        let mut radix = vec![1i128; moduli.len()];
        let mut inverses = Vec::with_capacity(moduli.len());
        for (index, modulus) in moduli.iter().enumerate() {
            let below = &moduli[..index];
            inverses.push(modulus.inverse(modulus.product(below)));
            radix[index] = below.iter().map(|by| i128::from(by.value())).product();
        }
        let centered = |place: &usize| {
            let mut number = 0i128;
            for (index, modulus) in moduli.iter().enumerate() {
                let so_far = (number % i128::from(modulus.value())) as u32;
                let digit = modulus.sub(a.limb(index)[*place], so_far);
                number += i128::from(modulus.mul(digit, inverses[index])) * radix[index];
            }
            if number > whole / 2 {
                number - whole
            } else {
                number
            }
        };
        places.par_iter().map(centered).collect()
    }
}
