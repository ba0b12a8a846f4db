// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The gaps in a verdict: kinds of items of a block that were not checked, by name, and the input
//! that would close them.

use serde::{Serialize, Serializer};

/// A kind of item that was not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Gap {
    /// The block's height, if it is only claimed by the block.
    Height,
    /// The consensus branch, if the height does not determine it.
    Branch,
    /// Transparent inputs without the outputs that they spend.
    SpentOutputs,
    /// Transparent inputs whose signatures no device has verified.
    Answers,
    /// Shielded outputs of the coinbase transaction, which everyone can decrypt.
    CoinbaseNotes,
    /// The block or its transactions, if they follow rules that the specification does not have.
    LaterRules,
    /// Proofs of JoinSplits.
    JoinSplitProofs,
    /// JoinSplit signatures of transactions.
    JoinSplitSignatures,
    /// Points of Sapling spends and outputs: order and encoding.
    SaplingPoints,
    /// Proofs of Sapling spends.
    SaplingSpendProofs,
    /// Spend authorization signatures of Sapling.
    SaplingSpendSignatures,
    /// Proofs of Sapling outputs.
    SaplingOutputProofs,
    /// Binding signatures of Sapling, for the balance.
    SaplingBindingSignatures,
    /// Ephemeral keys of Orchard actions.
    OrchardKeys,
    /// Orchard proofs, one for all actions of a transaction.
    OrchardProofs,
    /// Spend authorization signatures of Orchard.
    OrchardSpendSignatures,
    /// Binding signatures of Orchard, for the balance.
    OrchardBindingSignatures,
}

impl Gap {
    /// All gaps.
    pub const ALL: [Self; 17] = [
        Self::Height,
        Self::Branch,
        Self::SpentOutputs,
        Self::Answers,
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

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Height => "block height",
            Self::Branch => "consensus branch",
            Self::SpentOutputs => "inputs whose spent outputs are unknown",
            Self::Answers => "inputs without a device's answer",
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

    /// The option with which the caller closes the gap: `height`, `branch` or `spent`, the same
    /// name in every language; `None` if no option closes it.
    pub fn option(self) -> Option<&'static str> {
        match self {
            Self::Height => Some("height"),
            Self::Branch => Some("branch"),
            Self::SpentOutputs => Some("spent"),
            _ => None,
        }
    }

    /// The input that would close the gap, or the reason why the check is absent.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Height => "give the height; the block only claims one",
            Self::Branch => "give the branch; a height of this network does not determine it",
            Self::SpentOutputs => "give the outputs of earlier blocks that they spend",
            Self::Answers => "have a device answer all requests of the block",
            Self::LaterRules => "not checked by this version: the specification lacks them",
            _ => "not checked by this version",
        }
    }
}

impl Serialize for Gap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Items of one kind that were not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// The kind.
    pub gap: Gap,
    /// The number of items, at least 1.
    pub count: usize,
}
