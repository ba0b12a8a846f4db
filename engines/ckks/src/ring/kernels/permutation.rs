// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Permutations that move whole vectors and reorder their lanes.

use super::super::permutation::Permutation;
use super::vector::Vector;

/// Returns `true` if the permutation moves vectors of this length.
pub(super) fn fits<V: Vector>(by: &Permutation, _to: &[u32]) -> bool {
    by.vectors().lanes == V::LANES
}

/// Sets `to`ᵢ to `from` at index `by.places()`ᵢ.
#[inline(always)]
pub(super) unsafe fn permute<V: Vector>(to: &mut [u32], from: &[u32], by: &Permutation) {
    assert_eq!(
        [to.len(), from.len()],
        [by.places().len(); 2],
        "the permutation has another length"
    );
    let vectors = by.vectors();
    let (to, from, orders) = (to.as_mut_ptr(), from.as_ptr(), vectors.orders.as_ptr());
    for (vector, (source, order)) in vectors.moves.iter().enumerate() {
        // SAFETY: guaranteed by the caller; a permutation's vectors and orders are within its
        // words.
        unsafe {
            let order = V::load(orders.add(*order as usize * V::LANES));
            let words = V::load(from.add(*source as usize * V::LANES));
            words.permute(order).store(to.add(vector * V::LANES));
        }
    }
}
