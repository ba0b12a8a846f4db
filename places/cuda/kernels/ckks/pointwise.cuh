// SPDX-License-Identifier: Apache-2.0 OR MIT
// Operations on each residue of a limb.
#pragma once

#include "limb.cuh"

// One limb's operation. Unused limbs are those of the output.
struct PointwiseJob {
    Limb to, a, b, c;
    uint32 prime, operation;
    // A factor for all residues, or numbers for the lower and for the upper half of them.
    Shoup factor;
};

constexpr uint32 OPERATION_COPY = 0;
constexpr uint32 OPERATION_ZERO = 1;
constexpr uint32 OPERATION_ADD = 2;
constexpr uint32 OPERATION_SUBTRACT = 3;
constexpr uint32 OPERATION_NEGATE = 4;
constexpr uint32 OPERATION_MULTIPLY = 5;
constexpr uint32 OPERATION_MULTIPLY_ADD = 6;
constexpr uint32 OPERATION_SCALE = 7;
constexpr uint32 OPERATION_SUBTRACT_SCALE = 8;
constexpr uint32 OPERATION_ADD_NUMBER = 9;

// a operation b, c.
DEVICE uint32 pointwise(const PointwiseJob &job, const Prime &prime, bool is_upper, uint32 a,
                        uint32 b, uint32 c) {
    const uint32 q = prime.modulus;
    switch (job.operation) {
        case OPERATION_COPY: return a;
        case OPERATION_ADD: return add_mod(a, b, q);
        case OPERATION_SUBTRACT: return sub_mod(a, b, q);
        case OPERATION_NEGATE: return sub_mod(0, a, q);
        case OPERATION_MULTIPLY: return mul_mod(a, b, prime);
        case OPERATION_MULTIPLY_ADD: return reduce_wide(wide_product(b, c) + a, prime);
        case OPERATION_SCALE: return mul_shoup(a, job.factor, q);
        case OPERATION_SUBTRACT_SCALE: return mul_shoup(a + q - b, job.factor, q);
        case OPERATION_ADD_NUMBER:
            return add_mod(a, is_upper ? job.factor.quotient : job.factor.factor, q);
        default: return 0;
    }
}

// The number of limbs that an operation reads.
DEVICE uint32 operands(uint32 operation) {
    switch (operation) {
        case OPERATION_ZERO: return 0;
        case OPERATION_ADD:
        case OPERATION_SUBTRACT:
        case OPERATION_MULTIPLY:
        case OPERATION_SUBTRACT_SCALE: return 2;
        case OPERATION_MULTIPLY_ADD: return 3;
        default: return 1;
    }
}

// Four residues.
DEVICE void run_pointwise(Buffers buffers, const Prime *primes, const PointwiseJob &job,
                          uint32 index, uint32 log_degree) {
    const Prime prime = primes[job.prime];
    const uint32 count = operands(job.operation);
    Four a{}, b{}, c{};
    if (count > 0) a = load_four(words_of(buffers, job.a), index);
    if (count > 1) b = load_four(words_of(buffers, job.b), index);
    if (count > 2) c = load_four(words_of(buffers, job.c), index);
    const bool is_upper = (index >> (log_degree - 1)) != 0;
    Four result;
    UNROLL
    for (uint32 word = 0; word < 4; ++word) {
        result.at[word] = pointwise(job, prime, is_upper, a.at[word], b.at[word], c.at[word]);
    }
    store_four(words_of(buffers, job.to), index, result);
}
