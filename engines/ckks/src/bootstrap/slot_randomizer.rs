// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random angles that make messages look random before their modulus is raised.
//!
//! The sine is close to its angle only for small coefficients. The coefficients of a polynomial
//! whose slots look random are about 1/√N of the values, or 1/√2n if n values are repeated, but a
//! constant vector is a single coefficient. Values are therefore multiplied by random angles, at no
//! cost: the plaintext multiplication that brings a message close enough to q₀ includes the angles,
//! and their inverses are row factors of the last matrix.
//!
//! A message of the opposite angles would be a constant vector after the multiplication. The angles
//! are therefore random for each server and kept secret, so that nobody can construct such a
//! message.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::error::BootstrapError;
use super::form::BootstrapForm;
use crate::complex::Complex;
use crate::encoding::{Encoder, Plaintext};
use crate::linear::LinearError;
use crate::params::Scale;
use crate::sampling::Seed;

/// The factors of slots, at the lowest level, before the division by the primes from which the
/// modulus is not raised.
pub(super) struct SlotRandomizer {
    plaintext: Plaintext,
    scale: Scale,
    inverses: Vec<Complex>,
}

impl SlotRandomizer {
    /// Returns the factors that bring a message of the lowest level's scale to q₀/2^`ratio_bits`,
    /// where q₀ is the modulus that is raised. Angles come from a seed.
    pub fn new(
        encoder: &Encoder,
        form: &BootstrapForm,
        seed: &Seed,
    ) -> Result<Self, BootstrapError> {
        let (parameters, ratio) =
            (encoder.parameters(), Scale::power_of_two(form.ratio_bits() as i32));
        let lowest = parameters.level(0);
        let scale = parameters.chain().modulus(&parameters.raised_basis()) / ratio;
        let mut angles = ChaCha20Rng::from_seed(*seed);
        let factor = |_| Complex::root(angles.next_u32().into(), 1 << 32);
        let factors: Vec<Complex> = (0..form.slots()).map(factor).collect();
        let plaintext = encoder
            .encode_in(&factors, &lowest.basis, lowest.modulus / ratio / lowest.scale)
            .map_err(LinearError::from)?;
        // The rounded factors are inverted exactly; in a dry run nothing is rounded.
        let rounded = match parameters.ring().is_dry() {
            true => factors,
            false => encoder.decode(&plaintext),
        };
        let inverse = |factor: &Complex| factor.conjugate() * factor.abs().powi(-2);
        let inverses = rounded.iter().map(inverse).collect();
        Ok(Self { plaintext, scale, inverses })
    }

    /// Returns the factors.
    pub fn plaintext(&self) -> &Plaintext {
        &self.plaintext
    }

    /// Returns the scale of products after that division.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Returns the inverse of each slot's factor.
    pub fn inverses(&self) -> &[Complex] {
        &self.inverses
    }
}
