// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts: on a block or a transaction as a whole, and on a transparent input with a reason.

use std::fmt;

use halimede_secp256k1::Rejection;
use serde::Serialize;

use crate::hash::Hash;

/// A verdict. It is never rounded up: any unchecked item makes it incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All rules that the bytes and the given chain state can decide were checked and hold.
    Valid,
    /// A rule is violated.
    Invalid,
    /// No check failed, but an item was not checked.
    Incomplete,
}

impl Verdict {
    /// Returns the verdict, given whether there are faults and unchecked items.
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

/// The final verdict on an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputVerdict {
    /// The scripts of the input end with true.
    Valid,
    /// The input violates a rule.
    Invalid(InputFault),
    /// A deciding fact is unknown.
    Incomplete(NotChecked),
}

impl InputVerdict {
    /// Returns the verdict without its reason.
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
        /// The script: `script of the input`, `script of the output` or `redeem script`.
        script: &'static str,
        /// The error.
        reason: String,
        /// The last invalid signature.
        signature: Option<SignatureFault>,
    },
    /// The scripts end with false.
    #[error("the script ends with false{}", after(signature))]
    False {
        /// The last invalid signature.
        signature: Option<SignatureFault>,
    },
    /// Two inputs of the block spend one output.
    #[error("output {vout} of {txid} is already spent by input {input} of transaction {by}")]
    SpentTwice {
        /// The transaction of the output.
        txid: Hash,
        /// The index of the output.
        vout: u32,
        /// The index of the transaction that also spends it, from 0.
        by: usize,
        /// The index of the input of that transaction.
        input: usize,
    },
    /// The input spends an output of the same or a later transaction of the block.
    #[error("it spends an output of transaction {by}, which is not earlier")]
    NotYetMade {
        /// The index of that transaction, from 0.
        by: usize,
    },
    /// The named transaction of this block does not have the output.
    #[error("it spends output {vout} of transaction {by}, which has {outputs} outputs")]
    NoSuchOutput {
        /// The named index of the output.
        vout: u32,
        /// The index of the transaction, from 0.
        by: usize,
        /// The number of outputs of the transaction.
        outputs: usize,
    },
    /// The input spends an output of the block's own coinbase transaction, before 100 blocks have
    /// followed.
    #[error("it spends an output of the coinbase transaction in the same block")]
    Immature,
    /// The input spends the output of the genesis block, which is unspendable.
    #[error("it spends the output of the genesis block")]
    Genesis,
    /// The input spends nothing, which is allowed only in the first transaction.
    #[error("it spends nothing")]
    Null,
}

impl InputFault {
    /// The section of the Zcash protocol specification with the violated rule.
    pub fn section(&self) -> &'static str {
        "7.1.2"
    }
}

/// Why a signature is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureFault {
    /// The signature does not match key and digest.
    #[error("{0}")]
    Check(Rejection),
    /// The key is invalid.
    #[error("invalid key: {0}")]
    Key(String),
    /// The hash type is not defined for version 5.
    #[error("transactions of this version have no hash type {0:#04x}")]
    UndefinedHashType(u8),
    /// The hash type is `SINGLE`, but no output has the index of the input.
    #[error("the hash type is SINGLE, but output {input} does not exist")]
    NoSuchOutput {
        /// The index of the input.
        input: usize,
    },
}

/// Why an input is not checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotChecked {
    /// The spent output is unknown.
    #[error("the spent output of input {input} is unknown")]
    SpentOutputUnknown {
        /// This input, or one that the signature commits to.
        input: usize,
    },
    /// The consensus branch, on which signatures of version 4 depend, is unknown.
    #[error("the consensus branch is unknown")]
    BranchUnknown,
    /// The transaction exceeds the length limit.
    #[error("the transaction is too long")]
    TooLong,
    /// No device has verified the signatures.
    #[error("its signatures have not been verified")]
    Unanswered,
}

fn after(signature: &Option<SignatureFault>) -> String {
    signature.as_ref().map_or_else(String::new, |fault| format!(": {fault}"))
}
