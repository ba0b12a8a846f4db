// SPDX-License-Identifier: Apache-2.0 OR MIT
// Points of y^2 = x^3 + b over F_p and F_p^2, the tests for the groups G1 and G2, and encodings.
//
// An affine point at infinity has x = y = 0, a Jacobian one Z = 0.
#pragma once

#include "fields.cuh"

template <class F> struct Affine {
    F x, y;
};

// (X / Z^2, Y / Z^3).
template <class F> struct Jacobian {
    F x, y, z;
};

template <class F> DEVICE bool is_infinity(const Affine<F> &p) {
    return is_zero(p.x) && is_zero(p.y);
}

template <class F> DEVICE void set_infinity(Affine<F> &p) {
    set_zero(p.x);
    set_zero(p.y);
}

template <class F> CALLED void set_jacobian(Jacobian<F> &result, const Affine<F> &p) {
    result.x = p.x;
    result.y = p.y;
    if (is_infinity(p)) {
        set_zero(result.z);
    } else {
        set_one(result.z);
    }
}

template <class F> CALLED void set_affine(Affine<F> &result, const Jacobian<F> &p) {
    F inverse, square;
    set_inverse(inverse, p.z);
    set_square(square, inverse);
    set_product(result.x, p.x, square);
    set_product(square, square, inverse);
    set_product(result.y, p.y, square);
}

template <class F> CALLED void double_point(Jacobian<F> &p) {
    F xx, yy, d, e;
    set_square(xx, p.x);
    set_square(yy, p.y);
    set_product(p.z, p.z, p.y);
    set_sum(p.z, p.z, p.z);
    set_product(d, p.x, yy);
    set_sum(d, d, d);
    set_sum(d, d, d);
    set_sum(e, xx, xx);
    set_sum(e, e, xx);
    set_square(p.x, e);
    set_difference(p.x, p.x, d);
    set_difference(p.x, p.x, d);
    set_difference(d, d, p.x);
    set_product(p.y, e, d);
    set_square(yy, yy);
    NO_UNROLL for (uint32 i = 0; i < 3; ++i) set_sum(yy, yy, yy);
    set_difference(p.y, p.y, yy);
}

// Ends an addition of points with different x. p has (U1, S1) and the product of both Z; h is
// U2 - U1 and not 0, and r is S2 - S1.
template <class F> CALLED void set_chord_sum(Jacobian<F> &p, F &h, const F &r) {
    F square, v;
    set_product(p.z, p.z, h);
    set_square(square, h);
    set_product(v, p.x, square);
    set_product(h, h, square);
    set_square(p.x, r);
    set_difference(p.x, p.x, h);
    set_difference(p.x, p.x, v);
    set_difference(p.x, p.x, v);
    set_product(h, h, p.y);
    set_difference(v, v, p.x);
    set_product(p.y, r, v);
    set_difference(p.y, p.y, h);
}

// p += q, for any two points.
template <class F> CALLED void add_point(Jacobian<F> &p, const Jacobian<F> &q) {
    if (is_zero(q.z)) return;
    if (is_zero(p.z)) {
        p = q;
        return;
    }
    F square, h, r;
    // U2 - U1 and S2 - S1; U1 and S1 replace x and y of p.
    set_square(square, p.z);
    set_product(h, q.x, square);
    set_product(square, square, p.z);
    set_product(r, q.y, square);
    set_square(square, q.z);
    set_product(p.x, p.x, square);
    set_product(square, square, q.z);
    set_product(p.y, p.y, square);
    set_difference(h, h, p.x);
    set_difference(r, r, p.y);
    if (is_zero(h)) {
        if (is_zero(r)) {
            // p is (U1, S1) with the Z of both.
            set_product(p.z, p.z, q.z);
            double_point(p);
        } else {
            set_zero(p.z);
        }
        return;
    }
    set_product(p.z, p.z, q.z);
    set_chord_sum(p, h, r);
}

// p += q for an affine q, for any two points.
template <class F> CALLED void add_affine_point(Jacobian<F> &p, const Affine<F> &q) {
    if (is_infinity(q)) return;
    if (is_zero(p.z)) {
        set_jacobian(p, q);
        return;
    }
    F square, h, r;
    set_square(square, p.z);
    set_product(h, q.x, square);
    set_product(square, square, p.z);
    set_product(r, q.y, square);
    set_difference(h, h, p.x);
    set_difference(r, r, p.y);
    if (!is_zero(h)) {
        set_chord_sum(p, h, r);
    } else if (is_zero(r)) {
        double_point(p);
    } else {
        set_zero(p.z);
    }
}

template <class F> DEVICE void negate_point(Jacobian<F> &p) { set_negative(p.y, p.y); }

// -z, where z is the parameter of the curve.
constexpr uint64 PARAMETER = 0xd201000000010000;

// p = -z * p.
template <class F> CALLED void multiply_by_parameter(Jacobian<F> &p) {
    Jacobian<F> base = p;
    NO_UNROLL for (uint32 bit = 63; bit > 0; --bit) {
        double_point(p);
        if ((PARAMETER >> (bit - 1) & 1) != 0) add_point(p, base);
    }
}

// result = scalar * p for a public scalar: four bits at a time.
template <class F, uint32 SCALAR_WORDS = 8>
CALLED void set_multiple(Jacobian<F> &result, const Jacobian<F> &p, const uint32 *scalar) {
    Jacobian<F> multiples[15];
    multiples[0] = p;
    NO_UNROLL for (uint32 i = 1; i < 15; ++i) {
        multiples[i] = multiples[i - 1];
        add_point(multiples[i], p);
    }
    result = p;
    set_zero(result.z);
    NO_UNROLL for (uint32 place = 8 * SCALAR_WORDS; place > 0; --place) {
        NO_UNROLL for (uint32 i = 0; i < 4; ++i) double_point(result);
        uint32 digit = scalar[(place - 1) / 8] >> ((place - 1) % 8 * 4) & 15;
        if (digit != 0) add_point(result, multiples[digit - 1]);
    }
}

// Returns true if a Jacobian point that is not infinity is the affine one.
template <class F> CALLED bool is_same_point(const Jacobian<F> &p, const Affine<F> &q) {
    F square, number;
    if (is_zero(p.z)) return false;
    set_square(square, p.z);
    set_product(number, q.x, square);
    if (!is_equal(number, p.x)) return false;
    set_product(square, square, p.z);
    set_product(number, q.y, square);
    return is_equal(number, p.y);
}

// p = psi(p), which multiplies points of G2 by z.
template <class P> CALLED void map_psi(P &p) {
    Fp2 x = constant_fp2(G2_PSI), y = constant_fp2(G2_PSI + 24);
    set_conjugate(p.x, p.x);
    set_conjugate(p.y, p.y);
    set_product(p.x, p.x, x);
    set_product(p.y, p.y, y);
}

// Returns true if a finite point of the curve is in the group of order r: an endomorphism
// multiplies it as it multiplies the group (Scott, "A note on group membership tests for G1, G2 and
// GT on BLS pairing-friendly curves", 2021).
CALLED bool is_in_group(const Affine<Fp> &p) {
    Jacobian<Fp> multiple;
    set_jacobian(multiple, p);
    multiply_by_parameter(multiple);
    multiply_by_parameter(multiple);
    negate_point(multiple);
    Affine<Fp> image = p;
    Fp beta = constant_fp(G1_BETA);
    set_product(image.x, image.x, beta);
    return is_same_point(multiple, image);
}

CALLED bool is_in_group(const Affine<Fp2> &p) {
    Jacobian<Fp2> multiple;
    set_jacobian(multiple, p);
    multiply_by_parameter(multiple);
    negate_point(multiple);
    Affine<Fp2> image = p;
    map_psi(image);
    return is_same_point(multiple, image);
}

DEVICE void set_curve_constant(Fp &b) { b = constant_fp(G1_B); }
DEVICE void set_curve_constant(Fp2 &b) { b = constant_fp2(G2_B); }

// Points between kernels: word w of point i is at w * stride + i.
DEVICE void load_element(Fp &a, const uint32 *words, uint64 stride) {
    a = load_limbs<12>(words, stride);
}
DEVICE void load_element(Fp2 &a, const uint32 *words, uint64 stride) {
    a = {load_limbs<12>(words, stride), load_limbs<12>(words + 12 * stride, stride)};
}
DEVICE void store_element(uint32 *words, const Fp &a, uint64 stride) {
    store_limbs(words, a, stride);
}
DEVICE void store_element(uint32 *words, const Fp2 &a, uint64 stride) {
    store_limbs(words, a.c0, stride);
    store_limbs(words + 12 * stride, a.c1, stride);
}

template <class F> constexpr uint64 WORDS_OF = sizeof(F) / sizeof(uint32);

template <class F> CALLED void load_point(Affine<F> &p, const uint32 *points, uint64 stride) {
    load_element(p.x, points, stride);
    load_element(p.y, points + WORDS_OF<F> * stride, stride);
}

template <class F> CALLED void store_point(uint32 *points, const Affine<F> &p, uint64 stride) {
    store_element(points, p.x, stride);
    store_element(points + WORDS_OF<F> * stride, p.y, stride);
}
