// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parameters from requirements: slots, depth and precision.
//!
//! The precision determines the size of a level for each N, since errors grow with N. Depth and
//! size of a level determine the modulus of ciphertexts. N and the number of digits are still free:
//! more digits make the modulus of keys smaller and the keys larger. The builder chooses the
//! smallest N for which the security table admits some number of digits, and then the smallest such
//! number. A bootstrap of two rounds takes twice as long as one of one round. The builder chooses
//! it only if one round is not precise enough, or needs a modulus that is too large.

use std::ops::RangeInclusive;

use super::bootstrap::{level_units, BootstrapShape, ROUNDS};
use super::builder_error::BuilderError;
use super::chain::{primes_of_units, Chain, ChainError, ChainShape};
use super::errors::Setting;
use super::parameters::{Parameters, ParametersError, Shape};
use super::precision::ExpectedPrecision;
use super::security::{
    most_modulus_bits, EncapsulationError, SecretKind, SecurityLevel, LEAST_ENCAPSULATED_LOG_DEGREE,
};
use crate::ring::LOG_DEGREES;

/// Units of a level in parameters without bootstraps.
const LEVEL_UNITS: RangeInclusive<u32> = 5..=12;
/// The minimal difference in units between the modulus of the lowest level and its scale: values
/// may be as large as 2¹⁹.
const ROOM_UNITS: u32 = 4;
/// The minimal number of units of the lowest level.
const LEAST_BASE_UNITS: u32 = 10;
/// The largest number of digits that the builder chooses itself. A key switch needs (digits + 1)
/// transforms for each prime: nine digits cost as much as four digits at twice the N, which admits
/// a larger modulus.
const MOST_DIGITS: usize = 8;
/// More levels than any ring has primes for: 395 main primes make 474 levels of the smallest size.
const MOST_DEPTH: usize = 480;

/// Builds parameters from requirements.
///
/// ```
/// use halimede_ckks::params::ParametersBuilder;
///
/// let parameters = ParametersBuilder::new().slots(4096).depth(3).precision_bits(20.0).build()?;
/// assert!(parameters.slots() >= 4096 && parameters.top() == 3);
/// assert!(parameters.expected_precision().product_bits >= 20.0);
/// # Ok::<(), halimede_ckks::params::BuilderError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ParametersBuilder {
    slots: usize,
    depth: usize,
    precision_bits: f64,
    bootstrapping: bool,
    digits: Option<usize>,
    secret: SecretKind,
    security: SecurityLevel,
    parties: usize,
}

/// A chain of moduli that is a candidate for the parameters.
struct Draft {
    shape: Shape,
    chain: Chain,
    secret: SecretKind,
    parties: usize,
}

/// The reason why a ring does not meet the requirements.
enum Miss {
    /// The precision is too low. Holds the precision with the largest levels.
    Precision(f64),
    /// The modulus is too large. Holds log₂ of the smallest modulus, and the error if no chain of
    /// that size exists.
    Modulus(f64, Option<ChainError>),
    /// The requested number of digits does not make a chain.
    Chain(ChainError),
}

impl Miss {
    /// Returns the miss that is nearer to the requirements: the smaller excess of the modulus, or
    /// else the higher precision.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Chain(error), _) | (_, Self::Chain(error)) => Self::Chain(error),
            (Self::Modulus(left, reason), Self::Modulus(right, _)) if left <= right => {
                Self::Modulus(left, reason)
            }
            (_, Self::Modulus(bits, reason)) | (Self::Modulus(bits, reason), _) => {
                Self::Modulus(bits, reason)
            }
            (Self::Precision(left), Self::Precision(right)) => Self::Precision(left.max(right)),
        }
    }
}

/// The levels that a shape may have.
#[derive(Clone, Copy)]
enum Levels {
    /// Without bootstraps.
    Plain,
    /// With bootstraps of this number of rounds.
    Bootstrapped(usize),
}

impl Levels {
    /// The allowed numbers of units of a level.
    fn units(self) -> RangeInclusive<u32> {
        match self {
            Self::Plain => LEVEL_UNITS,
            Self::Bootstrapped(rounds) => level_units(rounds),
        }
    }
}

impl Setting for Draft {
    fn moduli(&self) -> (&Chain, u32) {
        (&self.chain, self.shape.chain().log_degree)
    }

    fn secret(&self) -> SecretKind {
        self.secret
    }

    fn parties(&self) -> usize {
        self.parties
    }
}

impl Draft {
    /// Correct bits after one product on each of the user's levels.
    fn precision_bits(&self) -> f64 {
        ExpectedPrecision::of(self, &self.shape).product_bits
    }
}

impl Default for ParametersBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ParametersBuilder {
    /// Starts with one slot, one level, 20 bits of precision, ternary secrets and 128 bits of
    /// security.
    pub fn new() -> Self {
        Self {
            slots: 1,
            depth: 1,
            precision_bits: 20.0,
            bootstrapping: false,
            digits: None,
            secret: SecretKind::Ternary,
            security: SecurityLevel::Bits128,
            parties: 1,
        }
    }

    /// Sets the minimal number of values in a ciphertext.
    #[must_use]
    pub fn slots(self, slots: usize) -> Self {
        Self { slots, ..self }
    }

    /// Sets the multiplicative depth. With bootstrapping, this is the depth between two bootstraps.
    #[must_use]
    pub fn depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Sets the number of correct bits after the binary point at the end:
    /// [`ExpectedPrecision::product_bits`].
    #[must_use]
    pub fn precision_bits(self, precision_bits: f64) -> Self {
        Self { precision_bits, ..self }
    }

    /// Adds levels for a bootstrap, of two rounds if one is not precise enough.
    #[must_use]
    pub fn bootstrapping(self, bootstrapping: bool) -> Self {
        Self { bootstrapping, ..self }
    }

    /// Sets the number of digits. The default is the smallest number that the security table
    /// admits, at most 8.
    #[must_use]
    pub fn digits(self, digits: usize) -> Self {
        Self { digits: Some(digits), ..self }
    }

    /// Sets the distribution of secrets.
    #[must_use]
    pub fn secret(self, secret: SecretKind) -> Self {
        Self { secret, ..self }
    }

    /// Sets the security level. Parameters with bootstraps have at most 128 bits.
    #[must_use]
    pub fn security_bits(self, security: SecurityLevel) -> Self {
        Self { security, ..self }
    }

    /// Sets the number of parties that share the secret key. The default is 1.
    #[must_use]
    pub fn parties(self, parties: usize) -> Self {
        Self { parties, ..self }
    }

    /// Returns the parameters with the smallest N, and then the fewest digits, that have the
    /// requested security.
    ///
    /// # Errors
    /// [`BuilderError`], which names the requirement that cannot be met and the nearest
    /// alternative.
    pub fn build(&self) -> Result<Parameters, BuilderError> {
        let mut last = None;
        for (log_degree, most) in self.rings()? {
            match self.draft(log_degree, f64::from(most)) {
                Ok(draft) => {
                    let made = Parameters::with_security(draft.shape, self.secret, self.security);
                    return Ok(made?.with_parties(self.parties)?.named());
                }
                Err(miss) => last = Some((miss, log_degree, most)),
            }
        }
        let (miss, log_degree, most) = last.ok_or_else(|| self.not_tabled())?;
        Err(self.error(miss, log_degree, most))
    }

    /// Returns log₂ N of each ring with enough slots that is in the security table, and the largest
    /// modulus in bits that the table admits.
    fn rings(&self) -> Result<impl Iterator<Item = (u32, u32)>, BuilderError> {
        let Self { secret, security, bootstrapping, .. } = *self;
        // Bootstraps have a sparse secret with separate limits.
        let may_be = move |log_degree: &u32| {
            let is_large = *log_degree >= LEAST_ENCAPSULATED_LOG_DEGREE;
            !bootstrapping || is_large && security == SecurityLevel::Bits128
        };
        let most = move |log_degree| most_modulus_bits(log_degree, secret, security);
        let of = move |log_degree| Some((log_degree, most(log_degree)?));
        Ok(self.log_degrees()?.filter(may_be).filter_map(of))
    }

    /// The error if the security table has no suitable ring.
    fn not_tabled(&self) -> ParametersError {
        let Self { secret, security, bootstrapping, .. } = *self;
        if bootstrapping && security > SecurityLevel::Bits128 {
            return EncapsulationError::Level { got: security }.into();
        }
        ParametersError::NotTabled { log_degree: *LOG_DEGREES.end(), secret, security }
    }

    /// Like [`Self::build`], for a ring with N = 2^`log_degree` of any security. For tests only.
    ///
    /// # Errors
    /// [`BuilderError`] if the ring has too few slots or cannot reach the precision.
    pub fn build_insecure(&self, log_degree: u32) -> Result<Parameters, BuilderError> {
        if !self.log_degrees()?.contains(&log_degree) {
            let log_degree = log_degree.clamp(*LOG_DEGREES.start(), *LOG_DEGREES.end());
            return Err(BuilderError::Slots { got: self.slots, limit: slots_of(log_degree) });
        }
        match self.draft(log_degree, f64::INFINITY) {
            Ok(draft) => {
                let made = Parameters::insecure(draft.shape, self.secret)?;
                Ok(made.with_parties(self.parties)?.named())
            }
            Err(Miss::Modulus(_, Some(error))) => Err(ParametersError::from(error).into()),
            Err(miss) => Err(self.error(miss, log_degree, 0)),
        }
    }

    /// The range of log₂ N with enough slots.
    fn log_degrees(&self) -> Result<RangeInclusive<u32>, BuilderError> {
        let (got, limit) = (self.slots, slots_of(*LOG_DEGREES.end()));
        if !(1..=limit).contains(&got) {
            return Err(BuilderError::Slots { got, limit });
        }
        let log_slots = got.next_power_of_two().trailing_zeros();
        Ok((log_slots + 1).max(*LOG_DEGREES.start())..=*LOG_DEGREES.end())
    }

    /// Returns a chain with a modulus below `most_bits` that is precise enough: with the fewest
    /// rounds of a bootstrap, then the smallest levels, then the fewest digits.
    fn draft(&self, log_degree: u32, most_bits: f64) -> Result<Draft, Miss> {
        if !self.bootstrapping {
            return self.draft_of(Levels::Plain, log_degree, most_bits);
        }
        let mut miss = Miss::Precision(f64::NEG_INFINITY);
        for rounds in ROUNDS {
            match self.draft_of(Levels::Bootstrapped(rounds), log_degree, most_bits) {
                Ok(draft) => return Ok(draft),
                Err(other) => miss = miss.or(other),
            }
        }
        Err(miss)
    }

    /// Like [`Self::draft`], with these levels.
    fn draft_of(&self, levels: Levels, log_degree: u32, most_bits: f64) -> Result<Draft, Miss> {
        let mut most = f64::NEG_INFINITY;
        for units in levels.units() {
            let digits = self.digits.map_or(1..=MOST_DIGITS, |digits| digits..=digits);
            let mut least = None;
            let shapes = digits.flat_map(|digits| self.shapes(levels, log_degree, units, digits));
            for shape in shapes {
                let about = about_bits(shape.chain());
                let draft = match self.of_shape(shape) {
                    Ok(draft) => draft,
                    // A digit has too many primes. One more digit may be enough.
                    Err(Miss::Chain(error)) if self.digits.is_none() => {
                        least = Some((about, Some(error)));
                        continue;
                    }
                    Err(miss) => return Err(miss),
                };
                let precision = draft.precision_bits();
                let is_precise = precision >= self.precision_bits;
                if !is_precise {
                    most = precision.max(most);
                    least = None;
                    break;
                }
                let bits = draft.chain.modulus_bits();
                if bits <= most_bits {
                    return Ok(draft);
                }
                least = match least {
                    Some((other, reason)) if other <= bits => Some((other, reason)),
                    _ => Some((bits, None)),
                };
            }
            if let Some((bits, reason)) = least {
                return Err(Miss::Modulus(bits, reason));
            }
        }
        Err(Miss::Precision(most))
    }

    /// Builds the chain of a shape.
    fn of_shape(&self, shape: Shape) -> Result<Draft, Miss> {
        let chain = shape.chain();
        match Chain::new(chain) {
            Ok(chain) => Ok(Draft { shape, chain, secret: self.secret, parties: self.parties }),
            Err(error @ ChainError::Primes { .. }) => {
                Err(Miss::Modulus(about_bits(chain), Some(error)))
            }
            Err(error) => Err(Miss::Chain(error)),
        }
    }

    /// Returns the shapes whose levels have `units` units, in ascending order of the size of the
    /// lowest level: a larger one may need fewer terminal primes. A bootstrap determines the shape
    /// itself.
    fn shapes(&self, levels: Levels, log_degree: u32, units: u32, digits: usize) -> Vec<Shape> {
        let depth = self.depth.min(MOST_DEPTH + 1);
        if let Levels::Bootstrapped(rounds) = levels {
            let usual = BootstrapShape::new(log_degree, depth, digits);
            return vec![BootstrapShape { rounds, level_units: units, ..usual }.into()];
        }
        let least = (units + ROOM_UNITS).max(LEAST_BASE_UNITS);
        let bases = (least..=least + ROOM_UNITS).filter(|base| primes_of_units(*base).is_some());
        let shape = |base_units| {
            let steps = vec![units; depth];
            ChainShape { log_degree, base_units, steps, digits }.into()
        };
        bases.map(shape).collect()
    }

    /// Returns the error for a miss in the largest ring.
    fn error(&self, miss: Miss, log_degree: u32, most: u32) -> BuilderError {
        let depth = self.depth;
        match miss {
            Miss::Chain(error) => ParametersError::from(error).into(),
            Miss::Precision(bits) => BuilderError::Precision {
                got: self.precision_bits,
                depth,
                most: bits,
                log_degree,
                instead: match self.bootstrapping {
                    true => ", or no bootstrap".to_owned(),
                    false => ", or fewer levels".to_owned(),
                },
            },
            Miss::Modulus(needed, _) => BuilderError::Depth {
                depth,
                precision_bits: self.precision_bits,
                needed,
                most,
                log_degree,
                instead: self.instead(),
            },
        }
    }

    /// Returns the possible depth, as the end of an error message.
    fn instead(&self) -> String {
        let fits = |builder: &Self| {
            let fits = |(log_degree, most)| builder.draft(log_degree, f64::from(most)).is_ok();
            builder.rings().is_ok_and(|mut rings| rings.any(fits))
        };
        let deepest = |of: &Self| {
            let (mut fitting, mut failing) = (0, of.depth.min(MOST_DEPTH) + 1);
            while failing - fitting > 1 {
                let middle = fitting.midpoint(failing);
                match fits(&of.clone().depth(middle)) {
                    true => fitting = middle,
                    false => failing = middle,
                }
            }
            fitting
        };
        let without = format!("depth {} is possible", deepest(self));
        let with = self.clone().bootstrapping(true);
        match deepest(&with) {
            0 => format!("{without}, or less precision"),
            _ if self.bootstrapping => format!("{without} after a bootstrap"),
            levels => format!("{without}, and with bootstrapping {levels} levels at a time"),
        }
    }
}

/// The approximate log₂ of the product of all primes.
fn about_bits(chain: &ChainShape) -> f64 {
    let units = chain.base_units + chain.steps.iter().sum::<u32>();
    5.0 * f64::from(units) * (1.0 + 1.0 / chain.digits.max(1) as f64)
}

/// N/2.
fn slots_of(log_degree: u32) -> usize {
    1 << (log_degree - 1)
}

#[cfg(test)]
mod tests;
