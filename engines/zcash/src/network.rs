// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The consensus branch of a network at a height, and the order of the branches.

use halimede_equihash::Network;
use zcash_protocol::consensus::{self, BlockHeight, BranchId, NetworkUpgrade, Parameters};

/// Parses a consensus branch: its number in hexadecimal, as nodes print it, with or without `0x`.
///
/// # Errors
/// The reason why the text is rejected.
pub fn parse_branch(text: &str) -> Result<BranchId, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let number = u32::from_str_radix(digits, 16);
    let number = number.map_err(|_| format!("{text:?} is not a hexadecimal number of 32 bits"))?;
    BranchId::try_from(number).map_err(|_| format!("unknown branch {number:08x}"))
}

/// Returns the consensus branch at this height; `None` on a network whose heights do not determine
/// it.
pub fn branch_at(network: Network, height: u32) -> Option<BranchId> {
    let height = BlockHeight::from_u32(height);
    match network {
        Network::Main => Some(BranchId::for_height(&consensus::MAIN_NETWORK, height)),
        Network::Test => Some(BranchId::for_height(&consensus::TEST_NETWORK, height)),
        Network::Regtest => None,
    }
}

/// Returns the height at which an upgrade begins; `None` if it has none, or on a network whose
/// heights do not determine it.
pub fn activation(network: Network, upgrade: NetworkUpgrade) -> Option<u32> {
    let height = match network {
        Network::Main => consensus::MAIN_NETWORK.activation_height(upgrade),
        Network::Test => consensus::TEST_NETWORK.activation_height(upgrade),
        Network::Regtest => None,
    };
    height.map(u32::from)
}

/// Returns `true` for the branches before Sapling.
pub fn is_before_sapling(branch: BranchId) -> bool {
    matches!(branch, BranchId::Sprout | BranchId::Overwinter)
}

/// Returns `true` for the branches before Heartwood.
pub fn is_before_heartwood(branch: BranchId) -> bool {
    is_before_sapling(branch) || matches!(branch, BranchId::Sapling | BranchId::Blossom)
}

/// Returns `true` for the branches before Canopy.
pub fn is_before_canopy(branch: BranchId) -> bool {
    is_before_heartwood(branch) || branch == BranchId::Heartwood
}

/// Returns `true` for the branches before NU5.
pub fn is_before_nu5(branch: BranchId) -> bool {
    is_before_canopy(branch) || branch == BranchId::Canopy
}
