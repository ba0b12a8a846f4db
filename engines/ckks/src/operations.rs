// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of a server, and the keys that they need.

use std::collections::BTreeMap;

use crate::bootstrap::BootstrapForm;
use crate::evaluator::{conjugation_exponent, rotation_exponent};
use crate::keys::{KeyUse, LOW_LEVEL};
use crate::linear::RotationStrategy;
use crate::params::Parameters;

/// The operations of a server that need keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Products of ciphertexts.
    pub multiply: bool,
    /// Complex conjugates.
    pub conjugate: bool,
    /// Rotations to the left, in slots. Negative numbers rotate to the right.
    pub rotations: Vec<i64>,
    /// Rotations of matrices at level 1, whose keys have fewer primes: [`KeyUse::LowAutomorphism`].
    pub low_rotations: Vec<i64>,
    /// Bootstraps. This includes the keys that they need for products, conjugates and rotations.
    pub bootstrap: bool,
    /// Bootstraps of vectors with these numbers of slots, each with its own form and keys. Up to
    /// N/4 slots, such a bootstrap takes less time than [the one for all vectors](Self::bootstrap).
    /// Each number is rounded up to a power of two, at most N/2, as vectors are padded.
    pub bootstrap_slots: Vec<usize>,
    /// Use bootstraps with a fraction of the keys and memory, which take about 1.5 times as long.
    /// They compose rotations from few steps, powers of four where possible, and different numbers
    /// of slots share those keys.
    pub few_keys: bool,
}

impl Operations {
    /// Returns the keys that the operations need for ciphertexts up to the level of fresh ones,
    /// each with the highest level at which it is used.
    pub fn keys(&self, parameters: &Parameters) -> BTreeMap<KeyUse, usize> {
        self.keys_to_level(parameters, parameters.fresh_level())
    }

    /// Returns the keys that the operations need for ciphertexts up to `level`. The keys of a
    /// bootstrap reach as high as the bootstrap itself.
    pub fn keys_to_level(&self, parameters: &Parameters, level: usize) -> BTreeMap<KeyUse, usize> {
        let rotations = self.rotations.iter().map(|by| rotation_exponent(parameters, *by));
        let conjugation = conjugation_exponent(parameters);
        let exponents = rotations.chain(self.conjugate.then_some(conjugation));
        let automorphisms = exponents.filter(|by| *by != 1).map(KeyUse::Automorphism);
        let all = self.multiply.then_some(KeyUse::Multiply).into_iter().chain(automorphisms);
        let low = self.low_rotations.iter().map(|by| rotation_exponent(parameters, *by));
        let low = low.filter(|by| *by != 1).map(|by| (KeyUse::LowAutomorphism(by), LOW_LEVEL));
        let mut keys: BTreeMap<KeyUse, usize> = all.map(|of| (of, level)).chain(low).collect();
        let full = self.bootstrap.then_some(parameters.slots());
        let forms = full.into_iter().chain(self.bootstrap_slots.iter().copied());
        let forms = forms.filter_map(|slots| {
            BootstrapForm::new(parameters, slots, RotationStrategy::of(self.few_keys)).ok()
        });
        for (of, level) in forms.flat_map(|form| form.keys()) {
            let highest = keys.entry(of).or_default();
            *highest = level.max(*highest);
        }
        keys
    }
}
