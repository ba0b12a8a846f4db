// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What depends on how many slots are bootstrapped: matrices, levels, and the keys, each for no
//! more levels than it is used at.
//!
//! A vector of n < N/2 values stands N/2n times in the slots, and its polynomial has 2n
//! coefficients. Once others are summed away after ModRaise, the matrices are those of n slots, and
//! all coefficients fit beside each other into 2n slots, for one sine (Cheon, Han, Kim, Kim, Song,
//! EUROCRYPT 2018, section 5; Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux, EUROCRYPT 2021, section
//! 5).
//!
//! With few keys vectors are rotated by powers of four, one after the other, and by the least step
//! of a matrix where that is no power of four.

use std::collections::BTreeMap;

use super::error::BootstrapError;
use super::fourier::{Fourier, Pattern};
use crate::evaluator::{conjugation_exponent, rotation_exponent};
use crate::keys::KeyUse;
use crate::linear::{rotations_of, RotationStrategy};
use crate::params::{BootstrapShape, Parameters};

/// Stages of the inverse embedding that make one matrix of CoeffToSlot of few slots: fewer matrices
/// take fewer levels.
const STAGES: usize = 4;
/// The least matrices of it: what one level divides by would leave the entries of a single one too
/// few bits.
const LEAST_MATRICES: usize = 2;

/// Vectors that are summed at a time by SubSum: more would take more keys than time.
const SUMMED: usize = 4;

/// A bootstrap of vectors of n slots.
#[derive(Clone)]
pub(crate) struct BootstrapForm {
    parameters: Parameters,
    shape: BootstrapShape,
    slots: usize,
    strategy: RotationStrategy,
}

impl BootstrapForm {
    /// Of vectors of `slots` slots; other numbers than powers of two are rounded up to such, as
    /// vectors are filled up, and more than N/2 are N/2. Repeated rotations take few keys.
    ///
    /// # Errors
    /// [`BootstrapError::Parameters`] where there are no levels for a bootstrap.
    pub fn new(
        parameters: &Parameters,
        slots: usize,
        strategy: RotationStrategy,
    ) -> Result<Self, BootstrapError> {
        let shape = parameters.bootstrap().ok_or(BootstrapError::Parameters)?.clone();
        let most = parameters.slots();
        let slots = slots.min(most).next_power_of_two();
        Ok(Self { parameters: parameters.clone(), shape, slots, strategy })
    }

    /// The shape, which all forms share.
    pub fn shape(&self) -> &BootstrapShape {
        &self.shape
    }

    /// The number of slots n.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// How vectors are rotated.
    pub fn strategy(&self) -> RotationStrategy {
        self.strategy
    }

    /// The prefix of its names in traces; empty for the usual form.
    pub fn prefix(&self) -> String {
        let keys = if self.strategy == RotationStrategy::Repeated { "few keys, " } else { "" };
        match self.is_full() {
            true => keys.to_owned(),
            false => format!("{keys}{} slots, ", self.slots),
        }
    }

    /// How many copies of the vector the slots hold.
    pub fn copies(&self) -> usize {
        self.parameters.slots() / self.slots
    }

    /// Whether it bootstraps all N/2 slots.
    pub fn is_full(&self) -> bool {
        self.copies() == 1
    }

    /// log₂ of q₀ over the scale that messages are brought to.
    pub fn ratio_bits(&self) -> u32 {
        self.shape.ratio_bits_of(self.slots)
    }

    /// q₀ over the scale that messages are brought to.
    pub fn ratio(&self) -> f64 {
        self.shape.ratio(self.slots)
    }

    /// The embedding; of few slots, both parts of a coefficient stand beside each other.
    pub(super) fn fourier(&self) -> Fourier {
        let is_one_sided = self.strategy == RotationStrategy::Repeated;
        Fourier { slots: self.slots, is_paired: !self.is_full(), is_one_sided }
    }

    /// The matrices of CoeffToSlot.
    pub fn coeff_to_slot(&self) -> usize {
        if self.is_full() {
            return self.shape.coeff_to_slot;
        }
        let stages = self.slots.trailing_zeros() as usize;
        stages.div_ceil(STAGES).max(LEAST_MATRICES).min(self.shape.coeff_to_slot)
    }

    /// The level that the modulus is raised to.
    pub fn top(&self) -> usize {
        self.shape.polynomial_level() + self.coeff_to_slot()
    }

    /// By which step and for how many terms a vector is rotated for each sum of SubSum: 3 rotations
    /// that share their digits and one division do the work of 2 one after the other. Repeated
    /// rotations are by powers of four.
    pub fn sums(&self) -> Vec<(usize, usize)> {
        let (mut sums, mut period) = (Vec::new(), self.slots);
        while period < self.parameters.slots() {
            let is_between = period.trailing_zeros() % 2 == 1;
            let most =
                if self.strategy == RotationStrategy::Repeated && is_between { 2 } else { SUMMED };
            let terms = (self.parameters.slots() / period).min(most);
            sums.push((period, terms));
            period *= terms;
        }
        sums
    }

    /// The level at which each matrix is applied, and its pattern.
    pub(super) fn matrices(&self) -> impl Iterator<Item = (usize, Pattern)> {
        let inwards = self.fourier().patterns_to_coefficients(self.coeff_to_slot());
        let outwards = self.fourier().patterns_to_slots(self.shape.slot_to_coeff());
        let last = (0..=self.shape.slot_to_coeff_level()).rev().zip(outwards);
        (0..=self.top()).rev().zip(inwards).chain(last)
    }

    /// The keys, and the highest level at which each is used; but that from the sparse secret,
    /// which all forms have in common, goes up to the highest level of all.
    pub fn keys(&self) -> BTreeMap<KeyUse, usize> {
        let parameters = &self.parameters;
        let polynomial_level = self.shape.polynomial_level();
        let mut keys = BTreeMap::from([
            (KeyUse::ToSparse, 0),
            (KeyUse::FromSparse, parameters.top()),
            (KeyUse::Automorphism(conjugation_exponent(parameters)), polynomial_level),
            (KeyUse::Multiply, polynomial_level),
        ]);
        let of_sum = |(step, terms): (usize, usize)| {
            let keys = if self.strategy == RotationStrategy::Repeated { 1 } else { terms - 1 };
            (1..=keys).map(move |rotation| ((rotation * step) as i64, self.top()))
        };
        let sums = self.sums().into_iter().flat_map(of_sum);
        let of_matrix = |(level, Pattern { slots, steps, .. }): (usize, Pattern)| {
            let rotations = rotations_of(&steps, slots, self.strategy).into_iter();
            rotations.map(move |rotation| (rotation as i64, level))
        };
        for (rotation, level) in sums.chain(self.matrices().flat_map(of_matrix)) {
            let of = KeyUse::Automorphism(rotation_exponent(parameters, rotation));
            let highest = keys.entry(of).or_default();
            *highest = level.max(*highest);
        }
        keys
    }
}
