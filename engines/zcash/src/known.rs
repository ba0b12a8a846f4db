// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the caller knows about a block.

use zcash_protocol::consensus::BranchId;

/// Facts about a block besides its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// Its height. Where absent, the one that it claims is taken, and the verdict is incomplete.
    pub height: Option<u32>,
    /// The rules in force; where absent, those of the height. On a network whose heights do not
    /// tell them, those that a transaction of version 5 is made for are taken, and the verdict is
    /// incomplete.
    pub branch: Option<BranchId>,
}
