// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts: on a block or a transaction as a whole, and on a transparent input with its reason.

use std::fmt;

use halimede_secp256k1::Rejection;
use serde::Serialize;

use crate::hash::Hash;

/// A verdict. It is never rounded up: something that was not checked makes it incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Each rule that the bytes and the given chain state can decide was checked and holds.
    Valid,
    /// A rule does not hold.
    Invalid,
    /// Nothing failed, and something was not checked.
    Incomplete,
}

impl Verdict {
    /// The verdict where these are faults, and something was not checked.
    pub(crate) fn of(is_faulty: bool, is_incomplete: bool) -> Self {
        match (is_faulty, is_incomplete) {
            (true, _) => Self::Invalid,
            (false, true) => Self::Incomplete,
            (false, false) => Self::Valid,
        }
    }

    /// `valid`, `invalid` or `incomplete`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Incomplete => "incomplete",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What is known of an input in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputVerdict {
    /// Its scripts end with true.
    Valid,
    /// It spends what it may not.
    Invalid(InputFault),
    /// Something that decides is not known.
    Incomplete(NotChecked),
}

impl InputVerdict {
    /// The verdict without its reason.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Valid => Verdict::Valid,
            Self::Invalid(_) => Verdict::Invalid,
            Self::Incomplete(_) => Verdict::Incomplete,
        }
    }
}

/// Why an input is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputFault {
    /// A script ends with an error.
    #[error("{script}: {reason}{}", after(signature))]
    Script {
        /// Which: `script of the input`, `script of the output` or `redeem script`.
        script: &'static str,
        /// The error.
        reason: String,
        /// The last signature that did not hold.
        signature: Option<SignatureFault>,
    },
    /// The scripts end with false.
    #[error("the script ends with false{}", after(signature))]
    False {
        /// The last signature that did not hold.
        signature: Option<SignatureFault>,
    },
    /// Two inputs of the block spend one output.
    #[error("output {vout} of {txid} is spent already, by input {input} of transaction {by}")]
    SpentTwice {
        /// The output's transaction.
        txid: Hash,
        /// Its number.
        vout: u32,
        /// The transaction that spends it as well, from 0.
        by: usize,
        /// Which of its inputs.
        input: usize,
    },
    /// It spends an output that a later transaction of the block makes.
    #[error("it spends an output of transaction {by}, which comes no earlier")]
    NotYetMade {
        /// The later transaction, from 0.
        by: usize,
    },
    /// The transaction that it names, of this block, has no such output.
    #[error("it spends output {vout} of transaction {by}, which has {outputs}")]
    NoSuchOutput {
        /// The number it names.
        vout: u32,
        /// The transaction, from 0.
        by: usize,
        /// How many outputs that has.
        outputs: usize,
    },
    /// It spends what the block's first transaction makes, before 100 blocks have followed.
    #[error("it spends an output of the coinbase transaction of its own block")]
    Immature,
    /// It spends the output of the genesis block, which nothing may.
    #[error("it spends the output of the genesis block")]
    Genesis,
    /// It spends nothing, where only the first transaction may.
    #[error("it spends nothing")]
    Null,
}

impl InputFault {
    /// The section of the Zcash protocol specification whose rule does not hold.
    pub fn section(&self) -> &'static str {
        "7.1.2"
    }
}

/// Why a signature does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureFault {
    /// Its numbers do not go with key and digest.
    #[error("{0}")]
    Check(Rejection),
    /// The key is none.
    #[error("the key is none: {0}")]
    Key(String),
    /// A hash type that version 5 does not have.
    #[error("transactions of this version have no hash type {0:#04x}")]
    UndefinedHashType(u8),
    /// `SINGLE`, and no output has the input's number.
    #[error("the hash type is SINGLE, and there is no output {input}")]
    NoSuchOutput {
        /// The input's number.
        input: usize,
    },
}

/// Why an input is not checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotChecked {
    /// It is not known what is spent.
    #[error("spent output of input {input} unknown")]
    SpentOutputUnknown {
        /// By this input, or by one that the signature commits to.
        input: usize,
    },
    /// The consensus branch is not known, on which signatures of version 4 depend.
    #[error("consensus branch unknown")]
    BranchUnknown,
    /// Its transaction is longer than any may be.
    #[error("the transaction is too long")]
    TooLong,
    /// No device has been asked.
    #[error("its signatures have not been verified")]
    Unanswered,
}

fn after(signature: &Option<SignatureFault>) -> String {
    signature.as_ref().map_or_else(String::new, |fault| format!(": {fault}"))
}
