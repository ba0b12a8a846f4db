// SPDX-License-Identifier: Apache-2.0 OR MIT
// Maps elements of F_p to G1, as BLS12381G1_XMD:SHA-256_SSWU_RO_ does (RFC 9380, section 8.8.1).
#pragma once

#include "points.cuh"

// Number of coefficients of the isogeny's polynomials.
constexpr uint32 G1_ISOGENY_X_SIZE = 12, G1_ISOGENY_Y_SIZE = 16, G1_ISOGENY_KERNEL_SIZE = 6;

// result = w^d * f(x / w) for a polynomial f of degree d = size - 1, whose coefficients are given
// with the constant term first; powers[i] is w^(i + 1).
CALLED void set_polynomial(Fp &result, const uint32 *coefficients, uint32 size, const Fp &x,
                           const Fp *powers) {
    Fp value = constant_fp(coefficients + 12 * (size - 1)), term;
    NO_UNROLL for (uint32 i = size - 1; i > 0; --i) {
        term = constant_fp(coefficients + 12 * (i - 1));
        set_product(term, term, powers[size - i - 1]);
        set_product(value, value, x);
        set_sum(value, value, term);
    }
    result = value;
}

// The isogeny of degree 11 to the curve of G1 (appendix E.2): (f / h^2, y * g / h^3) for
// polynomials f, g and h of x.
CALLED void map_isogeny(Jacobian<Fp> &p) {
    Fp powers[G1_ISOGENY_Y_SIZE - 1], value;
    set_square(powers[0], p.z);
    NO_UNROLL for (uint32 i = 1; i < G1_ISOGENY_Y_SIZE - 1; ++i) {
        set_product(powers[i], powers[i - 1], powers[0]);
    }
    set_polynomial(value, G1_ISOGENY_KERNEL, G1_ISOGENY_KERNEL_SIZE, p.x, powers);
    set_product(p.z, p.z, value);
    set_polynomial(value, G1_ISOGENY_Y, G1_ISOGENY_Y_SIZE, p.x, powers);
    set_product(p.y, p.y, value);
    set_polynomial(value, G1_ISOGENY_X, G1_ISOGENY_X_SIZE, p.x, powers);
    p.x = value;
}

// map_to_curve_simple_swu without an inversion (appendix F.2, with sqrt_ratio_3mod4), and the
// isogeny. With x = n / d, x^3 + A * x + B = m / d^3.
CALLED void map_to_curve(Jacobian<Fp> &result, const Fp &u) {
    Fp factor, n, d, m, v, y, term, constant = constant_fp(G1_SSWU_Z);
    set_square(factor, u);
    set_product(factor, factor, constant);
    set_square(d, factor);
    set_sum(d, d, factor);
    set_one(n);
    set_sum(n, n, d);
    if (is_zero(d)) {
        d = constant;
    } else {
        set_negative(d, d);
    }
    constant = constant_fp(G1_SSWU_A);
    set_product(d, d, constant);
    set_square(term, d);
    set_product(v, term, d);
    set_product(term, term, constant);
    constant = constant_fp(G1_SSWU_B);
    set_product(n, n, constant);
    set_square(m, n);
    set_sum(m, m, term);
    set_product(m, m, n);
    set_product(term, v, constant);
    set_sum(m, m, term);
    // y = m * v * (m * v^3)^((p - 3) / 4) is a root of m / v or of -m / v.
    Fp both;
    set_product(both, m, v);
    set_square(term, v);
    set_product(term, term, both);
    set_power(y, term, EXPONENT_ROOT);
    set_product(y, y, both);
    set_square(term, y);
    set_product(term, term, v);
    if (!is_equal(term, m)) {
        constant = constant_fp(G1_SSWU_ROOT);
        set_product(n, n, factor);
        set_product(factor, factor, u);
        set_product(factor, factor, constant);
        set_product(y, y, factor);
    }
    if (is_odd(u) != is_odd(y)) set_negative(y, y);
    set_product(result.x, n, d);
    set_product(result.y, y, v);
    result.z = d;
    map_isogeny(result);
}

// Multiplies a point of the curve by the effective cofactor 1 - z, where z is the parameter
// (section 8.8.1).
CALLED void clear_cofactor(Jacobian<Fp> &p) {
    Jacobian<Fp> multiple = p;
    multiply_by_parameter(multiple);
    add_point(p, multiple);
}
