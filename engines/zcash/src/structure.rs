// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Structural rules for headers and transactions, without signatures and amounts (Zcash protocol
//! specification, sections 7.1.2 and 7.6).

use halimede_equihash::{Header, Network, LEAST_VERSION};
use zcash_primitives::transaction::components::sprout::JsDescription;
use zcash_primitives::transaction::TxVersion;
use zcash_protocol::consensus::{BranchId, NetworkUpgrade};

use crate::block::BlockTransaction;
use crate::fault::{BlockFault, TransactionFault};
use crate::network::{activation, is_before_canopy, is_before_heartwood, is_before_nu5};

/// The valid lengths of a coinbase script in bytes.
const COINBASE_SCRIPT_BYTES: std::ops::RangeInclusive<usize> = 2..=100;
/// The bit that marks versions from Overwinter on.
const OVERWINTERED: u32 = 1 << 31;
/// The most bytes of a transaction before Sapling.
const MOST_BYTES_BEFORE_SAPLING: usize = 100_000;
/// The last height at which a transaction can expire (ZIP 203).
const LAST_EXPIRY_HEIGHT: u32 = 499_999_999;
/// Lock times below are heights, the others seconds since 1970, as in Bitcoin.
const FIRST_LOCK_SECOND: u32 = 500_000_000;

/// The context of a transaction.
#[derive(Clone, Copy, Debug)]
pub struct TransactionContext {
    /// The consensus branch, if it is known.
    pub branch: Option<BranchId>,
    /// The height of the block, if it is known.
    pub height: Option<u32>,
    /// Set if the block states its height.
    pub says_height: bool,
    /// The time in the block's header, in seconds since 1970.
    pub time: u32,
    /// The network of the block.
    pub network: Network,
}

/// Returns the faults of a header of this network, except those that a device checks.
pub fn header_faults(header: &Header, network: Network) -> Vec<BlockFault> {
    let mut faults = Vec::new();
    let got = header.version();
    if got < LEAST_VERSION {
        faults.push(BlockFault::Version { got, least: LEAST_VERSION });
    }
    faults.extend(network.target(header.bits()).err().map(BlockFault::Target));
    faults
}

/// Returns the faults of the transaction with this index in a block, without its inputs' scripts.
pub fn transaction_faults(
    transaction: &BlockTransaction,
    index: usize,
    place: &TransactionContext,
) -> Vec<TransactionFault> {
    let mut faults = Vec::new();
    match (index, transaction.is_coinbase()) {
        (0, false) => faults.push(TransactionFault::NoCoinbase),
        (0, true) => faults.extend(coinbase_faults(transaction, place)),
        (_, true) => faults.push(TransactionFault::LateCoinbase),
        (_, false) => {}
    }
    faults.extend(place.branch.and_then(|branch| version_fault(transaction, branch)));
    faults.extend(part_faults(transaction));
    faults.extend(suspension_fault(transaction, place));
    faults.extend(join_split_faults(transaction, place));
    faults.extend(expiry_fault(transaction, place));
    if !is_final(transaction, place) {
        let lock_time = transaction.transaction().lock_time();
        faults.push(TransactionFault::NotFinal { lock_time });
    }
    let got = transaction.bytes().len();
    let limit = MOST_BYTES_BEFORE_SAPLING;
    if is_of_before_sapling(transaction) && got > limit {
        faults.push(TransactionFault::TooLong { got, limit });
    }
    faults
}

/// Returns `true` if transactions of this version state the rules that they are made for.
pub fn says_branch(version: TxVersion) -> bool {
    !matches!(version, TxVersion::Sprout(_) | TxVersion::V3 | TxVersion::V4)
}

/// Returns `true` if the version existed only before Sapling.
fn is_of_before_sapling(transaction: &BlockTransaction) -> bool {
    matches!(transaction.transaction().version(), TxVersion::Sprout(_) | TxVersion::V3)
}

fn version_fault(transaction: &BlockTransaction, branch: BranchId) -> Option<TransactionFault> {
    let data = transaction.transaction();
    let (version, got) = (data.version(), data.consensus_branch_id());
    if !version.valid_in_branch(branch) {
        let version = version.header() & !OVERWINTERED;
        return Some(TransactionFault::Version { version, branch });
    }
    let is_other = says_branch(version) && got != branch;
    is_other.then_some(TransactionFault::Branch { got, expected: branch })
}

fn coinbase_faults(
    transaction: &BlockTransaction,
    place: &TransactionContext,
) -> Vec<TransactionFault> {
    let data = transaction.transaction();
    let script = data.transparent_bundle().and_then(|bundle| bundle.vin.first());
    let got = script.map_or(0, |input| input.script_sig().0 .0.len());
    let mut faults = Vec::new();
    if !COINBASE_SCRIPT_BYTES.contains(&got) {
        faults.push(TransactionFault::CoinbaseScript { got });
    }
    if !place.says_height {
        faults.push(TransactionFault::NoHeight);
    }
    let sapling = data.sapling_bundle();
    let orchard = data.orchard_bundle().filter(|_| data.version() == TxVersion::V5);
    let before_heartwood = place.branch.is_some_and(is_before_heartwood);
    let has_outputs = sapling.is_some_and(|bundle| !bundle.shielded_outputs().is_empty());
    let parts = [
        (data.sprout_bundle().is_some(), "JoinSplits"),
        (sapling.is_some_and(|bundle| !bundle.shielded_spends().is_empty()), "Sapling spends"),
        (before_heartwood && has_outputs, "Sapling outputs before Heartwood"),
        (orchard.is_some_and(|bundle| bundle.flags().spends_enabled()), "Orchard spends enabled"),
    ];
    let parts = parts.into_iter().filter(|(has, _)| *has);
    faults.extend(parts.map(|(_, what)| TransactionFault::CoinbaseHas { what }));
    faults
}

/// Checks that a transaction has a source and a destination of money.
fn part_faults(transaction: &BlockTransaction) -> Vec<TransactionFault> {
    let data = transaction.transaction();
    let mut faults = Vec::new();
    let (sapling, orchard) = (data.sapling_bundle(), data.orchard_bundle());
    let (inputs, outputs) =
        data.transparent_bundle().map_or((0, 0), |bundle| (bundle.vin.len(), bundle.vout.len()));
    // Parts that version 6 adds could be the missing ones.
    if data.sprout_bundle().is_none() && data.version() != TxVersion::V6 {
        let spends = sapling.map_or(0, |bundle| bundle.shielded_spends().len());
        if inputs + spends == 0 && !orchard.is_some_and(|bundle| bundle.flags().spends_enabled()) {
            faults.push(TransactionFault::NoInputs);
        }
        let made = sapling.map_or(0, |bundle| bundle.shielded_outputs().len());
        if outputs + made == 0 && !orchard.is_some_and(|bundle| bundle.flags().outputs_enabled()) {
            faults.push(TransactionFault::NoOutputs);
        }
    }
    let is_idle = orchard.is_some_and(|bundle| {
        !bundle.flags().spends_enabled() && !bundle.flags().outputs_enabled()
    });
    if is_idle {
        faults.push(TransactionFault::OrchardFlags);
    }
    // The parser ignores a balance without Sapling spends and outputs.
    if data.version() == TxVersion::V4 && sapling.is_none() {
        let mut without = Vec::with_capacity(transaction.bytes().len());
        let written = data.write(&mut without);
        if written.is_err() || without != transaction.bytes() {
            faults.push(TransactionFault::SaplingBalance);
        }
    }
    faults
}

/// Checks that a transaction has no Orchard actions while they were suspended, before NU6.2 (ZIP
/// 257).
fn suspension_fault(
    transaction: &BlockTransaction,
    place: &TransactionContext,
) -> Option<TransactionFault> {
    let since = match place.network {
        Network::Main => 3_363_426,
        Network::Test => 4_048_500,
        Network::Regtest => return None,
    };
    let end = activation(place.network, NetworkUpgrade::Nu6_2)?;
    let is_suspended = place.height.is_some_and(|height| (since..end).contains(&height));
    let has_actions = transaction.transaction().orchard_bundle().is_some();
    (is_suspended && has_actions).then_some(TransactionFault::ActionsSuspended { since, end })
}

/// Checks that a JoinSplit uses only one side of the transparent amounts, and from Canopy on takes
/// no transparent money (section 4.3 and ZIP 211).
fn join_split_faults(
    transaction: &BlockTransaction,
    place: &TransactionContext,
) -> Vec<TransactionFault> {
    let bundle = transaction.transaction().sprout_bundle();
    let is_canopy = place.branch.is_some_and(|branch| !is_before_canopy(branch));
    let all = bundle.map_or(&[][..], |bundle| &bundle.joinsplits).iter().enumerate();
    let fault = |(join_split, of): (usize, &JsDescription)| {
        let (old, new) = (of.vpub_old().is_positive(), of.vpub_new().is_positive());
        let what = match (old, new) {
            (true, true) => "takes and gives transparent money",
            (true, false) if is_canopy => "takes transparent money, forbidden from Canopy on",
            _ => return None,
        };
        Some(TransactionFault::JoinSplitValues { join_split, what })
    };
    all.filter_map(fault).collect()
}

fn expiry_fault(
    transaction: &BlockTransaction,
    place: &TransactionContext,
) -> Option<TransactionFault> {
    let data = transaction.transaction();
    if let TxVersion::Sprout(_) = data.version() {
        return None; // it has no expiry height
    }
    let (expiry, is_coinbase) = (u32::from(data.expiry_height()), transaction.is_coinbase());
    if is_coinbase && place.branch.is_none_or(|branch| !is_before_nu5(branch)) {
        let height = place.height.filter(|_| place.branch.is_some())?;
        return (expiry != height).then_some(TransactionFault::CoinbaseExpiry { expiry, height });
    }
    if expiry > LAST_EXPIRY_HEIGHT {
        return Some(TransactionFault::LateExpiry { expiry, limit: LAST_EXPIRY_HEIGHT });
    }
    let height = place.height.filter(|height| !is_coinbase && expiry != 0 && *height > expiry)?;
    Some(TransactionFault::Expired { expiry, height })
}

/// Returns `true` if the lock time has passed, or all inputs waive it (zcashd `IsFinalTx`, as in
/// Bitcoin). If the lock time is a height and the block's height is unknown, it counts as passed.
fn is_final(transaction: &BlockTransaction, place: &TransactionContext) -> bool {
    let data = transaction.transaction();
    let is_over = match data.lock_time() {
        0 => true,
        height @ 1..FIRST_LOCK_SECOND => place.height.is_none_or(|of_block| height < of_block),
        second => second < place.time,
    };
    let mut inputs = data.transparent_bundle().map_or(&[][..], |bundle| &bundle.vin).iter();
    is_over || inputs.all(|input| input.sequence() == u32::MAX)
}
