// SPDX-License-Identifier: Apache-2.0 OR MIT
// A random linear combination of equations e(key, hash) * e(-g, signature) = 1: one product of
// pairings for many rows. Rows whose product is not 1 are checked each.
//
// Multipliers have four words. The host makes the lists that sums of multiples need (lists.cuh):
// the points of a bucket have the same digit of their multipliers, and a bit of the sum has the
// buckets whose digits have it.
#pragma once

#include "encodings.cuh"
#include "lists.cuh"

constexpr uint32 MULTIPLIER_WORDS = 4, MULTIPLIER_BITS = 128;

// Writes 1 for a row with a finite key and a signature that is a point of its group, and else 0.
// The statuses are those of `read_point`; keys have numbers.
KERNEL(128, bls12_381_find_valid, const uint32 *key_statuses, const uint32 *key_numbers,
       const uint32 *signature_statuses, uint32 *valid, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    bool is_key = key_statuses[key_numbers[item]] == FINITE_POINT;
    valid[item] = is_key && signature_statuses[item] <= INFINITY_POINT ? 1 : 0;
}

template <class F>
DEVICE void select_points(const uint32 *points, uint64 stride, const uint32 *numbers,
                          const uint32 *valid, uint32 *selected, uint64 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Affine<F> p;
    set_infinity(p);
    if (valid[item] != 0) load_point(p, points + numbers[item], stride);
    store_point(selected + item, p, count);
}

// Copies the point of each valid row; the other rows have infinity.
CALLING_KERNEL(64, bls12_381_select_points_g1, const uint32 *points, uint32 stride,
               const uint32 *numbers, const uint32 *valid, uint32 *selected, uint32 count) {
    select_points<Fp>(points, stride, numbers, valid, selected, count);
}

CALLING_KERNEL(64, bls12_381_select_points_g2, const uint32 *points, uint32 stride,
               const uint32 *numbers, const uint32 *valid, uint32 *selected, uint32 count) {
    select_points<Fp2>(points, stride, numbers, valid, selected, count);
}

template <class F>
DEVICE void multiply_points(const uint32 *points, uint64 stride, const uint32 *numbers,
                            const uint32 *multipliers, uint32 *sums, uint64 count) {
    uint64 item = global_index();
    if (item >= count) return;
    Affine<F> p;
    Jacobian<F> multiple;
    uint64 number = numbers[item];
    load_point(p, points + number, stride);
    set_jacobian(multiple, p);
    set_multiple<F, MULTIPLIER_WORDS>(multiple, multiple, multipliers + MULTIPLIER_WORDS * number);
    store_sum(sums + item, multiple, count);
}

// Multiplies listed points; the multipliers have the order of the points.
CALLING_KERNEL(64, bls12_381_multiply_points_g1, const uint32 *points, uint32 stride,
               const uint32 *numbers, const uint32 *multipliers, uint32 *sums, uint32 count) {
    multiply_points<Fp>(points, stride, numbers, multipliers, sums, count);
}

CALLING_KERNEL(64, bls12_381_multiply_points_g2, const uint32 *points, uint32 stride,
               const uint32 *numbers, const uint32 *multipliers, uint32 *sums, uint32 count) {
    multiply_points<Fp2>(points, stride, numbers, multipliers, sums, count);
}

template <class F> DEVICE void join_bits(const uint32 *bits, uint32 *sums, uint64 count) {
    uint64 item = global_index();
    if (item >= count) return;
    uint64 stride = MULTIPLIER_BITS * count;
    Jacobian<F> sum, bit;
    load_sum(sum, bits + MULTIPLIER_BITS * item + MULTIPLIER_BITS - 1, stride);
    NO_UNROLL for (uint32 place = MULTIPLIER_BITS - 1; place > 0; --place) {
        double_point(sum);
        load_sum(bit, bits + MULTIPLIER_BITS * item + place - 1, stride);
        add_point(sum, bit);
    }
    store_sum(sums + item, sum, count);
}

// Adds 2^i times sum i of MULTIPLIER_BITS consecutive ones.
CALLING_KERNEL(64, bls12_381_join_bits_g1, const uint32 *bits, uint32 *sums, uint32 count) {
    join_bits<Fp>(bits, sums, count);
}

CALLING_KERNEL(64, bls12_381_join_bits_g2, const uint32 *bits, uint32 *sums, uint32 count) {
    join_bits<Fp2>(bits, sums, count);
}

// Writes 1 for the rows of products that are 1; `length` consecutive rows have a product. For each
// other row, writes 1 if the product of its two pairs is 1, and else 0. The first pair is that of
// the numbers of a point of G1 and of one of G2. `second_p` or `second_q` is one point, the other
// one has a point for each row.
CALLING_KERNEL(64, bls12_381_check_rows, const uint32 *products, uint32 length, const uint32 *ps,
               uint32 p_stride, const uint32 *qs, uint32 q_stride, const uint32 *pairs,
               const uint32 *second_p, const uint32 *second_q, uint32 is_second_p_shared,
               uint32 *verdicts, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    if (products[item / length] == 1) {
        verdicts[item] = 1;
        return;
    }
    bool is_shared = is_second_p_shared != 0;
    Pair both[2];
    load_point(both[0].p, ps + pairs[2 * item], p_stride);
    load_point(both[0].q, qs + pairs[2 * item + 1], q_stride);
    load_point(both[1].p, is_shared ? second_p : second_p + item, is_shared ? 1 : count);
    load_point(both[1].q, is_shared ? second_q + item : second_q, is_shared ? count : 1);
    Fp12 value;
    set_miller_product(value, both, 2);
    exponentiate_finally(value);
    verdicts[item] = is_one(value) ? 1 : 0;
}
