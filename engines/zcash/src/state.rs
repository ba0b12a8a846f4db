// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the chain before a block, as far as the caller knows it: JSON objects as `getblock
//! HASH 1` of a node prints them, and nullifiers.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use halimede_equihash::BlockHash;
use serde::Deserialize;

use crate::block::{Block, BlockTransaction};
use crate::fault::{BlockFault, TransactionFault};
use crate::hash::Hash;
use crate::nullifiers::nullifiers;
use crate::pool::Pool;

/// The most bytes of a state.
const MOST_BYTES: u64 = 1 << 31;
/// The most objects of a state.
const MOST_OBJECTS: usize = 1 << 22;

/// The state of a chain.
///
/// The caller vouches for it: blocks in it are taken as valid blocks of the chain.
#[derive(Clone, Debug, Default)]
pub struct ChainState {
    blocks: HashMap<[u8; 32], BlockState>,
    /// The final treestates, with the height of the first block that has them.
    anchors: HashMap<(Pool, [u8; 32]), u32>,
    nullifiers: HashSet<(Pool, [u8; 32])>,
}

/// The known facts about a block of the chain.
#[derive(Clone, Debug, Default)]
struct BlockState {
    height: Option<u32>,
    history_root: Option<Hash>,
    /// The balances of pools after the block, in zatoshi.
    balances: HashMap<Pool, i64>,
}

/// A part of the state that decides a rule for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatePart {
    /// The height of the previous block.
    Previous,
    /// The final treestates of a pool, with all anchors of the block.
    Anchors(Pool),
    /// The balance of a pool after the previous block.
    Balance(Pool),
}

/// Why a state is rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The text is not a sequence of JSON objects of the expected form.
    #[error("object {object}: {source}")]
    Json {
        /// The number of the object, from 1.
        object: usize,
        /// The reason.
        source: serde_json::Error,
    },
    /// A member of an object is invalid.
    #[error("object {object}: {reason}")]
    Member {
        /// The number of the object, from 1.
        object: usize,
        /// The reason.
        reason: String,
    },
    /// There are too many objects, or bytes.
    #[error("the state has more than {MOST_OBJECTS} objects or {MOST_BYTES} bytes")]
    Large,
}

/// An object. Nodes print more members, which are ignored.
#[derive(Deserialize)]
struct Object {
    hash: Option<Hash>,
    height: Option<u32>,
    chainhistoryroot: Option<Hash>,
    /// The final treestate of Sprout.
    anchor: Option<Hash>,
    finalsaplingroot: Option<Hash>,
    finalorchardroot: Option<String>,
    #[serde(rename = "valuePools", default)]
    value_pools: Vec<ValuePool>,
    #[serde(default)]
    nullifiers: HashMap<Pool, Vec<String>>,
}

#[derive(Deserialize)]
struct ValuePool {
    id: String,
    #[serde(rename = "chainValueZat")]
    balance: Option<i64>,
}

impl ChainState {
    /// Reads JSON objects, one after another. An object that zcashd's `getblock HASH 1` prints
    /// tells the height of a block, its final treestates (`anchor`, `finalsaplingroot`,
    /// `finalorchardroot`), the history root before it (`chainhistoryroot`) and the balances after
    /// it (`valuePools`). An object `{"nullifiers": {"sapling": ["…"]}}` lists nullifiers that the
    /// chain has revealed, in hexadecimal in the order of their bytes.
    ///
    /// # Errors
    /// [`StateError`], with the number of the object.
    pub fn read(input: impl Read) -> Result<Self, StateError> {
        let mut state = Self::default();
        let mut input = std::io::BufReader::new(input.take(MOST_BYTES));
        let mut objects = serde_json::Deserializer::from_reader(&mut input).into_iter::<Object>();
        let mut number = 0;
        for object in &mut objects {
            number += 1;
            let object = object.map_err(|source| StateError::Json { object: number, source })?;
            if number > MOST_OBJECTS {
                return Err(StateError::Large);
            }
            let added = state.add(object);
            added.map_err(|reason| StateError::Member { object: number, reason })?;
        }
        drop(objects);
        match input.get_ref().limit() {
            0 => Err(StateError::Large),
            _ => Ok(state),
        }
    }

    fn add(&mut self, object: Object) -> Result<(), String> {
        let Object { hash, height, chainhistoryroot, anchor, .. } = object;
        let orchard = object.finalorchardroot.as_deref();
        let orchard = orchard.map(|digits| decode("finalorchardroot", digits)).transpose()?;
        let roots = [
            (Pool::Sprout, anchor.map(|root| root.0)),
            (Pool::Sapling, object.finalsaplingroot.map(|root| root.0)),
            (Pool::Orchard, orchard),
        ];
        for (pool, root) in roots {
            let (Some(root), Some(height)) = (root, height) else { continue };
            let first = self.anchors.entry((pool, root)).or_insert(height);
            *first = height.min(*first);
        }
        if let Some(hash) = hash {
            let pools = object.value_pools.iter();
            let balances = pools.filter_map(|pool| Some((Pool::named(&pool.id)?, pool.balance?)));
            let balances = balances.collect();
            let block = BlockState { height, history_root: chainhistoryroot, balances };
            self.blocks.insert(hash.0, block);
        }
        for (pool, all) in object.nullifiers {
            for digits in all {
                self.nullifiers.insert((pool, decode("nullifiers", &digits)?));
            }
        }
        Ok(())
    }

    /// The root of the chain's history before this block.
    pub(crate) fn history_root(&self, block: &Block) -> Option<Hash> {
        self.blocks.get(block.hash().as_bytes())?.history_root
    }

    /// The height of this block: its own, or that of its previous block and 1.
    pub(crate) fn height(&self, block: &Block) -> Option<u32> {
        let own = self.blocks.get(block.hash().as_bytes()).and_then(|state| state.height);
        own.or_else(|| self.previous(block)?.height?.checked_add(1))
    }

    fn previous(&self, block: &Block) -> Option<&BlockState> {
        let previous: BlockHash = block.header().previous();
        self.blocks.get(previous.as_bytes())
    }

    /// Returns the faults of a block at this height that the state shows.
    pub(crate) fn faults(&self, block: &Block, height: Option<u32>) -> Vec<BlockFault> {
        let Some(previous) = self.previous(block) else { return Vec::new() };
        let mut faults = Vec::new();
        if let (Some(before), Some(height)) = (previous.height, height) {
            if before.checked_add(1) != Some(height) {
                faults.push(BlockFault::PreviousHeight { before, height });
            }
        }
        for pool in Pool::ALL {
            let Some(before) = previous.balances.get(&pool).copied() else { continue };
            let change = pool.change(block);
            if i128::from(before) + change < 0 {
                faults.push(BlockFault::PoolNegative { pool: pool.name(), before, change });
            }
        }
        faults
    }

    /// Returns the faults of a transaction that reveals a nullifier of the chain again.
    pub(crate) fn nullifier_faults(&self, of: &BlockTransaction) -> Vec<TransactionFault> {
        if self.nullifiers.is_empty() {
            return Vec::new();
        }
        let known = nullifiers(of).into_iter().filter(|known| self.nullifiers.contains(known));
        let fault = |(pool, nullifier): (Pool, [u8; 32])| {
            let (pool, nullifier) = (pool.name(), hex::encode(nullifier));
            TransactionFault::NullifierKnown { pool, nullifier }
        };
        known.map(fault).collect()
    }

    /// Returns `true` if this part of the state decides the rules that depend on it for a block at
    /// this height, and [`Self::faults`] found them violated or they hold.
    pub(crate) fn decides(&self, part: StatePart, block: &Block, height: Option<u32>) -> bool {
        match part {
            StatePart::Previous => {
                self.previous(block).is_some_and(|state| state.height.is_some() && height.is_some())
            }
            StatePart::Balance(pool) => {
                self.previous(block).is_some_and(|state| state.balances.contains_key(&pool))
            }
            StatePart::Anchors(pool) => {
                let is_known = |anchor: [u8; 32]| match (self.anchors.get(&(pool, anchor)), height)
                {
                    (Some(first), Some(height)) => *first < height,
                    _ => false,
                };
                pool.anchors(block).into_iter().all(is_known)
            }
        }
    }
}

fn decode(name: &str, digits: &str) -> Result<[u8; 32], String> {
    let mut bytes = [0; 32];
    let decoded = hex::decode_to_slice(digits, &mut bytes);
    decoded.map_err(|error| format!("`{name}`: {digits:?}: {error}"))?;
    Ok(bytes)
}
