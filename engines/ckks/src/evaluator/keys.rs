// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys of a server.

use std::collections::BTreeMap;

use crate::keys::SwitchingKey;
use crate::params::Parameters;

/// Keys for a stated list of operations. Public: they tell nothing of the secret.
pub struct EvaluationKeys {
    parameters: Parameters,
    relinearisation: Option<SwitchingKey>,
    /// By the exponent of X.
    automorphisms: BTreeMap<u64, SwitchingKey>,
}

impl EvaluationKeys {
    /// None.
    pub fn new(parameters: &Parameters) -> Self {
        let parameters = parameters.clone();
        Self { parameters, relinearisation: None, automorphisms: BTreeMap::new() }
    }

    /// The parameters that they are for.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The key for products of ciphertexts.
    pub fn relinearisation(&self) -> Option<&SwitchingKey> {
        self.relinearisation.as_ref()
    }

    /// The key of an automorphism.
    pub fn automorphism(&self, exponent: u64) -> Option<&SwitchingKey> {
        self.automorphisms.get(&exponent)
    }

    /// The exponents that there are keys of.
    pub fn automorphisms(&self) -> impl Iterator<Item = u64> + '_ {
        self.automorphisms.keys().copied()
    }

    pub(crate) fn has_automorphism(&self, exponent: u64) -> bool {
        self.automorphisms.contains_key(&exponent)
    }

    pub(crate) fn set_relinearisation(&mut self, key: SwitchingKey) {
        self.relinearisation = Some(key);
    }

    pub(crate) fn insert_automorphism(&mut self, exponent: u64, key: SwitchingKey) {
        self.automorphisms.insert(exponent, key);
    }
}
