// SPDX-License-Identifier: Apache-2.0 OR MIT
// F_p of BLS12-381, and F_p^2 = F_p(i) with i^2 = -1.
//
// Elements of these fields and of those above them lie in local memory: word w of a variable is
// next to word w of the same variable of the other threads, so a warp reads and writes whole lines.
// Functions take references, and the result may be an operand. Those with products are called, not
// inlined: a pairing has thousands of products.
#pragma once

#include "../field/primes.cuh"
#include "bls12_381_constants.cuh"

using Prime = Bls12381Base;
using Fp = Element<Prime>;

// c0 + c1 * i.
struct Fp2 {
    Fp c0, c1;
};

DEVICE Fp constant_fp(const uint32 *words) { return load_limbs<12>(words); }
DEVICE Fp2 constant_fp2(const uint32 *words) {
    return {load_limbs<12>(words), load_limbs<12>(words + 12)};
}

DEVICE void set_zero(Fp &a) { a = zero_limbs<12>(); }
DEVICE void set_one(Fp &a) { a = one<Prime>(); }
DEVICE bool is_zero(const Fp &a) { return is_zero_limbs(a); }
DEVICE bool is_equal(const Fp &a, const Fp &b) { return equal_limbs(a, b); }

CALLED void set_product(Fp &result, const Fp &a, const Fp &b) { result = multiply<Prime>(a, b); }
CALLED void set_square(Fp &result, const Fp &a) { result = square<Prime>(a); }
CALLED void set_sum(Fp &result, const Fp &a, const Fp &b) { result = add<Prime>(a, b); }
CALLED void set_difference(Fp &result, const Fp &a, const Fp &b) {
    result = subtract<Prime>(a, b);
}
DEVICE void set_negative(Fp &result, const Fp &a) { set_difference(result, zero_limbs<12>(), a); }

// result = a^exponent; the exponent has 12 words and is the same in all threads. Windows of four
// bits.
CALLED void set_power(Fp &result, const Fp &a, const uint32 *exponent) {
    Fp powers[16];
    set_one(powers[0]);
    NO_UNROLL for (uint32 i = 1; i < 16; ++i) set_product(powers[i], powers[i - 1], a);
    Fp sum = powers[0];
    NO_UNROLL for (uint32 place = 96; place > 0; --place) {
        NO_UNROLL for (uint32 i = 0; i < 4; ++i) set_square(sum, sum);
        uint32 digit = exponent[(place - 1) / 8] >> ((place - 1) % 8 * 4) & 15;
        set_product(sum, sum, powers[digit]);
    }
    result = sum;
}

// result = 1 / a, or 0 for 0.
DEVICE void set_inverse(Fp &result, const Fp &a) { set_power(result, a, EXPONENT_INVERSE); }

// Sets a square root of a, as p = 3 modulo 4; returns false if there is none.
CALLED bool set_root(Fp &result, const Fp &a) {
    Fp root, check;
    set_power(root, a, EXPONENT_ROOT);
    set_product(root, root, a);
    set_square(check, root);
    bool is_root = is_equal(check, a);
    result = root;
    return is_root;
}

// Returns true if the integer that a represents is above (p - 1) / 2.
DEVICE bool is_upper(const Fp &a) {
    return less_limbs(constant_fp(HALF_MODULUS), from_montgomery<Prime>(a));
}

DEVICE bool is_odd(const Fp &a) { return (from_montgomery<Prime>(a).words[0] & 1) != 0; }

DEVICE void set_zero(Fp2 &a) { a.c0 = a.c1 = zero_limbs<12>(); }
DEVICE void set_one(Fp2 &a) {
    set_one(a.c0);
    set_zero(a.c1);
}
DEVICE bool is_zero(const Fp2 &a) { return is_zero(a.c0) && is_zero(a.c1); }
DEVICE bool is_equal(const Fp2 &a, const Fp2 &b) {
    return is_equal(a.c0, b.c0) && is_equal(a.c1, b.c1);
}

CALLED void set_sum(Fp2 &result, const Fp2 &a, const Fp2 &b) {
    result.c0 = add<Prime>(a.c0, b.c0);
    result.c1 = add<Prime>(a.c1, b.c1);
}

CALLED void set_difference(Fp2 &result, const Fp2 &a, const Fp2 &b) {
    result.c0 = subtract<Prime>(a.c0, b.c0);
    result.c1 = subtract<Prime>(a.c1, b.c1);
}

CALLED void set_negative(Fp2 &result, const Fp2 &a) {
    result.c0 = negate<Prime>(a.c0);
    result.c1 = negate<Prime>(a.c1);
}

DEVICE void set_conjugate(Fp2 &result, const Fp2 &a) {
    result.c0 = a.c0;
    result.c1 = negate<Prime>(a.c1);
}

// result = a * b: three products of 288 multiply-adds and two reductions of 300. Differences of
// products that are negative get p * 2^384; the sum of crossed products is below 2p^2.
CALLED void set_product(Fp2 &result, const Fp2 &a, const Fp2 &b) {
    Fp left, right, high;
    add_limbs(left, a.c0, a.c1);
    add_limbs(right, b.c0, b.c1);
    Limbs<24> first = multiply_wide<12>(a.c0, b.c0), second = multiply_wide<12>(a.c1, b.c1);
    Limbs<24> both, difference;
    add_limbs(both, first, second);
    uint32 borrow = sub_limbs(difference, first, second);
    UNROLL for (uint32 i = 0; i < 12; ++i) high.words[i] = borrow != 0 ? Prime::modulus(i) : 0;
    difference.words[12] = add_cc(difference.words[12], high.words[0]);
    UNROLL for (uint32 i = 1; i < 12; ++i) {
        difference.words[12 + i] = addc_cc(difference.words[12 + i], high.words[i]);
    }
    Limbs<24> crossed = multiply_wide<12>(left, right);
    result.c0 = reduce_wide<Prime>(difference);
    sub_limbs(crossed, crossed, both);
    result.c1 = reduce_wide<Prime>(crossed);
}

// result = a^2 = (c0 + c1) * (c0 - c1) + 2 * c0 * c1 * i.
CALLED void set_square(Fp2 &result, const Fp2 &a) {
    Fp sum, difference = subtract<Prime>(a.c0, a.c1), doubled;
    add_limbs(sum, a.c0, a.c1);
    add_limbs(doubled, a.c0, a.c0);
    Fp crossed = multiply<Prime>(a.c1, doubled);
    result.c0 = multiply<Prime>(difference, sum);
    result.c1 = crossed;
}

// result = a * b for b of F_p.
CALLED void set_scaled(Fp2 &result, const Fp2 &a, const Fp &b) {
    Fp factor = b;
    result.c0 = multiply<Prime>(a.c0, factor);
    result.c1 = multiply<Prime>(a.c1, factor);
}

// result = a * (1 + i).
CALLED void set_times_xi(Fp2 &result, const Fp2 &a) {
    Fp difference = subtract<Prime>(a.c0, a.c1);
    result.c1 = add<Prime>(a.c0, a.c1);
    result.c0 = difference;
}

// The norm, c0^2 + c1^2.
CALLED void set_norm(Fp &result, const Fp2 &a) {
    Fp first, second;
    set_square(first, a.c0);
    set_square(second, a.c1);
    set_sum(result, first, second);
}

// result = 1 / a, or 0 for 0.
CALLED void set_inverse(Fp2 &result, const Fp2 &a) {
    Fp inverse;
    set_norm(inverse, a);
    set_inverse(inverse, inverse);
    set_product(result.c0, a.c0, inverse);
    set_negative(inverse, inverse);
    set_product(result.c1, a.c1, inverse);
}

// Returns true if a has a square root: its norm has one in F_p.
CALLED bool is_square(const Fp2 &a) {
    Fp norm;
    set_norm(norm, a);
    return set_root(norm, norm);
}

// Sets a square root of a; returns false if there is none.
//
// With s^2 the norm and d = (c0 + s) / 2, the root is x + c1 / 2x * i for x^2 = d, or else
// c1 / 2x + x * i for x^2 = -d. Both come from t = d^((p - 3) / 4): x is d * t, and 1 / x is t or
// -t. If d is 0, a is -s, which has the root s^(1/2) * i.
CALLED bool set_root(Fp2 &result, const Fp2 &a) {
    Fp s, d, t, half = constant_fp(ONE_HALF);
    set_norm(s, a);
    if (!set_root(s, s)) return false;
    set_sum(d, a.c0, s);
    set_product(d, d, half);
    bool is_imaginary = is_zero(d);
    if (is_imaginary) d = s;
    set_power(t, d, EXPONENT_ROOT);
    Fp x, y, check;
    set_product(x, d, t);
    set_product(y, a.c1, half);
    set_product(y, y, t);
    set_square(check, x);
    if (is_imaginary) {
        result = {zero_limbs<12>(), x};
    } else if (is_equal(check, d)) {
        result = {x, y};
    } else {
        set_negative(y, y);
        result = {y, x};
    }
    return true;
}

DEVICE bool is_upper(const Fp2 &a) { return is_zero(a.c1) ? is_upper(a.c0) : is_upper(a.c1); }

// sgn0 (RFC 9380, section 4.1).
DEVICE bool is_odd(const Fp2 &a) { return is_zero(a.c0) ? is_odd(a.c1) : is_odd(a.c0); }
