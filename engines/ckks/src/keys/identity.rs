// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The identity of a secret key.

use std::fmt;

use crate::sampling::Random;

/// Bytes of an identifier.
pub(crate) const KEY_ID_BYTES: usize = 16;

/// The identity of a secret key: random and public. The keys and ciphertexts of the secret key
/// carry it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; KEY_ID_BYTES]);

impl KeyId {
    /// The identity of objects that belong to no key.
    pub(crate) const NOBODY: Self = Self([0; KEY_ID_BYTES]);

    /// Generates a new identity.
    pub(crate) fn generate(random: &mut Random) -> Self {
        let seed = random.seed();
        let mut bytes = [0; KEY_ID_BYTES];
        bytes.copy_from_slice(&seed[..KEY_ID_BYTES]);
        Self(bytes)
    }

    /// The identity with these bytes.
    pub(crate) fn of_bytes(bytes: [u8; KEY_ID_BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; KEY_ID_BYTES] {
        &self.0
    }
}

/// Shows the first eight bytes, which are enough to distinguish keys.
impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
