// SPDX-License-Identifier: Apache-2.0 OR MIT
// F_p^6 = F_p^2(v) with v^3 = xi = 1 + i, and F_p^12 = F_p^6(w) with w^2 = v.
#pragma once

#include "fields.cuh"

// c[0] + c[1] * v + c[2] * v^2.
struct Fp6 {
    Fp2 c[3];
};

// c[0] + c[1] * w.
struct Fp12 {
    Fp6 c[2];
};

// Coefficient i of w^0 to w^5.
DEVICE Fp2 &coefficient(Fp12 &a, uint32 i) { return a.c[i % 2].c[i / 2]; }

CALLED void set_sum(Fp6 &result, const Fp6 &a, const Fp6 &b) {
    NO_UNROLL for (uint32 i = 0; i < 3; ++i) set_sum(result.c[i], a.c[i], b.c[i]);
}

CALLED void set_difference(Fp6 &result, const Fp6 &a, const Fp6 &b) {
    NO_UNROLL for (uint32 i = 0; i < 3; ++i) set_difference(result.c[i], a.c[i], b.c[i]);
}

CALLED void set_negative(Fp6 &result, const Fp6 &a) {
    NO_UNROLL for (uint32 i = 0; i < 3; ++i) set_negative(result.c[i], a.c[i]);
}

// result = a * v.
CALLED void set_times_v(Fp6 &result, const Fp6 &a) {
    Fp2 last = a.c[2];
    result.c[2] = a.c[1];
    result.c[1] = a.c[0];
    set_times_xi(result.c[0], last);
}

// result = (a + b) * (c + d) - first - second.
CALLED void set_crossed(Fp2 &result, const Fp2 &a, const Fp2 &b, const Fp2 &c, const Fp2 &d,
                        const Fp2 &first, const Fp2 &second) {
    Fp2 left, right;
    set_sum(left, a, b);
    set_sum(right, c, d);
    set_product(left, left, right);
    set_difference(left, left, first);
    set_difference(result, left, second);
}

// result = a * b: six products in F_p^2.
CALLED void set_product(Fp6 &result, const Fp6 &a, const Fp6 &b) {
    Fp2 first, second, third, c0, c1, c2;
    set_product(first, a.c[0], b.c[0]);
    set_product(second, a.c[1], b.c[1]);
    set_product(third, a.c[2], b.c[2]);
    set_crossed(c0, a.c[1], a.c[2], b.c[1], b.c[2], second, third);
    set_crossed(c1, a.c[0], a.c[1], b.c[0], b.c[1], first, second);
    set_crossed(c2, a.c[0], a.c[2], b.c[0], b.c[2], first, third);
    set_times_xi(c0, c0);
    set_sum(result.c[0], c0, first);
    set_times_xi(third, third);
    set_sum(result.c[1], c1, third);
    set_sum(result.c[2], c2, second);
}

// result = a * (b + c * v): five products in F_p^2.
CALLED void set_sparse_product(Fp6 &result, const Fp6 &a, const Fp2 &b, const Fp2 &c) {
    Fp2 first, second, crossed, c0, c2;
    set_product(first, a.c[0], b);
    set_product(second, a.c[1], c);
    set_crossed(crossed, a.c[0], a.c[1], b, c, first, second);
    set_product(c0, a.c[2], c);
    set_times_xi(c0, c0);
    set_product(c2, a.c[2], b);
    set_sum(result.c[0], c0, first);
    result.c[1] = crossed;
    set_sum(result.c[2], c2, second);
}

// result = 1 / a, or 0 for 0.
CALLED void set_inverse(Fp6 &result, const Fp6 &a) {
    Fp2 first, second, third, norm, term;
    // first = a0^2 - xi * a1 * a2, second = xi * a2^2 - a0 * a1, third = a1^2 - a0 * a2.
    set_product(term, a.c[1], a.c[2]);
    set_times_xi(term, term);
    set_square(first, a.c[0]);
    set_difference(first, first, term);
    set_square(second, a.c[2]);
    set_times_xi(second, second);
    set_product(term, a.c[0], a.c[1]);
    set_difference(second, second, term);
    set_square(third, a.c[1]);
    set_product(term, a.c[0], a.c[2]);
    set_difference(third, third, term);
    // The norm is a0 * first + xi * (a2 * second + a1 * third).
    set_product(norm, a.c[2], second);
    set_product(term, a.c[1], third);
    set_sum(norm, norm, term);
    set_times_xi(norm, norm);
    set_product(term, a.c[0], first);
    set_sum(norm, norm, term);
    set_inverse(norm, norm);
    set_product(result.c[0], first, norm);
    set_product(result.c[1], second, norm);
    set_product(result.c[2], third, norm);
}

DEVICE void set_one(Fp12 &a) {
    NO_UNROLL for (uint32 i = 1; i < 6; ++i) set_zero(coefficient(a, i));
    set_one(a.c[0].c[0]);
}

CALLED bool is_one(const Fp12 &a) {
    Fp2 first;
    set_one(first);
    bool result = is_equal(a.c[0].c[0], first) && is_zero(a.c[1].c[0]);
    NO_UNROLL for (uint32 i = 1; i < 3; ++i) {
        result = result && is_zero(a.c[0].c[i]) && is_zero(a.c[1].c[i]);
    }
    return result;
}

// result = a * b: three products in F_p^6.
CALLED void set_product(Fp12 &result, const Fp12 &a, const Fp12 &b) {
    Fp6 first, second, left, right;
    set_product(first, a.c[0], b.c[0]);
    set_product(second, a.c[1], b.c[1]);
    set_sum(left, a.c[0], a.c[1]);
    set_sum(right, b.c[0], b.c[1]);
    set_product(left, left, right);
    set_difference(left, left, first);
    set_difference(result.c[1], left, second);
    set_times_v(second, second);
    set_sum(result.c[0], first, second);
}

// result = a^2 with t = a0 * a1: (a0 + a1) * (a0 + v * a1) - t - v * t, and 2 * t.
CALLED void set_square(Fp12 &result, const Fp12 &a) {
    Fp6 product, left, right;
    set_product(product, a.c[0], a.c[1]);
    set_sum(left, a.c[0], a.c[1]);
    set_times_v(right, a.c[1]);
    set_sum(right, right, a.c[0]);
    set_product(left, left, right);
    set_difference(left, left, product);
    set_sum(result.c[1], product, product);
    set_times_v(product, product);
    set_difference(result.c[0], left, product);
}

// value *= l0 + l2 * w^2 + l3 * w^3, the form of lines: 13 products in F_p^2.
CALLED void multiply_by_line(Fp12 &value, const Fp2 &l0, const Fp2 &l2, const Fp2 &l3) {
    Fp6 first, second, both;
    Fp2 sum;
    set_sparse_product(first, value.c[0], l0, l2);
    NO_UNROLL for (uint32 i = 0; i < 3; ++i) set_product(second.c[i], value.c[1].c[i], l3);
    set_times_v(second, second);
    set_sum(both, value.c[0], value.c[1]);
    set_sum(sum, l2, l3);
    set_sparse_product(both, both, l0, sum);
    set_difference(both, both, first);
    set_difference(value.c[1], both, second);
    set_times_v(second, second);
    set_sum(value.c[0], first, second);
}

// result = a^(p^6), the inverse of an element of the cyclotomic subgroup.
CALLED void set_conjugate(Fp12 &result, const Fp12 &a) {
    result.c[0] = a.c[0];
    set_negative(result.c[1], a.c[1]);
}

// result = 1 / a, or 0 for 0.
CALLED void set_inverse(Fp12 &result, const Fp12 &a) {
    Fp6 norm, other;
    set_product(norm, a.c[0], a.c[0]);
    set_product(other, a.c[1], a.c[1]);
    set_times_v(other, other);
    set_difference(norm, norm, other);
    set_inverse(norm, norm);
    set_product(result.c[0], a.c[0], norm);
    set_negative(norm, norm);
    set_product(result.c[1], a.c[1], norm);
}

// value = value^p.
CALLED void raise_to_p(Fp12 &value) {
    NO_UNROLL for (uint32 i = 0; i < 6; ++i) {
        Fp2 &part = coefficient(value, i), factor = constant_fp2(FROBENIUS + 24 * i);
        set_conjugate(part, part);
        set_product(part, part, factor);
    }
}

// Squares a + b * s of F_p^4 = F_p^2(s), s^2 = xi: a^2 + xi * b^2, and 2 * a * b.
CALLED void square_fp4(Fp2 &first, Fp2 &second, const Fp2 &a, const Fp2 &b) {
    Fp2 left, right, sum;
    set_sum(sum, a, b);
    set_square(left, a);
    set_square(right, b);
    set_square(sum, sum);
    set_difference(sum, sum, left);
    set_difference(second, sum, right);
    set_times_xi(right, right);
    set_sum(first, left, right);
}

// value = 3 * square - 2 * value, or with a plus for `is_sum`.
CALLED void combine_square(Fp2 &value, const Fp2 &square, bool is_sum) {
    Fp2 part;
    if (is_sum) {
        set_sum(part, square, value);
    } else {
        set_difference(part, square, value);
    }
    set_sum(part, part, part);
    set_sum(value, part, square);
}

// value = value^2 for an element of the cyclotomic subgroup: nine squares in F_p^2 (Granger, Scott,
// "Faster squaring in the cyclotomic subgroup of sixth degree extensions", PKC 2010, section 3.2).
CALLED void square_cyclotomic(Fp12 &value) {
    Fp2 a0, a1, b0, b1, c0, c1;
    square_fp4(a0, a1, value.c[0].c[0], value.c[1].c[1]);
    square_fp4(b0, b1, value.c[1].c[0], value.c[0].c[2]);
    square_fp4(c0, c1, value.c[0].c[1], value.c[1].c[2]);
    set_times_xi(c1, c1);
    combine_square(value.c[0].c[0], a0, false);
    combine_square(value.c[1].c[1], a1, true);
    combine_square(value.c[0].c[1], b0, false);
    combine_square(value.c[1].c[2], b1, true);
    combine_square(value.c[1].c[0], c1, true);
    combine_square(value.c[0].c[2], c0, false);
}
