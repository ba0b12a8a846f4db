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

// A line without its point: l0 + x * l2 * w^2 + y * l3 * w^3.
struct Line {
    Fp2 l0, l2, l3;
};

// value *= the line at p.
CALLED void multiply_by_line_at(Fp12 &value, const Line &line, const Affine<Fp> &p) {
    Fp2 l2, l3;
    set_scaled(l2, line.l2, p.x);
    set_scaled(l3, line.l3, p.y);
    multiply_by_line(value, line.l0, l2, l3);
}

// Sets the tangent at t, times 2 * Y * Z^3, and doubles t.
CALLED void set_tangent(Line &line, Jacobian<Fp2> &t) {
    Fp2 slope, square;
    set_square(slope, t.x);
    set_sum(square, slope, slope);
    set_sum(slope, square, slope);
    set_product(line.l0, slope, t.x);
    set_square(square, t.y);
    set_sum(square, square, square);
    set_difference(line.l0, line.l0, square);
    set_square(square, t.z);
    set_product(line.l2, slope, square);
    set_negative(line.l2, line.l2);
    double_point(t);
    set_product(line.l3, square, t.z);
}

// Sets the line through t and q, times the new Z, and adds q to t; q is neither t nor its opposite.
CALLED void set_chord(Line &line, Jacobian<Fp2> &t, const Affine<Fp2> &q) {
    Fp2 h, slope, square, product;
    set_square(product, t.z);
    set_product(h, q.x, product);
    set_product(product, product, t.z);
    set_product(slope, q.y, product);
    set_difference(h, h, t.x);
    set_difference(slope, slope, t.y);
    set_product(t.z, t.z, h);
    set_square(square, h);
    set_product(product, t.x, square);
    set_product(h, h, square);
    set_square(t.x, slope);
    set_difference(t.x, t.x, h);
    set_difference(t.x, t.x, product);
    set_difference(t.x, t.x, product);
    set_product(h, h, t.y);
    set_difference(product, product, t.x);
    set_product(t.y, slope, product);
    set_difference(t.y, t.y, h);
    set_product(line.l0, slope, q.x);
    set_product(product, q.y, t.z);
    set_difference(line.l0, line.l0, product);
    set_negative(line.l2, slope);
    line.l3 = t.z;
}

// value *= the tangent at the multiple; doubles the multiple.
CALLED void double_step(Fp12 &value, Pair &pair) {
    Line line;
    set_tangent(line, pair.multiple);
    multiply_by_line_at(value, line, pair.p);
}

// value *= the line through the multiple and q; adds q to the multiple.
CALLED void add_step(Fp12 &value, Pair &pair) {
    Line line;
    set_chord(line, pair.multiple, pair.q);
    multiply_by_line_at(value, line, pair.p);
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
