// SPDX-License-Identifier: Apache-2.0 OR MIT
// Writes compressed points and elements of fields (draft-irtf-cfrg-pairing-friendly-curves,
// appendix C).
#pragma once

#include "points.cuh"

// Writes an element as 48 bytes, big-endian.
DEVICE void write_element(uint32 *bytes, const Fp &a) {
    Fp number = from_montgomery<Prime>(a);
    UNROLL for (uint32 i = 0; i < 12; ++i) bytes[i] = swap_bytes(number.words[11 - i]);
}

// The coefficient of i is first.
DEVICE void write_coordinate(uint32 *bytes, const Fp &a) { write_element(bytes, a); }
DEVICE void write_coordinate(uint32 *bytes, const Fp2 &a) {
    write_element(bytes, a.c1);
    write_element(bytes + 12, a.c0);
}

// Writes the compressed form of a point.
template <class F> CALLED void write_compressed(uint32 *bytes, const Affine<F> &p) {
    constexpr uint32 COMPRESSED_FLAG = 0x80, INFINITE = 0x40, UPPER = 0x20;
    write_coordinate(bytes, p.x);
    if (is_infinity(p)) {
        bytes[0] |= COMPRESSED_FLAG | INFINITE;
    } else {
        bytes[0] |= COMPRESSED_FLAG | (is_upper(p.y) ? UPPER : 0);
    }
}
