// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fused epilogue of key switches and divisions: adds to each limb and applies an automorphism
//! while the limb is in the cache.

use std::sync::Arc;

use super::form::Form;
use super::permutation::Permutation;
use super::polynomial::{Polynomial, Value};
use super::program::Operation;
use super::ring::Ring;

/// The polynomials that are added to two results, and the automorphism of both sums.
#[derive(Clone, Copy)]
pub struct Finish<'a> {
    /// The polynomials of values to add to the first and to the second result. They count as 0
    /// modulo primes that they lack.
    pub added: [Option<&'a Polynomial>; 2],
    /// The exponent of the automorphism X → X^`exponent`. It is odd.
    pub exponent: u64,
}

impl Finish<'_> {
    /// Leaves results unchanged.
    pub const NOTHING: Self = Self { added: [None; 2], exponent: 1 };
}

/// A finish with its permutation.
pub(super) struct Finisher<'a> {
    ring: &'a Ring,
    finish: Finish<'a>,
    permutation: Option<Arc<Permutation>>,
}

impl Ring {
    /// Prepares the fused epilogue of a key switch or a division.
    ///
    /// # Panics
    /// Panics if coefficients are added, and for an even exponent.
    pub(super) fn finisher<'a>(&'a self, finish: &Finish<'a>) -> Finisher<'a> {
        let mut added = finish.added.iter().flatten();
        assert!(added.all(|added| added.form == Form::Values), "coefficients are added to values");
        let permutation = (finish.exponent != 1).then(|| self.permutation(finish.exponent));
        Finisher { ring: self, finish: *finish, permutation }
    }
}

impl Finisher<'_> {
    /// Returns `true` if results are permuted.
    pub fn permutes(&self) -> bool {
        self.permutation.is_some()
    }

    /// Returns `true` if the polynomial that is added to the result `index` is secret.
    pub fn adds_secret(&self, index: usize) -> bool {
        self.added(index).is_some_and(Polynomial::is_secret)
    }

    /// Adds the respective polynomial to a limb of the result `index`.
    pub fn add(&self, index: usize, place: u16, limb: &mut [u32]) {
        if let Some(added) = self.added(index) {
            self.ring.add_limb(place, limb, added);
        }
    }

    /// Permutes a limb if results are permuted.
    pub fn permute(&self, to: &mut [u32], from: &[u32]) {
        if let Some(permutation) = &self.permutation {
            self.ring.kernels.permute(to, from, permutation);
        }
    }

    /// The value of the result `index` in a program before the finish.
    pub fn begun(&self, index: usize, output: &Polynomial) -> Value {
        match self.added(index).is_some() || self.permutes() {
            true => self.ring.value_in(&output.basis, Form::Values),
            false => output.value(),
        }
    }

    /// Records the finish of the result `index`.
    pub fn record(&self, index: usize, begun: Value, output: &Polynomial) {
        let mut sum = begun;
        if let Some(added) = self.added(index) {
            let before = sum;
            sum = match self.permutes() {
                true => self.ring.value_in(&output.basis, Form::Values),
                false => output.value(),
            };
            self.ring.record_sum(before, added, sum.clone());
        }
        if self.permutes() {
            let exponent = self.ring.reduced(self.finish.exponent);
            self.ring.recorder.push(Operation::Permute { exponent }, vec![sum], output.value());
        }
    }

    fn added(&self, index: usize) -> Option<&Polynomial> {
        self.finish.added.get(index).copied().flatten()
    }
}
