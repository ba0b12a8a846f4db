// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The order in which lanes read the indices of a solution.
//!
//! A block holds the leaves of one subtree of each lane: the first index of each lane's subtree,
//! then the second of each, and so on.

use crate::encoding::index_at;
use crate::{LaneBackend, Params};

use super::shares::Shares;

/// Unpacks the indices of a minimal form of the right size in the lanes' order, for a backend that
/// [`backend_for`](super::shares::backend_for) returned.
pub(crate) fn from_minimal(
    params: Params,
    backend: LaneBackend,
    minimal: &[u8],
    to: &mut Vec<u32>,
) {
    let shares = Shares::of(params, backend);
    to.resize(params.indices(), 0);
    #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
    if backend != LaneBackend::Portable {
        use halimede_arith::EngineBackend;
        assert!(LaneBackend::Avx2.is_available(), "a processor with AVX-512 has AVX2");
        // SAFETY: AVX2 is available.
        unsafe { super::avx2::unpack(params, shares, minimal, to) };
        return;
    }
    for (place, index) in to.iter_mut().enumerate() {
        *index = index_at(params, minimal, shares.position(place));
    }
}

/// Puts the indices of a solution in the lanes' order.
pub(crate) fn from_indices(
    params: Params,
    backend: LaneBackend,
    indices: &[u32],
    to: &mut Vec<u32>,
) {
    let shares = Shares::of(params, backend);
    to.clear();
    to.extend((0..indices.len()).map(|place| indices[shares.position(place)]));
}

/// Returns `true` if at every node of the tree the left subtree's first index is the smaller one.
/// `heads` is a buffer.
pub(crate) fn are_ordered(by_lanes: &[u32], shares: Shares, heads: &mut Vec<u32>) -> bool {
    heads.clear();
    let is_ordered = match shares.lanes {
        8 => lanes_are_ordered::<8>(by_lanes, shares.leaves, heads),
        4 => lanes_are_ordered::<4>(by_lanes, shares.leaves, heads),
        _ => lanes_are_ordered::<1>(by_lanes, shares.leaves, heads),
    };
    let heads = heads.iter().enumerate().skip(1).map(|(place, head)| heads[left_of(place)] < *head);
    is_ordered && heads.fold(true, |ordered, next| ordered & next)
}

/// Returns `true` if the indices of each lane's subtree are in order; appends the first indices of
/// the subtrees to `heads`.
fn lanes_are_ordered<const LANES: usize>(
    by_lanes: &[u32],
    leaves: usize,
    heads: &mut Vec<u32>,
) -> bool {
    let (rows, _) = by_lanes.as_chunks::<LANES>();
    let mut is_wrong = [false; LANES];
    for subtrees in rows.chunks_exact(leaves) {
        heads.extend_from_slice(&subtrees[0]);
        for (place, row) in subtrees.iter().enumerate().skip(1) {
            let left = &subtrees[left_of(place)];
            for lane in 0..LANES {
                is_wrong[lane] |= left[lane] >= row[lane];
            }
        }
    }
    is_wrong == [false; LANES]
}

/// Returns the start of the left sibling of the subtree that begins at `place`: a right subtree of
/// 2^j leaves begins at a place whose lowest set bit is 2^j.
#[inline(always)]
fn left_of(place: usize) -> usize {
    place & (place - 1)
}

#[cfg(test)]
mod tests {
    use halimede_arith::EngineBackend;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::lanes::shares::backend_for;
    use crate::minimal_from_indices;

    /// Calls `check` with every backend, and with parameters of every k from 3 to 9 and of indices
    /// of 3 to 32 bits.
    fn each(mut check: impl FnMut(Params, LaneBackend)) {
        for (n, k) in [(8, 3), (24, 3), (40, 4), (48, 5), (112, 6), (144, 8), (200, 9), (248, 7)] {
            let params = Params::new(n, k).unwrap();
            LaneBackend::available()
                .for_each(|backend| check(params, backend_for(params, backend)));
        }
    }

    #[test]
    fn both_forms_give_each_lane_its_leaves() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        each(|params, backend| {
            let limit = u32::MAX >> (32 - params.index_bits());
            let indices: Vec<u32> =
                (0..params.indices()).map(|_| random.gen_range(0..=limit)).collect();
            let (mut by_lanes, mut unpacked) = (vec![7; 3], vec![7; 3000]);
            from_indices(params, backend, &indices, &mut by_lanes);
            let minimal = minimal_from_indices(params, &indices).unwrap();
            from_minimal(params, backend, &minimal, &mut unpacked);
            assert_eq!(by_lanes, unpacked, "{params}, {backend}");
            let Shares { lanes, leaves } = Shares::of(params, backend);
            for (position, index) in indices.iter().enumerate() {
                let (block, within) = (position / (lanes * leaves), position % (lanes * leaves));
                let place = within % leaves * lanes + within / leaves;
                assert_eq!(by_lanes[block * lanes * leaves + place], *index, "{params}, {backend}");
            }
        });
    }

    #[test]
    fn every_node_is_compared() {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        each(|params, backend| {
            let shares = Shares::of(params, backend);
            let is_ordered = |indices: &[u32]| {
                let mut by_lanes = Vec::new();
                from_indices(params, backend, indices, &mut by_lanes);
                are_ordered(&by_lanes, shares, &mut vec![9])
            };
            let count = params.indices();
            let ordered: Vec<u32> = (0..count as u32).map(|number| 3 * number + 1).collect();
            assert!(is_ordered(&ordered), "{params}, {backend}");
            // An interpreter takes an hour for all positions.
            let step = if cfg!(miri) { count / 8 } else { 1 };
            for position in (1..count).step_by(step) {
                let sibling = ordered[left_of(position)];
                let mut indices = ordered.clone();
                indices[position] = sibling + 1;
                assert!(is_ordered(&indices), "{params}, {backend}: {position}");
                for wrong in [sibling, random.gen_range(0..=sibling)] {
                    indices[position] = wrong;
                    assert!(!is_ordered(&indices), "{params}, {backend}: {position}");
                }
            }
        });
    }
}
