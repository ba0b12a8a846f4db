// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How the levels of a chain are given to the parts of a bootstrap.

use crate::params::ChainShape;

/// Units of the levels that EvalMod and CoeffToSlot use: 60 bits, two main primes.
const PRECISE_UNITS: u32 = 12;
/// Units of the levels of SlotToCoeff, from the lowest up: the scale comes down in three steps.
const SLOT_TO_COEFF_UNITS: [u32; 3] = [8, 9, 10];
/// Units of the user's levels.
const LEVEL_UNITS: u32 = 8;
/// Units of the lowest level.
const BASE_UNITS: u32 = 12;

/// What a bootstrap is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapShape {
    /// log₂ N.
    pub log_degree: u32,
    /// The level that a bootstrapped ciphertext has.
    pub levels: usize,
    /// The digits that a polynomial is taken apart into to switch its key.
    pub digits: usize,
    /// The matrices of CoeffToSlot, a level each.
    pub coeff_to_slot: usize,
    /// The degree of the cosine's polynomial: 2^k − 1 takes k levels.
    pub degree: usize,
    /// How often the cosine's angle is doubled, a level each.
    pub doublings: usize,
    /// The weight of the sparse secret.
    pub weight: usize,
    /// I lies in (−range, range).
    pub range: u32,
    /// log₂ of q₀ over the scale: the sine errs by (2π/2^ratio_bits)²/6 of a coefficient of 1.
    pub ratio_bits: u32,
}

impl BootstrapShape {
    /// The usual one, for so many levels.
    pub fn new(log_degree: u32, levels: usize, digits: usize) -> Self {
        Self {
            log_degree,
            levels,
            digits,
            coeff_to_slot: 4,
            degree: 31,
            doublings: 4,
            weight: 32,
            range: 16,
            // Coefficients of random values are as 1/√N.
            ratio_bits: 8 + 16u32.saturating_sub(log_degree) / 2,
        }
    }

    /// The chain that it needs.
    pub fn chain(&self) -> ChainShape {
        let precise = self.polynomial_levels() + self.doublings + self.coeff_to_slot;
        let mut steps = vec![LEVEL_UNITS; self.levels];
        steps.extend(SLOT_TO_COEFF_UNITS);
        steps.extend(vec![PRECISE_UNITS; precise]);
        let (log_degree, digits) = (self.log_degree, self.digits);
        ChainShape { log_degree, base_units: BASE_UNITS, steps, digits }
    }

    /// Matrices of SlotToCoeff.
    pub(super) fn slot_to_coeff(&self) -> usize {
        SLOT_TO_COEFF_UNITS.len()
    }

    /// The level at which SlotToCoeff begins.
    pub(super) fn slot_to_coeff_level(&self) -> usize {
        self.levels + self.slot_to_coeff()
    }

    /// The level at which the doubling of angles begins.
    pub(super) fn doubling_level(&self) -> usize {
        self.slot_to_coeff_level() + self.doublings
    }

    /// The level at which the polynomial begins, and CoeffToSlot ends.
    pub(super) fn polynomial_level(&self) -> usize {
        self.doubling_level() + self.polynomial_levels()
    }

    /// ⌈log₂(degree + 1)⌉.
    fn polynomial_levels(&self) -> usize {
        (self.degree + 1).next_power_of_two().trailing_zeros() as usize
    }
}
