// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What header and transactions must be as such, signatures aside (Zcash protocol specification,
//! sections 7.1.2 and 7.6).

use halimede_equihash::{Header, Network, LEAST_VERSION};
use zcash_primitives::transaction::TxVersion;
use zcash_protocol::consensus::BranchId;

use crate::block::{Block, BlockTransaction};
use crate::report::{BlockFault, TransactionFault};

/// Bytes of a coinbase script.
const COINBASE_SCRIPT_BYTES: std::ops::RangeInclusive<usize> = 2..=100;
/// The bit that tells versions from Overwinter on from those before.
const OVERWINTERED: u32 = 1 << 31;

/// What is wrong with a header of this network, what a device verifies aside.
pub fn header_faults(header: &Header, network: Network) -> Vec<BlockFault> {
    let mut faults = Vec::new();
    let got = header.version();
    if got < LEAST_VERSION {
        faults.push(BlockFault::Version { got, least: LEAST_VERSION });
    }
    faults.extend(network.target(header.bits()).err().map(BlockFault::Target));
    faults
}

/// What is wrong with this transaction of a block, its inputs' scripts aside; these rules are in
/// force.
pub fn transaction_faults(
    block: &Block,
    index: usize,
    branch: Option<BranchId>,
) -> Vec<TransactionFault> {
    let transaction = &block.transactions()[index];
    let mut faults = Vec::new();
    match (index, transaction.is_coinbase()) {
        (0, false) => faults.push(TransactionFault::NoCoinbase),
        (0, true) => faults.extend(coinbase_faults(block, transaction)),
        (_, true) => faults.push(TransactionFault::LateCoinbase),
        (_, false) => {}
    }
    let data = transaction.transaction();
    let version = data.version();
    if let Some(branch) = branch {
        let number = version.header() & !OVERWINTERED;
        if !version.valid_in_branch(branch) {
            faults.push(TransactionFault::Version { version: number, branch });
        } else if says_branch(version) && data.consensus_branch_id() != branch {
            let got = data.consensus_branch_id();
            faults.push(TransactionFault::Branch { got, expected: branch });
        }
    }
    faults
}

/// Whether transactions of this version say for which rules they are made.
pub fn says_branch(version: TxVersion) -> bool {
    !matches!(version, TxVersion::Sprout(_) | TxVersion::V3 | TxVersion::V4)
}

fn coinbase_faults(block: &Block, transaction: &BlockTransaction) -> Vec<TransactionFault> {
    let bundle = transaction.transaction().transparent_bundle();
    let script = bundle.and_then(|bundle| bundle.vin.first());
    let got = script.map_or(0, |input| input.script_sig().0 .0.len());
    let mut faults = Vec::new();
    if !COINBASE_SCRIPT_BYTES.contains(&got) {
        faults.push(TransactionFault::CoinbaseScript { got });
    }
    if block.height().is_none() {
        faults.push(TransactionFault::NoHeight);
    }
    faults
}
