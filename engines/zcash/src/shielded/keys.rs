// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifying keys of the shielded statements (Zcash protocol specification, section 5.7). Those of
//! Groth16 are the heads of the parameter files, as `vectors/README.md` describes; the Orchard keys
//! are computed from the circuit.

use std::sync::{Arc, OnceLock};

use halimede_bls12_381::groth16::VerifyingKey;
use orchard::circuit::{OrchardCircuitVersion, VerifyingKey as OrchardKey};

/// A statement that is proven with Groth16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A JoinSplit from Sapling on: `sprout-groth16.params`.
    JoinSplit,
    /// A Sapling spend: `sapling-spend.params`.
    Spend,
    /// A Sapling output: `sapling-output.params`.
    Output,
}

impl Statement {
    fn bytes(self) -> &'static [u8] {
        match self {
            Self::JoinSplit => include_bytes!("keys/sprout-groth16.vk"),
            Self::Spend => include_bytes!("keys/sapling-spend.vk"),
            Self::Output => include_bytes!("keys/sapling-output.vk"),
        }
    }

    /// Returns the verifying key; `None` only if the file in this crate is damaged.
    pub fn key(self) -> Option<Arc<VerifyingKey>> {
        static KEYS: [OnceLock<Option<Arc<VerifyingKey>>>; 3] = [const { OnceLock::new() }; 3];
        let read = || VerifyingKey::read(self.bytes()).ok().map(Arc::new);
        KEYS[self as usize].get_or_init(read).clone()
    }
}

/// Returns the verifying key of the Orchard circuit. The first call for a version computes it,
/// which takes a second.
pub fn orchard_key(version: OrchardCircuitVersion) -> &'static OrchardKey {
    static KEYS: [OnceLock<OrchardKey>; 3] = [const { OnceLock::new() }; 3];
    let index = match version {
        OrchardCircuitVersion::InsecurePreNu6_2 => 0,
        OrchardCircuitVersion::FixedPostNu6_2 => 1,
        OrchardCircuitVersion::PostNu6_3 => 2,
    };
    KEYS[index].get_or_init(|| OrchardKey::build(version))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_keys_are_those_of_the_ceremonies() {
        let keys = [
            (
                Statement::JoinSplit,
                9,
                "4f8894d5456596e912d8a55c138c155f338131ea4ec747847b5dd6dba5efabdc",
            ),
            (
                Statement::Spend,
                7,
                "e0e847a3937ce78989e3416e908439a1d853287863645095d5e2bbadeeec9869",
            ),
            (
                Statement::Output,
                5,
                "d7a655f6f58745f17bf5344682d25d15967e39b575d072335e14ace0a871bd0c",
            ),
        ];
        for (statement, inputs, digest) in keys {
            assert_eq!(hex::encode(Sha256::digest(statement.bytes())), digest);
            assert_eq!(statement.key().unwrap().inputs(), inputs);
        }
    }
}
