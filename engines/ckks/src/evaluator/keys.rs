// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys of a server.

use std::collections::BTreeMap;

use super::error::EvaluationError;
use crate::keys::{KeyId, KeyUse, SwitchingKey};
use crate::params::Parameters;

/// Keys for a stated list of operations. Public: they tell nothing of the secret.
pub struct EvaluationKeys {
    parameters: Parameters,
    owner: Option<KeyId>,
    keys: BTreeMap<KeyUse, SwitchingKey>,
}

impl EvaluationKeys {
    /// An empty set of keys.
    pub fn new(parameters: &Parameters) -> Self {
        Self { parameters: parameters.clone(), owner: None, keys: BTreeMap::new() }
    }

    /// The parameters of the keys.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The secret key that the keys belong to: that of the first key.
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

    /// Adds a key, in place of one for the same. One of another owner than the first cannot be
    /// used.
    pub fn insert(&mut self, of: KeyUse, key: SwitchingKey) {
        let is_first = self.keys.keys().all(|other| *other == of);
        self.owner = self.owner.filter(|_| !is_first).or(Some(key.owner()));
        self.keys.insert(of, key);
    }

    /// Bytes of all keys, in memory.
    pub fn bytes(&self) -> usize {
        self.keys.values().map(SwitchingKey::bytes).sum()
    }

    /// The key for an operation on ciphertexts of a level.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] where the key is missing, [`EvaluationError::KeyParameters`] where
    /// it is for other parameters, [`EvaluationError::KeyOwner`] where it belongs to another secret
    /// key, [`EvaluationError::KeyLevel`] where it was made or saved for lower levels alone.
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
