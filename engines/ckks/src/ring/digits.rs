// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials taken apart into digits, and sums of products of digits with keys.
//!
//! Work goes prime by prime: all digits' limbs of a prime are transformed one after the other, by the
//! same factors, and, where a key's products follow at once, multiplied while they are in the cache.

use std::sync::Arc;

use rayon::prelude::*;

use super::basis::Basis;
use super::buffer::Buffer;
use super::conversion::Conversion;
use super::finish::{Finish, Finisher};
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
    /// a key's (bᵢ, cᵢ) in Montgomery form, which may have more primes; and what a finish makes of them.
    ///
    /// # Panics
    /// As there, and for more than [`MAX_TERMS`] parts or another number of pairs.
    pub fn extend_and_multiply(
        &self,
        values: &Polynomial,
        parts: &[Basis],
        key: &[[&Polynomial; 2]],
        basis: &Basis,
        finish: &Finish,
    ) -> [Polynomial; 2] {
        let coefficients = self.coefficients(values, &union(parts));
        let mut digits = self.converted(&coefficients, parts, basis);
        let switch = self.switch(key, finish);
        let mut sums = [0, 1].map(|_| self.fresh(basis, Form::Values));
        let targets = limbs_by_prime(&mut sums).into_par_iter().zip(basis.places());
        let digits_by_prime = limbs_by_prime(&mut digits).into_par_iter();
        targets.zip(digits_by_prime).for_each_init(
            || self.scratch(switch.finisher.permutes()),
            |scratch, ((targets, place), mut digits)| {
                for (digit, part) in digits.iter_mut().zip(parts) {
                    if part.limb_of(*place).is_none() {
                        self.kernels.forward(self.twiddles(*place), digit);
                    }
                }
                let digits = digits.iter().zip(parts).map(|(digit, part)| {
                    part.limb_of(*place).map_or(&**digit, |_| limb_at(values, *place))
                });
                let digits: Vec<&[u32]> = digits.collect();
                self.switch_limbs(&switch, *place, &digits, scratch, targets);
            },
        );
        if self.recorder.is_on() {
            let digit = |part: &Basis| {
                let digit = self.value_in(basis, Form::Values);
                self.record_digit(&coefficients, values, part, &digit);
                digit
            };
            let digits: Vec<Value> = parts.iter().map(digit).collect();
            self.record_switch(&switch, &digits, &sums);
        }
        sums
    }

    /// For each key, (bᵢ, cᵢ) in Montgomery form, Σ xᵢ·bᵢ·2⁻³² and Σ xᵢ·cᵢ·2⁻³² of digits xᵢ, and what
    /// its finish makes of them. Digits and keys may have more primes than the sums.
    ///
    /// # Panics
    /// For more than [`MAX_TERMS`] digits, or another number of pairs in a key.
    pub fn inner_products(
        &self,
        basis: &Basis,
        digits: &[&Polynomial],
        keys: &[(Vec<[&Polynomial; 2]>, Finish)],
    ) -> Vec<[Polynomial; 2]> {
        let switches = keys.iter().map(|(key, finish)| self.switch(key, finish));
        let switches: Vec<Switch> = switches.collect();
        let permutes = switches.iter().any(|switch| switch.finisher.permutes());
        let fresh = |_: &_| [0, 1].map(|_| self.fresh(basis, Form::Values));
        let mut sums: Vec<[Polynomial; 2]> = keys.iter().map(fresh).collect();
        let targets = limbs_by_prime(sums.as_flattened_mut()).into_par_iter().zip(basis.places());
        targets.for_each_init(
            || self.scratch(permutes),
            |scratch, (targets, place)| {
                let digits = digits.iter().map(|digit| limb_at(digit, *place));
                let digits: Vec<&[u32]> = digits.collect();
                let mut targets = targets.into_iter();
                for switch in &switches {
                    let targets = targets.by_ref().take(2).collect();
                    self.switch_limbs(switch, *place, &digits, scratch, targets);
                }
            },
        );
        if self.recorder.is_on() {
            let digits: Vec<Value> = digits.iter().map(|digit| digit.value()).collect();
            for (switch, sums) in switches.iter().zip(&sums) {
                self.record_switch(switch, &digits, sums);
            }
        }
        sums
    }

    fn switch<'a>(&'a self, key: &'a [[&'a Polynomial; 2]], finish: &Finish<'a>) -> Switch<'a> {
        Switch { key, finisher: self.finisher(finish) }
    }

    /// Two limbs, where they are needed.
    fn scratch(&self, is_needed: bool) -> Option<Buffer> {
        is_needed.then(|| self.pool.take(2 * self.degree()))
    }

    /// A prime's limbs of both sums of digits with a key, finished.
    fn switch_limbs(
        &self,
        Switch { key, finisher }: &Switch,
        place: u16,
        digits: &[&[u32]],
        scratch: &mut Option<Buffer>,
        mut targets: Vec<&mut [u32]>,
    ) {
        assert_eq!(digits.len(), key.len(), "a pair of a key for each digit");
        let terms = digits.iter().zip(*key);
        let terms = terms.map(|(digit, [b, c])| [*digit, limb_at(b, place), limb_at(c, place)]);
        let terms: Vec<[&[u32]; 3]> = terms.collect();
        let mut sums: Vec<&mut [u32]> = match scratch {
            Some(scratch) if finisher.permutes() => {
                scratch.words_mut().chunks_mut(self.degree()).collect()
            }
            _ => std::mem::take(&mut targets),
        };
        self.sums_of_limbs(self.modulus(place), &terms, &mut sums);
        for (index, sum) in sums.iter_mut().enumerate() {
            finisher.add(index, place, sum);
        }
        for (target, sum) in targets.into_iter().zip(sums) {
            finisher.permute(target, sum);
        }
    }

    /// Records both sums of digits with a key, and how they were finished.
    fn record_switch(
        &self,
        Switch { key, finisher }: &Switch,
        digits: &[Value],
        sums: &[Polynomial],
    ) {
        for (half, sum) in sums.iter().enumerate() {
            let begun = finisher.begun(half, sum);
            let inputs =
                digits.iter().zip(*key).flat_map(|(x, key)| [x.clone(), key[half].value()]);
            self.recorder.push(Operation::KeyProduct, inputs.collect(), begun.clone());
            finisher.record(half, begun, sum);
        }
    }

    /// Both sums of a prime's limbs, in parts, so that the second finds the first factors in the cache.
    fn sums_of_limbs(&self, modulus: Modulus, terms: &[[&[u32]; 3]], sums: &mut [&mut [u32]]) {
        assert!(terms.len() <= MAX_TERMS, "a sum of {} products", terms.len());
        for start in (0..self.degree()).step_by(PRODUCT_BLOCK) {
            let part = start..self.degree().min(start + PRODUCT_BLOCK);
            for (sum, other) in sums.iter_mut().zip(1..) {
                let pairs = terms.iter().map(|term| [0, other].map(|i| &term[i][part.clone()]));
                let pairs: Vec<(&[u32], &[u32])> = pairs.map(|[a, b]| (a, b)).collect();
                self.kernels.inner_product(modulus, &mut sum[part.clone()], &pairs);
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

/// A key that digits are multiplied with, and what is done then.
struct Switch<'a> {
    key: &'a [[&'a Polynomial; 2]],
    finisher: Finisher<'a>,
}

/// The primes of all parts.
fn union(parts: &[Basis]) -> Basis {
    parts.iter().fold(Basis::new([]), |all, part| all.union(part))
}
