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
    /// Rotations to the left, in slots; negative ones are to the right.
    pub rotations: Vec<i64>,
    /// Rotations of matrices at level 1, which have keys of fewer primes: [`KeyUse::LowAutomorphism`].
    pub low_rotations: Vec<i64>,
    /// Bootstraps. Their keys for products, conjugates and many rotations are separate.
    pub bootstrap: bool,
    /// Bootstraps of vectors of these numbers of slots, each by its own form: such as have at most
    /// N/4 slots take less time by it, and other keys, than by [that of all
    /// vectors](Self::bootstrap). Numbers are rounded up to powers of two up to N/2, as vectors are
    /// filled up.
    pub bootstrap_slots: Vec<usize>,
    /// Whether all of these bootstraps are such as take a fraction of the keys, and of the memory,
    /// but half as much time again: vectors are rotated repeatedly by few steps, powers of four
    /// wherever they can be, which different numbers of slots have in common.
    pub few_keys: bool,
}

impl Operations {
    /// The keys that they need for ciphertexts up to the level of fresh ones, each with the highest
    /// level that it is used at.
    pub fn keys(&self, parameters: &Parameters) -> BTreeMap<KeyUse, usize> {
        self.keys_to_level(parameters, parameters.fresh_level())
    }

    /// The keys that they need for ciphertexts up to a level; a bootstrap's own go as far up as it
    /// does.
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
