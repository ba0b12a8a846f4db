// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fused epilogue of key switches and divisions: sums and an automorphism of each limb while
//! it is in the cache.

use std::sync::Arc;

use super::form::Form;
use super::permutation::Permutation;
use super::polynomial::{Polynomial, Value};
use super::program::Operation;
use super::ring::Ring;

/// What is added to two results, and the automorphism of both sums.
#[derive(Clone, Copy)]
pub struct Finish<'a> {
    /// Values that are added to the first and to the second: 0 modulo primes that they lack.
    pub added: [Option<&'a Polynomial>; 2],
    /// X becomes X^`exponent`, which is odd.
    pub exponent: u64,
}

impl Finish<'_> {
    /// Results stay as they are.
    pub const NOTHING: Self = Self { added: [None; 2], exponent: 1 };
}

/// A finish, and what it needs.
pub(super) struct Finisher<'a> {
    ring: &'a Ring,
    finish: Finish<'a>,
    permutation: Option<Arc<Permutation>>,
}

impl Ring {
    /// Prepares the fused epilogue of a key switch or a division.
    ///
    /// # Panics
    /// For coefficients that are added, and for an even exponent.
    pub(super) fn finisher<'a>(&'a self, finish: &Finish<'a>) -> Finisher<'a> {
        let mut added = finish.added.iter().flatten();
        assert!(added.all(|added| added.form == Form::Values), "coefficients are added to values");
        let permutation = (finish.exponent != 1).then(|| self.permutation(finish.exponent));
        Finisher { ring: self, finish: *finish, permutation }
    }
}

impl Finisher<'_> {
    /// Whether results are permuted.
    pub fn permutes(&self) -> bool {
        self.permutation.is_some()
    }

    /// Whether what is added to the result `index` is secret.
    pub fn adds_secret(&self, index: usize) -> bool {
        self.added(index).is_some_and(Polynomial::is_secret)
    }

    /// Adds what is added to the result `index`.
    pub fn add(&self, index: usize, place: u16, limb: &mut [u32]) {
        if let Some(added) = self.added(index) {
            self.ring.add_limb(place, limb, added);
        }
    }

    /// Permutes a limb, where results are permuted.
    pub fn permute(&self, to: &mut [u32], from: &[u32]) {
        if let Some(permutation) = &self.permutation {
            self.ring.kernels.permute(to, from, permutation);
        }
    }

    /// The result `index` in a program before it is finished.
    pub fn begun(&self, index: usize, output: &Polynomial) -> Value {
        match self.added(index).is_some() || self.permutes() {
            true => self.ring.value_in(&output.basis, Form::Values),
            false => output.value(),
        }
    }

    /// Records how the result `index` was finished.
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
