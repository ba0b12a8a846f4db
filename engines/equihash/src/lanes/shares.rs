// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes of a backend, and the share of a solution's leaves of each lane.

use super::vector::DIVIDEND_BITS;
use crate::{Level, Params};

/// The level that a solution's tree is checked with where another is asked for: a tree below two
/// leaves a lane, and indices that the lanes cannot divide, are left to the portable one.
pub(crate) fn level_for(params: Params, level: Level) -> Level {
    let most_lanes = params.indices() / 2;
    let level = if params.index_bits() > DIVIDEND_BITS { Level::Portable } else { level };
    match level {
        // What has AVX-512 has AVX2.
        Level::Avx512 if most_lanes < 8 => Level::Avx2,
        _ => level,
    }
}

/// How many lanes a level has.
pub(crate) fn lanes(level: Level) -> usize {
    match level {
        Level::Portable => 1,
        Level::Avx2 => 4,
        Level::Avx512 => 8,
    }
}

/// Leaves of a lane's subtree at most. The lanes' next subtrees stand behind those.
pub(crate) const MOST_LEAVES_A_LANE: usize = 16;

/// Leaves of a lane's subtree, with this many lanes.
pub(crate) fn leaves_a_lane(params: Params, lanes: usize) -> usize {
    (params.indices() / lanes).min(MOST_LEAVES_A_LANE)
}

/// How lanes share a solution's leaves.
#[derive(Clone, Copy)]
pub(crate) struct Shares {
    /// Lanes.
    pub(crate) lanes: usize,
    /// Leaves of a lane's subtree.
    pub(crate) leaves: usize,
}

impl Shares {
    /// Those of a level that [`level_for`] gave.
    pub(crate) fn of(params: Params, level: Level) -> Self {
        let lanes = lanes(level);
        Self { lanes, leaves: leaves_a_lane(params, lanes) }
    }

    /// The position in the solution of what stands at a place in the lanes' order. Both numbers
    /// are powers of two.
    #[inline(always)]
    pub(crate) fn position(self, place: usize) -> usize {
        let Self { lanes, leaves } = self;
        let begin = place & !(lanes * leaves - 1);
        let number = place >> lanes.trailing_zeros() & (leaves - 1);
        begin + ((place & (lanes - 1)) << leaves.trailing_zeros()) + number
    }
}
