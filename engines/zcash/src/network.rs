// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rules in force on a network at a height.

use halimede_equihash::Network;
use zcash_protocol::consensus::{self, BlockHeight, BranchId};

/// The consensus branch of this number, in hexadecimal as nodes print it, with or without `0x`.
///
/// # Errors
/// The fault of the text.
pub fn parse_branch(text: &str) -> Result<BranchId, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let number = u32::from_str_radix(digits, 16);
    let number = number.map_err(|_| format!("{text:?} is no hexadecimal number of 32 bits"))?;
    BranchId::try_from(number).map_err(|_| format!("there is no branch {number:08x}"))
}

/// The consensus branch at this height; `None` on a network where heights do not tell.
pub fn branch_at(network: Network, height: u32) -> Option<BranchId> {
    let height = BlockHeight::from_u32(height);
    match network {
        Network::Main => Some(BranchId::for_height(&consensus::MAIN_NETWORK, height)),
        Network::Test => Some(BranchId::for_height(&consensus::TEST_NETWORK, height)),
        Network::Regtest => None,
    }
}
