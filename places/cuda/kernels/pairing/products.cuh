// SPDX-License-Identifier: Apache-2.0 OR MIT
// Elements of F_p^12 in memory, and products of many of them. An element has 144 consecutive words:
// the coefficients of 1, v, v^2, w, v * w and v^2 * w.
#pragma once

#include "buckets.cuh"
#include "pairing.cuh"

constexpr uint32 FP12_WORDS = 144;

CALLED void read_fp12(Fp12 &a, const uint32 *words) {
    NO_UNROLL for (uint32 i = 0; i < 6; ++i) read_fours(a.c[i / 3].c[i % 3], words + 24 * i);
}

CALLED void write_fp12(uint32 *words, const Fp12 &a) {
    NO_UNROLL for (uint32 i = 0; i < 6; ++i) write_fours(words + 24 * i, a.c[i / 3].c[i % 3]);
}

// value = the product of the elements from `begin` to `end`; 1 if there are none.
CALLED void set_product_of_range(Fp12 &value, const uint32 *elements, uint64 begin, uint64 end) {
    Fp12 other;
    set_one(value);
    NO_UNROLL for (uint64 i = begin; i < end; ++i) {
        read_fp12(other, elements + FP12_WORDS * i);
        if (i == begin) {
            value = other;
        } else {
            set_product(value, value, other);
        }
    }
}
