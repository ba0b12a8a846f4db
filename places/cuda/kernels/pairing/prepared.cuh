// SPDX-License-Identifier: Apache-2.0 OR MIT
// The parts of products that proofs of Groth16 under a key have in common: lines of Miller loops of
// the key's points of G2, and multiples of its points of G1.
#pragma once

#include "products.cuh"

// Lines of a Miller loop: 63 tangents and five chords.
constexpr uint32 LINES = 68;
constexpr uint32 LINE_WORDS = 72;
// A multiple of a point by a scalar is a sum of one multiple for each window.
constexpr uint32 TABLE_BITS = 4, TABLE_WINDOWS = 64, TABLE_MULTIPLES = 15;

DEVICE void write_line(uint32 *words, const Line &line) {
    write_fours(words, line.l0);
    write_fours(words + 24, line.l2);
    write_fours(words + 48, line.l3);
}

// Writes the lines of a finite point's Miller loop.
CALLED void write_lines(uint32 *words, const Affine<Fp2> &q) {
    Jacobian<Fp2> multiple;
    Line line;
    set_jacobian(multiple, q);
    NO_UNROLL for (uint32 bit = 63; bit > 0; --bit) {
        set_tangent(line, multiple);
        write_line(words, line);
        words += LINE_WORDS;
        if ((PARAMETER >> (bit - 1) & 1) == 0) continue;
        set_chord(line, multiple, q);
        write_line(words, line);
        words += LINE_WORDS;
    }
}

// value *= a line of memory at p, unless p is infinity.
CALLED void multiply_by_prepared(Fp12 &value, const uint32 *words, const Affine<Fp> &p) {
    Line line;
    if (is_infinity(p)) return;
    read_fours(line.l0, words);
    read_fours(line.l2, words + 24);
    read_fours(line.l3, words + 48);
    multiply_by_line_at(value, line, p);
}

// value = the product of the Miller loops of a pair of finite points, and of two points of G1 with
// the lines of two points of G2, one after the other.
CALLED void set_prepared_product(Fp12 &value, Pair &pair, const Affine<Fp> *points,
                                 const uint32 *lines) {
    set_one(value);
    set_jacobian(pair.multiple, pair.q);
    NO_UNROLL for (uint32 bit = 63; bit > 0; --bit) {
        if (bit != 63) set_square(value, value);
        NO_UNROLL for (uint32 step = 0; step <= (PARAMETER >> (bit - 1) & 1); ++step) {
            if (step == 0) {
                double_step(value, pair);
            } else {
                add_step(value, pair);
            }
            multiply_by_prepared(value, lines, points[0]);
            multiply_by_prepared(value, lines + LINES * LINE_WORDS, points[1]);
            lines += LINE_WORDS;
        }
    }
    // The parameter is negative.
    set_conjugate(value, value);
}

// Writes the multiples 1 to 15 of 2^(4 * window) * p, for a point whose order is not below 16.
CALLED void write_multiples(uint32 *words, const Affine<Fp> &p, uint32 window) {
    Bucket<Fp> multiples[TABLE_MULTIPLES];
    Fp products[TABLE_MULTIPLES], inverse, factor;
    multiples[0].x = p.x;
    multiples[0].y = p.y;
    set_one(multiples[0].zz);
    set_one(multiples[0].zzz);
    NO_UNROLL for (uint32 i = 0; i < TABLE_BITS * window; ++i) double_bucket(multiples[0]);
    products[0] = multiples[0].zzz;
    NO_UNROLL for (uint32 i = 1; i < TABLE_MULTIPLES; ++i) {
        multiples[i] = multiples[i - 1];
        add_bucket(multiples[i], multiples[0]);
        set_product(products[i], products[i - 1], multiples[i].zzz);
    }
    set_inverse(inverse, products[TABLE_MULTIPLES - 1]);
    NO_UNROLL for (uint32 i = TABLE_MULTIPLES; i-- > 0;) {
        // `inverse` is 1 / (zzz of the multiples up to i).
        Bucket<Fp> &multiple = multiples[i];
        if (i == 0) {
            factor = inverse;
        } else {
            set_product(factor, inverse, products[i - 1]);
            set_product(inverse, inverse, multiple.zzz);
        }
        set_product(multiple.y, multiple.y, factor);
        // 1 / zz = (zz / zzz)^2.
        set_product(factor, factor, multiple.zz);
        set_square(factor, factor);
        set_product(multiple.x, multiple.x, factor);
        write_fours(words + 24 * i, multiple.x);
        write_fours(words + 24 * i + 12, multiple.y);
    }
}
