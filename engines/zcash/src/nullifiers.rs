// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Nullifiers that a block reveals twice (Zcash protocol specification, section 3.9). Each of the
//! pools Sprout, Sapling and Orchard has its own set.

use std::collections::hash_map::{Entry, HashMap};

use crate::block::{Block, BlockTransaction};
use crate::fault::TransactionFault;
use crate::pool::Pool;

/// Returns the faults of transactions that reveal a nullifier again, by transaction index.
pub fn repeated_nullifiers(block: &Block) -> HashMap<usize, Vec<TransactionFault>> {
    let mut first: HashMap<(Pool, [u8; 32]), usize> = HashMap::new();
    let mut faults: HashMap<usize, Vec<TransactionFault>> = HashMap::new();
    for (index, transaction) in block.transactions().iter().enumerate() {
        for (pool, nullifier) in nullifiers(transaction) {
            match first.entry((pool, nullifier)) {
                Entry::Vacant(entry) => {
                    entry.insert(index);
                }
                Entry::Occupied(entry) => {
                    let (pool, nullifier) = (pool.name(), hex::encode(nullifier));
                    let by = *entry.get();
                    let fault = TransactionFault::NullifierRepeated { pool, nullifier, by };
                    faults.entry(index).or_default().push(fault);
                }
            }
        }
    }
    faults
}

/// Returns the nullifiers of a transaction.
pub fn nullifiers(of: &BlockTransaction) -> Vec<(Pool, [u8; 32])> {
    let data = of.transaction();
    let mut found = Vec::new();
    if let Some(bundle) = data.sprout_bundle() {
        let all = bundle.joinsplits.iter().flat_map(|join_split| join_split.nullifiers());
        found.extend(all.map(|nullifier| (Pool::Sprout, *nullifier)));
    }
    if let Some(bundle) = data.sapling_bundle() {
        let all = bundle.shielded_spends().iter().map(|spend| spend.nullifier().0);
        found.extend(all.map(|nullifier| (Pool::Sapling, nullifier)));
    }
    if let Some(bundle) = data.orchard_bundle() {
        let all = bundle.actions().iter().map(|action| action.nullifier().to_bytes());
        found.extend(all.map(|nullifier| (Pool::Orchard, nullifier)));
    }
    found
}
