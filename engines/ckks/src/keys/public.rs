// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The public key, with which anyone may encrypt.

use super::identity::KeyId;
use super::secret::{error, SecretKey};
use crate::params::Parameters;
use crate::ring::Polynomial;
use crate::sampling::{uniform, Random, Seed};

/// (b, a) with b = −a·s + e modulo all primes of ciphertexts. A seed determines a.
pub struct PublicKey {
    parameters: Parameters,
    owner: KeyId,
    seed: Seed,
    b: Polynomial,
    a: Polynomial,
}

impl PublicKey {
    /// Generates the public key of a secret key.
    pub fn generate(secret: &SecretKey, random: &mut Random) -> Self {
        let seed = random.seed();
        let b = Self::half(secret, &seed, random);
        Self::of_half(secret.parameters(), secret.id(), seed, b)
    }

    /// Samples b for a secret, and expands a from the seed. b is linear in the secret and the
    /// error: the sum for several parties is that of the sum of their secrets.
    pub(crate) fn half(secret: &SecretKey, seed: &Seed, random: &mut Random) -> Polynomial {
        let parameters = secret.parameters();
        let (ring, basis) = (parameters.ring(), &parameters.chain().main);
        let mut b = uniform(ring, basis, seed, 0);
        ring.mul(&mut b, secret.values());
        ring.neg(&mut b);
        ring.add(&mut b, &error(parameters, basis, random));
        // The error hides the secret.
        b.declassify();
        b
    }

    /// Builds the key from a seed and its b.
    pub(crate) fn of_half(
        parameters: &Parameters,
        owner: KeyId,
        seed: Seed,
        b: Polynomial,
    ) -> Self {
        let a = uniform(parameters.ring(), b.basis(), &seed, 0);
        Self { parameters: parameters.clone(), owner, seed, b, a }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The identity of the secret key that decrypts.
    pub fn owner(&self) -> KeyId {
        self.owner
    }

    /// The seed of a.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// b and a.
    pub(crate) fn halves(&self) -> (&Polynomial, &Polynomial) {
        (&self.b, &self.a)
    }
}
