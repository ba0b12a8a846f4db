// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bootstrapper: an evaluator with the encoded matrices of the bootstraps that it has keys for.

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
/// What the bootstraps of each number of slots have in common is kept from the first one on: all
/// are of one form, since the keys stay the same, and with the same angles.
pub struct Bootstrapper {
    evaluator: Evaluator,
    forms: Vec<OnceLock<Result<EncodedForm, BootstrapError>>>,
    /// Seed of the angles that randomize messages. It is drawn for the first bootstrap.
    angles: OnceLock<Seed>,
}

/// A bootstrapper is an evaluator that bootstraps as well.
impl Deref for Bootstrapper {
    type Target = Evaluator;

    fn deref(&self) -> &Evaluator {
        &self.evaluator
    }
}

impl Bootstrapper {
    /// A bootstrapper with the keys of this evaluator. Matrices are encoded at their first use.
    pub fn new(evaluator: Evaluator) -> Self {
        let forms = 0..=evaluator.parameters().slots().ilog2();
        let forms = forms.map(|_| OnceLock::new()).collect();
        Self { evaluator, forms, angles: OnceLock::new() }
    }

    /// The evaluator.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The same with bootstraps that randomize messages by the angles of a seed, so that they give
    /// the same bits as others with that seed: for recorded traces and comparisons of devices
    /// alone.
    ///
    /// Without it a seed from the operating system is drawn for the first bootstrap. A seed must
    /// not be known to who chooses values: those of the opposite angles are bootstrapped with
    /// errors thousands of times larger than estimated.
    #[must_use]
    pub fn with_angles(self, seed: Seed) -> Self {
        Self { angles: seed.into(), ..Self::new(self.evaluator) }
    }

    /// All plaintexts of bootstraps, with names in traces.
    pub(crate) fn named(&self) -> impl Iterator<Item = Named<'_>> {
        let made = self.forms.iter().filter_map(|made| made.get()?.as_ref().ok());
        made.flat_map(EncodedForm::named)
    }

    /// The seed of the angles, once it is drawn.
    pub(crate) fn drawn_angles(&self) -> Option<&Seed> {
        self.angles.get()
    }

    /// Takes the angles of a bootstrapper of earlier, where none are drawn yet. False where others
    /// are.
    pub(crate) fn set_angles(&self, seed: Seed) -> bool {
        *self.angles.get_or_init(|| seed) == seed
    }

    /// The seed of the angles.
    ///
    /// # Errors
    /// Where the operating system gives no random bytes; it is asked again the next time.
    fn angles(&self) -> Result<&Seed, BootstrapError> {
        if let Some(angles) = self.angles.get() {
            return Ok(angles);
        }
        let drawn = Random::new()?.seed();
        Ok(self.angles.get_or_init(|| drawn))
    }

    /// Whether the parameters have levels for a bootstrap, and all keys are there that one of any
    /// vector needs.
    pub fn can_bootstrap(&self) -> bool {
        self.check_bootstrap().is_ok()
    }

    /// Checks that vectors in all slots can be bootstrapped.
    ///
    /// # Errors
    /// [`BootstrapError`] which says what is missing.
    pub fn check_bootstrap(&self) -> Result<(), BootstrapError> {
        self.check_bootstrap_of(self.evaluator.parameters().slots())
    }

    /// Checks that vectors of `slots` slots can be bootstrapped, by the bootstrap for that number
    /// of slots or by the one for all slots.
    ///
    /// # Errors
    /// [`BootstrapError`] which says what is missing.
    pub fn check_bootstrap_of(&self, slots: usize) -> Result<(), BootstrapError> {
        self.form(slots).map(drop)
    }

    /// The bytes of the matrices of all bootstraps that there are keys for, encoded or not yet.
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

    /// The same values at [the level that a bootstrap gives](crate::Parameters::fresh_level). A
    /// vector of few slots is bootstrapped by [the form of its
    /// own](crate::Operations::bootstrap_slots) where the keys for that are there, which takes less
    /// time, or else as all vectors are; with [few keys](crate::Operations::few_keys) where the
    /// others are not there.
    ///
    /// The first one of a form encodes matrices, which takes as long as several bootstraps;
    /// [`Self::prepare_bootstrap_of`] does so beforehand.
    ///
    /// # Errors
    /// [`BootstrapError`] where the parameters have no levels for it, and where a key is missing.
    pub fn bootstrap(&self, a: &Ciphertext) -> Result<Ciphertext, BootstrapError> {
        self.bootstrap_within(a, a.bound().magnitude())
    }

    /// [`Self::bootstrap`] of values of absolute value up to `magnitude`, at most 128.
    ///
    /// Those above 4 are divided by a power of two on the way to the lowest level, which takes a
    /// ciphertext of level 1 or above, and are multiplied by it after. Both are changes of the
    /// scale: a polynomial that is brought to a scale 2^k times smaller stands, on the usual one,
    /// for values 2^k times smaller. Neither takes a level from the result, but its errors are 2^k
    /// times those of a bootstrap.
    ///
    /// # Errors
    /// As [`Self::bootstrap`], and for larger values and too low a level.
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

    /// A bootstrap of values of absolute value up to 4.
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

    /// The form for vectors of `slots` slots that all keys are there for: their own, or that of all
    /// vectors; with few keys where there are no others.
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
        // One that is almost there is what was meant.
        let lacking =
            forms.iter().map(|form| self.missing(form)).find(|missing| missing.len() == 1);
        let what = match lacking.as_deref() {
            Some([(of, level)]) => {
                format!(
                    "{what} (of all that it takes, the one {of} up to level {level} is missing)"
                )
            }
            _ => what,
        };
        Err(EvaluationError::Key { what }.into())
    }

    /// The keys of a form that are not there, or not up to the level that it takes.
    fn missing(&self, form: &BootstrapForm) -> Vec<(KeyUse, usize)> {
        let is_there = |(of, level): &(KeyUse, usize)| {
            self.evaluator.keys().get(*of).is_some_and(|key| key.level() >= *level)
        };
        form.keys().into_iter().filter(|key| !is_there(key)).collect()
    }
}
