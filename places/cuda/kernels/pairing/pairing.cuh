// SPDX-License-Identifier: Apache-2.0 OR MIT
// Products of optimal ate pairings: Miller loops that share their squares, and the final
// exponentiation.
//
// A line through points of the twist at a point (x, y) of G1, times w^3, is
// (slope * X - Y) - slope * x * w^2 + y * w^3. Factors in F_p^2 are removed by the final
// exponentiation, so no step divides.
#pragma once

#include "points.cuh"
#include "tower.cuh"

// A pair of points, and the multiple of q that the loop has reached. A pair with an infinity has
// the pairing 1.
struct Pair {
    Affine<Fp> p;
    Affine<Fp2> q;
    Jacobian<Fp2> multiple;
    bool is_trivial;
};

// value *= the tangent at the multiple, times 2 * Y * Z^3; doubles the multiple.
CALLED void double_step(Fp12 &value, Pair &pair) {
    Jacobian<Fp2> &t = pair.multiple;
    Fp2 l0, l2, l3, slope;
    set_square(slope, t.x);
    set_sum(l0, slope, slope);
    set_sum(slope, l0, slope);
    set_product(l0, slope, t.x);
    set_square(l2, t.y);
    set_sum(l2, l2, l2);
    set_difference(l0, l0, l2);
    set_square(l3, t.z);
    set_product(l2, slope, l3);
    set_negative(l2, l2);
    set_scaled(l2, l2, pair.p.x);
    double_point(t);
    set_product(l3, l3, t.z);
    set_scaled(l3, l3, pair.p.y);
    multiply_by_line(value, l0, l2, l3);
}

// value *= the line through the multiple and q, times the new Z; adds q, which is neither the
// multiple nor its opposite.
CALLED void add_step(Fp12 &value, Pair &pair) {
    Jacobian<Fp2> &t = pair.multiple;
    const Affine<Fp2> &q = pair.q;
    Fp2 l0, l2, l3, h, slope;
    set_square(l0, t.z);
    set_product(h, q.x, l0);
    set_product(l0, l0, t.z);
    set_product(slope, q.y, l0);
    set_difference(h, h, t.x);
    set_difference(slope, slope, t.y);
    set_product(t.z, t.z, h);
    set_square(l2, h);
    set_product(l0, t.x, l2);
    set_product(h, h, l2);
    set_square(t.x, slope);
    set_difference(t.x, t.x, h);
    set_difference(t.x, t.x, l0);
    set_difference(t.x, t.x, l0);
    set_product(h, h, t.y);
    set_difference(l0, l0, t.x);
    set_product(t.y, slope, l0);
    set_difference(t.y, t.y, h);
    set_product(l0, slope, q.x);
    set_product(l3, q.y, t.z);
    set_difference(l0, l0, l3);
    set_scaled(l2, slope, pair.p.x);
    set_negative(l2, l2);
    set_scaled(l3, t.z, pair.p.y);
    multiply_by_line(value, l0, l2, l3);
}

// value = the product of the Miller loops of pairs.
CALLED void set_miller_product(Fp12 &value, Pair *pairs, uint32 count) {
    set_one(value);
    NO_UNROLL for (uint32 i = 0; i < count; ++i) {
        pairs[i].is_trivial = is_infinity(pairs[i].p) || is_infinity(pairs[i].q);
        set_jacobian(pairs[i].multiple, pairs[i].q);
    }
    NO_UNROLL for (uint32 bit = 63; bit > 0; --bit) {
        if (bit != 63) set_square(value, value);
        NO_UNROLL for (uint32 i = 0; i < count; ++i) {
            if (!pairs[i].is_trivial) double_step(value, pairs[i]);
        }
        if ((PARAMETER >> (bit - 1) & 1) == 0) continue;
        NO_UNROLL for (uint32 i = 0; i < count; ++i) {
            if (!pairs[i].is_trivial) add_step(value, pairs[i]);
        }
    }
    // The parameter is negative.
    set_conjugate(value, value);
}

// result = value^z for an element of the cyclotomic subgroup.
CALLED void raise_to_parameter(Fp12 &result, const Fp12 &value) {
    Fp12 base = value;
    result = value;
    NO_UNROLL for (uint32 bit = 63; bit > 0; --bit) {
        square_cyclotomic(result);
        if ((PARAMETER >> (bit - 1) & 1) != 0) set_product(result, result, base);
    }
    set_conjugate(result, result);
}

// value = value^((p^12 - 1) / r * 3), as (z - 1)^2 * (z + p) * (z^2 + p^2 - 1) + 3 is three times
// the hard part of the exponent.
CALLED void exponentiate_finally(Fp12 &value) {
    Fp12 power, other;
    set_inverse(power, value);
    set_conjugate(value, value);
    set_product(value, value, power);
    power = value;
    raise_to_p(power);
    raise_to_p(power);
    set_product(value, value, power);
    // power = value^(z - 1), twice.
    power = value;
    NO_UNROLL for (uint32 i = 0; i < 2; ++i) {
        raise_to_parameter(other, power);
        set_conjugate(power, power);
        set_product(power, other, power);
    }
    raise_to_parameter(other, power);
    raise_to_p(power);
    set_product(power, other, power);
    raise_to_parameter(other, power);
    raise_to_parameter(other, other);
    set_product(other, other, value);
    square_cyclotomic(value);
    set_product(value, value, other);
    set_conjugate(other, power);
    set_product(value, value, other);
    raise_to_p(power);
    raise_to_p(power);
    set_product(value, value, power);
}
