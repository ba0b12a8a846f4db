// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The reasons why a shielded part is invalid.

use halimede_bls12_381::groth16::Rejection;

/// Why a shielded part of a transaction is invalid. Indices count from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShieldedFault {
    /// The proof of a JoinSplit does not hold.
    #[error("the proof of JoinSplit {join_split} is invalid: {reason}")]
    JoinSplitProof {
        /// The index of the JoinSplit.
        join_split: usize,
        /// The reason.
        reason: Rejection,
    },
    /// The Ed25519 signature of all JoinSplits does not hold.
    #[error("the signature of the JoinSplits is invalid")]
    JoinSplitSignature,
    /// The randomized key of a Sapling spend has a small order.
    #[error("the randomized key of Sapling spend {spend} has a small order")]
    SpendKey {
        /// The index of the spend.
        spend: usize,
    },
    /// The proof of a Sapling spend does not hold.
    #[error("the proof of Sapling spend {spend} is invalid: {reason}")]
    SpendProof {
        /// The index of the spend.
        spend: usize,
        /// The reason.
        reason: Rejection,
    },
    /// The authorization signature of a Sapling spend does not hold.
    #[error("the authorization signature of Sapling spend {spend} is invalid")]
    SpendSignature {
        /// The index of the spend.
        spend: usize,
    },
    /// The ephemeral key of a Sapling output is not the canonical encoding of a point, or the
    /// point has a small order.
    #[error("the ephemeral key of Sapling output {output} is not a point of large order")]
    OutputKey {
        /// The index of the output.
        output: usize,
    },
    /// The proof of a Sapling output does not hold.
    #[error("the proof of Sapling output {output} is invalid: {reason}")]
    OutputProof {
        /// The index of the output.
        output: usize,
        /// The reason.
        reason: Rejection,
    },
    /// The Sapling binding signature does not hold: spends, outputs and balance disagree.
    #[error("the Sapling binding signature is invalid: the balance does not hold")]
    SaplingBinding,
    /// The proof of all Orchard actions does not hold.
    #[error("the proof of the Orchard actions is invalid")]
    ActionsProof,
    /// The authorization signature of an Orchard action does not hold.
    #[error("the authorization signature of Orchard action {action} is invalid")]
    ActionSignature {
        /// The index of the action.
        action: usize,
    },
    /// The Orchard binding signature does not hold: actions and balance disagree.
    #[error("the Orchard binding signature is invalid: the balance does not hold")]
    OrchardBinding,
    /// A shielded output of a coinbase transaction cannot be decrypted by everyone.
    #[error(
        "{pool} output {output} of the coinbase transaction does not decrypt with the zero key"
    )]
    CoinbaseNote {
        /// The pool: Sapling or Orchard.
        pool: &'static str,
        /// The index of the output or action.
        output: usize,
    },
}

impl ShieldedFault {
    /// The section of the Zcash protocol specification with the violated rule.
    pub fn section(&self) -> &'static str {
        match self {
            Self::JoinSplitProof { .. } => "4.3",
            Self::JoinSplitSignature => "4.11",
            Self::SpendKey { .. } | Self::SpendProof { .. } | Self::SpendSignature { .. } => "4.4",
            Self::OutputKey { .. } | Self::OutputProof { .. } => "4.5",
            Self::SaplingBinding => "4.13",
            Self::ActionsProof | Self::ActionSignature { .. } => "4.6",
            Self::OrchardBinding => "4.14",
            Self::CoinbaseNote { .. } => "7.1.2",
        }
    }
}
