// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The estimated cost of a network's operations, by count.
//!
//! The unit is a byte of an evaluation key that is read. At N = 2¹⁶ the time of a key switch, and
//! of a bootstrap, is nearly proportional to these bytes for all levels and numbers of slots,
//! because transforms and products with keys both grow with digits times residues.

use halimede_ckks::keys::{KeyUse, SwitchingKey};
use halimede_ckks::{Operations, Parameters};

/// The bytes of keys that a bootstrap reads, relative to the bytes of its keys: most are used once,
/// some more often ([measured](../../../ckks/docs/measurements.md#few-slots)).
const READS: f64 = 1.3;
/// The time of a bootstrap with few keys, relative to one with all keys.
const FEW_KEYS: f64 = 1.35;
/// The time of a product with a plaintext, encoded for it, relative to a key switch that reads
/// the bytes of the product.
const PLAIN_PRODUCT: f64 = 0.3;
/// The approximate bits of a prime.
const PRIME_BITS: f64 = 30.0;

/// The costs of operations for parameters.
pub(super) struct Costs<'a> {
    parameters: &'a Parameters,
    bootstrap: f64,
}

impl<'a> Costs<'a> {
    /// Returns the costs for vectors of `slots` slots.
    pub fn new(parameters: &'a Parameters, slots: usize, few_keys: bool) -> Self {
        let bootstrap = parameters.bootstrap().map_or(0.0, |_| {
            let forms = Operations { bootstrap_slots: vec![slots], ..Operations::default() };
            let keys = forms.keys(parameters);
            let bytes = keys
                .iter()
                .map(|(of, level)| SwitchingKey::bytes_of(parameters, *of, *level) as f64);
            READS * bytes.sum::<f64>() * if few_keys { FEW_KEYS } else { 1.0 }
        });
        Self { parameters, bootstrap }
    }

    /// Returns the cost of a bootstrap.
    pub fn bootstrap(&self) -> f64 {
        self.bootstrap
    }

    /// Returns the cost of a key switch of a ciphertext at a level.
    pub fn key_switch(&self, level: usize) -> f64 {
        SwitchingKey::bytes_of(self.parameters, KeyUse::Multiply, self.within(level)) as f64
    }

    /// Returns the cost of a product of a ciphertext at a level with a plaintext.
    pub fn plain_product(&self, level: usize) -> f64 {
        let primes = self.parameters.level(self.within(level)).modulus.log2() / PRIME_BITS;
        PLAIN_PRODUCT * primes * (2 * size_of::<u32>() * self.parameters.degree()) as f64
    }

    fn within(&self, level: usize) -> usize {
        level.min(self.parameters.top())
    }
}
