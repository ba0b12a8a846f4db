// SPDX-License-Identifier: Apache-2.0 OR MIT
// Inverts many elements with one inversion and three products each (Montgomery's trick).
#pragma once

#include "prime.cuh"

// Inverts `count` elements in place: element i has its words at `values + i * step`, `stride`
// apart. The inverse of 0 is 0. `products` has the same layout and is overwritten.
template <class P>
DEVICE void invert_batch(uint32 *values, uint32 *products, uint32 count, uint64 step,
                         uint64 stride) {
    Element<P> product = one<P>();
    NO_UNROLL for (uint32 i = 0; i < count; ++i) {
        store_limbs(products + i * step, product, stride);
        Element<P> value = load_limbs<P::N>(values + i * step, stride);
        if (!is_zero_limbs(value)) product = multiply<P>(product, value);
    }
    Element<P> inverse = invert<P>(product);
    NO_UNROLL for (uint32 i = count; i-- > 0;) {
        Element<P> value = load_limbs<P::N>(values + i * step, stride);
        if (is_zero_limbs(value)) continue;
        Element<P> before = load_limbs<P::N>(products + i * step, stride);
        store_limbs(values + i * step, multiply<P>(inverse, before), stride);
        inverse = multiply<P>(inverse, value);
    }
}
