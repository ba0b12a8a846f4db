// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a verdict lacks: things of a block that were not checked, by name, and what would have to
//! be given.

use serde::{Serialize, Serializer};

/// A kind of thing that was not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Gap {
    /// The block's height, where it is only what the block claims.
    Height,
    /// The consensus branch, where the height does not tell it.
    Branch,
    /// Transparent inputs without the outputs that they spend.
    SpentOutputs,
    /// Transparent inputs about whose signatures no device has answered.
    Answers,
    /// What the coinbase transaction takes, and whom it must pay.
    CoinbasePayments,
    /// Shielded outputs of the coinbase transaction, which everyone can decrypt.
    CoinbaseNotes,
    /// The block or transactions, where they follow rules that the specification does not have.
    LaterRules,
    /// Proofs of JoinSplits.
    JoinSplitProofs,
    /// Signatures of transactions with JoinSplits.
    JoinSplitSignatures,
    /// Points of spends and outputs: order and encoding.
    SaplingPoints,
    /// Proofs of spends.
    SaplingSpendProofs,
    /// Spend authority.
    SaplingSpendSignatures,
    /// Proofs of outputs.
    SaplingOutputProofs,
    /// Balance.
    SaplingBindingSignatures,
    /// Ephemeral keys of actions.
    OrchardKeys,
    /// Proofs, one for all actions of a transaction.
    OrchardProofs,
    /// Spend authority.
    OrchardSpendSignatures,
    /// Balance.
    OrchardBindingSignatures,
}

impl Gap {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::Height,
        Self::Branch,
        Self::SpentOutputs,
        Self::Answers,
        Self::CoinbasePayments,
        Self::CoinbaseNotes,
        Self::LaterRules,
        Self::JoinSplitProofs,
        Self::JoinSplitSignatures,
        Self::SaplingPoints,
        Self::SaplingSpendProofs,
        Self::SaplingSpendSignatures,
        Self::SaplingOutputProofs,
        Self::SaplingBindingSignatures,
        Self::OrchardKeys,
        Self::OrchardProofs,
        Self::OrchardSpendSignatures,
        Self::OrchardBindingSignatures,
    ];

    /// The name that reports have.
    pub fn name(self) -> &'static str {
        match self {
            Self::Height => "block height",
            Self::Branch => "consensus branch",
            Self::SpentOutputs => "inputs whose spent outputs are unknown",
            Self::Answers => "inputs without a device's answer",
            Self::CoinbasePayments => "payments of the coinbase transaction",
            Self::CoinbaseNotes => "shielded outputs of the coinbase transaction",
            Self::LaterRules => "rules after NU6.1",
            Self::JoinSplitProofs => "JoinSplit proofs",
            Self::JoinSplitSignatures => "JoinSplit signatures",
            Self::SaplingPoints => "Sapling points",
            Self::SaplingSpendProofs => "Sapling spend proofs",
            Self::SaplingSpendSignatures => "Sapling spend authorization signatures",
            Self::SaplingOutputProofs => "Sapling output proofs",
            Self::SaplingBindingSignatures => "Sapling binding signatures",
            Self::OrchardKeys => "Orchard ephemeral keys",
            Self::OrchardProofs => "Orchard proofs",
            Self::OrchardSpendSignatures => "Orchard spend authorization signatures",
            Self::OrchardBindingSignatures => "Orchard binding signatures",
        }
    }

    /// The member of what is given by which the caller closes the gap: `height`, `branch` or
    /// `spent`, an option of this name in every language; `None` where no option does.
    pub fn option(self) -> Option<&'static str> {
        match self {
            Self::Height => Some("height"),
            Self::Branch => Some("branch"),
            Self::SpentOutputs => Some("spent"),
            _ => None,
        }
    }

    /// What would have to be given, or why the check is absent.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Height => "give the height; the block only claims one",
            Self::Branch => "give the branch; a height of this network does not tell it",
            Self::SpentOutputs => "give the outputs of earlier blocks that they spend",
            Self::Answers => "ask a device for all of the block's requests",
            Self::LaterRules => "not checked by this version: the specification does not have them",
            _ => "not checked by this version",
        }
    }
}

impl Serialize for Gap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Things of one kind that were not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// Which kind.
    pub gap: Gap,
    /// How many, at least 1.
    pub count: usize,
}
