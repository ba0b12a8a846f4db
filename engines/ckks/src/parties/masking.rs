// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The masks of a collective refresh: their size, the security that they give, and their change of
//! scale.
//!
//! Party j samples a mask Mⱼ with coefficients uniform in [−2ᵏ, 2ᵏ), the largest that fits the
//! modulus. If the coefficients of m + e are below b in absolute value, the statistical distance of
//! m + e − Mⱼ from a polynomial that is independent of m + e is at most N·b/2ᵏ⁺¹.
//!
//! The refreshed ciphertext has the scale of its new level: everything is multiplied by r = p/2ˢ. A
//! mask is M = h·2ˢ + l with 0 ≤ l < 2ˢ, and f(M) = p·h + ⌊p·l/2ˢ + ½⌋ is r·M, rounded.

use zeroize::Zeroizing;

use super::error::PartyError;
use super::session::Session;
use crate::client::SharingError;
use crate::evaluator::Ciphertext;
use crate::params::{Parameters, Scale};
use crate::ring::{Basis, Polynomial, Ring};
use crate::sampling::{wide_uniform, Random};

/// The largest number of bits of security that can be stated.
const MOST_SECURITY_BITS: u32 = 128;
/// The bits of p, at most.
const FACTOR_BITS: i32 = 64;
/// The bits of the mantissa of p, all that a double has.
const MANTISSA_BITS: i32 = 53;
/// The powers of two of r for which p has a whole mantissa and s is above 0.
const EXPONENTS: std::ops::RangeInclusive<i32> = MANTISSA_BITS - FACTOR_BITS..=40;
/// The bits of h in absolute value, at most.
const HIGH_BITS: u32 = 124;
/// A coefficient's error exceeds this many standard deviations of a slot's error with a negligible
/// probability.
const TAIL: f64 = 16.0;

/// The security statement of a collective refresh.
///
/// The mask hides the values up to a statistical distance of 2⁻ˢ for s bits of security, in each
/// refresh. The bound of the values must be true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Masking {
    /// Bits of security, from 1 to 128.
    pub security_bits: u32,
    /// A bound of the absolute values that the party knows. It is needed for a ciphertext from a
    /// file, whose own bound is only a claim.
    pub values_at_most: Option<f64>,
}

impl Masking {
    /// A statement for ciphertexts that were not computed by others.
    pub fn new(security_bits: u32) -> Self {
        Self { security_bits, values_at_most: None }
    }

    /// Adds a bound: all values are at most this in absolute value.
    #[must_use]
    pub fn with_values_at_most(self, bound: f64) -> Self {
        Self { values_at_most: Some(bound), ..self }
    }
}

/// The size of the masks for a ciphertext.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask {
    /// k.
    bits: u32,
    /// s, from 1 to 63.
    pub shift: u32,
    /// p.
    pub factor: u64,
    /// The scale of the refreshed ciphertext.
    pub scale: Scale,
}

impl Mask {
    /// Returns the masks for the refresh of a ciphertext. They depend on the session, and on the
    /// level and the scale of the ciphertext.
    pub fn of(session: &Session, a: &Ciphertext) -> Result<Self, PartyError> {
        let (parameters, got) = (session.parameters(), a.scale());
        let wanted = parameters.level(parameters.fresh_level()).scale;
        let (high, _, exponent) = (wanted / got).parts();
        if !EXPONENTS.contains(&exponent) {
            return Err(PartyError::RefreshScale { got, wanted });
        }
        let mantissa = (high * f64::from(MANTISSA_BITS - 1).exp2()) as u64;
        let point = exponent - (MANTISSA_BITS - 1);
        let shift = FACTOR_BITS - 1 - exponent.max(0);
        let factor = mantissa << (shift + point);
        let ratio = Scale::new(mantissa as f64).unwrap_or(Scale::ONE) * Scale::power_of_two(point);
        let shift = shift as u32;
        // Without room, no security can be stated.
        let bits = room(session, a.level(), shift).unwrap_or(0);
        Ok(Self { bits, shift, factor, scale: got * ratio })
    }

    /// Checks that the masks hide the values of a ciphertext as stated.
    pub fn check(
        &self,
        session: &Session,
        a: &Ciphertext,
        masking: &Masking,
    ) -> Result<(), PartyError> {
        let &Masking { security_bits, values_at_most } = masking;
        if !(1..=MOST_SECURITY_BITS).contains(&security_bits) {
            return Err(PartyError::MaskSecurity { got: security_bits, most: MOST_SECURITY_BITS });
        }
        let declared = a.bound().magnitude();
        if let Some(got) = values_at_most.filter(|bound| !(bound.is_finite() && *bound > 0.0)) {
            return Err(PartyError::ValuesAtMost { got });
        }
        if a.has_claimed_error() && values_at_most.is_none() {
            return Err(PartyError::ClaimedBound { bound: declared });
        }
        let error = a.error_anywhere();
        if !(error.is_finite() && error >= 0.0) {
            return Err(SharingError::Error { error }.into());
        }
        let magnitude = declared.max(values_at_most.unwrap_or(0.0)) + TAIL * error;
        // k + 1 − log₂(N·b), less what is needed.
        let degree_bits = f64::from(session.parameters().ring().log_degree());
        let surplus = |bits: u32, scale: Scale| {
            let bound = (Scale::exp2(magnitude.log2()) * scale).value() + 1.0;
            f64::from(bits) + 1.0 - degree_bits - bound.log2() - f64::from(security_bits)
        };
        let lacking = -surplus(self.bits, a.scale());
        if lacking <= 0.0 {
            return Ok(());
        }
        let parameters: &Parameters = session.parameters();
        let fits = (a.level() + 1..=parameters.top()).find(|level| {
            let room = room(session, *level, self.shift);
            room.is_some_and(|bits| surplus(bits, parameters.level(*level).scale) >= 0.0)
        });
        let most = f64::from(self.bits);
        // Conversions of negative numbers return 0.
        let advice = match (fits, (f64::from(security_bits) - lacking) as u32) {
            (Some(level), _) => format!("refresh the ciphertext at level {level} or above"),
            (None, 0) => "no level has room for any security".to_owned(),
            (None, bits) => format!("state at most {bits} bits of security"),
        };
        Err(PartyError::MaskRoom { bits: most + lacking, most, level: a.level(), advice })
    }

    /// Samples a mask, in constant time. Returns M modulo the primes of `low`, and f(M) modulo
    /// those of `high`, both as coefficients and marked secret.
    pub fn sample(
        &self,
        random: &mut Random,
        ring: &Ring,
        low: &Basis,
        high: &Basis,
    ) -> [Polynomial; 2] {
        let (upper, lower) = wide_uniform(random, self.bits, self.shift, ring.degree());
        let mut mask = ring.from_wide(low, &upper);
        ring.scale(&mut mask, |modulus| modulus.pow(2, self.shift.into()));
        ring.add(&mut mask, &ring.from_wide(low, &lower));
        let mut scaled = ring.from_wide(high, &upper);
        ring.scale(&mut scaled, |modulus| modulus.reduce(self.factor));
        let mut rounded = Zeroizing::new(vec![0i128; lower.len()]);
        for (rounded, lower) in rounded.iter_mut().zip(lower.iter()) {
            *rounded = i128::from(self.rounded(*lower as u64));
        }
        ring.add(&mut scaled, &ring.from_wide(high, &rounded));
        [mask, scaled]
    }

    /// ⌊p·l/2ˢ + ½⌋, for l below 2ˢ.
    pub fn rounded(&self, lower: u64) -> u64 {
        let half = 1u128 << (self.shift - 1);
        ((u128::from(self.factor) * u128::from(lower) + half) >> self.shift) as u64
    }

    /// k: the coefficients of a mask are in [−2ᵏ, 2ᵏ).
    #[cfg(test)]
    pub fn bits(&self) -> u32 {
        self.bits
    }
}

/// Returns the largest k for which the masks of a quorum and a message below 2ᵏ fit the modulus of
/// a level: (t + 1)·2ᵏ ≤ Q/2.
pub(super) fn room(session: &Session, level: usize, shift: u32) -> Option<u32> {
    let (_, _, exponent) = session.parameters().level(level).modulus.parts();
    let terms = (session.threshold() + 1).next_power_of_two().ilog2();
    let bits = u32::try_from(exponent).ok()?.checked_sub(1 + terms)?;
    Some(bits.min(shift + HIGH_BITS)).filter(|bits| *bits > 0)
}
