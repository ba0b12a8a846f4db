// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rules in force on a network at a height.

use halimede_equihash::Network;
use zcash_protocol::consensus::{self, BlockHeight, BranchId};

/// The consensus branch at this height; `None` on a network where heights do not tell.
pub fn branch_at(network: Network, height: u32) -> Option<BranchId> {
    let height = BlockHeight::from_u32(height);
    match network {
        Network::Main => Some(BranchId::for_height(&consensus::MAIN_NETWORK, height)),
        Network::Test => Some(BranchId::for_height(&consensus::TEST_NETWORK, height)),
        Network::Regtest => None,
    }
}
