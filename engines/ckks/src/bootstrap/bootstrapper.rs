// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bootstrapper: an evaluator together with the encoded matrices of its bootstraps.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::OnceLock;

use super::encoded::EncodedForm;
use super::error::BootstrapError;
use super::form::BootstrapForm;
use super::memory::matrix_bytes;
use super::rounds;
use super::scaled::{divided, scaling_bits};
use crate::estimate::Bound;
use crate::evaluator::{Ciphertext, EvaluationError, Evaluator};
use crate::keys::KeyUse;
use crate::linear::RotationStrategy;
use crate::pool::in_pool;
use crate::ring::Named;
use crate::sampling::{Random, Seed};

/// Bootstraps ciphertexts with the keys of an evaluator.
///
/// The encoded matrices of each number of slots are kept from the first bootstrap on: the keys and
/// the angles stay the same, so every later bootstrap uses the same form.
pub struct Bootstrapper {
    evaluator: Evaluator,
    forms: Vec<OnceLock<Result<EncodedForm, BootstrapError>>>,
    /// Seed of the angles that randomize messages, drawn for the first bootstrap.
    angles: OnceLock<Seed>,
}

/// A bootstrapper is an evaluator that can also bootstrap.
impl Deref for Bootstrapper {
    type Target = Evaluator;

    fn deref(&self) -> &Evaluator {
        &self.evaluator
    }
}

impl Bootstrapper {
    /// Returns a bootstrapper with the keys of this evaluator. Matrices are encoded at their first
    /// use.
    pub fn new(evaluator: Evaluator) -> Self {
        let forms = 0..=evaluator.parameters().slots().ilog2();
        let forms = forms.map(|_| OnceLock::new()).collect();
        Self { evaluator, forms, angles: OnceLock::new() }
    }

    /// Returns the evaluator.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// Returns the bootstrapper with the message-randomizing angles of a fixed seed, so that its
    /// bootstraps give the same bits as others with that seed. Use it only for recorded traces and
    /// to compare devices.
    ///
    /// Without this call, the first bootstrap draws a seed from the operating system. Keep the seed
    /// secret from anyone who chooses values: a message of the opposite angles is bootstrapped with
    /// errors thousands of times larger than estimated.
    #[must_use]
    pub fn with_angles(self, seed: Seed) -> Self {
        Self { angles: seed.into(), ..Self::new(self.evaluator) }
    }

    /// Returns all plaintexts of bootstraps, with their names in traces.
    pub(crate) fn named(&self) -> impl Iterator<Item = Named<'_>> {
        let made = self.forms.iter().filter_map(|made| made.get()?.as_ref().ok());
        made.flat_map(EncodedForm::named)
    }

    /// Returns the seed of the angles if it is drawn.
    pub(crate) fn drawn_angles(&self) -> Option<&Seed> {
        self.angles.get()
    }

    /// Sets the seed of the angles of an earlier bootstrapper if none is drawn yet. Returns `false`
    /// if a different seed is in use.
    pub(crate) fn set_angles(&self, seed: Seed) -> bool {
        *self.angles.get_or_init(|| seed) == seed
    }

    /// Returns the seed of the angles, and draws it at the first call.
    ///
    /// # Errors
    /// If the operating system gives no random bytes. The next call tries again.
    fn angles(&self) -> Result<&Seed, BootstrapError> {
        if let Some(angles) = self.angles.get() {
            return Ok(angles);
        }
        let drawn = Random::new()?.seed();
        Ok(self.angles.get_or_init(|| drawn))
    }

    /// Returns `true` if the parameters have levels for a bootstrap and the evaluator has all keys
    /// to bootstrap vectors of any length.
    pub fn can_bootstrap(&self) -> bool {
        self.check_bootstrap().is_ok()
    }

    /// Checks that vectors in all slots can be bootstrapped.
    ///
    /// # Errors
    /// [`BootstrapError`], which says what is missing.
    pub fn check_bootstrap(&self) -> Result<(), BootstrapError> {
        self.check_bootstrap_of(self.evaluator.parameters().slots())
    }

    /// Checks that vectors of `slots` slots can be bootstrapped, either by the bootstrap for that
    /// number of slots or by the one for all slots.
    ///
    /// # Errors
    /// [`BootstrapError`], which says what is missing.
    pub fn check_bootstrap_of(&self, slots: usize) -> Result<(), BootstrapError> {
        self.form(slots).map(drop)
    }

    /// Returns the size in bytes of the matrices of all bootstraps whose keys are present, encoded
    /// or not.
    pub fn matrix_bytes(&self) -> usize {
        let parameters = self.evaluator.parameters();
        let has_keys = self.evaluator.keys().get(KeyUse::ToSparse).is_some();
        if parameters.bootstrap().is_none() || !has_keys {
            return 0;
        }
        let sizes = (0..=parameters.slots().ilog2()).map(|log_slots| 1 << log_slots);
        let forms = sizes.filter_map(|slots| self.form(slots).ok());
        let by_slots: BTreeMap<usize, usize> =
            forms.map(|form| (form.slots(), matrix_bytes(parameters, &form))).collect();
        by_slots.values().sum()
    }

    /// Returns the same values at [the level that a bootstrap
    /// gives](crate::Parameters::fresh_level). A vector of few slots is bootstrapped by [the form
    /// for its number of slots](crate::Operations::bootstrap_slots) if the keys of that form are
    /// present, which is faster, and otherwise by the form for all slots. If neither has its keys,
    /// the forms with [few keys](crate::Operations::few_keys) are tried.
    ///
    /// The first bootstrap of a form encodes matrices, which takes as long as several bootstraps.
    /// [`Self::prepare_bootstrap_of`] encodes them beforehand.
    ///
    /// # Errors
    /// [`BootstrapError`] if the parameters have no levels for a bootstrap or a key is missing.
    pub fn bootstrap(&self, a: &Ciphertext) -> Result<Ciphertext, BootstrapError> {
        self.bootstrap_within(a, a.bound().magnitude())
    }

    /// Bootstraps like [`Self::bootstrap`], for values of absolute value up to `magnitude`, at most
    /// 128.
    ///
    /// Values above 4 are divided by a power of two on the way to the lowest level, which requires
    /// a ciphertext of level 1 or above, and are multiplied by it after the bootstrap. Both are
    /// changes of the scale: a polynomial brought to a scale 2^k times smaller, and read on the
    /// usual scale, represents values 2^k times smaller. The result loses no level, but its errors
    /// are 2^k times those of a bootstrap.
    ///
    /// # Errors
    /// As [`Self::bootstrap`]; also for values that are too large, and for too low a level.
    pub fn bootstrap_within(
        &self,
        a: &Ciphertext,
        magnitude: f64,
    ) -> Result<Ciphertext, BootstrapError> {
        self.evaluator.check_own(a)?;
        let a = &a.bounded(Bound::complex(magnitude));
        let bits = scaling_bits(a.bound().magnitude());
        if bits == 0 {
            return self.bootstrap_small(a);
        }
        self.check_bootstrap_of(a.slots())?;
        let small = divided(&self.evaluator, a, bits)?;
        Ok(self.evaluator.mul_integer(&self.bootstrap_small(&small)?, 1 << bits)?)
    }

    /// Bootstraps values of absolute value up to 4.
    fn bootstrap_small(&self, a: &Ciphertext) -> Result<Ciphertext, BootstrapError> {
        let form = self.prepared_bootstrap(a.slots())?;
        in_pool(|| rounds::bootstrap(form, &self.evaluator, a))
    }

    /// Encodes the matrices of the bootstrap for all slots. Returns their size in bytes.
    ///
    /// # Errors
    /// As [`Self::check_bootstrap`].
    pub fn prepare_bootstrap(&self) -> Result<usize, BootstrapError> {
        self.prepare_bootstrap_of(self.evaluator.parameters().slots())
    }

    /// Encodes the matrices of the bootstrap of vectors of `slots` slots. Returns their size in
    /// bytes.
    ///
    /// # Errors
    /// As [`Self::check_bootstrap_of`].
    pub fn prepare_bootstrap_of(&self, slots: usize) -> Result<usize, BootstrapError> {
        Ok(self.prepared_bootstrap(slots)?.bytes())
    }

    fn prepared_bootstrap(&self, slots: usize) -> Result<&EncodedForm, BootstrapError> {
        let form = self.form(slots)?;
        let angles = self.angles()?;
        let place = &self.forms[form.slots().ilog2() as usize];
        let made = place.get_or_init(|| EncodedForm::new(self.evaluator.encoder(), form, angles));
        made.as_ref().map_err(Clone::clone)
    }

    /// Returns the form to use for vectors of `slots` slots: the first, of those for this number
    /// and for all slots, whose keys are all present. Forms with few keys come last.
    fn form(&self, slots: usize) -> Result<BootstrapForm, BootstrapError> {
        let most = self.evaluator.parameters().slots();
        let forms = [RotationStrategy::Hoisted, RotationStrategy::Repeated].map(|strategy| {
            [slots, most]
                .map(|slots| BootstrapForm::new(self.evaluator.parameters(), slots, strategy))
        });
        let forms = forms.into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
        if let Some(found) = forms.iter().find(|form| self.missing(form).is_empty()) {
            return Ok(found.clone());
        }
        let own = forms.first().filter(|own| !own.is_full());
        let what = own.map(|own| format!("bootstrap vectors of {} slots", own.slots()));
        let what = what.unwrap_or_else(|| "bootstrap".to_owned());
        // A form that lacks only one key is probably the one that the user intended.
        let lacking =
            forms.iter().map(|form| self.missing(form)).find(|missing| missing.len() == 1);
        let what = match lacking.as_deref() {
            Some([(of, level)]) => {
                format!("{what} (only the key {of} up to level {level} is missing)")
            }
            _ => what,
        };
        Err(EvaluationError::Key { what }.into())
    }

    /// Returns the keys of a form that are missing or do not reach the level that the form needs.
    fn missing(&self, form: &BootstrapForm) -> Vec<(KeyUse, usize)> {
        let is_there = |(of, level): &(KeyUse, usize)| {
            self.evaluator.keys().get(*of).is_some_and(|key| key.level() >= *level)
        };
        form.keys().into_iter().filter(|key| !is_there(key)).collect()
    }
}
