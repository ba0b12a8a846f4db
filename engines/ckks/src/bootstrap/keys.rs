// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys that a bootstrap needs, each for no more levels than it is used at.

use std::collections::BTreeMap;

use super::fourier::{self, Pattern};
use crate::evaluator::{conjugation_exponent, rotation_exponent};
use crate::keys::KeyUse;
use crate::linear::rotations_of;
use crate::params::{BootstrapShape, Parameters};

/// The keys, and the highest level at which each is used. They are made for the shape's own parameters.
pub(crate) fn keys(parameters: &Parameters, shape: &BootstrapShape) -> BTreeMap<KeyUse, usize> {
    let (top, slots) = (parameters.top(), parameters.slots());
    let mut keys = BTreeMap::from([
        (KeyUse::ToSparse, 0),
        (KeyUse::FromSparse, top),
        (KeyUse::Automorphism(conjugation_exponent(parameters)), shape.polynomial_level()),
        (KeyUse::Multiply, shape.polynomial_level()),
    ]);
    for (level, Pattern { steps, .. }) in matrices(parameters, shape) {
        for rotation in rotations_of(&steps, slots) {
            let of = KeyUse::Automorphism(rotation_exponent(parameters, rotation as i64));
            let highest = keys.entry(of).or_default();
            *highest = level.max(*highest);
        }
    }
    keys
}

/// The level at which each matrix is applied, and its pattern.
pub(super) fn matrices(
    parameters: &Parameters,
    shape: &BootstrapShape,
) -> impl Iterator<Item = (usize, Pattern)> {
    let (top, slots) = (parameters.top(), parameters.slots());
    let inwards = fourier::patterns_to_coefficients(slots, shape.coeff_to_slot);
    let outwards = fourier::patterns_to_slots(slots, shape.slot_to_coeff());
    let last = (0..=shape.slot_to_coeff_level()).rev().zip(outwards);
    (0..=top).rev().zip(inwards).chain(last)
}
