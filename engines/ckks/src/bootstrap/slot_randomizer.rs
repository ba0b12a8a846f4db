// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random angles that make messages look random before their modulus is raised.
//!
//! The sine is near its angle for small coefficients alone. Those of a polynomial whose slots look
//! random are about 1/√N of them, or 1/√2n where n values stand several times, but a constant
//! vector is a single coefficient. So values are multiplied by random angles, which costs nothing:
//! the multiplication that brings a message near enough to q₀ is by a plaintext of them, and its
//! inverses are rows' factors in the last matrix.
//!
//! A message of the opposite angles would be a constant vector once it is multiplied. So that
//! nobody can make one, angles are random for each server, which tells them to nobody.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::error::BootstrapError;
use super::form::BootstrapForm;
use crate::complex::Complex;
use crate::encoding::{Encoder, Plaintext};
use crate::linear::LinearError;
use crate::params::Scale;
use crate::sampling::Seed;

/// What slots are multiplied by, at the lowest level, before primes are divided out from which the
/// modulus is not raised.
pub(super) struct SlotRandomizer {
    plaintext: Plaintext,
    scale: Scale,
    inverses: Vec<Complex>,
}

impl SlotRandomizer {
    /// The factors by which a message of the lowest level's scale comes to have q₀/2^`ratio_bits`,
    /// q₀ being what the modulus is raised from. Angles come from a seed.
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
        // What was rounded coarsely is inverted exactly; without arithmetic nothing is rounded.
        let rounded = match parameters.ring().is_dry() {
            true => factors,
            false => encoder.decode(&plaintext),
        };
        let inverse = |factor: &Complex| factor.conjugate() * factor.abs().powi(-2);
        let inverses = rounded.iter().map(inverse).collect();
        Ok(Self { plaintext, scale, inverses })
    }

    /// The factors.
    pub fn plaintext(&self) -> &Plaintext {
        &self.plaintext
    }

    /// The scale of products after that division.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// 1 over the factor of each slot.
    pub fn inverses(&self) -> &[Complex] {
        &self.inverses
    }
}
