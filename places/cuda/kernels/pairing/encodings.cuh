// SPDX-License-Identifier: Apache-2.0 OR MIT
// Decodes points in the format of Zcash and of the IETF (draft-irtf-cfrg-pairing-friendly-curves,
// appendix C).
#pragma once

#include "points.cuh"

// What an encoding is, or the first check that it fails.
enum PointStatus : uint32 {
    FINITE_POINT = 0,
    // Infinity, encoded correctly.
    INFINITY_POINT = 1,
    // Wrong flags, bits of an infinity, or a coordinate that is not below p.
    BAD_ENCODING = 2,
    NOT_ON_CURVE = 3,
    WRONG_SUBGROUP = 4,
};

// The form that the length of an encoding determines.
enum PointForm : uint32 { COMPRESSED_FORM = 0, UNCOMPRESSED_FORM = 1, NO_FORM = 2 };

// Flags in the three highest bits of an encoding.
constexpr uint32 COMPRESSED = 4, INFINITY_FLAG = 2, SIGN = 1;

// Reads an element of 48 bytes, big-endian, without the highest three bits if `has_flags`; returns
// false if it is not below p.
CALLED bool read_element(Fp &result, const uint32 *bytes, bool has_flags) {
    Fp number;
    UNROLL for (uint32 i = 0; i < 12; ++i) number.words[i] = swap_bytes(bytes[11 - i]);
    if (has_flags) number.words[11] &= 0x1fffffff;
    if (!is_canonical<Prime>(number)) return false;
    result = to_montgomery<Prime>(number);
    return true;
}

// The coefficient of i is first.
DEVICE bool read_coordinate(Fp &result, const uint32 *bytes, bool has_flags) {
    return read_element(result, bytes, has_flags);
}
DEVICE bool read_coordinate(Fp2 &result, const uint32 *bytes, bool has_flags) {
    return read_element(result.c1, bytes, has_flags) && read_element(result.c0, bytes + 12, false);
}

// Decodes an encoding in memory for the longer form.
template <class F>
CALLED uint32 read_point(Affine<F> &p, const uint32 *bytes, uint32 form) {
    constexpr uint32 COORDINATE = WORDS_OF<F>;
    set_infinity(p);
    if (form == NO_FORM) return BAD_ENCODING;
    uint32 flags = (bytes[0] & 0xff) >> 5;
    bool is_compressed = form == COMPRESSED_FORM, is_odd_infinity = (flags & 3) == 3;
    if (is_compressed ? (flags & COMPRESSED) == 0 || is_odd_infinity
                      : (flags & (COMPRESSED | SIGN)) != 0) {
        return BAD_ENCODING;
    }
    uint32 words = is_compressed ? COORDINATE : 2 * COORDINATE;
    if ((flags & INFINITY_FLAG) != 0) {
        uint32 any = bytes[0] & ~0xe0u;
        NO_UNROLL for (uint32 i = 1; i < words; ++i) any |= bytes[i];
        return any == 0 ? INFINITY_POINT : BAD_ENCODING;
    }
    Affine<F> read;
    F right, b;
    if (!read_coordinate(read.x, bytes, true)) return BAD_ENCODING;
    if (!is_compressed && !read_coordinate(read.y, bytes + COORDINATE, false)) {
        return BAD_ENCODING;
    }
    set_curve_constant(b);
    set_square(right, read.x);
    set_product(right, right, read.x);
    set_sum(right, right, b);
    if (is_compressed) {
        if (!set_root(read.y, right)) return NOT_ON_CURVE;
        if (is_upper(read.y) != ((flags & SIGN) != 0)) set_negative(read.y, read.y);
    } else {
        set_square(b, read.y);
        if (!is_equal(b, right)) return NOT_ON_CURVE;
    }
    if (!is_in_group(read)) return WRONG_SUBGROUP;
    p = read;
    return FINITE_POINT;
}
