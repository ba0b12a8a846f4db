// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The specification of an instance, and its numbers of rounds.

use num_bigint::BigUint;

use super::bounds::SecurityBounds;
use super::error::SpecificationError;
use super::field::{is_prime, RuntimeField};
use super::limits::{
    MAX_ALPHA, MAX_PRIME_BITS, MAX_ROUNDS, MAX_SECURITY_BITS, MAX_WIDTH, MIN_PRIME_BITS,
    MIN_SECURITY_BITS,
};
use super::sbox::Sbox;
use crate::round_numbers::{fewest_sboxes, RoundNumbers};

/// The security margin: the rounds beyond those that the known attacks require.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Margin {
    /// The paper's margin: 2 full rounds and 7.5 % of the partial ones.
    #[default]
    Recommended,
    /// No margin; for analysis.
    None,
}

/// How the number of partial rounds is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum PartialRounds {
    /// The fewest that the bounds and the margin allow: Pasta's P128Pow5T3 (56 at width 3) and the
    /// authors' current script.
    #[default]
    Fewest,
    /// The fewest, rounded up to a multiple of the width: the authors' first published instances
    /// (`poseidonperm_x5_254_3`: 57) and circomlib's.
    MultipleOfWidth,
}

/// The conventions in which parameter generators differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Convention {
    /// The authors' script: the LFSR encodes x^α as 0 and x⁻¹ as 1; the matrix is drawn from it
    /// too.
    #[default]
    Reference,
    /// Filecoin's generator: the LFSR encodes x^α as 1; the matrix is 1/(i + j + t).
    Filecoin,
}

/// The specification of an instance. All fields may be changed before [`Self::generate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// The prime p, of 31 to 768 bits.
    pub prime: BigUint,
    /// The width t of the state in elements, from 2 to 64.
    pub width: usize,
    /// The S-box.
    pub sbox: Sbox,
    /// The security level M in bits, from 64 to 512.
    pub security_bits: usize,
    /// The rounds beyond the bounds.
    pub margin: Margin,
    /// How the number of partial rounds is chosen.
    pub partial_rounds: PartialRounds,
    /// Rounds given explicitly, instead of search and margin. They must be secure.
    pub rounds: Option<RoundNumbers>,
    /// The convention of the generator.
    pub convention: Convention,
}

impl Specification {
    /// Returns a specification for 128 bits of security with the recommended margin and the fewest
    /// partial rounds, by the authors' generator.
    pub fn new(prime: BigUint, width: usize, sbox: Sbox) -> Self {
        Self {
            prime,
            width,
            sbox,
            security_bits: 128,
            margin: Margin::default(),
            partial_rounds: PartialRounds::default(),
            rounds: None,
            convention: Convention::default(),
        }
    }

    /// Returns the smallest exponent whose power is a permutation of the field of this prime.
    ///
    /// # Errors
    /// [`SpecificationError::NoAlpha`], [`SpecificationError::PrimeBits`].
    pub fn smallest_exponent(prime: &BigUint) -> Result<Sbox, SpecificationError> {
        require_prime_bits(prime)?;
        let coprime = |alpha: &u32| common_divisor(*alpha, prime) == 1;
        let alpha = (3..=MAX_ALPHA).step_by(2).find(coprime);
        alpha.map(Sbox::Power).ok_or(SpecificationError::NoAlpha)
    }

    /// Returns the numbers of rounds.
    ///
    /// # Errors
    /// [`SpecificationError`] if a field of the specification is out of range.
    pub fn round_numbers(&self) -> Result<RoundNumbers, SpecificationError> {
        self.round_numbers_over(&self.checked_field()?)
    }

    /// Checks everything except the rounds and returns the field.
    pub(super) fn checked_field(&self) -> Result<RuntimeField, SpecificationError> {
        require_prime_bits(&self.prime)?;
        if !(2..=MAX_WIDTH).contains(&self.width) {
            return Err(SpecificationError::Width { width: self.width });
        }
        if !(MIN_SECURITY_BITS..=MAX_SECURITY_BITS).contains(&self.security_bits) {
            return Err(SpecificationError::SecurityBits { bits: self.security_bits });
        }
        if !is_prime(&self.prime) {
            return Err(SpecificationError::NotPrime { modulus: format!("{:#x}", self.prime) });
        }
        if let Sbox::Power(alpha) = self.sbox {
            if alpha % 2 == 0 || !(3..=MAX_ALPHA).contains(&alpha) {
                return Err(SpecificationError::Alpha { alpha });
            }
            let divisor = common_divisor(alpha, &self.prime);
            if divisor != 1 {
                return Err(SpecificationError::AlphaNotCoprime { alpha, divisor });
            }
        }
        let field = RuntimeField::new(self.prime.clone());
        let wanted = 2 * self.security_bits;
        if self.width * field.bits() < wanted {
            return Err(SpecificationError::StateTooSmall {
                security_bits: self.security_bits,
                wanted,
                width: self.width,
                field_bits: field.bits(),
            });
        }
        Ok(field)
    }

    pub(super) fn round_numbers_over(
        &self,
        field: &RuntimeField,
    ) -> Result<RoundNumbers, SpecificationError> {
        let bounds = SecurityBounds::new(field, self.sbox, self.width, self.security_bits);
        let secure = |rounds| bounds.hold(rounds);
        if let Some(rounds) = self.rounds {
            if rounds.full % 2 == 1 || rounds.full.max(rounds.partial) > MAX_ROUNDS {
                return Err(SpecificationError::Rounds { rounds });
            }
            if secure(rounds) {
                return Ok(rounds);
            }
            let needed = fewest_sboxes(self.width, secure, |rounds| rounds);
            let needed = needed.ok_or(SpecificationError::NoRounds)?;
            return Err(SpecificationError::InsecureRounds { rounds, needed });
        }
        let with_margin = |rounds: RoundNumbers| match self.margin {
            Margin::Recommended => rounds.with_margin(),
            Margin::None => rounds,
        };
        let fewest = fewest_sboxes(self.width, secure, with_margin);
        let fewest = fewest.ok_or(SpecificationError::NoRounds)?;
        Ok(match self.partial_rounds {
            PartialRounds::Fewest => fewest,
            PartialRounds::MultipleOfWidth => {
                RoundNumbers { partial: fewest.partial.next_multiple_of(self.width), ..fewest }
            }
        })
    }
}

fn require_prime_bits(prime: &BigUint) -> Result<(), SpecificationError> {
    let bits = prime.bits();
    if (MIN_PRIME_BITS..=MAX_PRIME_BITS).contains(&bits) {
        return Ok(());
    }
    Err(SpecificationError::PrimeBits { bits })
}

/// gcd(alpha, prime − 1).
fn common_divisor(alpha: u32, prime: &BigUint) -> u32 {
    let remainder = (prime % alpha).iter_u32_digits().next().unwrap_or_default();
    let (mut a, mut b) = (alpha, (remainder + alpha - 1) % alpha);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
