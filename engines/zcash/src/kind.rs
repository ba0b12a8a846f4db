// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kinds of output scripts, for summaries. Verdicts do not depend on them.

use std::fmt;

use zcash_script::opcode::PossiblyBad;
use zcash_script::script::{Code, PubKey};
use zcash_script::solver::{standard, ScriptKind};
use zcash_script::Opcode;

/// The kind of an output's script.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Pays to a key's hash.
    PubKeyHash,
    /// Pays to a key.
    PubKey,
    /// Pays to a number of signatures from a list of keys.
    MultiSig {
        /// The number of required signatures.
        required: u8,
        /// The number of keys.
        keys: usize,
    },
    /// Pays to a script's hash, with the kind of the redeem script in the input.
    ScriptHash(Box<Kind>),
    /// Any other script.
    Other,
}

impl Kind {
    /// Returns the kind of an output's script, and of the redeem script in the input that spends
    /// it.
    pub fn of(spent: &Code, input: &Code) -> Self {
        match Self::of_one(spent) {
            Self::ScriptHash(_) => {
                Self::ScriptHash(Box::new(redeem_script(input).map_or(Self::Other, |redeem| {
                    match Self::of_one(&redeem) {
                        Self::ScriptHash(_) => Self::Other, // only compared, never run
                        kind => kind,
                    }
                })))
            }
            kind => kind,
        }
    }

    fn of_one(script: &Code) -> Self {
        let parsed = PubKey::parse(script).ok();
        match parsed.as_ref().and_then(standard) {
            Some(ScriptKind::PubKeyHash { .. }) => Self::PubKeyHash,
            Some(ScriptKind::PubKey { .. }) => Self::PubKey,
            Some(ScriptKind::MultiSig { required, pubkeys }) => {
                Self::MultiSig { required, keys: pubkeys.len() }
            }
            Some(ScriptKind::ScriptHash { .. }) => Self::ScriptHash(Box::new(Self::Other)),
            Some(ScriptKind::NullData { .. }) | None => Self::Other,
        }
    }
}

/// Returns the last push of an input's script.
fn redeem_script(input: &Code) -> Option<Code> {
    match input.parse().last()? {
        Ok(PossiblyBad::Good(Opcode::PushValue(value))) => Some(Code(value.value())),
        _ => None,
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PubKeyHash => f.write_str("P2PKH"),
            Self::PubKey => f.write_str("P2PK"),
            Self::MultiSig { required, keys } => write!(f, "{required}-of-{keys} multisig"),
            Self::ScriptHash(kind) => write!(f, "P2SH {kind}"),
            Self::Other => f.write_str("other script"),
        }
    }
}
