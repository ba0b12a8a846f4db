// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys of a server.

use std::collections::BTreeMap;

use super::EvaluationError;
use crate::keys::{KeyUse, SwitchingKey};
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

    /// All keys, and what they are for.
    pub fn iter(&self) -> impl Iterator<Item = (KeyUse, &SwitchingKey)> {
        let products = self.relinearisation.iter().map(|key| (KeyUse::Multiply, key));
        let automorphisms = self.automorphisms.iter();
        products.chain(automorphisms.map(|(by, key)| (KeyUse::Automorphism(*by), key)))
    }

    /// Adds a key, in place of one for the same.
    pub fn insert(&mut self, of: KeyUse, key: SwitchingKey) {
        match of {
            KeyUse::Multiply => self.relinearisation = Some(key),
            KeyUse::Automorphism(exponent) => {
                self.automorphisms.insert(exponent, key);
            }
        }
    }

    /// The key for an operation on ciphertexts of a level.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] where there is none, [`EvaluationError::KeyLevel`] where it was
    /// made or saved for lower levels alone.
    pub fn key(
        &self,
        of: KeyUse,
        level: usize,
        what: impl Fn() -> String,
    ) -> Result<&SwitchingKey, EvaluationError> {
        let key = match of {
            KeyUse::Multiply => self.relinearisation.as_ref(),
            KeyUse::Automorphism(exponent) => self.automorphisms.get(&exponent),
        };
        let key = key.ok_or_else(|| EvaluationError::Key { what: what() })?;
        if level > key.level() {
            let (got, most) = (level, key.level());
            return Err(EvaluationError::KeyLevel { what: what(), got, most });
        }
        Ok(key)
    }
}
