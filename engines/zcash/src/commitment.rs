// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commitment in the header: to the history of the chain from Heartwood on (ZIP 221), and also
//! to the signatures and proofs of the block from NU5 on (ZIP 244; Zcash protocol specification,
//! section 7.6).

use halimede_equihash::Network;
use zcash_primitives::transaction::TxVersion;
use zcash_protocol::consensus::{BranchId, NetworkUpgrade};

use crate::block::{Block, BlockTransaction};
use crate::fault::BlockFault;
use crate::hash::{personalized, Hash};
use crate::network::activation;

/// The leaf of a transaction before version 5, whose identifier covers signatures and proofs.
const COVERED: [u8; 32] = [0xff; 32];

/// The content of the header's commitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commitment {
    /// Zeros: in the first block of Heartwood.
    Zero,
    /// The history of the chain before the block.
    History,
    /// The history, and the signatures and proofs of the block.
    HistoryAndBlock,
}

impl Commitment {
    /// Returns the content under the rules of this branch; `None` before Heartwood, where only the
    /// chain decides, and for an unknown branch.
    pub fn of(network: Network, height: Option<u32>, branch: Option<BranchId>) -> Option<Self> {
        let begins = activation(network, NetworkUpgrade::Heartwood);
        match branch? {
            BranchId::Sprout | BranchId::Overwinter | BranchId::Sapling | BranchId::Blossom => None,
            BranchId::Heartwood if begins.is_some() && begins == height => Some(Self::Zero),
            BranchId::Heartwood | BranchId::Canopy => Some(Self::History),
            _ => Some(Self::HistoryAndBlock),
        }
    }
}

impl Block {
    /// Computes the commitment of a header from NU5 on: to this root of the chain's history before
    /// the block, and to the signatures and proofs of its transactions.
    pub fn commitment(&self, history_root: Hash) -> Hash {
        let leaves = self.transactions().iter().map(leaf).collect();
        let root = root_of(leaves);
        Hash(personalized(b"ZcashBlockCommit", &[&history_root.0, &root, &[0; 32]]))
    }

    /// Returns the fault of the header's commitment, as far as the root of the history is known.
    pub(crate) fn commitment_fault(
        &self,
        content: Option<Commitment>,
        history_root: Option<Hash>,
    ) -> Option<BlockFault> {
        let expected = match content? {
            Commitment::Zero => Hash([0; 32]),
            Commitment::History => history_root?,
            Commitment::HistoryAndBlock => self.commitment(history_root?),
        };
        let header = Hash(self.header().commitment());
        (header != expected).then_some(BlockFault::Commitment { header, expected })
    }
}

/// Returns the digest of a transaction's signatures and proofs.
fn leaf(transaction: &BlockTransaction) -> [u8; 32] {
    let data = transaction.transaction();
    match data.version() {
        TxVersion::Sprout(_) | TxVersion::V3 | TxVersion::V4 => COVERED,
        _ => {
            let mut leaf = [0; 32];
            leaf.copy_from_slice(data.auth_commitment().as_bytes());
            leaf
        }
    }
}

/// Returns the root of a binary tree with these leaves, filled up with zeros to a power of two.
fn root_of(mut nodes: Vec<[u8; 32]>) -> [u8; 32] {
    nodes.resize(nodes.len().next_power_of_two(), [0; 32]);
    while nodes.len() > 1 {
        let parent = |pair: &[[u8; 32]]| personalized(b"ZcashAuthDatHash", &[&pair[0], &pair[1]]);
        nodes = nodes.chunks_exact(2).map(parent).collect();
    }
    nodes.pop().unwrap_or_default()
}
