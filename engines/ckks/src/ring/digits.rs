// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials taken apart into digits, and sums of products of digits with keys.
//!
//! Work goes prime by prime: all digits' limbs of a prime are transformed one after the other, by the
//! same factors, and, where a key's products follow at once, multiplied while they are in the cache.

use std::sync::Arc;

use rayon::prelude::*;

use super::basis::Basis;
use super::conversion::Conversion;
use super::kernels::MAX_TERMS;
use super::modulus::Modulus;
use super::polynomial::{Form, Polynomial};
use super::ring::{cached, limb_at, limbs_by_prime, Ring, PRODUCT_BLOCK};
use super::trace::{Operation, Value};

impl Ring {
    /// For each part of a polynomial's primes the number of least absolute value that it is modulo
    /// them, as values modulo the primes of `basis`.
    ///
    /// # Panics
    /// For coefficients, and where the polynomial or `basis` lacks a part's primes.
    pub fn extend(&self, values: &Polynomial, parts: &[Basis], basis: &Basis) -> Vec<Polynomial> {
        let coefficients = self.coefficients(values, &union(parts));
        let mut digits = self.converted(&coefficients, parts, basis);
        self.each_limb_of(&mut digits, |index, place, twiddles, limb| {
            match parts[index].limb_of(place) {
                Some(_) => limb.copy_from_slice(limb_at(values, place)),
                None => self.kernels.forward(twiddles, limb),
            }
        });
        for (digit, part) in digits.iter().zip(parts) {
            self.record_digit(&coefficients, values, part, &digit.value());
        }
        digits
    }

    /// Σ xᵢ·bᵢ·2⁻³² and Σ xᵢ·cᵢ·2⁻³² of a polynomial's digits xᵢ, as [`Self::extend`] gives them, and of
    /// a key's (bᵢ, cᵢ) in Montgomery form, which may have more primes.
    ///
    /// # Panics
    /// As there, and for more than [`MAX_TERMS`] parts or another number of pairs.
    pub fn extend_and_multiply(
        &self,
        values: &Polynomial,
        parts: &[Basis],
        keys: &[[&Polynomial; 2]],
        basis: &Basis,
    ) -> (Polynomial, Polynomial) {
        assert_eq!(parts.len(), keys.len(), "a pair of a key for each digit");
        let coefficients = self.coefficients(values, &union(parts));
        let mut digits = self.converted(&coefficients, parts, basis);
        let mut sums = [self.fresh(basis, Form::Values), self.fresh(basis, Form::Values)];
        let [first, second] = &mut sums;
        let limbs = first.words_mut().par_chunks_exact_mut(self.degree());
        let limbs = limbs.zip(second.words_mut().par_chunks_exact_mut(self.degree()));
        let digits_by_prime = limbs_by_prime(&mut digits).into_par_iter();
        let all = limbs.zip(digits_by_prime).zip(basis.places());
        all.for_each(|(((first, second), mut digits), place)| {
            for (digit, part) in digits.iter_mut().zip(parts) {
                if part.limb_of(*place).is_none() {
                    self.kernels.forward(self.twiddles(*place), digit);
                }
            }
            let terms = digits.iter().zip(parts).zip(keys).map(|((digit, part), key)| {
                let own = part.limb_of(*place).map(|_| limb_at(values, *place));
                let [b, c] = key.map(|half| limb_at(half, *place));
                [own.unwrap_or(digit), b, c]
            });
            let terms: Vec<[&[u32]; 3]> = terms.collect();
            self.sums_of_limbs(self.modulus(*place), &terms, [first, second]);
        });
        if self.recorder.is_on() {
            let digit = |part: &Basis| {
                let digit = self.value_in(basis, Form::Values);
                self.record_digit(&coefficients, values, part, &digit);
                digit
            };
            let digits: Vec<Value> = parts.iter().map(digit).collect();
            for (half, sum) in sums.iter().enumerate() {
                let inputs =
                    digits.iter().zip(keys).flat_map(|(x, key)| [x.clone(), key[half].value()]);
                self.record(sum, || (Operation::KeyProduct, inputs.collect()));
            }
        }
        let [first, second] = sums;
        (first, second)
    }

    /// Σ aᵢ·bᵢ·2⁻³² and Σ aᵢ·cᵢ·2⁻³² of values in a basis, of terms (aᵢ, bᵢ, cᵢ); the factors may have
    /// more primes, and b and c are a key's, in Montgomery form.
    ///
    /// # Panics
    /// For more than [`MAX_TERMS`] terms.
    pub fn inner_products(
        &self,
        basis: &Basis,
        terms: &[[&Polynomial; 3]],
    ) -> (Polynomial, Polynomial) {
        let mut sums = [self.fresh(basis, Form::Values), self.fresh(basis, Form::Values)];
        let [first, second] = &mut sums;
        let limbs = first.words_mut().par_chunks_exact_mut(self.degree());
        let limbs = limbs.zip(second.words_mut().par_chunks_exact_mut(self.degree()));
        limbs.zip(basis.places()).for_each(|((first, second), place)| {
            let terms = terms.iter().map(|term| term.map(|factor| limb_at(factor, *place)));
            let terms: Vec<[&[u32]; 3]> = terms.collect();
            self.sums_of_limbs(self.modulus(*place), &terms, [first, second]);
        });
        for (sum, other) in sums.iter().zip(1..) {
            let inputs = terms.iter().flat_map(|term| [term[0], term[other]]);
            self.record(sum, || (Operation::KeyProduct, inputs.map(Polynomial::value).collect()));
        }
        let [first, second] = sums;
        (first, second)
    }

    /// Both sums of a prime's limbs, in parts, so that the second finds the first factors in the cache.
    fn sums_of_limbs(&self, modulus: Modulus, terms: &[[&[u32]; 3]], sums: [&mut [u32]; 2]) {
        assert!(terms.len() <= MAX_TERMS, "a sum of {} products", terms.len());
        let [first, second] = sums;
        let parts = first.chunks_mut(PRODUCT_BLOCK).zip(second.chunks_mut(PRODUCT_BLOCK));
        for (block, (first, second)) in parts.enumerate() {
            let part = block * PRODUCT_BLOCK..block * PRODUCT_BLOCK + first.len();
            for (sum, other) in [(first, 1), (second, 2)] {
                let pairs: Vec<(&[u32], &[u32])> = terms
                    .iter()
                    .map(|term| (&term[0][part.clone()], &term[other][part.clone()]))
                    .collect();
                self.kernels.inner_product(modulus, sum, &pairs);
            }
        }
    }

    /// Polynomials with the primes of `basis`, whose limbs but those of their part hold coefficients.
    fn converted(
        &self,
        coefficients: &Polynomial,
        parts: &[Basis],
        basis: &Basis,
    ) -> Vec<Polynomial> {
        let digit = |part: &Basis| {
            assert!(basis.contains(part), "a part of other primes");
            let mut digit = self.fresh(basis, Form::Values);
            let places = part.places().iter();
            let from: Vec<&[u32]> = places.map(|place| limb_at(coefficients, *place)).collect();
            let others = basis.without(part);
            self.convert_to(&self.extension(part, &others), &from, &mut digit, &others);
            digit
        };
        parts.iter().map(digit).collect()
    }

    /// The conversion from some primes to others, without factors.
    fn extension(&self, part: &Basis, others: &Basis) -> Arc<Conversion> {
        let key = (part.clone(), others.clone(), Basis::new([]));
        cached(&self.conversions, key, || {
            Conversion::new(&self.moduli(part), &self.moduli(others), |_| 1, |_| 1)
        })
    }

    /// Records how a digit came to be.
    fn record_digit(
        &self,
        coefficients: &Polynomial,
        values: &Polynomial,
        part: &Basis,
        digit: &Value,
    ) {
        if !self.recorder.is_on() {
            return;
        }
        let others = digit.basis.without(part);
        let [converted, transformed] =
            [Form::Coefficients, Form::Values].map(|form| self.value_in(&others, form));
        let operation = self.extension(part, &others).operation(part);
        self.recorder.push(operation, vec![coefficients.value()], converted.clone());
        self.recorder.push(Operation::Forward, vec![converted], transformed.clone());
        let inputs = vec![transformed, values.value()];
        self.recorder.push(Operation::Select, inputs, digit.clone());
    }
}

/// The primes of all parts.
fn union(parts: &[Basis]) -> Basis {
    parts.iter().fold(Basis::new([]), |all, part| all.union(part))
}
