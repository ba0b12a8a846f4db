// SPDX-License-Identifier: Apache-2.0 OR MIT
// Hashes messages to G2: BLS12381G2_XMD:SHA-256_SSWU_RO_ (RFC 9380, section 8.8.2).
#pragma once

#include "../hash/sha256.cuh"
#include "points.cuh"

// Words of `expand_message_xmd` for two elements of F_p^2, of 64 bytes for each coefficient.
constexpr uint32 EXPANDED_WORDS = 64;
// Words of the two blocks that end each of its hashes but the first.
constexpr uint32 TAIL_WORDS = 32;

// expand_message_xmd (section 5.3.1). The bytes from `place` on are the message, the length 256 in
// two bytes, a byte 0, and the domain separation tag with its length. `tail` has the two blocks of
// big-endian words that are hashed for a b_i, with zeros in place of b_0 xor b_(i-1) and of i.
CALLED void expand_message(uint32 *expanded, const uint32 *data, uint64 place, uint64 length,
                           const uint32 *tail) {
    uint32 first[8], block[16];
    sha256_begin(first);
    UNROLL for (uint32 i = 0; i < 16; ++i) block[i] = 0;
    sha256_compress(first, block);
    sha256_end(first, data, place, length, BLOCK_BYTES + length);
    NO_UNROLL for (uint32 number = 0; number < EXPANDED_WORDS / 8; ++number) {
        uint32 state[8];
        sha256_begin(state);
        NO_UNROLL for (uint32 half = 0; half < 2; ++half) {
            UNROLL for (uint32 i = 0; i < 16; ++i) block[i] = tail[16 * half + i];
            if (half == 0) {
                UNROLL for (uint32 i = 0; i < 8; ++i) {
                    block[i] = first[i] ^ (number == 0 ? 0 : expanded[8 * (number - 1) + i]);
                }
                block[8] |= (number + 1) << 24;
            }
            sha256_compress(state, block);
        }
        UNROLL for (uint32 i = 0; i < 8; ++i) expanded[8 * number + i] = state[i];
    }
}

// An element of F_p from 16 big-endian words (hash_to_field, section 5.2). The upper four words
// are multiplied by 2^384.
CALLED void set_reduced(Fp &result, const uint32 *words) {
    Fp low, high = zero_limbs<12>();
    UNROLL for (uint32 i = 0; i < 12; ++i) low.words[i] = words[15 - i];
    UNROLL for (uint32 i = 0; i < 4; ++i) high.words[i] = words[3 - i];
    high = to_montgomery<Prime>(to_montgomery<Prime>(high));
    result = add<Prime>(high, to_montgomery<Prime>(low));
}

// result = x^3 + A * x + B of the curve of the map.
CALLED void set_mapped_square(Fp2 &result, const Fp2 &x) {
    Fp2 a = constant_fp2(SSWU_A), b = constant_fp2(SSWU_B), square;
    set_square(square, x);
    set_sum(square, square, a);
    set_product(square, square, x);
    set_sum(result, square, b);
}

// map_to_curve_simple_swu (section 6.6.2), and the isogeny to the curve of G2 (appendix E.3).
CALLED void map_to_curve(Jacobian<Fp2> &result, const Fp2 &u) {
    Fp2 x, y, factor, right, constant = constant_fp2(SSWU_Z);
    set_square(factor, u);
    set_product(factor, factor, constant);
    set_square(right, factor);
    set_sum(right, right, factor);
    if (is_zero(right)) {
        x = constant_fp2(SSWU_EXCEPTIONAL);
    } else {
        set_inverse(x, right);
        set_one(y);
        set_sum(x, x, y);
        constant = constant_fp2(SSWU_FIRST);
        set_product(x, x, constant);
    }
    set_mapped_square(right, x);
    if (!is_square(right)) {
        set_product(x, x, factor);
        set_mapped_square(right, x);
    }
    set_root(y, right);
    if (is_odd(u) != is_odd(y)) set_negative(y, y);
    // With d = x - x of the kernel: x * d^2 + t * d + u, y * (d^3 - t * d - 2 * u), and Z = -3 * d.
    constant = constant_fp2(ISOGENY_X);
    set_difference(factor, x, constant);
    set_sum(result.z, factor, factor);
    set_sum(result.z, result.z, factor);
    set_negative(result.z, result.z);
    constant = constant_fp2(ISOGENY_T);
    set_product(right, factor, constant);
    constant = constant_fp2(ISOGENY_U);
    set_sum(right, right, constant);
    Fp2 square;
    set_square(square, factor);
    set_product(x, x, square);
    set_sum(result.x, x, right);
    set_sum(right, right, constant);
    set_product(square, square, factor);
    set_difference(square, square, right);
    set_product(result.y, y, square);
}

// Multiplies a point of the curve by the effective cofactor (appendix G.4): with z the parameter,
// (z^2 - z - 1) * p + (z - 1) * psi(p) + psi(psi(2 * p)).
CALLED void clear_cofactor(Jacobian<Fp2> &p) {
    Jacobian<Fp2> sum = p, multiple = p, image = p;
    // psi on Jacobian coordinates: Z is conjugated.
    NO_UNROLL for (uint32 i = 0; i < 2; ++i) {
        map_psi(sum);
        set_conjugate(sum.z, sum.z);
    }
    double_point(sum);
    map_psi(image);
    set_conjugate(image.z, image.z);
    multiply_by_parameter(multiple);
    negate_point(multiple);
    // z * (z * p + psi(p)).
    Jacobian<Fp2> both = multiple;
    add_point(both, image);
    multiply_by_parameter(both);
    negate_point(both);
    add_point(sum, both);
    negate_point(image);
    add_point(sum, image);
    negate_point(multiple);
    add_point(sum, multiple);
    negate_point(p);
    add_point(sum, p);
    p = sum;
}

// hash_to_curve from the expanded message.
CALLED void set_hashed_point(Affine<Fp2> &result, const uint32 *expanded) {
    Jacobian<Fp2> sum, other;
    Fp2 u;
    NO_UNROLL for (uint32 i = 0; i < 2; ++i) {
        set_reduced(u.c0, expanded + 32 * i);
        set_reduced(u.c1, expanded + 32 * i + 16);
        map_to_curve(i == 0 ? sum : other, u);
    }
    add_point(sum, other);
    clear_cofactor(sum);
    set_affine(result, sum);
}
