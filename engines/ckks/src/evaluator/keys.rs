// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The evaluation keys of a server.

use std::collections::BTreeMap;

use super::error::EvaluationError;
use crate::keys::{KeyId, KeyUse, SwitchingKey};
use crate::params::Parameters;

/// Keys for a given list of operations. They are public and reveal nothing about the secret.
pub struct EvaluationKeys {
    parameters: Parameters,
    owner: Option<KeyId>,
    keys: BTreeMap<KeyUse, SwitchingKey>,
}

impl EvaluationKeys {
    /// Creates an empty set of keys.
    pub fn new(parameters: &Parameters) -> Self {
        Self { parameters: parameters.clone(), owner: None, keys: BTreeMap::new() }
    }

    /// The parameters of the keys.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The identity of the secret key of the first key.
    pub fn owner(&self) -> Option<KeyId> {
        self.owner
    }

    /// The key for this use.
    pub fn get(&self, of: KeyUse) -> Option<&SwitchingKey> {
        self.keys.get(&of)
    }

    /// All keys with their uses.
    pub fn iter(&self) -> impl Iterator<Item = (KeyUse, &SwitchingKey)> {
        self.keys.iter().map(|(of, key)| (*of, key))
    }

    /// Adds a key, and replaces one for the same use. A key of another owner than the first one
    /// cannot be used.
    pub fn insert(&mut self, of: KeyUse, key: SwitchingKey) {
        let is_first = self.keys.keys().all(|other| *other == of);
        self.owner = self.owner.filter(|_| !is_first).or(Some(key.owner()));
        self.keys.insert(of, key);
    }

    /// The size of all keys in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.keys.values().map(SwitchingKey::bytes).sum()
    }

    /// Returns the key for an operation on ciphertexts of a level.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] if the key is missing, [`EvaluationError::KeyParameters`] if it is
    /// for other parameters, [`EvaluationError::KeyOwner`] if it belongs to another secret key, and
    /// [`EvaluationError::KeyLevel`] if it is only for lower levels.
    pub fn key(
        &self,
        of: KeyUse,
        level: usize,
        what: impl Fn() -> String,
    ) -> Result<&SwitchingKey, EvaluationError> {
        let key = self.get(of).ok_or_else(|| EvaluationError::Key { what: what() })?;
        let (theirs, ours) = (key.parameters(), &self.parameters);
        if theirs.ring().id() != ours.ring().id() {
            let [key, ours] = [theirs, ours].map(|parameters| parameters.name().to_owned());
            return Err(EvaluationError::KeyParameters { what: what(), key, ours });
        }
        if let Some(ours) = self.owner.filter(|ours| *ours != key.owner()) {
            return Err(EvaluationError::KeyOwner { what: what(), key: key.owner(), ours });
        }
        if level > key.level() {
            let (got, most) = (level, key.level());
            return Err(EvaluationError::KeyLevel { what: what(), got, most });
        }
        Ok(key)
    }
}
