// SPDX-License-Identifier: Apache-2.0 OR MIT
// Sums of listed points and products of listed pairings.
//
// A list is a part of an array of numbers: list i begins at starts[i] and ends at starts[i + 1]. A
// thread has a list, which the host keeps short; longer sums and products take several launches.
// Word w of element i is at w * stride + i, and a Jacobian point is three coordinates.
#pragma once

#include "pairing.cuh"

// The most pairs of a list: their Miller loops share the squares in F_p^12.
constexpr uint32 LISTED_PAIRS = 4;
constexpr uint32 FP12_WORDS = 144;

template <class F> CALLED void load_sum(Jacobian<F> &p, const uint32 *sums, uint64 stride) {
    load_element(p.x, sums, stride);
    load_element(p.y, sums + WORDS_OF<F> * stride, stride);
    load_element(p.z, sums + 2 * WORDS_OF<F> * stride, stride);
}

template <class F> CALLED void store_sum(uint32 *sums, const Jacobian<F> &p, uint64 stride) {
    store_element(sums, p.x, stride);
    store_element(sums + WORDS_OF<F> * stride, p.y, stride);
    store_element(sums + 2 * WORDS_OF<F> * stride, p.z, stride);
}

template <class F>
DEVICE void sum_points(const uint32 *points, uint64 stride, const uint32 *numbers,
                       const uint32 *starts, uint32 *sums, uint64 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Jacobian<F> sum;
    Affine<F> p;
    set_infinity(p);
    set_jacobian(sum, p);
    NO_UNROLL for (uint32 place = starts[item]; place < starts[item + 1]; ++place) {
        load_point(p, points + numbers[place], stride);
        add_affine_point(sum, p);
    }
    store_sum(sums + item, sum, count);
}

template <class F>
DEVICE void sum_sums(const uint32 *sums, uint64 stride, const uint32 *numbers,
                     const uint32 *starts, uint32 *results, uint64 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Jacobian<F> sum, term;
    Affine<F> none;
    set_infinity(none);
    set_jacobian(sum, none);
    NO_UNROLL for (uint32 place = starts[item]; place < starts[item + 1]; ++place) {
        load_sum(term, sums + numbers[place], stride);
        add_point(sum, term);
    }
    store_sum(results + item, sum, count);
}

// `infinities` is 1 for a sum that is infinity, and else 0.
template <class F>
DEVICE void make_sums_affine(const uint32 *sums, uint32 *points, uint32 *infinities,
                             uint64 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Jacobian<F> sum;
    Affine<F> p;
    load_sum(sum, sums + item, count);
    infinities[item] = is_zero(sum.z) ? 1 : 0;
    set_affine(p, sum);
    store_point(points + item, p, count);
}

// Adds the points of each list.
CALLING_KERNEL(64, bls12_381_sum_points_g1, const uint32 *points, uint32 stride,
               const uint32 *numbers, const uint32 *starts, uint32 *sums, uint32 count) {
    sum_points<Fp>(points, stride, numbers, starts, sums, count);
}

CALLING_KERNEL(64, bls12_381_sum_points_g2, const uint32 *points, uint32 stride,
               const uint32 *numbers, const uint32 *starts, uint32 *sums, uint32 count) {
    sum_points<Fp2>(points, stride, numbers, starts, sums, count);
}

// Adds the sums of each list.
CALLING_KERNEL(64, bls12_381_sum_sums_g1, const uint32 *sums, uint32 stride,
               const uint32 *numbers, const uint32 *starts, uint32 *results, uint32 count) {
    sum_sums<Fp>(sums, stride, numbers, starts, results, count);
}

CALLING_KERNEL(64, bls12_381_sum_sums_g2, const uint32 *sums, uint32 stride,
               const uint32 *numbers, const uint32 *starts, uint32 *results, uint32 count) {
    sum_sums<Fp2>(sums, stride, numbers, starts, results, count);
}

// Divides sums by their Z.
CALLING_KERNEL(64, bls12_381_affine_sums_g1, const uint32 *sums, uint32 *points,
               uint32 *infinities, uint32 count) {
    make_sums_affine<Fp>(sums, points, infinities, count);
}

CALLING_KERNEL(64, bls12_381_affine_sums_g2, const uint32 *sums, uint32 *points,
               uint32 *infinities, uint32 count) {
    make_sums_affine<Fp2>(sums, points, infinities, count);
}

DEVICE void load_value(Fp12 &a, const uint32 *values, uint64 stride) {
    NO_UNROLL for (uint32 i = 0; i < 6; ++i) {
        load_element(coefficient(a, i), values + 24 * i * stride, stride);
    }
}

DEVICE void store_value(uint32 *values, Fp12 &a, uint64 stride) {
    NO_UNROLL for (uint32 i = 0; i < 6; ++i) {
        store_element(values + 24 * i * stride, coefficient(a, i), stride);
    }
}

// Multiplies the Miller loops of each list of pairs, each the number of a point of G1 and that of a
// point of G2. `stride` is that of the values.
CALLING_KERNEL(64, bls12_381_miller_products, const uint32 *ps, uint32 p_stride, const uint32 *qs,
               uint32 q_stride, const uint32 *pairs, const uint32 *starts, uint32 *values,
               uint32 stride, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Pair listed[LISTED_PAIRS];
    uint32 start = starts[item], length = starts[item + 1] - start;
    NO_UNROLL for (uint32 i = 0; i < length; ++i) {
        const uint32 *numbers = pairs + 2 * static_cast<uint64>(start + i);
        load_point(listed[i].p, ps + numbers[0], p_stride);
        load_point(listed[i].q, qs + numbers[1], q_stride);
    }
    Fp12 value;
    set_miller_product(value, listed, length);
    store_value(values + item, value, stride);
}

// Multiplies the values of each list.
CALLING_KERNEL(64, bls12_381_multiply_values, const uint32 *values, uint32 stride,
               const uint32 *numbers, const uint32 *starts, uint32 *products, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Fp12 product, value;
    set_one(product);
    NO_UNROLL for (uint32 place = starts[item]; place < starts[item + 1]; ++place) {
        load_value(value, values + numbers[place], stride);
        set_product(product, product, value);
    }
    store_value(products + item, product, count);
}

// Writes 1 if the final exponentiation maps a value to 1, and else 0.
CALLING_KERNEL(64, bls12_381_check_values, const uint32 *values, uint32 *verdicts, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Fp12 value;
    load_value(value, values + item, count);
    exponentiate_finally(value);
    verdicts[item] = is_one(value) ? 1 : 0;
}
