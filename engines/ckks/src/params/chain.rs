// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The moduli of ciphertexts, level by level.
//!
//! Each level multiplies the modulus by 30 to 60 bits, in steps of about 5 bits, although primes
//! have at most 30 bits. A modulus combines *main* primes of about 30 bits with up to five
//! *terminal* primes of 5/6 of that size: a main primes and b terminal primes make 6a + 5b units,
//! where a unit is a sixth of a main prime. Every number of units from 20 on has such a
//! decomposition. To move to the level below, a ciphertext is multiplied by the primes that only
//! the lower level has, and divided by those that only the upper level has (rational rescaling;
//! Samardzic, Sanchez, "BitPacker: enabling high arithmetic efficiency in fully homomorphic
//! encryption accelerators", ASPLOS 2024).
//!
//! The *scale of a level* is chosen such that the product of two ciphertexts of that scale,
//! rescaled, has exactly the scale of the level below: Δ_ℓ² / (Q_ℓ/Q_{ℓ−1}) = Δ_{ℓ−1}. Scales are
//! computed from the bottom up, where Δ_ℓ is a geometric mean, so that they do not drift although
//! primes are not powers of two.
//!
//! Every prime is 1 modulo 2N, for the transform, and 1 modulo 2¹⁷ for every N, for devices
//! ([`LEAST_LOG_ORDER`]). Chains of N up to 2¹⁶ therefore share one stock of primes: 395 of 30
//! bits, 18 of 25 bits and 22 of 26 bits. N = 2¹⁷ has 211, 8 and 10. Main primes have 30 bits. The
//! terminal primes, five at most, have 25 or 26 bits: those nearest to their nominal size.

use super::scale::Scale;
use crate::ring::{primes_below, Basis};

/// The largest number of primes of the lowest level from which the modulus is raised under a sparse
/// secret. More would be less secure.
const RAISED_PRIMES: usize = 2;
/// log₂ of the number modulo which all primes are 1, for every N.
///
/// A prime q = k·2¹⁷ + 1 has −q⁻¹ ≡ −1 modulo 2¹⁷. A Montgomery step of 17 bits needs no product to
/// find the multiple of q: T − (T mod 2¹⁷)·q, divided by 2¹⁷, is ⌊T/2¹⁷⌋ − (T mod 2¹⁷)·k. Since k
/// is below 2¹³, this is one product of 17 by 13 bits, which fits a single multiplier of an FPGA.
/// Two steps reduce the product of two residues.
pub const LEAST_LOG_ORDER: u32 = 17;
/// The bits of a main prime: all are below 2³⁰ and above 2²⁹.
const MAIN_BITS: u32 = 30;
/// Units of a main prime.
pub const MAIN_UNITS: u32 = 6;
/// Units of a terminal prime.
pub const TERMINAL_UNITS: u32 = 5;

/// The shape of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainShape {
    /// log₂ N.
    pub log_degree: u32,
    /// Units of the lowest level's modulus.
    pub base_units: u32,
    /// Units of each step from a level to the one above, from the bottom up.
    pub steps: Vec<u32>,
    /// The number of digits into which a key switch decomposes a polynomial.
    pub digits: usize,
}

/// The moduli of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainLevel {
    /// The primes of the level.
    pub basis: Basis,
    /// The product of the primes.
    pub modulus: Scale,
    /// The scale of ciphertexts of this level.
    pub scale: Scale,
}

/// The primes of all levels, and those of keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// All primes: the terminal ones, the main ones, the special ones of keys.
    pub primes: Vec<u32>,
    /// The levels, from the lowest up.
    pub levels: Vec<ChainLevel>,
    /// The primes of all levels.
    pub main: Basis,
    /// The primes by which a key switch divides (ModDown).
    pub special: Basis,
    /// The primes of `main` that make up each digit.
    pub digits: Vec<Basis>,
}

/// The reason why a shape has no chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum ChainError {
    /// A step is too small for a scale, or larger than needed.
    #[error("a level must add 5 to 12 units of 5 bits; got {got}")]
    Step { got: u32 },
    /// The lowest level is too small.
    #[error("the lowest level must have 10 to 24 units of 5 bits; got {got}")]
    Base { got: u32 },
    /// A number of units has no primes.
    #[error("no primes make a modulus of {got} units of 5 bits")]
    Units { got: u32 },
    /// This N has too few primes.
    #[error(
        "{wanted} primes of {bits} bits are needed that are 1 modulo 2^{log_order}, and there are \
         {limit}: use fewer or smaller levels, or more digits"
    )]
    Primes {
        bits: u32,
        /// log₂ of the larger of 2N and 2¹⁷.
        log_order: u32,
        wanted: usize,
        limit: usize,
    },
    /// A digit would have too many primes.
    #[error("{digits} digits of {primes} primes; a digit has at most {most}")]
    Digits { digits: usize, primes: usize, most: usize },
}

/// Returns the numbers of main and terminal primes that make up `units` units.
pub fn primes_of_units(units: u32) -> Option<(u32, u32)> {
    (0..MAIN_UNITS)
        .find(|terminals| {
            units >= TERMINAL_UNITS * terminals
                && (units - TERMINAL_UNITS * terminals).is_multiple_of(MAIN_UNITS)
        })
        .map(|terminals| ((units - TERMINAL_UNITS * terminals) / MAIN_UNITS, terminals))
}

impl Chain {
    /// Builds the chain of a shape.
    ///
    /// # Errors
    /// [`ChainError`] if steps or digits are out of range, or if there are too few primes.
    pub fn new(shape: &ChainShape) -> Result<Self, ChainError> {
        let counts = counts(shape)?;
        let mains = counts.iter().map(|(mains, _)| *mains).max().unwrap_or(0) as usize;
        let terminals = counts.iter().map(|(_, terminals)| *terminals).max().unwrap_or(0) as usize;
        let count = mains + terminals;
        // A rescaling at the end of a key switch divides by the special primes and by those of a
        // level in one step.
        let most = crate::ring::MAX_SOURCES - dropped(&counts);
        let digit_len = count.div_ceil(shape.digits.max(1));
        if shape.digits == 0 || shape.digits > count || digit_len > most {
            return Err(ChainError::Digits { digits: shape.digits, primes: count, most });
        }
        // The special primes are the largest ones; there is one for each prime of a digit.
        let order = log_order(shape.log_degree);
        let large = main_primes(order, digit_len + mains)?;
        let bits = large[digit_len..].iter().map(|p| f64::from(*p).log2());
        // A chain of only terminal primes uses those that match the largest main primes.
        let main_bits = if mains == 0 { 30.0 } else { bits.sum::<f64>() / mains as f64 };
        let small = terminal_primes(main_bits, order, terminals);
        if small.len() < terminals {
            let (wanted, limit) = (terminals, small.len());
            return Err(ChainError::Primes { bits: 25, log_order: order, wanted, limit });
        }
        let (special, main) = large.split_at(digit_len);
        let primes: Vec<u32> = small.iter().chain(main).chain(special).copied().collect();
        let place = |index: usize| index as u16;
        let places: Vec<u16> = (0..count).map(place).collect();
        Ok(Self {
            levels: levels(&counts, &primes, terminals, shape, main_bits),
            main: Basis::new(0..place(count)),
            special: Basis::new(place(count)..place(primes.len())),
            digits: parted(&places, shape.digits),
            primes,
        })
    }

    /// The product of the primes of a basis.
    pub fn modulus(&self, basis: &Basis) -> Scale {
        Scale::product(basis.places().iter().map(|place| self.primes[usize::from(*place)]))
    }

    /// The primes of the lowest level from which a bootstrap raises the modulus: the largest ones.
    pub(crate) fn raised_basis(&self) -> Basis {
        let places = self.levels[0].basis.places();
        Basis::new(places[places.len().saturating_sub(RAISED_PRIMES)..].iter().copied())
    }

    /// The smallest number of special primes whose product is at least the modulus of `digit`, or
    /// all special primes.
    pub(crate) fn special_of(&self, digit: &Basis) -> Basis {
        let modulus = self.modulus(digit).log2();
        let first = |count: usize| Basis::new(self.special.places()[..count].iter().copied());
        let is_enough = |count: &usize| self.modulus(&first(*count)).log2() >= modulus;
        first((1..self.special.len()).find(is_enough).unwrap_or(self.special.len()))
    }

    /// log₂ of the product of the primes of the key to a bootstrap's sparse secret. It determines
    /// the security of that secret, since nothing else is encrypted under it.
    pub fn encapsulated_modulus_bits(&self) -> f64 {
        let raised = self.raised_basis();
        self.modulus(&raised.union(&self.special_of(&raised))).log2()
    }

    /// log₂ of the product of all primes. It determines the security, since keys have all primes.
    pub fn modulus_bits(&self) -> f64 {
        self.primes.iter().map(|prime| f64::from(*prime).log2()).sum()
    }
}

/// Splits positions into `count` parts of nearly equal length, the longer ones first. The smaller
/// primes are in the first parts, so that every digit is smaller than the product of the special
/// primes.
fn parted(places: &[u16], count: usize) -> Vec<Basis> {
    let end = |part: usize| (places.len() * part).div_ceil(count);
    (0..count).map(|part| Basis::new(places[end(part)..end(part + 1)].iter().copied())).collect()
}

/// Returns the numbers of main and terminal primes of each level.
fn counts(shape: &ChainShape) -> Result<Vec<(u32, u32)>, ChainError> {
    if !(10..=24).contains(&shape.base_units) {
        return Err(ChainError::Base { got: shape.base_units });
    }
    let mut units = shape.base_units;
    let mut all = vec![units];
    for step in &shape.steps {
        if !(5..=12).contains(step) {
            return Err(ChainError::Step { got: *step });
        }
        units += step;
        all.push(units);
    }
    all.into_iter().map(|got| primes_of_units(got).ok_or(ChainError::Units { got })).collect()
}

/// The largest number of primes that a level has and the one below lacks.
fn dropped(counts: &[(u32, u32)]) -> usize {
    let fewer = |below: &(u32, u32), at: &(u32, u32)| {
        at.0.saturating_sub(below.0) + at.1.saturating_sub(below.1)
    };
    counts.windows(2).map(|pair| fewer(&pair[0], &pair[1])).max().unwrap_or(0) as usize
}

/// log₂ of the number modulo which the primes of a ring are 1.
fn log_order(log_degree: u32) -> u32 {
    (log_degree + 1).max(LEAST_LOG_ORDER)
}

/// The largest main primes.
fn main_primes(log_order: u32, wanted: usize) -> Result<Vec<u32>, ChainError> {
    let is_main = |prime: &u32| prime >> (MAIN_BITS - 1) != 0;
    let all = primes_below(1 << MAIN_BITS, log_order).take_while(is_main);
    let primes: Vec<u32> = all.take(wanted).collect();
    match primes.len() {
        limit if limit < wanted => {
            Err(ChainError::Primes { bits: MAIN_BITS, log_order, wanted, limit })
        }
        _ => Ok(primes),
    }
}

/// The primes nearest to 5/6 of the bits of the main primes. A chain needs at most five, and rings
/// up to N = 2¹⁷ have five.
fn terminal_primes(main_bits: f64, log_order: u32, count: usize) -> Vec<u32> {
    let bits = main_bits * f64::from(TERMINAL_UNITS) / f64::from(MAIN_UNITS);
    let middle = bits.exp2() as u32;
    let below = primes_below(middle, log_order).take(count);
    let above = crate::ring::primes_above(middle, log_order).take(count);
    let mut primes: Vec<u32> = below.chain(above).collect();
    primes.sort_by_key(|prime| prime.abs_diff(middle));
    primes.truncate(count);
    primes
}

fn levels(
    counts: &[(u32, u32)],
    primes: &[u32],
    all_terminals: usize,
    shape: &ChainShape,
    main_bits: f64,
) -> Vec<ChainLevel> {
    let unit_bits = main_bits / f64::from(MAIN_UNITS);
    let mut levels: Vec<ChainLevel> = Vec::with_capacity(counts.len());
    for (level, (mains, terminals)) in counts.iter().enumerate() {
        let first = all_terminals as u16;
        let basis = Basis::new((0..*terminals as u16).chain(first..first + *mains as u16));
        let of_place = |place: &u16| primes[usize::from(*place)];
        let modulus = Scale::product(basis.places().iter().map(of_place));
        let step = |level: usize| shape.steps.get(level).copied();
        // The first of several equal steps has their size as its scale.
        let units = step(level.saturating_sub(1)).unwrap_or(MAIN_UNITS);
        let nominal = Scale::exp2(unit_bits * f64::from(units));
        let is_first = level == 0 || level > 1 && step(level - 1) != step(level - 2);
        let scale = match levels.last() {
            Some(below) if !is_first => (below.scale * (modulus / below.modulus)).square_root(),
            _ => nominal,
        };
        levels.push(ChainLevel { basis, modulus, scale });
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(log_degree: u32, steps: &[u32], digits: usize) -> ChainShape {
        ChainShape { log_degree, base_units: 12, steps: steps.to_vec(), digits }
    }

    #[test]
    fn units_are_made_of_few_terminal_primes() {
        for units in 20..400 {
            let (mains, terminals) = primes_of_units(units).unwrap();
            assert_eq!(6 * mains + 5 * terminals, units);
            assert!(terminals < 6);
        }
        assert_eq!(primes_of_units(12), Some((2, 0)));
        assert_eq!(primes_of_units(13), None);
        assert_eq!(primes_of_units(20), Some((0, 4)));
    }

    #[test]
    fn each_level_adds_its_step_and_products_stay_on_their_scale() {
        for (log_degree, steps) in
            [(16, vec![8; 30]), (13, vec![8; 6]), (15, vec![9, 9, 9, 12, 12, 8])]
        {
            let chain = Chain::new(&shape(log_degree, &steps, 4)).unwrap();
            assert_eq!(chain.levels.len(), steps.len() + 1);
            for (pair, step) in chain.levels.windows(2).zip(&steps) {
                let ratio = pair[1].modulus / pair[0].modulus;
                assert!(
                    (ratio.log2() - 4.99 * f64::from(*step)).abs() < 0.5,
                    "{ratio}, {step} units"
                );
                assert!((pair[1].scale.log2() - 4.99 * f64::from(*step)).abs() < 0.5);
            }
            for level in 1..chain.levels.len() {
                if level > 1 && steps[level - 1] != steps[level - 2] {
                    continue;
                }
                let [below, above] = [&chain.levels[level - 1], &chain.levels[level]];
                let product = above.scale * above.scale / (above.modulus / below.modulus);
                assert!(product.deviation(below.scale).abs() < 1e-28, "level {level}");
            }
        }
    }

    #[test]
    fn a_single_level_may_have_terminal_primes_alone() {
        let chain = Chain::new(&ChainShape { base_units: 20, ..shape(10, &[], 2) }).unwrap();
        assert_eq!((chain.levels.len(), chain.main.len()), (1, 4));
        assert!((chain.levels[0].modulus.log2() - 100.0).abs() < 0.1);
    }

    #[test]
    fn digits_are_no_larger_than_what_a_switch_divides_by() {
        for digits in 3..7 {
            let chain = Chain::new(&shape(16, &[8; 28], digits)).unwrap();
            assert_eq!(chain.digits.len(), digits);
            let all = chain.digits.iter().fold(Basis::new([]), |all, digit| all.union(digit));
            assert_eq!(all, chain.main);
            for digit in &chain.digits {
                assert!(chain.modulus(digit).log2() <= chain.modulus(&chain.special).log2());
            }
            let bits = chain.modulus(&chain.main) * chain.modulus(&chain.special);
            assert!((chain.modulus_bits() - bits.log2()).abs() < 1e-9);
        }
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        let error = |shape: ChainShape| Chain::new(&shape).unwrap_err();
        assert_eq!(error(shape(13, &[8, 13], 2)), ChainError::Step { got: 13 });
        assert_eq!(error(shape(13, &[4], 2)), ChainError::Step { got: 4 });
        let low = ChainShape { base_units: 9, ..shape(13, &[8], 2) };
        assert_eq!(error(low), ChainError::Base { got: 9 });
        let none = ChainShape { base_units: 13, ..shape(13, &[8], 2) };
        assert_eq!(error(none), ChainError::Units { got: 13 });
        let primes = 42 + 4;
        // A level of 8 units has up to four primes that the level below lacks.
        let most = crate::ring::MAX_SOURCES - 4;
        for digits in [0, 1, 2] {
            assert_eq!(
                error(shape(16, &[8; 31], digits)),
                ChainError::Digits { digits, primes, most }
            );
        }
        assert!(matches!(error(shape(17, &[12; 300], 40)), ChainError::Primes { .. }));
        // Larger rings have no chain, or the ring rejects it.
        for log_degree in 18..=31 {
            let made = Chain::new(&shape(log_degree, &[8; 9], 3));
            assert!(made.is_ok() || matches!(made, Err(ChainError::Primes { .. })), "{log_degree}");
        }
        assert!(matches!(error(shape(31, &[8; 9], 3)), ChainError::Primes { limit: 0, .. }));
    }
}
