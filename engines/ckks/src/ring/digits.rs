// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Digit decomposition, and inner products of digits with keys.
//!
//! Work proceeds prime by prime. The limbs of all digits for a prime are transformed in sequence
//! with the same factors. If the products with a key follow directly, they are computed while the
//! limbs are in the cache.

use std::sync::Arc;

use rayon::prelude::*;

use super::basis::Basis;
use super::buffer::Buffer;
use super::conversion::Conversion;
use super::finish::{Finish, Finisher};
use super::form::Form;
use super::kernels::MAX_TERMS;
use super::polynomial::{Polynomial, Value};
use super::program::Operation;
use super::ring::{cached, limb_at, limbs_by_prime, Ring, PRODUCT_BLOCK};

impl Ring {
    /// Decomposes a polynomial into digits (ModUp). The digit of a part of its primes is the number
    /// of least absolute value that is congruent to the polynomial modulo the part, as values
    /// modulo the primes of `basis`.
    ///
    /// # Panics
    /// Panics for coefficients, and if the polynomial or `basis` lacks primes of a part.
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

    /// Returns the gadget product Σ xᵢ·bᵢ·2⁻³² and Σ xᵢ·cᵢ·2⁻³² for the digits xᵢ of a polynomial
    /// ([`Self::extend`]) and the pairs (bᵢ, cᵢ) of a key in Montgomery form, which may have more
    /// primes. Then applies `finish`.
    ///
    /// # Panics
    /// As in [`Self::extend`], and for more than [`MAX_TERMS`] parts or another number of pairs.
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
        let switches = [self.switch(key, finish)];
        let mut sums = [0, 1].map(|_| self.fresh(basis, Form::Values));
        switches[0].taint(&[values], &mut sums);
        let targets = limbs_by_prime(&mut sums).into_par_iter().zip(basis.places());
        let digits_by_prime = limbs_by_prime(&mut digits).into_par_iter();
        targets.zip(digits_by_prime).for_each_init(
            || self.scratch(&switches, &[values]),
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
                self.switch_limbs(&switches, *place, &digits, scratch, targets);
            },
        );
        if self.recorder.is_on() {
            let digit = |part: &Basis| {
                let digit = self.value_in(basis, Form::Values);
                self.record_digit(&coefficients, values, part, &digit);
                digit
            };
            let digits: Vec<Value> = parts.iter().map(digit).collect();
            self.record_switch(&switches[0], &digits, &sums);
        }
        sums
    }

    /// Returns the gadget products Σ xᵢ·bᵢ·2⁻³² and Σ xᵢ·cᵢ·2⁻³² of the digits xᵢ for each key with
    /// pairs (bᵢ, cᵢ) in Montgomery form, after its finish. Digits and keys may have more primes
    /// than the sums.
    ///
    /// # Panics
    /// Panics for more than [`MAX_TERMS`] digits, or another number of pairs in a key.
    pub fn inner_products(
        &self,
        basis: &Basis,
        digits: &[&Polynomial],
        keys: &[(Vec<[&Polynomial; 2]>, Finish)],
    ) -> Vec<[Polynomial; 2]> {
        let switches = keys.iter().map(|(key, finish)| self.switch(key, finish));
        let switches: Vec<Switch> = switches.collect();
        let fresh = |_: &_| [0, 1].map(|_| self.fresh(basis, Form::Values));
        let mut sums: Vec<[Polynomial; 2]> = keys.iter().map(fresh).collect();
        for (switch, sums) in switches.iter().zip(&mut sums) {
            switch.taint(digits, sums);
        }
        let targets = limbs_by_prime(sums.as_flattened_mut()).into_par_iter().zip(basis.places());
        targets.for_each_init(
            || self.scratch(&switches, digits),
            |scratch, (targets, place)| {
                let digits = digits.iter().map(|digit| limb_at(digit, *place));
                let digits: Vec<&[u32]> = digits.collect();
                self.switch_limbs(&switches, *place, &digits, scratch, targets);
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

    /// Allocates limbs for the sums that are permuted.
    fn scratch(&self, switches: &[Switch], digits: &[&Polynomial]) -> Option<Buffer> {
        let permuted = switches.iter().filter(|switch| switch.finisher.permutes()).count();
        (permuted > 0).then(|| {
            let scratch = self.pool.take(2 * permuted * self.degree());
            if switches.iter().any(|switch| switch.sums_are_secret(digits).contains(&true)) {
                scratch.mark_secret();
            }
            scratch
        })
    }

    /// Computes the limbs of a prime of both sums of the digits with each key, and finishes them.
    /// Each block of the digits is read once for all keys.
    fn switch_limbs(
        &self,
        switches: &[Switch],
        place: u16,
        digits: &[&[u32]],
        scratch: &mut Option<Buffer>,
        targets: Vec<&mut [u32]>,
    ) {
        assert!(digits.len() <= MAX_TERMS, "a sum of {} products is too long", digits.len());
        let scratch = scratch.as_mut().map_or(&mut [][..], Buffer::words_mut);
        let mut scratch = scratch.chunks_mut(self.degree());
        let begin = |(index, target)| {
            let Switch { key, finisher }: &Switch = &switches[index / 2];
            assert_eq!(digits.len(), key.len(), "the key does not have one pair for each digit");
            let (half, finisher) = (index % 2, finisher);
            let factors = key.iter().map(|pair| limb_at(pair[half], place)).collect();
            let (sum, target) = match finisher.permutes().then(|| scratch.next()).flatten() {
                Some(sum) => (sum, Some(target)),
                None => (target, None),
            };
            Sum { factors, sum, target, half, finisher }
        };
        let mut sums: Vec<Sum> = targets.into_iter().enumerate().map(begin).collect();
        for start in (0..self.degree()).step_by(PRODUCT_BLOCK) {
            let part = start..self.degree().min(start + PRODUCT_BLOCK);
            for Sum { factors, sum, .. } in &mut sums {
                let pairs = digits.iter().zip(factors);
                let pairs = pairs.map(|(a, b)| (&a[part.clone()], &b[part.clone()]));
                let pairs: Vec<(&[u32], &[u32])> = pairs.collect();
                self.kernels.inner_product(self.modulus(place), &mut sum[part.clone()], &pairs);
            }
        }
        for Sum { sum, target, half, finisher, .. } in sums {
            finisher.add(half, place, sum);
            target.into_iter().for_each(|target| finisher.permute(target, sum));
        }
    }

    /// Records both sums of digits with a key, and their finish.
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

    /// Returns polynomials with the primes of `basis`. All limbs except those of the respective
    /// part hold coefficients.
    fn converted(
        &self,
        coefficients: &Polynomial,
        parts: &[Basis],
        basis: &Basis,
    ) -> Vec<Polynomial> {
        let digit = |part: &Basis| {
            assert!(basis.contains(part), "the basis lacks primes of a part");
            let mut digit = self.fresh_from(&[coefficients], basis, Form::Values);
            let others = basis.without(part);
            let conversion = self.extension(part, &others);
            self.convert_to(&conversion, (coefficients, part), &mut digit, &others);
            digit
        };
        parts.iter().map(digit).collect()
    }

    /// Returns the conversion from some primes to others, without factors.
    fn extension(&self, part: &Basis, others: &Basis) -> Arc<Conversion> {
        let key = (part.clone(), others.clone(), Basis::new([]));
        cached(&self.conversions, key, || {
            Conversion::new(&self.moduli(part), &self.moduli(others), |_| 1, |_| 1)
        })
    }

    /// Records the computation of a digit.
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
        let operation = Operation::of_conversion(&self.extension(part, &others), part);
        self.recorder.push(operation, vec![coefficients.value()], converted.clone());
        self.recorder.push(Operation::Forward, vec![converted], transformed.clone());
        let inputs = vec![transformed, values.value()];
        self.recorder.push(Operation::Select, inputs, digit.clone());
    }
}

/// A key that is multiplied with digits, and the finish of its sums.
struct Switch<'a> {
    key: &'a [[&'a Polynomial; 2]],
    finisher: Finisher<'a>,
}

impl Switch<'_> {
    /// Returns which of the two sums of digits with the key are secret.
    fn sums_are_secret(&self, digits: &[&Polynomial]) -> [bool; 2] {
        let of_digits = digits.iter().any(|digit| digit.is_secret());
        [0, 1].map(|half| {
            let of_key = self.key.iter().any(|pair| pair[half].is_secret());
            of_digits || of_key || self.finisher.adds_secret(half)
        })
    }

    /// Marks those of the two sums that are secret.
    fn taint(&self, digits: &[&Polynomial], sums: &mut [Polynomial; 2]) {
        for (sum, is_secret) in sums.iter_mut().zip(self.sums_are_secret(digits)) {
            sum.taint(is_secret);
        }
    }
}

/// The limb of a prime of one of a key's sums.
struct Sum<'a> {
    /// The limbs of one half of the key, one for each digit.
    factors: Vec<&'a [u32]>,
    sum: &'a mut [u32],
    /// The target of the permutation, if the sum is permuted.
    target: Option<&'a mut [u32]>,
    half: usize,
    finisher: &'a Finisher<'a>,
}

/// The primes of all parts.
fn union(parts: &[Basis]) -> Basis {
    parts.iter().fold(Basis::new([]), |all, part| all.union(part))
}
