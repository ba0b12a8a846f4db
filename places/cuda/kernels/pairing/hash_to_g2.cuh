// SPDX-License-Identifier: Apache-2.0 OR MIT
// Maps elements of F_p^2 to G2, as BLS12381G2_XMD:SHA-256_SSWU_RO_ does (RFC 9380, section 8.8.2).
#pragma once

#include "points.cuh"

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
