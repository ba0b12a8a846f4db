// SPDX-License-Identifier: Apache-2.0 OR MIT
// Points of y^2 = x^3 + 7 over secp256k1's field, in Jacobian coordinates (x = X/Z^2, y = Y/Z^3).
// Z = 0 is the point at infinity. The formulas do not use the 7, so they also hold on the
// isomorphic curves y^2 = x^3 + 7 z^6.
//
// Formulas: Bernstein, Lange, "Explicit-formulas database", short Weierstrass curves with a = 0.
#pragma once

#include "../field/primes.cuh"
#include "secp256k1_constants.cuh"

using Base = Secp256k1Base;
using Scalar = Secp256k1Scalar;
using BaseElement = Element<Base>;

struct AffinePoint {
    BaseElement x, y;
};

struct JacobianPoint {
    BaseElement x, y, z;
};

DEVICE JacobianPoint infinity_point() {
    return {one<Base>(), one<Base>(), zero_limbs<8>()};
}

DEVICE AffinePoint generator_point() {
    AffinePoint point;
    UNROLL for (uint32 i = 0; i < 8; ++i) {
        point.x.words[i] = generator_x(i);
        point.y.words[i] = generator_y(i);
    }
    return point;
}

// dbl-2009-l: 2 products and 5 squares.
DEVICE void double_point(JacobianPoint &p) {
    BaseElement a = square<Base>(p.x), b = square<Base>(p.y), c = square<Base>(b);
    BaseElement d = square<Base>(add<Base>(p.x, b));
    d = twice<Base>(subtract<Base>(subtract<Base>(d, a), c));
    BaseElement e = add<Base>(twice<Base>(a), a);
    p.z = twice<Base>(multiply<Base>(p.y, p.z));
    p.x = subtract<Base>(square<Base>(e), twice<Base>(d));
    c = twice<Base>(twice<Base>(twice<Base>(c)));
    p.y = subtract<Base>(multiply<Base>(e, subtract<Base>(d, p.x)), c);
}

// p += q, for different points that are not opposite or infinity, given H = U2 - X1 and
// R = S2 - Y1. Z is multiplied by H.
DEVICE void add_differences(JacobianPoint &p, const BaseElement &h, const BaseElement &r) {
    BaseElement hh = square<Base>(h), hhh = multiply<Base>(h, hh), v = multiply<Base>(p.x, hh);
    p.x = subtract<Base>(subtract<Base>(square<Base>(r), hhh), twice<Base>(v));
    p.y = subtract<Base>(multiply<Base>(r, subtract<Base>(v, p.x)), multiply<Base>(p.y, hhh));
    p.z = multiply<Base>(p.z, h);
}

// p += q for any p: 8 products and 3 squares (madd).
DEVICE void add_affine(JacobianPoint &p, const AffinePoint &q) {
    if (is_zero_limbs(p.z)) {
        p = {q.x, q.y, one<Base>()};
        return;
    }
    BaseElement zz = square<Base>(p.z);
    BaseElement h = subtract<Base>(multiply<Base>(q.x, zz), p.x);
    BaseElement r = subtract<Base>(multiply<Base>(q.y, multiply<Base>(p.z, zz)), p.y);
    if (is_zero_limbs(h)) {
        if (is_zero_limbs(r)) {
            double_point(p);
        } else {
            p = infinity_point();
        }
        return;
    }
    add_differences(p, h, r);
}

// p += q for any points: 12 products and 4 squares.
DEVICE void add_jacobian(JacobianPoint &p, const JacobianPoint &q) {
    if (is_zero_limbs(q.z)) return;
    if (is_zero_limbs(p.z)) {
        p = q;
        return;
    }
    BaseElement zz = square<Base>(p.z), qq = square<Base>(q.z);
    BaseElement h = subtract<Base>(multiply<Base>(q.x, zz), multiply<Base>(p.x, qq));
    BaseElement s1 = multiply<Base>(p.y, multiply<Base>(q.z, qq));
    BaseElement r = subtract<Base>(multiply<Base>(q.y, multiply<Base>(p.z, zz)), s1);
    if (is_zero_limbs(h)) {
        if (is_zero_limbs(r)) {
            double_point(p);
        } else {
            p = infinity_point();
        }
        return;
    }
    p.x = multiply<Base>(p.x, qq);
    p.y = s1;
    p.z = multiply<Base>(p.z, q.z);
    add_differences(p, h, r);
}

DEVICE BaseElement curve_constant() {
    BaseElement seven = zero_limbs<8>();
    seven.words[0] = 7;
    return seven;
}

// x^3 + 7.
DEVICE BaseElement curve_square(const BaseElement &x) {
    return add<Base>(multiply<Base>(square<Base>(x), x), curve_constant());
}

DEVICE BaseElement square_times(BaseElement a, uint32 count) {
    NO_UNROLL for (uint32 i = 0; i < count; ++i) a = square<Base>(a);
    return a;
}

// Returns a^((p + 1) / 4), the square root of a if it has one. The exponent in binary is 223 ones,
// 0, 22 ones, 0000, 11, 00. A run of m + n ones follows from the runs of m and n.
DEVICE BaseElement square_root(const BaseElement &a) {
    BaseElement two = multiply<Base>(square_times(a, 1), a);
    BaseElement run = multiply<Base>(square_times(two, 1), a);  // 3
    BaseElement three = run;
    run = multiply<Base>(square_times(run, 3), three);  // 6
    run = multiply<Base>(square_times(run, 3), three);  // 9
    run = multiply<Base>(square_times(run, 2), two);    // 11
    BaseElement run_22 = multiply<Base>(square_times(run, 11), run);
    BaseElement run_44 = multiply<Base>(square_times(run_22, 22), run_22);
    run = multiply<Base>(square_times(run_44, 44), run_44);  // 88
    run = multiply<Base>(square_times(run, 88), run);        // 176
    run = multiply<Base>(square_times(run, 44), run_44);     // 220
    run = multiply<Base>(square_times(run, 3), three);       // 223
    run = multiply<Base>(square_times(run, 23), run_22);
    run = multiply<Base>(square_times(run, 6), two);
    return square_times(run, 2);
}

// Sets y of the point with this x and this parity of y; returns false if there is none.
DEVICE bool lift_x(const BaseElement &x, uint32 parity, BaseElement &y) {
    BaseElement wanted = curve_square(x);
    y = square_root(wanted);
    if (!equal_limbs(square<Base>(y), wanted)) return false;
    if ((y.words[0] & 1) != parity) y = negate<Base>(y);
    return true;
}
