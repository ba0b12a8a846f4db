// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The facts that the caller knows about a block.

use zcash_protocol::consensus::BranchId;

use crate::hash::Hash;

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
    /// The root of the chain's history before the block (ZIP 221). From NU5 on the header commits
    /// to it together with the signatures and proofs of the block; if absent, the verdict is
    /// incomplete.
    pub history_root: Option<Hash>,
}
