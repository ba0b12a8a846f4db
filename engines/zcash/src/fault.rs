// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The faults of blocks and transactions.

use halimede_equihash::TargetError;
use zcash_protocol::consensus::BranchId;

use crate::hash::Hash;
use crate::payments::PaymentKind;
use crate::shielded::ShieldedFault;

/// A fault of the block as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockFault {
    /// The version of the header is too old.
    #[error("version {got}: must be at least {least}")]
    Version {
        /// The version of the header.
        got: i32,
        /// The lowest valid version.
        least: i32,
    },
    /// The target is not valid on the network.
    #[error("{0}")]
    Target(TargetError),
    /// The header's Merkle root does not match the transactions.
    #[error("the header has {header}, but the transactions have {computed}")]
    MerkleRoot {
        /// The root in the header.
        header: Hash,
        /// The root of the transactions.
        computed: Hash,
    },
    /// The header's commitment does not match the history of the chain, or the signatures and
    /// proofs of the block.
    #[error("the header commits to {header}, but the history root and the block give {expected}")]
    Commitment {
        /// The commitment in the header.
        header: Hash,
        /// The commitment to the given history root and to the block.
        expected: Hash,
    },
    /// Other transactions have the same root (CVE-2012-2459).
    #[error("transactions at the end are copies, which the root does not reveal")]
    MerkleAmbiguous,
    /// The block has no transactions.
    #[error("the block has no transactions")]
    NoTransactions,
    /// The given height differs from the height that the block claims.
    #[error("the block claims height {claimed}, not {given}")]
    Height {
        /// The height in its first transaction.
        claimed: u32,
        /// The given height.
        given: u32,
    },
    /// The given state has the previous block at another height.
    #[error("the previous block has height {before}, but the block has height {height}")]
    PreviousHeight {
        /// The height of the previous block.
        before: u32,
        /// The height of the block.
        height: u32,
    },
    /// The balance of a shielded pool would be negative.
    #[error("the {pool} pool has {before} zatoshi before the block, which changes it by {change}")]
    PoolNegative {
        /// The pool: Sprout, Sapling or Orchard.
        pool: &'static str,
        /// The balance after the previous block in zatoshi.
        before: i64,
        /// The change of the balance in zatoshi.
        change: i128,
    },
    /// The block has too many signature operations.
    #[error("{got} signature operations, but a block has at most {limit}")]
    SignatureOperations {
        /// The number of signature operations in known scripts.
        got: u64,
        /// The limit.
        limit: u64,
    },
}

/// A fault of a transaction as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransactionFault {
    /// The first transaction spends an output, or has no transparent inputs.
    #[error("the first transaction is not a coinbase transaction")]
    NoCoinbase,
    /// Another transaction is a coinbase transaction.
    #[error("a coinbase transaction that is not the first")]
    LateCoinbase,
    /// The first input's script is too short or too long.
    #[error("the coinbase script has {got} bytes: must be 2 to 100")]
    CoinbaseScript {
        /// The length in bytes.
        got: usize,
    },
    /// The first input does not state a height.
    #[error("the coinbase script does not state a height")]
    NoHeight,
    /// The version is not valid under the rules at the height.
    #[error("version {version} is not valid under {}", branch_name(*branch))]
    Version {
        /// The version of the transaction.
        version: u32,
        /// The rules at the height.
        branch: BranchId,
    },
    /// The transaction is made for other rules than those at the height.
    #[error("it is made for {}, but {} is in force", branch_name(*got), branch_name(*expected))]
    Branch {
        /// The rules that the transaction is made for.
        got: BranchId,
        /// The rules at the height.
        expected: BranchId,
    },
    /// A coinbase transaction has a part that takes money from elsewhere, or a part that is not
    /// allowed yet.
    #[error("the coinbase transaction has {what}")]
    CoinbaseHas {
        /// The forbidden part.
        what: &'static str,
    },
    /// The transaction is longer than allowed before Sapling.
    #[error("it has {got} bytes: before Sapling, the limit is {limit}")]
    TooLong {
        /// The length in bytes.
        got: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The transaction has no source of money.
    #[error("it has no inputs, of any kind")]
    NoInputs,
    /// The transaction has no destination of money.
    #[error("it has no outputs, of any kind")]
    NoOutputs,
    /// A JoinSplit both takes and gives transparent money, or takes transparent money from Canopy
    /// on.
    #[error("JoinSplit {join_split} {what}")]
    JoinSplitValues {
        /// The index of the JoinSplit, from 0.
        join_split: usize,
        /// The fault in its amounts.
        what: &'static str,
    },
    /// The Orchard actions may neither spend nor create anything.
    #[error("it has Orchard actions, with neither spends nor outputs enabled")]
    OrchardFlags,
    /// Orchard actions were suspended at this height.
    #[error("it has Orchard actions, which were suspended from height {since} to {end}")]
    ActionsSuspended {
        /// The first height of the suspension.
        since: u32,
        /// The height after the suspension.
        end: u32,
    },
    /// The block reveals a nullifier twice.
    #[error("{pool} nullifier {nullifier} is already revealed by transaction {by}")]
    NullifierRepeated {
        /// The pool: Sprout, Sapling or Orchard.
        pool: &'static str,
        /// The bytes of the nullifier in hexadecimal.
        nullifier: String,
        /// The index of the transaction that reveals it first, from 0.
        by: usize,
    },
    /// An earlier block has revealed a nullifier, as the given state has it.
    #[error("{pool} nullifier {nullifier} was revealed by an earlier block")]
    NullifierKnown {
        /// The pool: Sprout, Sapling or Orchard.
        pool: &'static str,
        /// The bytes of the nullifier in hexadecimal.
        nullifier: String,
    },
    /// A shielded part is invalid.
    #[error(transparent)]
    Shielded(#[from] ShieldedFault),
    /// The transaction has a Sapling balance without Sapling spends and outputs.
    #[error("it has a Sapling balance, but no Sapling spends and outputs")]
    SaplingBalance,
    /// The transaction has expired.
    #[error("it expired at height {expiry}, before {height}")]
    Expired {
        /// The last height at which the transaction is valid.
        expiry: u32,
        /// The height of the block.
        height: u32,
    },
    /// The expiry height exceeds the limit.
    #[error("it expires at height {expiry}: must be at most {limit}")]
    LateExpiry {
        /// The expiry height.
        expiry: u32,
        /// The largest expiry height.
        limit: u32,
    },
    /// From NU5 on, a coinbase transaction must expire at the block's height.
    #[error("the coinbase transaction expires at height {expiry}: must be the block's, {height}")]
    CoinbaseExpiry {
        /// The expiry height.
        expiry: u32,
        /// The block's height.
        height: u32,
    },
    /// The lock time of the transaction has not passed.
    #[error("its lock time, {lock_time}, has not passed")]
    NotFinal {
        /// The lock time: a height or, from 500,000,000 on, seconds since 1970.
        lock_time: u32,
    },
    /// The outputs exceed the money supply.
    #[error("its outputs are {got} zatoshi, more than the supply of {limit}")]
    OutputTotal {
        /// The total of the outputs in zatoshi.
        got: u128,
        /// The money supply in zatoshi.
        limit: u64,
    },
    /// The inputs exceed the money supply.
    #[error("its inputs exceed the supply of {limit} zatoshi")]
    MoreThanMoney {
        /// The money supply in zatoshi.
        limit: u64,
    },
    /// The outputs exceed the inputs.
    #[error(
        "its outputs exceed its inputs: its transparent outputs are {outputs} zatoshi, its \
         inputs {inputs}"
    )]
    Overspent {
        /// The total of the transparent inputs in zatoshi.
        inputs: u128,
        /// The total of the transparent outputs in zatoshi.
        outputs: u128,
    },
    /// The coinbase transaction lacks a required output. Each required output must be a distinct
    /// one.
    #[error("no output pays {expected} zatoshi to {address}, the {kind}{}", instead(*got))]
    Payment {
        /// The reason for the payment.
        kind: PaymentKind,
        /// The P2SH address that must be paid.
        address: &'static str,
        /// The required value in zatoshi.
        expected: u64,
        /// The value in zatoshi of the first output that pays the address for no other reason.
        got: Option<u64>,
    },
    /// The coinbase transaction pays out more than subsidy and fees.
    #[error("it pays out {got} zatoshi, more than subsidy and fees of {limit}")]
    CoinbaseExcess {
        /// The total output value in zatoshi: transparent outputs, minus the balances of the
        /// shielded pools, plus the amount that goes to the lockbox.
        got: i128,
        /// The total input value in zatoshi: subsidy, fees, and the amount from the lockbox.
        limit: i128,
    },
    /// From NU6 on, a coinbase transaction must pay out all of subsidy and fees.
    #[error("it pays out {got} zatoshi: from NU6 on, must be all of subsidy and fees, {least}")]
    CoinbaseRemainder {
        /// The total output value in zatoshi.
        got: i128,
        /// The total input value in zatoshi, with the known fees only.
        least: i128,
    },
}

impl BlockFault {
    /// The section of the Zcash protocol specification with the violated rule.
    pub fn section(&self) -> &'static str {
        match self {
            Self::Target(_) => "7.7.4",
            Self::Height { .. } => "7.1.2",
            Self::PreviousHeight { .. } => "3.3",
            Self::PoolNegative { .. } => "4.17",
            _ => "7.6",
        }
    }
}

impl TransactionFault {
    /// The section of the Zcash protocol specification with the violated rule.
    pub fn section(&self) -> &'static str {
        match self {
            Self::NoCoinbase | Self::LateCoinbase => "7.6",
            Self::MoreThanMoney { .. }
            | Self::Overspent { .. }
            | Self::CoinbaseRemainder { .. } => "3.4",
            Self::Payment { kind: PaymentKind::FoundersReward, .. } => "7.9",
            Self::Payment { .. } => "7.10",
            Self::JoinSplitValues { .. } => "4.3",
            Self::NullifierRepeated { .. } | Self::NullifierKnown { .. } => "3.9",
            Self::Shielded(fault) => fault.section(),
            _ => "7.1.2",
        }
    }
}

fn instead(got: Option<u64>) -> String {
    got.map_or_else(String::new, |got| format!(": another one pays it {got}"))
}

/// Returns the name of an upgrade in its usual spelling.
pub fn branch_name(branch: BranchId) -> String {
    match branch.network_upgrade() {
        Some(upgrade) => upgrade.to_string().replace("Nu", "NU"),
        None => "Sprout".to_owned(),
    }
}
