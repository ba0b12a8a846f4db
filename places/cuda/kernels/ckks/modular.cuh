// SPDX-License-Identifier: Apache-2.0 OR MIT
// Arithmetic modulo primes below 2^30, one word a residue. Residues are in [0, q) unless a function
// states another range.
#pragma once

#include "../platform/platform.cuh"

// A prime q with its constants, as the host fills them in.
struct Prime {
    uint32 modulus;
    // -1/q mod 2^32.
    uint32 negated_inverse;
    // The number k of bits of q.
    uint32 bits;
    // floor(2^(2k) / q), below 2^(k + 1).
    uint32 barrett;
    // psi, a primitive 2N-th root of unity, and 1/psi.
    uint32 root, inverse_root;
    uint32 reserved[2];
};

// A constant factor in [0, q), and floor(factor * 2^32 / q) (Harvey, "Faster arithmetic for
// number-theoretic transforms", 2014, section 3).
struct alignas(8) Shoup {
    uint32 factor, quotient;
};

DEVICE uint32 smaller(uint32 a, uint32 b) { return a < b ? a : b; }

// a mod q for a in [0, 2q), where 2q is below 2^32.
DEVICE uint32 reduce_once(uint32 a, uint32 q) { return smaller(a, a - q); }

DEVICE uint32 add_mod(uint32 a, uint32 b, uint32 q) { return reduce_once(a + b, q); }

DEVICE uint32 sub_mod(uint32 a, uint32 b, uint32 q) { return reduce_once(a + q - b, q); }

// a * factor in [0, 2q), for any a: one high and two low products.
DEVICE uint32 mul_lazy(uint32 a, Shoup by, uint32 q) {
    return a * by.factor - mul_hi(a, by.quotient) * q;
}

// a * factor mod q, for any a.
DEVICE uint32 mul_shoup(uint32 a, Shoup by, uint32 q) { return reduce_once(mul_lazy(a, by, q), q); }

DEVICE uint64 wide_product(uint32 a, uint32 b) { return static_cast<uint64>(a) * b; }

// a mod q for a below 2^(2k), where k is the number of bits of q (Barrett, 1986): the estimate of
// the quotient is at most 2 too small.
DEVICE uint32 reduce_wide(uint64 a, const Prime &prime) {
    uint32 q = prime.modulus;
    uint32 high = static_cast<uint32>(a >> (prime.bits - 1));
    uint32 quotient = static_cast<uint32>(wide_product(high, prime.barrett) >> (prime.bits + 1));
    uint32 rest = static_cast<uint32>(a) - quotient * q;
    return reduce_once(reduce_once(rest, 2 * q), q);
}

DEVICE uint32 mul_mod(uint32 a, uint32 b, const Prime &prime) {
    return reduce_wide(wide_product(a, b), prime);
}

// a * 2^-32 mod q (Montgomery, 1985) for a of at most 12 * (2^30 - 32) * q: then the sum of the
// high words is below 4q.
DEVICE uint32 montgomery_reduce(uint64 a, const Prime &prime) {
    uint32 q = prime.modulus;
    uint32 low = static_cast<uint32>(a), high = static_cast<uint32>(a >> 32);
    // The low words add up to 0, with a carry unless both are 0.
    uint32 sum = high + mul_hi(low * prime.negated_inverse, q) + (low != 0 ? 1 : 0);
    return reduce_once(reduce_once(sum, 2 * q), q);
}

// Products that a sum takes before a reduction.
constexpr uint32 TERMS = 12;
