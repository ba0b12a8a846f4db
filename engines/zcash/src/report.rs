// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What has been found out about a block.

use halimede_equihash::{Mask, TargetError};
use serde::Serialize;
use zcash_protocol::consensus::BranchId;

use crate::gap::Unchecked;
use crate::hash::Hash;
use crate::kind::Kind;
use crate::rules::Rule;
use crate::verdict::{InputVerdict, Verdict};

/// The verdicts on a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Checks of the proof of work that failed.
    pub proof_of_work: Mask,
    /// Faults of the header and of the tree.
    pub faults: Vec<BlockFault>,
    /// Each transaction, in order.
    pub transactions: Vec<TransactionReport>,
    /// Signature operations in its scripts; redeem scripts of inputs that spend what is not known
    /// are not among them.
    pub signature_operations: u64,
    /// What was not checked, of the block and of all its transactions, by kinds.
    pub unchecked: Vec<Unchecked>,
    /// Rules for this block that only the chain decides, where no option gives what they need. They
    /// are outside of the verdict.
    pub needs_chain_state: Vec<&'static Rule>,
}

/// The verdicts on a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionReport {
    /// Its hash.
    pub txid: Hash,
    /// Its faults as a whole.
    pub faults: Vec<TransactionFault>,
    /// Each transparent input that spends something, in order.
    pub inputs: Vec<InputReport>,
    /// What was not checked of it, by kinds.
    pub unchecked: Vec<Unchecked>,
}

/// The verdict on a transparent input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputReport {
    /// The kind of what it spends, where that is known.
    pub kind: Option<Kind>,
    /// Whether it may.
    pub verdict: InputVerdict,
}

/// A fault of the header or of the tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockFault {
    /// An old version.
    #[error("version {got}: must be {least} at least")]
    Version {
        /// The header's.
        got: i32,
        /// The least.
        least: i32,
    },
    /// A target that the network does not have.
    #[error("{0}")]
    Target(TargetError),
    /// The header has another root than the transactions.
    #[error("the header has {header}, the transactions have {computed}")]
    MerkleRoot {
        /// The header's.
        header: Hash,
        /// The transactions'.
        computed: Hash,
    },
    /// The root proves other transactions as well (CVE-2012-2459).
    #[error("transactions at the end are copies, which the root does not show")]
    MerkleAmbiguous,
    /// Nothing in it.
    #[error("the block has no transactions")]
    NoTransactions,
    /// The height that was given is not the one that the block claims.
    #[error("the block claims height {claimed}, not {given}")]
    Height {
        /// The height in its first transaction.
        claimed: u32,
        /// The given value.
        given: u32,
    },
    /// More signature operations than a block may have.
    #[error("{got} signature operations: a block has at most {limit}")]
    SignatureOperations {
        /// How many, of known scripts.
        got: u64,
        /// The most.
        limit: u64,
    },
}

/// A fault of a transaction as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransactionFault {
    /// The first one that spends something, or does nothing.
    #[error("the first transaction is not a coinbase transaction")]
    NoCoinbase,
    /// Another one that spends nothing.
    #[error("a coinbase transaction that is not the first")]
    LateCoinbase,
    /// The first input's script is too short or too long.
    #[error("the coinbase script has {got} bytes: must have 2 to 100")]
    CoinbaseScript {
        /// Its bytes.
        got: usize,
    },
    /// The first input says no height.
    #[error("the coinbase script says no height")]
    NoHeight,
    /// A version that the rules of the height do not have.
    #[error("version {version} is not valid under {}", branch_name(*branch))]
    Version {
        /// Its version.
        version: u32,
        /// The rules.
        branch: BranchId,
    },
    /// It is made for other rules than those of the height.
    #[error("it is made for {}, and {} holds", branch_name(*got), branch_name(*expected))]
    Branch {
        /// For which rules it is made.
        got: BranchId,
        /// Which hold.
        expected: BranchId,
    },
    /// A coinbase transaction with something that takes money from elsewhere, or that it must not
    /// have yet.
    #[error("the coinbase transaction has {what}")]
    CoinbaseHas {
        /// The forbidden part.
        what: &'static str,
    },
    /// More bytes than a transaction could have before Sapling.
    #[error("it has {got} bytes: before Sapling, at most {limit}")]
    TooLong {
        /// Its bytes.
        got: usize,
        /// The most.
        limit: usize,
    },
    /// Nothing that money comes from.
    #[error("it has no inputs, of any kind")]
    NoInputs,
    /// Nothing that money goes to.
    #[error("it has no outputs, of any kind")]
    NoOutputs,
    /// A JoinSplit takes money from both sides, or takes transparent money from Canopy on.
    #[error("JoinSplit {join_split} {what}")]
    JoinSplitValues {
        /// Which one, from 0.
        join_split: usize,
        /// What is wrong with its amounts.
        what: &'static str,
    },
    /// Orchard actions that may neither spend nor make anything.
    #[error("it has Orchard actions, with neither spends nor outputs enabled")]
    OrchardFlags,
    /// A nullifier that the block has before.
    #[error("{pool} nullifier {nullifier} is revealed already, by transaction {by}")]
    NullifierRepeated {
        /// Sprout, Sapling or Orchard.
        pool: &'static str,
        /// Its bytes in hexadecimal.
        nullifier: String,
        /// The transaction that reveals it first, from 0.
        by: usize,
    },
    /// An amount from or to Sapling, and neither spends nor outputs there.
    #[error("it has a balance of Sapling, but no spends and no outputs there")]
    SaplingBalance,
    /// It has expired.
    #[error("it expired at height {expiry}, before {height}")]
    Expired {
        /// The last height that it could stand at.
        expiry: u32,
        /// The block's.
        height: u32,
    },
    /// It expires later than any may.
    #[error("it expires at height {expiry}: must be {limit} at most")]
    LateExpiry {
        /// Its expiry height.
        expiry: u32,
        /// The last one.
        limit: u32,
    },
    /// From NU5 on, a coinbase transaction has the block's height there.
    #[error("the coinbase transaction expires at height {expiry}: must be the block's, {height}")]
    CoinbaseExpiry {
        /// Its expiry height.
        expiry: u32,
        /// The block's height.
        height: u32,
    },
    /// Its lock time is not over.
    #[error("its lock time, {lock_time}, is not over")]
    NotFinal {
        /// A height or, from 500,000,000 on, seconds since 1970.
        lock_time: u32,
    },
    /// Its outputs are more than there is money.
    #[error("its outputs are {got} zatoshi: there are at most {limit}")]
    OutputTotal {
        /// The amount, in zatoshi.
        got: u128,
        /// All the money, in zatoshi.
        limit: u64,
    },
    /// The inputs exceed all the money.
    #[error("more than {limit} zatoshi come in, which is all there are")]
    MoreThanMoney {
        /// All the money, in zatoshi.
        limit: u64,
    },
    /// More goes out than comes in.
    #[error(
        "more goes out than comes in: its transparent outputs are {outputs} zatoshi, what it \
         spends is {inputs}"
    )]
    Overspent {
        /// The amount of its transparent inputs, in zatoshi.
        inputs: u128,
        /// Its transparent outputs, in zatoshi.
        outputs: u128,
    },
}

impl Report {
    /// The verdict on the block.
    pub fn verdict(&self) -> Verdict {
        let is_invalid = |of: &TransactionReport| of.verdict() == Verdict::Invalid;
        let is_faulty = !self.proof_of_work.is_valid()
            || !self.faults.is_empty()
            || self.transactions.iter().any(is_invalid);
        Verdict::of(is_faulty, !self.unchecked.is_empty())
    }

    /// How many inputs have which verdict.
    pub fn inputs(&self) -> InputCounts {
        let mut counts = InputCounts::default();
        for input in self.transactions.iter().flat_map(|transaction| &transaction.inputs) {
            match input.verdict.verdict() {
                Verdict::Valid => counts.valid += 1,
                Verdict::Invalid => counts.invalid += 1,
                Verdict::Incomplete => counts.incomplete += 1,
            }
        }
        counts
    }
}

/// Numbers of inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InputCounts {
    /// Inputs whose scripts end with true.
    pub valid: usize,
    /// Inputs that spend a forbidden output.
    pub invalid: usize,
    /// Inputs of which too little is known.
    pub incomplete: usize,
}

impl TransactionReport {
    /// The verdict on the transaction.
    pub fn verdict(&self) -> Verdict {
        let is_invalid = |input: &InputReport| input.verdict.verdict() == Verdict::Invalid;
        let is_faulty = !self.faults.is_empty() || self.inputs.iter().any(is_invalid);
        Verdict::of(is_faulty, !self.unchecked.is_empty())
    }
}

impl BlockFault {
    /// The section of the Zcash protocol specification whose rule does not hold.
    pub fn section(&self) -> &'static str {
        match self {
            Self::Target(_) => "7.7.4",
            Self::Height { .. } => "7.1.2",
            _ => "7.6",
        }
    }
}

impl TransactionFault {
    /// The section of the Zcash protocol specification whose rule does not hold.
    pub fn section(&self) -> &'static str {
        match self {
            Self::NoCoinbase | Self::LateCoinbase => "7.6",
            Self::MoreThanMoney { .. } | Self::Overspent { .. } => "3.4",
            Self::JoinSplitValues { .. } => "4.3",
            Self::NullifierRepeated { .. } => "3.9",
            _ => "7.1.2",
        }
    }
}

/// The name of an upgrade, as it is written elsewhere.
pub fn branch_name(branch: BranchId) -> String {
    match branch.network_upgrade() {
        Some(upgrade) => upgrade.to_string().replace("Nu", "NU"),
        None => "Sprout".to_owned(),
    }
}
