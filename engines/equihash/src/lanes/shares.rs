// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes of a backend, and the share of a solution's leaves of each lane.

use super::vector::DIVIDEND_BITS;
use crate::{LaneBackend, Params};

/// Returns the backend that checks a solution's tree if this one is requested. Trees with fewer
/// than two leaves per lane, and indices that the lanes cannot divide, are checked with fewer
/// lanes.
pub(crate) fn backend_for(params: Params, backend: LaneBackend) -> LaneBackend {
    let most_lanes = params.indices() / 2;
    let backend = if params.index_bits() > DIVIDEND_BITS { LaneBackend::Portable } else { backend };
    match backend {
        // A processor with AVX-512 has AVX2.
        LaneBackend::Avx512 if most_lanes < 8 => LaneBackend::Avx2,
        _ => backend,
    }
}

/// The number of lanes of a backend.
pub(crate) fn lanes(backend: LaneBackend) -> usize {
    match backend {
        LaneBackend::Portable => 1,
        LaneBackend::Avx2 => 4,
        LaneBackend::Avx512 => 8,
    }
}

/// The most leaves of a lane's subtree. The next subtrees of the lanes follow in the next block.
pub(crate) const MOST_LEAVES_A_LANE: usize = 16;

/// The number of leaves of a lane's subtree, for a number of lanes.
pub(crate) fn leaves_a_lane(params: Params, lanes: usize) -> usize {
    (params.indices() / lanes).min(MOST_LEAVES_A_LANE)
}

/// The distribution of a solution's leaves over lanes.
#[derive(Clone, Copy)]
pub(crate) struct Shares {
    /// The number of lanes.
    pub(crate) lanes: usize,
    /// The number of leaves of a lane's subtree.
    pub(crate) leaves: usize,
}

impl Shares {
    /// The distribution for a backend that [`backend_for`] returned.
    pub(crate) fn of(params: Params, backend: LaneBackend) -> Self {
        let lanes = lanes(backend);
        Self { lanes, leaves: leaves_a_lane(params, lanes) }
    }

    /// Returns the position in the solution of a place in the lanes' order. Both numbers of the
    /// distribution are powers of two.
    #[inline(always)]
    pub(crate) fn position(self, place: usize) -> usize {
        let Self { lanes, leaves } = self;
        let begin = place & !(lanes * leaves - 1);
        let number = place >> lanes.trailing_zeros() & (leaves - 1);
        begin + ((place & (lanes - 1)) << leaves.trailing_zeros()) + number
    }
}
