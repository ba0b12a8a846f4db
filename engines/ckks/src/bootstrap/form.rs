// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The form of a bootstrap: matrices, levels and keys, which depend on the number of slots. Each
//! key is listed with the highest level at which it is used.
//!
//! A vector of n < N/2 values is repeated N/2n times in the slots, and its polynomial has 2n
//! coefficients. Once SubSum has removed the other coefficients after ModRaise, the matrices are
//! those of n slots, and all coefficients fit next to each other into 2n slots, for one sine
//! (Cheon, Han, Kim, Kim, Song, EUROCRYPT 2018, section 5; Bossuat, Mouchet, Troncoso-Pastoriza,
//! Hubaux, EUROCRYPT 2021, section 5).
//!
//! With few keys, vectors are rotated by powers of four in sequence, and by the smallest step of a
//! matrix where that step is not a power of four.

use std::collections::BTreeMap;

use super::error::BootstrapError;
use super::fourier::{Fourier, Pattern};
use crate::evaluator::{conjugation_exponent, rotation_exponent};
use crate::keys::KeyUse;
use crate::linear::{rotations_of, RotationStrategy};
use crate::params::{BootstrapShape, Parameters};

/// The number of stages of the inverse embedding that form one matrix of CoeffToSlot for few slots:
/// fewer matrices use fewer levels.
const STAGES: usize = 4;
/// The minimum number of its matrices: the modulus of one level would leave too few bits for the
/// entries of a single matrix.
const LEAST_MATRICES: usize = 2;

/// The number of vectors that SubSum sums at a time: a larger number would save less time than it
/// costs in keys.
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
    /// Returns the form for vectors of `slots` slots. Other numbers than powers of two are rounded
    /// up, since vectors are padded, and numbers above N/2 become N/2. Repeated rotations need few
    /// keys.
    ///
    /// # Errors
    /// [`BootstrapError::Parameters`] if the parameters have no levels for a bootstrap.
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

    /// Returns the shape, which all forms share.
    pub fn shape(&self) -> &BootstrapShape {
        &self.shape
    }

    /// Returns the number of slots n.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns the way in which vectors are rotated.
    pub fn strategy(&self) -> RotationStrategy {
        self.strategy
    }

    /// Returns the prefix of the form's names in traces, which is empty for the usual form.
    pub fn prefix(&self) -> String {
        let keys = if self.strategy == RotationStrategy::Repeated { "few keys, " } else { "" };
        match self.is_full() {
            true => keys.to_owned(),
            false => format!("{keys}{} slots, ", self.slots),
        }
    }

    /// Returns the number of copies of the vector in the slots.
    pub fn copies(&self) -> usize {
        self.parameters.slots() / self.slots
    }

    /// Returns `true` if the form bootstraps all N/2 slots.
    pub fn is_full(&self) -> bool {
        self.copies() == 1
    }

    /// Returns log₂ of the ratio of q₀ to the scale of raised messages.
    pub fn ratio_bits(&self) -> u32 {
        self.shape.ratio_bits_of(self.slots)
    }

    /// Returns the ratio of q₀ to the scale of raised messages.
    pub fn ratio(&self) -> f64 {
        self.shape.ratio(self.slots)
    }

    /// Returns the embedding. For few slots, the real and imaginary parts of coefficients are next
    /// to each other.
    pub(super) fn fourier(&self) -> Fourier {
        let is_one_sided = self.strategy == RotationStrategy::Repeated;
        Fourier { slots: self.slots, is_paired: !self.is_full(), is_one_sided }
    }

    /// Returns the number of matrices of CoeffToSlot.
    pub fn coeff_to_slot(&self) -> usize {
        if self.is_full() {
            return self.shape.coeff_to_slot;
        }
        let stages = self.slots.trailing_zeros() as usize;
        stages.div_ceil(STAGES).max(LEAST_MATRICES).min(self.shape.coeff_to_slot)
    }

    /// Returns the level that the modulus is raised to.
    pub fn top(&self) -> usize {
        self.shape.polynomial_level() + self.coeff_to_slot()
    }

    /// Returns the step and the number of terms of each sum of SubSum: 3 rotations that share their
    /// digits and one division replace 2 sequential rotations. Repeated rotations are by powers of
    /// four.
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

    /// Returns the level at which each matrix is applied, and the pattern of the matrix.
    pub(super) fn matrices(&self) -> impl Iterator<Item = (usize, Pattern)> {
        let inwards = self.fourier().patterns_to_coefficients(self.coeff_to_slot());
        let outwards = self.fourier().patterns_to_slots(self.shape.slot_to_coeff());
        let last = (0..=self.shape.slot_to_coeff_level()).rev().zip(outwards);
        (0..=self.top()).rev().zip(inwards).chain(last)
    }

    /// Returns the keys, and the highest level at which each is used. The key from the sparse
    /// secret, which all forms share, reaches the highest level of all forms.
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
