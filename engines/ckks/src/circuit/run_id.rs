// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Identifiers of runs of plans.

use std::fmt;

use blake3::Hasher;

/// The identifier of a run: a hash of its plan and of its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunId([u8; 32]);

impl RunId {
    /// Returns the identifier from a plan's hash, and from the names and hashes of its inputs.
    pub(super) fn of<'n>(
        plan: [u8; 32],
        inputs: impl IntoIterator<Item = (&'n str, [u8; 32])>,
    ) -> Self {
        let mut hasher = Hasher::new_derive_key("Halimede CKKS, a run of a plan");
        hasher.update(&plan);
        for (name, input) in inputs {
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
            hasher.update(&input);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns the identifier with these bytes, as read from a file.
    pub(super) fn of_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the identifier.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Shows 64 hexadecimal digits.
impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
