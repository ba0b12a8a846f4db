// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The shape of a bootstrap: the levels of a chain that each part takes.

use std::f64::consts::{LN_2, TAU};
use std::ops::RangeInclusive;

use super::chain::ChainShape;
use super::scale::Scale;

/// Units of the levels that EvalMod and CoeffToSlot use: 60 bits, two main primes.
const PRECISE_UNITS: u32 = 12;
/// Matrices of SlotToCoeff. From the lowest level of theirs up, each has a unit more than the one
/// below it: the number of steps that bring the scale down.
const SLOT_TO_COEFF: u32 = 3;
/// Units of the user's levels where nothing else is said, and the least: fewer leave too few bits
/// for a change of scale from level 1 to 0 that divides values as well.
const USUAL_UNITS: u32 = 8;
/// Bits of a unit, nearly.
pub(super) const UNIT_BITS: u32 = 5;
/// Rounds that there may be: two have all the bits that a scale of 60 can hold.
pub(super) const ROUNDS: RangeInclusive<usize> = 1..=2;
/// Units of the lowest level: two main primes, or three for messages on larger scales.
const BASE_UNITS: [u32; 2] = [12, 18];
/// The most bits that few slots make [`BootstrapShape::ratio_bits`]: of a scale of 60, enough are
/// left.
const MOST_RATIO_BITS: u32 = 15;

/// −log₂ of the greatest allowed probability that the I of any coefficient leaves its range in a
/// bootstrap.
const FAILURE_BITS: u32 = 40;

/// The units that a user's level may have with this number of rounds. A second round pays with
/// larger levels only.
pub(super) fn level_units(rounds: usize) -> RangeInclusive<u32> {
    USUAL_UNITS + u32::from(rounds > *ROUNDS.start())..=PRECISE_UNITS
}

/// The shape of a bootstrap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapShape {
    /// log₂ N.
    pub log_degree: u32,
    /// The level of a bootstrapped ciphertext.
    pub levels: usize,
    /// The size of those levels, in units of 5 bits: 8 to 12.
    pub level_units: u32,
    /// The number of rounds: the second one bootstraps the error of the first.
    pub rounds: usize,
    /// The number of digits of a key switch.
    pub digits: usize,
    /// The matrices of CoeffToSlot, a level each.
    pub coeff_to_slot: usize,
    /// The degree of the cosine's polynomial: 2^k − 1 takes k levels.
    pub degree: usize,
    /// How often the cosine's angle is doubled, a level each.
    pub doublings: usize,
    /// The weight of the sparse secret: 32 at least where parameters are to be secure.
    pub weight: usize,
    /// I lies in (−range, range): [`Self::least_range`] or more.
    pub range: u32,
    /// log₂ of q₀ over the scale that a message is brought to: the less, the smaller are errors,
    /// but that of the sine. For vectors of few slots it is more.
    pub ratio_bits: u32,
}

/// A field of a [`BootstrapShape`] is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a bootstrap cannot have {got} for {what}: it must lie in {limits:?}")]
pub struct BootstrapShapeError {
    what: &'static str,
    got: usize,
    limits: RangeInclusive<usize>,
}

impl BootstrapShape {
    /// The usual shape, for this number of levels.
    pub fn new(log_degree: u32, levels: usize, digits: usize) -> Self {
        Self {
            log_degree,
            levels,
            level_units: USUAL_UNITS,
            rounds: 1,
            digits,
            coeff_to_slot: 4,
            degree: 31,
            doublings: 4,
            weight: 32,
            range: 16,
            // Coefficients are as 1/√N.
            ratio_bits: 7 + 16u32.saturating_sub(log_degree) / 2,
        }
    }

    /// Checks that every field is in range.
    ///
    /// # Errors
    /// [`BootstrapShapeError`], which names the first that does not.
    pub fn check(&self) -> Result<(), BootstrapShapeError> {
        let units = level_units(self.rounds);
        let slots_log = self.log_degree.saturating_sub(1) as usize;
        let range = self.range as usize;
        let numbers = [
            ("levels", self.levels, 1..=255),
            ("rounds", self.rounds, ROUNDS),
            (
                "units of a level",
                self.level_units as usize,
                *units.start() as usize..=*units.end() as usize,
            ),
            ("matrices of CoeffToSlot", self.coeff_to_slot, 1..=slots_log.min(15)),
            ("the cosine's degree", self.degree, 3..=255),
            ("doublings", self.doublings, 0..=10),
            ("the sparse secret's weight", self.weight, 1..=255.min(1 << slots_log)),
            ("the range, for a sparse secret of such a weight", range, self.least_range()..=255),
            ("log2 of modulus over scale", self.ratio_bits as usize, 1..=30),
        ];
        match numbers.into_iter().find(|(_, got, limits)| !limits.contains(got)) {
            Some((what, got, limits)) => Err(BootstrapShapeError { what, got, limits }),
            None => Ok(()),
        }
    }

    /// The least range that fits the weight h. A coefficient that the modulus is raised of is, over
    /// q₀, the sum of h + 1 independent numbers that are uniform on (−1/2, 1/2), one of c₀ and h of
    /// c₁. It is never above (h + 1)/2, and exceeds t with a probability of at most 2·exp(−6t²/(h +
    /// 1)) (Chernoff's bound: each number's moments are below those of a Gaussian of variance
    /// 1/12). Of 2N coefficients none may do so but with a probability of 2⁻⁴⁰.
    pub fn least_range(&self) -> usize {
        let terms = self.weight as f64 + 1.0;
        let coefficients_bits = f64::from(self.log_degree + 1);
        let nats = (1.0 + coefficients_bits + f64::from(FAILURE_BITS)) * LN_2;
        (terms / 2.0).min((terms * nats / 6.0).sqrt()).ceil() as usize
    }

    /// The chain of moduli that the bootstrap needs.
    pub fn chain(&self) -> ChainShape {
        let precise = self.polynomial_levels() + self.doublings + self.coeff_to_slot;
        let lowest = self.level_units - self.gain_units();
        let mut steps = vec![self.level_units; self.levels];
        steps.extend((0..SLOT_TO_COEFF).map(|step| lowest.saturating_add(step).min(PRECISE_UNITS)));
        steps.extend(vec![PRECISE_UNITS; precise]);
        let base_units = BASE_UNITS[usize::from(self.level_units > USUAL_UNITS)];
        ChainShape { log_degree: self.log_degree, base_units, steps, digits: self.digits }
    }

    /// log₂ of what the second round multiplies by: so much smaller than that of the user's levels
    /// is the scale that rounds come out on. 0 where there is one round.
    pub(crate) fn gain_bits(&self) -> u32 {
        UNIT_BITS * self.gain_units()
    }

    /// 2 to the power of that.
    pub(crate) fn gain(&self) -> Scale {
        Scale::power_of_two(self.gain_bits() as i32)
    }

    fn gain_units(&self) -> u32 {
        match self.rounds {
            1 => 0,
            // Rounds as usual, of some 22 bits.
            _ => self.level_units.saturating_sub(USUAL_UNITS),
        }
    }

    /// The slots of a ring: N/2.
    pub(crate) fn slots(&self) -> usize {
        1 << (self.log_degree - 1)
    }

    /// log₂ of q₀ over the scale that messages of `slots` slots are brought to. Fewer coefficients
    /// are larger, by the square root of the ratio.
    pub(crate) fn ratio_bits_of(&self, slots: usize) -> u32 {
        let bits = self.ratio_bits + (self.slots() / slots).ilog2().div_ceil(2);
        bits.min(MOST_RATIO_BITS).max(self.ratio_bits)
    }

    /// q₀ over the scale that messages of `slots` slots are brought to.
    pub(crate) fn ratio(&self, slots: usize) -> f64 {
        f64::from(self.ratio_bits_of(slots)).exp2()
    }

    /// How large slots, as many as there are, become that are 1 when angles begin to be doubled: a
    /// doubling makes errors 2·√2 times larger in the mean, and SlotToCoeff is √(2n) times a
    /// unitary matrix.
    pub(crate) fn slots_of_cosines(&self, slots: usize) -> f64 {
        let angles = (1.5 * self.doublings as f64).exp2();
        angles * self.ratio(slots) / TAU * (4.0 * slots as f64).sqrt()
    }

    /// How far slots, as many as there are, are off because the sine of an angle is not the angle,
    /// for values of a size: x − sin x = x³/6 for each of twice as many coefficients, which are as
    /// those of random values, Gaussian.
    pub(crate) fn sine_error(&self, slots: usize, magnitude: f64) -> f64 {
        let coefficients = 2.0 * slots as f64;
        let angle = TAU / self.ratio(slots) * magnitude / coefficients.sqrt();
        // E[x⁶] = 15·σ⁶. Of few numbers one may be as large as 4.5 σ, half a bit beyond which is
        // not claimed.
        let one = 4.5f64.powi(6) / coefficients;
        let mean = 15f64.max((15.0 + one) / 2.0);
        mean.sqrt() * angle.powi(3) / 6.0 * self.ratio(slots) / TAU * coefficients.sqrt()
    }

    /// Matrices of SlotToCoeff.
    pub(crate) fn slot_to_coeff(&self) -> usize {
        SLOT_TO_COEFF as usize
    }

    /// The level at which SlotToCoeff begins.
    pub(crate) fn slot_to_coeff_level(&self) -> usize {
        self.levels + self.slot_to_coeff()
    }

    /// The level at which the doubling of angles begins.
    pub(crate) fn doubling_level(&self) -> usize {
        self.slot_to_coeff_level() + self.doublings
    }

    /// The level at which the polynomial begins, and CoeffToSlot ends.
    pub(crate) fn polynomial_level(&self) -> usize {
        self.doubling_level() + self.polynomial_levels()
    }

    /// ⌈log₂(degree + 1)⌉.
    fn polynomial_levels(&self) -> usize {
        (self.degree + 1).next_power_of_two().trailing_zeros() as usize
    }
}
