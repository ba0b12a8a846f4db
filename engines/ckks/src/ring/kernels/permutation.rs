// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Permutations that move whole vectors, with their lanes in another order.

use super::super::permutation::Permutation;
use super::vector::Vector;

/// Whether the permutation moves such vectors.
pub(super) fn fits<V: Vector>(by: &Permutation, _to: &[u32]) -> bool {
    by.vectors().lanes == V::LANES
}

/// `to`ᵢ = `from` at the place that the permutation has for i.
#[inline(always)]
pub(super) unsafe fn permute<V: Vector>(to: &mut [u32], from: &[u32], by: &Permutation) {
    assert_eq!([to.len(), from.len()], [by.places().len(); 2], "words of another permutation");
    let vectors = by.vectors();
    let (to, from, orders) = (to.as_mut_ptr(), from.as_ptr(), vectors.orders.as_ptr());
    for (vector, (source, order)) in vectors.moves.iter().enumerate() {
        // SAFETY: the caller's; a permutation's vectors and orders are within its words.
        unsafe {
            let order = V::load(orders.add(*order as usize * V::LANES));
            let words = V::load(from.add(*source as usize * V::LANES));
            words.permute(order).store(to.add(vector * V::LANES));
        }
    }
}
