// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which form of a bootstrap a server has the keys for, and what it keeps for it.

use std::sync::OnceLock;

use super::bootstrapper::Bootstrapper;
use super::form::Form;
use super::BootstrapError;
use crate::evaluator::{Ciphertext, EvaluationError, Server};
use crate::keys::KeyUse;
use crate::linear::Turns;
use crate::params::Parameters;
use crate::pool::in_pool;
use crate::ring::Named;
use crate::sampling::{Random, Seed};

/// What the bootstraps of each number of slots have in common, from the first one on: all are of one form,
/// since a server's keys stay the same, and with the same angles.
pub(crate) struct Bootstrappers {
    forms: Vec<OnceLock<Result<Bootstrapper, BootstrapError>>>,
    /// Of the angles by which messages are spread. It is drawn for the first bootstrap.
    angles: OnceLock<Seed>,
}

impl Bootstrappers {
    /// None yet.
    pub fn new(parameters: &Parameters) -> Self {
        let forms = (0..=parameters.slots().ilog2()).map(|_| OnceLock::new()).collect();
        Self { forms, angles: OnceLock::new() }
    }

    /// All plaintexts, with names in traces.
    pub fn named(&self) -> impl Iterator<Item = Named<'_>> {
        let made = self.forms.iter().filter_map(|made| made.get()?.as_ref().ok());
        made.flat_map(Bootstrapper::named)
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
}

impl Server {
    /// The same with bootstraps that spread messages by the angles of a seed, so that they give the same bits
    /// as others with that seed: for recorded traces and comparisons of devices alone.
    ///
    /// Without it each server draws a seed from the operating system for its first bootstrap. A seed must not be
    /// known to who chooses values: those of the opposite angles are bootstrapped with errors thousands of
    /// times larger than estimated.
    #[must_use]
    pub fn with_angles(mut self, seed: Seed) -> Self {
        let unprepared = Bootstrappers::new(self.parameters());
        self.bootstrappers = Bootstrappers { angles: seed.into(), ..unprepared };
        self
    }

    /// Whether the parameters have levels for a bootstrap, and all keys are there that one of any vector
    /// needs.
    pub fn can_bootstrap(&self) -> bool {
        self.check_bootstrap().is_ok()
    }

    /// That any vector can be bootstrapped.
    ///
    /// # Errors
    /// [`EvaluationError`] which says what is missing.
    pub fn check_bootstrap(&self) -> Result<(), EvaluationError> {
        self.check_bootstrap_of(self.parameters().slots())
    }

    /// That vectors of so many slots can be bootstrapped, by the form of their own or that of all vectors.
    ///
    /// # Errors
    /// [`EvaluationError`] which says what is missing.
    pub fn check_bootstrap_of(&self, slots: usize) -> Result<(), EvaluationError> {
        self.form(slots).map(drop)
    }

    /// The same values at [the level that a bootstrap
    /// gives](crate::Parameters::fresh_level). A vector of few slots is bootstrapped by [the form of its
    /// own](crate::Operations::bootstrap_slots) where the keys for that are there, which takes less
    /// time, or else as all vectors are; with [few keys](crate::Operations::few_keys) where the
    /// others are not there.
    ///
    /// The first one of a form encodes matrices, which takes as long as several bootstraps;
    /// [`Self::prepare_bootstrap_of`] does so beforehand.
    ///
    /// # Errors
    /// [`EvaluationError`] where the parameters have no levels for it, and where a key is missing.
    pub fn bootstrap(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.bootstrap_within(a, a.bound().magnitude())
    }

    /// A bootstrap of values of absolute value up to 4.
    pub(super) fn bootstrap_small(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let bootstrapper = self.prepared_bootstrap(a.slots())?;
        in_pool(|| bootstrapper.bootstrap(self, a))
    }

    /// Encodes the matrices of bootstraps of any vector, and gives their bytes.
    ///
    /// # Errors
    /// As [`Self::check_bootstrap`].
    pub fn prepare_bootstrap(&self) -> Result<usize, EvaluationError> {
        self.prepare_bootstrap_of(self.parameters().slots())
    }

    /// Encodes the matrices that vectors of so many slots are bootstrapped with, and gives their bytes.
    ///
    /// # Errors
    /// As [`Self::check_bootstrap_of`].
    pub fn prepare_bootstrap_of(&self, slots: usize) -> Result<usize, EvaluationError> {
        Ok(self.prepared_bootstrap(slots)?.bytes())
    }

    fn prepared_bootstrap(&self, slots: usize) -> Result<&Bootstrapper, EvaluationError> {
        let form = self.form(slots)?;
        let angles = self.bootstrappers.angles()?;
        let place = &self.bootstrappers.forms[form.slots().ilog2() as usize];
        let made = place.get_or_init(|| Bootstrapper::new(&self.encoder, form, angles));
        made.as_ref().map_err(|error| error.clone().into())
    }

    /// The form for vectors of so many slots that all keys are there for: their own, or that of all vectors;
    /// with few keys where there are no others.
    fn form(&self, slots: usize) -> Result<Form, EvaluationError> {
        let most = self.parameters().slots();
        let forms = [Turns::Hoisted, Turns::Repeated]
            .map(|turns| [slots, most].map(|slots| Form::new(self.parameters(), slots, turns)));
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
        Err(EvaluationError::Key { what })
    }

    /// The keys of a form that are not there, or not up to the level that it takes.
    fn missing(&self, form: &Form) -> Vec<(KeyUse, usize)> {
        let is_there = |(of, level): &(KeyUse, usize)| {
            self.keys().get(*of).is_some_and(|key| key.level() >= *level)
        };
        form.keys().into_iter().filter(|key| !is_there(key)).collect()
    }
}
