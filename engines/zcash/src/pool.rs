// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The shielded pools.

use serde::Deserialize;
use zcash_primitives::transaction::components::sprout::JsDescription;

use crate::block::{Block, BlockTransaction};

/// A shielded pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pool {
    /// Sprout.
    Sprout,
    /// Sapling.
    Sapling,
    /// Orchard.
    Orchard,
}

impl Pool {
    /// All pools.
    pub const ALL: [Self; 3] = [Self::Sprout, Self::Sapling, Self::Orchard];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sprout => "Sprout",
            Self::Sapling => "Sapling",
            Self::Orchard => "Orchard",
        }
    }

    /// Returns the pool that nodes call by this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pool| pool.name().eq_ignore_ascii_case(name))
    }

    /// Returns the change of the pool's balance by a block, in zatoshi (Zcash protocol
    /// specification, section 4.17).
    pub(crate) fn change(self, block: &Block) -> i128 {
        block.transactions().iter().map(|of| self.change_by(of)).sum()
    }

    fn change_by(self, of: &BlockTransaction) -> i128 {
        let data = of.transaction();
        match self {
            Self::Sprout => {
                let by = |part: &JsDescription| {
                    let [old, new] = [part.vpub_old(), part.vpub_new()];
                    i128::from(i64::from(old)) - i128::from(i64::from(new))
                };
                data.sprout_bundle().map_or(0, |bundle| bundle.joinsplits.iter().map(by).sum())
            }
            Self::Sapling => data
                .sapling_bundle()
                .map_or(0, |bundle| -i128::from(i64::from(*bundle.value_balance()))),
            Self::Orchard => data
                .orchard_bundle()
                .map_or(0, |bundle| -i128::from(i64::from(*bundle.value_balance()))),
        }
    }

    /// Returns the anchors that the transactions of a block name.
    pub(crate) fn anchors(self, block: &Block) -> Vec<[u8; 32]> {
        let mut anchors = Vec::new();
        for data in block.transactions().iter().map(BlockTransaction::transaction) {
            match self {
                Self::Sprout => {
                    let parts = data.sprout_bundle().into_iter();
                    let parts = parts.flat_map(|bundle| &bundle.joinsplits);
                    anchors.extend(parts.map(|part| *part.anchor()));
                }
                Self::Sapling => {
                    let spends = data.sapling_bundle().into_iter();
                    let spends = spends.flat_map(|bundle| bundle.shielded_spends());
                    anchors.extend(spends.map(|spend| spend.anchor().to_bytes()));
                }
                Self::Orchard => {
                    anchors.extend(data.orchard_bundle().map(|bundle| bundle.anchor().to_bytes()));
                }
            }
        }
        anchors
    }
}
