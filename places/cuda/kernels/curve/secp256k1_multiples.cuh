// SPDX-License-Identifier: Apache-2.0 OR MIT
// Multiples of points: halves of scalars by the endomorphism, tables of odd multiples, windows.
#pragma once

#include "secp256k1_point.cuh"

// A half is odd, below 2^130 in absolute value, and a sum of 26 odd digits of 5 bits
// (engines/secp256k1/model/split.py).
constexpr uint32 HALF_WORDS = 5, HALF_BITS = 130, WINDOW_BITS = 5, WINDOWS = 26, ENTRIES = 16;
// An entry of a table: x, y and the factor of its Z.
constexpr uint32 ENTRY_WORDS = 24;

// The signs of a half: bit j is set if the term 2^j is positive. The highest is at the top of the
// words.
using Signs = Limbs<6>;

// sum += a * b modulo 2^160, for the words of a constant b.
template <class Word>
DEVICE void accumulate_half(uint32 *sum, const uint32 *a, Word b) {
    UNROLL for (uint32 i = 0; i < HALF_WORDS; ++i) {
        uint32 carried = 0;
        UNROLL for (uint32 j = 0; i + j < HALF_WORDS; ++j) {
            uint64 term = static_cast<uint64>(a[j]) * b(i) + sum[i + j] + carried;
            sum[i + j] = static_cast<uint32>(term);
            carried = static_cast<uint32>(term >> 32);
        }
    }
}

// Returns 2 * (k * factor >> 256) + parity in HALF_WORDS words.
DEVICE void coordinate(const Limbs<8> &k, const Limbs<8> &factor, uint32 parity, uint32 *result) {
    Limbs<16> product = multiply_wide<8>(k, factor);
    uint32 below = parity << 31;
    UNROLL for (uint32 i = 0; i < HALF_WORDS; ++i) {
        result[i] = product.words[8 + i] << 1 | below >> 31;
        below = product.words[8 + i];
    }
}

// Returns the signs of a half: (half + 2^130 - 1) / 2, moved to the top.
DEVICE Signs signs_of(const uint32 *half) {
    uint64 carry = 0;
    uint32 sum[HALF_WORDS];
    UNROLL for (uint32 i = 0; i < HALF_WORDS; ++i) {
        uint64 term = carry + half[i] + (i + 1 < HALF_WORDS ? 0xffffffffu : 3u);
        sum[i] = static_cast<uint32>(term);
        carry = term >> 32;
    }
    // The sum has 131 bits; the lowest is dropped, and bit 130 moves to bit 191.
    Signs signs = zero_limbs<6>();
    UNROLL for (uint32 i = 0; i < HALF_WORDS; ++i) {
        uint32 below = i == 0 ? 0 : sum[i - 1];
        signs.words[i + 1] = sum[i] << 29 | below >> 3;
    }
    signs.words[0] = 0;
    return signs;
}

// Splits k into halves with k = first + second * lambda modulo n.
DEVICE void split_scalar(const Limbs<8> &k, Signs &first, Signs &second) {
    Limbs<8> factor;
    uint32 parity = k.words[0] & 1, c1[HALF_WORDS], c2[HALF_WORDS];
    UNROLL for (uint32 i = 0; i < 8; ++i) factor.words[i] = split_factor_1(i);
    coordinate(k, factor, 1 - parity, c1);
    UNROLL for (uint32 i = 0; i < 8; ++i) factor.words[i] = split_factor_2(i);
    coordinate(k, factor, parity, c2);
    uint32 half[HALF_WORDS];
    UNROLL for (uint32 i = 0; i < HALF_WORDS; ++i) half[i] = k.words[i];
    accumulate_half(half, c1, split_a1);
    accumulate_half(half, c2, split_a2);
    first = signs_of(half);
    UNROLL for (uint32 i = 0; i < HALF_WORDS; ++i) half[i] = 0;
    accumulate_half(half, c1, split_b1);
    accumulate_half(half, c2, split_b2);
    second = signs_of(half);
}

// Removes the highest window: returns the row of its digit 2 * row + 1, and whether it is negative.
DEVICE uint32 next_window(Signs &signs, bool &is_negative) {
    uint32 bits = signs.words[5] >> (32 - WINDOW_BITS);
    UNROLL for (uint32 i = 5; i > 0; --i) {
        signs.words[i] = signs.words[i] << WINDOW_BITS | signs.words[i - 1] >> (32 - WINDOW_BITS);
    }
    signs.words[0] <<= WINDOW_BITS;
    is_negative = bits < ENTRIES;
    return (is_negative ? ~bits : bits) & (ENTRIES - 1);
}

// Writes Q, 3Q, ..., 31Q as affine points of an isomorphic curve, and as the factor of the first
// entry the z by which its points are mapped back: Z of the curve is z times Z there.
//
// On the curve on which 2Q is affine, each entry is the one before plus 2Q, and its Z is the one
// before times H. Afterwards all entries get the last Z.
DEVICE void odd_multiples(const AffinePoint &q, uint32 *table) {
    JacobianPoint step = {q.x, q.y, one<Base>()};
    double_point(step);
    BaseElement zz = square<Base>(step.z);
    JacobianPoint point = {multiply<Base>(q.x, zz),
                           multiply<Base>(q.y, multiply<Base>(zz, step.z)), one<Base>()};
    NO_UNROLL for (uint32 i = 0; i < ENTRIES; ++i) {
        BaseElement factor = one<Base>();
        if (i > 0) {
            BaseElement square_z = square<Base>(point.z);
            factor = subtract<Base>(multiply<Base>(step.x, square_z), point.x);
            BaseElement r = subtract<Base>(
                multiply<Base>(step.y, multiply<Base>(square_z, point.z)), point.y);
            add_differences(point, factor, r);
        }
        uint32 *entry = table + i * ENTRY_WORDS;
        store_limbs(entry, point.x);
        store_limbs(entry + 8, point.y);
        store_limbs(entry + 16, factor);
    }
    BaseElement ratio = one<Base>();
    NO_UNROLL for (uint32 i = ENTRIES - 1; i-- > 0;) {
        uint32 *entry = table + i * ENTRY_WORDS;
        ratio = multiply<Base>(ratio, load_limbs<8>(entry + ENTRY_WORDS + 16));
        BaseElement ratios = square<Base>(ratio);
        store_limbs(entry, multiply<Base>(load_limbs<8>(entry), ratios));
        store_limbs(entry + 8,
                    multiply<Base>(load_limbs<8>(entry + 8), multiply<Base>(ratios, ratio)));
    }
    store_limbs(table + 16, multiply<Base>(point.z, step.z));
}

// Returns k * Q. `table` has room for ENTRIES * ENTRY_WORDS words.
DEVICE JacobianPoint multiply_point(const Limbs<8> &k, const AffinePoint &q, uint32 *table) {
    odd_multiples(q, table);
    Signs first, second;
    split_scalar(k, first, second);
    BaseElement beta;
    UNROLL for (uint32 i = 0; i < 8; ++i) beta.words[i] = curve_beta(i);
    JacobianPoint sum = infinity_point();
    NO_UNROLL for (uint32 window = 0; window < WINDOWS; ++window) {
        NO_UNROLL for (uint32 i = 0; i < WINDOW_BITS && window > 0; ++i) double_point(sum);
        NO_UNROLL for (uint32 part = 0; part < 2; ++part) {
            bool is_negative;
            uint32 row = next_window(first, is_negative);
            Signs taken = first;
            first = second;
            second = taken;
            const uint32 *entry = table + row * ENTRY_WORDS;
            AffinePoint point = {load_limbs<8>(entry), load_limbs<8>(entry + 8)};
            if (part == 1) point.x = multiply<Base>(point.x, beta);
            if (is_negative) point.y = negate<Base>(point.y);
            add_affine(sum, point);
        }
    }
    sum.z = multiply<Base>(sum.z, load_limbs<8>(table + 16));
    return sum;
}

// sum += k * G. `table` has the points digit * 2^(bits * window) * G, x and y, for windows of
// `bits` bits and digits from 0, whose entry is unused, to 2^bits - 1.
DEVICE void add_generator_multiple(JacobianPoint &sum, const Limbs<8> &k, const uint32 *table,
                                   uint32 bits) {
    NO_UNROLL for (uint32 place = 0, window = 0; place < 256; place += bits, ++window) {
        uint32 word = 0, above = 0;
        UNROLL for (uint32 i = 0; i < 8; ++i) {
            word = place / 32 == i ? k.words[i] : word;
            above = place / 32 + 1 == i ? k.words[i] : above;
        }
        uint64 both = static_cast<uint64>(above) << 32 | word;
        uint32 digit = static_cast<uint32>(both >> (place % 32)) & ((1u << bits) - 1);
        if (digit == 0) continue;
        const uint32 *entry = table + ((static_cast<uint64>(window) << bits) + digit) * 16;
        add_affine(sum, {load_limbs<8>(entry), load_limbs<8>(entry + 8)});
    }
}
