// SPDX-License-Identifier: Apache-2.0 OR MIT
// Openings of KZG commitments (EIP-4844): the points of e(y * g - C - z * proof, h) and
// e(proof, tau) for a commitment C to a polynomial that is y at z.
#pragma once

#include "points.cuh"

// result = a * p + b * q for public scalars of eight words: four bits at a time, with common
// doublings.
template <class F>
CALLED void set_sum_of_multiples(Jacobian<F> &result, const Jacobian<F> &p, const uint32 *a,
                                 const Jacobian<F> &q, const uint32 *b) {
    Jacobian<F> multiples[2][15];
    multiples[0][0] = p;
    multiples[1][0] = q;
    NO_UNROLL for (uint32 point = 0; point < 2; ++point) {
        NO_UNROLL for (uint32 i = 1; i < 15; ++i) {
            multiples[point][i] = multiples[point][i - 1];
            add_point(multiples[point][i], multiples[point][0]);
        }
    }
    result = p;
    set_zero(result.z);
    NO_UNROLL for (uint32 place = 64; place > 0; --place) {
        NO_UNROLL for (uint32 i = 0; i < 4; ++i) double_point(result);
        NO_UNROLL for (uint32 point = 0; point < 2; ++point) {
            const uint32 *scalar = point == 0 ? a : b;
            uint32 digit = scalar[(place - 1) / 8] >> ((place - 1) % 8 * 4) & 15;
            if (digit != 0) add_point(result, multiples[point][digit - 1]);
        }
    }
}

// Writes y * g - commitment + z * proof for the generator g of G1; the host negates z. Each row has
// y and z in eight words each, lowest first. `statuses` is 1 if one of them is not below r.
CALLING_KERNEL(64, bls12_381_open, const uint32 *commitments, const uint32 *proofs,
               const uint32 *scalars, uint32 *lefts, uint32 *statuses, uint32 count) {
    uint64 item = global_index();
    if (item >= count) return;
    const uint32 *y = scalars + 16 * item, *z = y + 8;
    bool is_valid = is_canonical<Bls12381Scalar>(load_limbs<8>(y)) &&
                    is_canonical<Bls12381Scalar>(load_limbs<8>(z));
    statuses[item] = is_valid ? 0 : 1;
    Affine<Fp> commitment, proof, generator;
    load_point(commitment, commitments + item, count);
    load_point(proof, proofs + item, count);
    load_point(generator, G1_GENERATOR, 1);
    Jacobian<Fp> left, first, second;
    set_jacobian(first, generator);
    set_jacobian(second, proof);
    set_sum_of_multiples(left, first, y, second, z);
    set_negative(commitment.y, commitment.y);
    add_affine_point(left, commitment);
    set_affine(proof, left);
    store_point(lefts + item, proof, count);
}
