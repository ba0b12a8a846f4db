// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The facts that the caller knows about a block.

use zcash_protocol::consensus::BranchId;

/// Facts about a block that its bytes do not prove.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// The height of the block. If absent, the claimed height is used, and the verdict is
    /// incomplete.
    pub height: Option<u32>,
    /// The consensus branch. If absent, it is derived from the height. On a network whose heights
    /// do not determine it, the branch of a transaction of version 5 is used, and the verdict is
    /// incomplete.
    pub branch: Option<BranchId>,
}
