// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The size of the noise that floods a shared decryption. `SECURITY.md` derives it.

use super::error::SharingError;
use super::statement::Sharing;
use crate::complex::Complex;
use crate::evaluator::Ciphertext;
use crate::keys::KeyId;
use crate::params::{fresh_error, Parameters, Scale};
use crate::sampling::{WIDEST, WIDEST_BITS};

/// The noise of a decryption.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flooding {
    /// The standard deviation of a coefficient, for each holder.
    pub deviation: f64,
    /// The standard deviation of a slot's value, of the noise of all holders together.
    pub in_slot: f64,
    /// The bits by which the noise of each holder exceeds the bound of the error.
    pub flooding_bits: f64,
    /// The bound of a slot's error from which the noise is derived.
    pub error_bound: f64,
}

impl Flooding {
    /// Returns the noise for a statement if it fits. Each of the `holders` of the secret key adds
    /// noise that hides the error alone, since the others may know theirs.
    ///
    /// # Errors
    /// As [`Client::decrypt_for_sharing`](super::Client::decrypt_for_sharing), except for the
    /// number of decryptions.
    pub fn new(
        parameters: &Parameters,
        owner: KeyId,
        a: &Ciphertext,
        sharing: &Sharing,
        holders: usize,
    ) -> Result<Self, SharingError> {
        a.check_parameters(parameters)?;
        a.check_owner(owner)?;
        a.metadata().check_decodable(parameters)?;
        sharing.check(parameters)?;
        let error_bits = error_bits(a, sharing, parameters)?;
        let (bits, level) = (sharing.flooding_bits(parameters), a.level());
        let sum_bits = (holders as f64).log2() / 2.0;
        // The noise may use a quarter of the modulus.
        let modulus_bits = parameters.level(level).modulus.log2();
        let room = modulus_bits - 2.0 - WIDEST.log2() - sum_bits;
        let most = room.min(WIDEST_BITS) - error_bits;
        if bits > most {
            let alternatives = sharing.alternatives(parameters, most);
            return Err(SharingError::Room { bits, most, level, alternatives });
        }
        let to_slot = to_slot_bits(a);
        let magnitude = a.bound().magnitude();
        let most = magnitude.log2() - (error_bits + to_slot + sum_bits);
        if most.is_nan() || bits > most {
            let alternatives = sharing.alternatives(parameters, most);
            return Err(SharingError::Precision { bits, most, magnitude, alternatives });
        }
        let noise_bits = error_bits + bits;
        let in_slot = |bits: f64| Scale::exp2(bits + to_slot).value();
        Ok(Self {
            deviation: noise_bits.exp2(),
            in_slot: in_slot(noise_bits + sum_bits),
            flooding_bits: bits,
            error_bound: in_slot(error_bits),
        })
    }
}

/// log₂ of a slot's error divided by a coefficient's. A slot of a vector of n values is a sum of 2n
/// coefficients.
pub(crate) fn to_slot_bits(a: &Ciphertext) -> f64 {
    (2.0 * a.slots() as f64).log2() / 2.0 - a.scale().log2()
}

/// Returns log₂ of a bound σ of the standard deviation of the coefficients of a ciphertext's error:
/// the root of the expected squared norm of the error is at most √N·σ.
///
/// Estimates are at most half a bit too small, and no error is smaller than that of an encryption.
/// A bound from the caller is used as it is. A claim of others is used only if it is larger than
/// the known bounds.
fn error_bits(
    a: &Ciphertext,
    sharing: &Sharing,
    parameters: &Parameters,
) -> Result<f64, SharingError> {
    let &Sharing { error_at_least, expected, .. } = sharing;
    let error = a.error_anywhere();
    if !(error.is_finite() && error >= 0.0) {
        return Err(SharingError::Error { error });
    }
    if let Some(expected) = &expected {
        expected.check(a)?;
    }
    let is_known = expected.is_some() || !a.has_claimed_error();
    if !is_known && error_at_least.is_none() {
        return Err(SharingError::Claimed { error });
    }
    let fresh = fresh_error(a.scale(), a.slots());
    let estimated = expected.map_or(0.0, |expected| expected.error()).max(error).max(fresh);
    let bits = (estimated.log2() + 0.5).max(error_at_least.unwrap_or(0.0).log2());
    // A scale that is too small would make errors seem smaller than they are.
    let least = if is_known { a.scale() } else { parameters.level(a.level()).scale };
    Ok(bits + a.scale().log2().max(least.log2()) - (2.0 * a.slots() as f64).log2() / 2.0)
}

/// Rounds values to a power of two of at most a quarter of the noise of a slot.
pub(crate) fn round(values: &mut [Complex], in_slot: f64) {
    let step = (in_slot / 4.0).log2().floor().exp2();
    for value in values {
        // Adding 0 turns −0, which would reveal a sign, into 0.
        let nearest = |part: f64| (part / step).round() * step + 0.0;
        *value = Complex::new(nearest(value.re), nearest(value.im));
    }
}
