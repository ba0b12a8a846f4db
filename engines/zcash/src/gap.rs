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
    /// The header's commitment, from NU5 on, if the root of the chain's history is unknown.
    HistoryRoot,
    /// Transparent inputs without the outputs that they spend.
    SpentOutputs,
    /// Transparent inputs whose signatures no device has verified.
    Answers,
    /// The block or its transactions, if they follow rules that the specification does not have.
    LaterRules,
    /// Proofs of JoinSplits from before Sapling (BCTV14).
    OldJoinSplitProofs,
    /// Groth16 proofs of JoinSplits, Sapling spends and outputs that no device has verified.
    ShieldedProofs,
    /// Shielded signatures of transactions whose spent outputs are unknown.
    ShieldedSignatures,
}

impl Gap {
    /// All gaps.
    pub const ALL: [Self; 9] = [
        Self::Height,
        Self::Branch,
        Self::HistoryRoot,
        Self::SpentOutputs,
        Self::Answers,
        Self::LaterRules,
        Self::OldJoinSplitProofs,
        Self::ShieldedProofs,
        Self::ShieldedSignatures,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Height => "block height",
            Self::Branch => "consensus branch",
            Self::HistoryRoot => "commitment of the header",
            Self::SpentOutputs => "inputs whose spent outputs are unknown",
            Self::Answers => "inputs without a device's answer",
            Self::LaterRules => "rules after NU6.1",
            Self::OldJoinSplitProofs => "JoinSplit proofs from before Sapling",
            Self::ShieldedProofs => "Groth16 proofs without a device's answer",
            Self::ShieldedSignatures => "shielded signatures without the spent outputs",
        }
    }

    /// The option with which the caller closes the gap: `height`, `branch`, `history-root` or
    /// `spent`, the same name in every language (`history_root` outside of the command); `None` if
    /// no option closes it.
    pub fn option(self) -> Option<&'static str> {
        match self {
            Self::Height => Some("height"),
            Self::Branch => Some("branch"),
            Self::HistoryRoot => Some("history-root"),
            Self::SpentOutputs | Self::ShieldedSignatures => Some("spent"),
            _ => None,
        }
    }

    /// The input that would close the gap, or the reason why the check is absent.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Height => "give the height; the block only claims one",
            Self::Branch => "give the branch; a height of this network does not determine it",
            Self::HistoryRoot => "give the root of the chain's history before the block",
            Self::SpentOutputs => "give the outputs of earlier blocks that they spend",
            Self::ShieldedSignatures => {
                "give the outputs that the transaction spends; they sign them"
            }
            Self::Answers | Self::ShieldedProofs => {
                "have a device answer all requests of the block"
            }
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
