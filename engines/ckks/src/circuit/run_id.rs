// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What tells runs of plans apart.

use std::fmt;

use blake3::Hasher;

/// What tells a run from others: a hash of its plan and of its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunId([u8; 32]);

impl RunId {
    /// Of a plan's hash, and of the names and hashes of its inputs.
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

    /// The identifier that a file says.
    pub(super) fn of_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// All of it.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// As 64 digits.
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
