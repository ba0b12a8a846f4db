// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The shape of a bootstrap: the levels of the chain that each part uses.

use std::f64::consts::{LN_2, TAU};
use std::ops::RangeInclusive;

use super::chain::ChainShape;
use super::scale::Scale;

/// Units of each level that EvalMod and CoeffToSlot use: 60 bits, two main primes.
const PRECISE_UNITS: u32 = 12;
/// The number of matrices of SlotToCoeff. Each of their levels has one unit more than the level
/// below, so that the scale decreases in steps.
const SLOT_TO_COEFF: u32 = 3;
/// The default number of units of a user's level, and the minimum: fewer units leave too few bits
/// for a change of scale from level 1 to 0 that also divides the values.
const USUAL_UNITS: u32 = 8;
/// The approximate number of bits of a unit.
pub(super) const UNIT_BITS: u32 = 5;
/// The possible numbers of rounds: two rounds give all the bits that a scale of 60 bits can hold.
pub(super) const ROUNDS: RangeInclusive<usize> = 1..=2;
/// Units of the lowest level: two main primes, or three for messages on larger scales.
const BASE_UNITS: [u32; 2] = [12, 18];
/// The largest [`BootstrapShape::ratio_bits`] that a small number of slots leads to: a scale of 60
/// bits has enough left.
const MOST_RATIO_BITS: u32 = 15;

/// −log₂ of the largest allowed probability that the integer I of any coefficient leaves its range
/// in a bootstrap.
const FAILURE_BITS: u32 = 40;

/// The allowed units of a user's level for this number of rounds. A second round helps only with
/// larger levels.
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
    /// The size of a user's level, in units of 5 bits: 8 to 12.
    pub level_units: u32,
    /// The number of rounds: the second one bootstraps the error of the first.
    pub rounds: usize,
    /// The number of digits of a key switch.
    pub digits: usize,
    /// The number of matrices of CoeffToSlot; each uses one level.
    pub coeff_to_slot: usize,
    /// The degree of the polynomial for the cosine: 2^k − 1 uses k levels.
    pub degree: usize,
    /// The number of doublings of the cosine's angle; each uses one level.
    pub doublings: usize,
    /// The Hamming weight of the sparse secret; at least 32 for secure parameters.
    pub weight: usize,
    /// The integer I lies in (−range, range). At least [`Self::least_range`].
    pub range: u32,
    /// log₂ of q₀ over the scale of messages. A smaller ratio makes all errors smaller except that
    /// of the sine. Vectors of few slots use a larger ratio.
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
    /// The default shape for this number of levels.
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
            // Coefficients are proportional to 1/√N.
            ratio_bits: 7 + 16u32.saturating_sub(log_degree) / 2,
        }
    }

    /// Checks that every field is in range.
    ///
    /// # Errors
    /// [`BootstrapShapeError`], which names the first field that is out of range.
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
            ("the range, for a sparse secret of this weight", range, self.least_range()..=255),
            ("log2 of modulus over scale", self.ratio_bits as usize, 1..=30),
        ];
        match numbers.into_iter().find(|(_, got, limits)| !limits.contains(got)) {
            Some((what, got, limits)) => Err(BootstrapShapeError { what, got, limits }),
            None => Ok(()),
        }
    }

    /// The smallest range for a sparse secret of weight h. After ModRaise, a coefficient divided by
    /// q₀ is the sum of h + 1 independent numbers that are uniform on (−1/2, 1/2): one of c₀ and h
    /// of c₁. Its absolute value is never above (h + 1)/2, and exceeds t with a probability of at
    /// most 2·exp(−6t²/(h + 1)) (Chernoff's bound: the moments of each number are below those of a
    /// Gaussian of variance 1/12). The probability that any of 2N coefficients exceeds the range is
    /// at most 2⁻⁴⁰.
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

    /// log₂ of the factor by which the second round multiplies. The output scale of each round is
    /// smaller than the scale of the user's levels by this factor. 0 with one round.
    pub(crate) fn gain_bits(&self) -> u32 {
        UNIT_BITS * self.gain_units()
    }

    /// 2^[`Self::gain_bits`].
    pub(crate) fn gain(&self) -> Scale {
        Scale::power_of_two(self.gain_bits() as i32)
    }

    fn gain_units(&self) -> u32 {
        match self.rounds {
            1 => 0,
            // Each round has the default precision, about 22 bits.
            _ => self.level_units.saturating_sub(USUAL_UNITS),
        }
    }

    /// The slots of a ring: N/2.
    pub(crate) fn slots(&self) -> usize {
        1 << (self.log_degree - 1)
    }

    /// log₂ of q₀ over the scale of messages of `slots` slots. With fewer slots, coefficients are
    /// larger, by the square root of the ratio of the numbers of slots.
    pub(crate) fn ratio_bits_of(&self, slots: usize) -> u32 {
        let bits = self.ratio_bits + (self.slots() / slots).ilog2().div_ceil(2);
        bits.min(MOST_RATIO_BITS).max(self.ratio_bits)
    }

    /// q₀ over the scale of messages of `slots` slots.
    pub(crate) fn ratio(&self, slots: usize) -> f64 {
        f64::from(self.ratio_bits_of(slots)).exp2()
    }

    /// The factor by which errors in `slots` slots grow from the first doubling of angles to the
    /// end of SlotToCoeff: a doubling makes errors 2·√2 times larger on average, and SlotToCoeff is
    /// √(2n) times a unitary matrix.
    pub(crate) fn slots_of_cosines(&self, slots: usize) -> f64 {
        let angles = (1.5 * self.doublings as f64).exp2();
        angles * self.ratio(slots) / TAU * (4.0 * slots as f64).sqrt()
    }

    /// The error of `slots` slots due to the difference between an angle and its sine, for values
    /// up to `magnitude`: x − sin x = x³/6 for each of the 2·`slots` coefficients, which are
    /// Gaussian, as for random values.
    pub(crate) fn sine_error(&self, slots: usize, magnitude: f64) -> f64 {
        let coefficients = 2.0 * slots as f64;
        let angle = TAU / self.ratio(slots) * magnitude / coefficients.sqrt();
        // E[x⁶] = 15·σ⁶. With few coefficients a single one may be as large as 4.5 σ. Its error may
        // exceed the estimate by half a bit.
        let one = 4.5f64.powi(6) / coefficients;
        let mean = 15f64.max((15.0 + one) / 2.0);
        mean.sqrt() * angle.powi(3) / 6.0 * self.ratio(slots) / TAU * coefficients.sqrt()
    }

    /// The number of matrices of SlotToCoeff.
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

    /// The level at which the polynomial begins and CoeffToSlot ends.
    pub(crate) fn polynomial_level(&self) -> usize {
        self.doubling_level() + self.polynomial_levels()
    }

    /// ⌈log₂(degree + 1)⌉.
    fn polynomial_levels(&self) -> usize {
        (self.degree + 1).next_power_of_two().trailing_zeros() as usize
    }
}
