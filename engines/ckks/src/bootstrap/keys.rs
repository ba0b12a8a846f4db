// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys to a sparse secret and back.

use zeroize::Zeroizing;

use super::shape::BootstrapShape;
use crate::keys::{Gadget, SecretKey, SwitchingKey};
use crate::params::Parameters;
use crate::sampling::{sparse, Random};

/// Keys by which a ciphertext of the lowest level goes to a sparse secret, and one of the highest
/// comes back from it.
///
/// The first is modulo few primes: a sparse secret is only as safe as its modulus is small.
pub struct BootstrapKeys {
    pub(super) to_sparse: SwitchingKey,
    pub(super) from_sparse: SwitchingKey,
}

impl BootstrapKeys {
    /// The keys of a secret; the sparse one is forgotten.
    pub(crate) fn generate(
        secret: &SecretKey,
        shape: &BootstrapShape,
        random: &mut Random,
    ) -> Self {
        let parameters: &Parameters = secret.parameters();
        let coefficients = Zeroizing::new(sparse(random, parameters.degree(), shape.weight));
        let mut ephemeral = parameters.ring().from_small(&parameters.ring().all(), &coefficients);
        parameters.ring().forward(&mut ephemeral);
        let lowest = Gadget::of_level(parameters, 0);
        let generate = |gadget, from, to, random: &mut Random| {
            SwitchingKey::generate(parameters, gadget, from, to, random)
        };
        let to_sparse = generate(lowest, secret.values(), &ephemeral, random);
        let from_sparse = generate(Gadget::of(parameters), &ephemeral, secret.values(), random);
        ephemeral.wipe();
        Self { to_sparse, from_sparse }
    }
}
