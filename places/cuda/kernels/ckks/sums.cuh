// SPDX-License-Identifier: Apache-2.0 OR MIT
// Sums of products of limbs with limbs, such as gadget products with keys, or with numbers.
#pragma once

#include "limb.cuh"

// A sum of some terms of a list: of a_i * b_i * 2^-32, + added if `has_added`. The result is
// written through the automorphism X -> X^e, where `exponent` is the inverse of e modulo 2N.
struct SumJob {
    Limb to, added;
    uint32 prime, first, count, exponent;
    uint32 has_added, reserved;
};

// A product. Each word of b counts for 2^log_run residues in a row.
struct ProductTerm {
    Limb a, b;
    uint32 log_run, reserved;
};

// A product with numbers in Montgomery form, for the lower and for the upper half of the residues.
struct NumberTerm {
    Limb a;
    uint32 lower, upper;
};

// Four sums of at most TERMS products, and of the reduced sums before them.
struct FourSums {
    uint64 open[4];
    uint32 reduced[4];
};

DEVICE void add_product(FourSums &sums, const Four &a, const Four &b) {
    UNROLL
    for (uint32 word = 0; word < 4; ++word) sums.open[word] += wide_product(a.at[word], b.at[word]);
}

DEVICE void close_sums(FourSums &sums, const Prime &prime) {
    UNROLL
    for (uint32 word = 0; word < 4; ++word) {
        uint32 part = montgomery_reduce(sums.open[word], prime);
        sums.reduced[word] = add_mod(sums.reduced[word], part, prime.modulus);
        sums.open[word] = 0;
    }
}

// Four factors from `index` on.
DEVICE Four factors_at(const uint32 *words, uint32 index, uint32 log_run) {
    if (log_run == 0) return load_four(words, index);
    Four four;
    UNROLL
    for (uint32 word = 0; word < 4; ++word) four.at[word] = words[(index + word) >> log_run];
    return four;
}

// The sums of a job for four residues from `index` on.
DEVICE FourSums products_at(Buffers buffers, const Prime &prime, const SumJob &job,
                            const ProductTerm *terms, uint32 index) {
    FourSums sums{};
    NO_UNROLL
    for (uint32 term = 0; term < job.count; ++term) {
        const ProductTerm &product = terms[job.first + term];
        Four a = load_four(words_of(buffers, product.a), index);
        add_product(sums, a, factors_at(words_of(buffers, product.b), index, product.log_run));
        if (term % TERMS == TERMS - 1) close_sums(sums, prime);
    }
    close_sums(sums, prime);
    return sums;
}

DEVICE FourSums combination_at(Buffers buffers, const Prime &prime, const SumJob &job,
                               const NumberTerm *terms, uint32 index, bool is_upper) {
    FourSums sums{};
    NO_UNROLL
    for (uint32 term = 0; term < job.count; ++term) {
        const NumberTerm &product = terms[job.first + term];
        uint32 by = is_upper ? product.upper : product.lower;
        add_product(sums, load_four(words_of(buffers, product.a), index), Four{{by, by, by, by}});
        if (term % TERMS == TERMS - 1) close_sums(sums, prime);
    }
    close_sums(sums, prime);
    return sums;
}

// Adds the polynomial of the job, and writes four residues.
DEVICE void write_sums(Buffers buffers, const SumJob &job, FourSums &sums, uint32 q, uint32 index,
                       uint32 log_degree) {
    if (job.has_added) {
        Four added = load_four(words_of(buffers, job.added), index);
        UNROLL
        for (uint32 word = 0; word < 4; ++word) {
            sums.reduced[word] = add_mod(sums.reduced[word], added.at[word], q);
        }
    }
    uint32 *to = words_of(buffers, job.to);
    if (job.exponent == 1) {
        const uint32 *sum = sums.reduced;
        store_four(to, index, Four{{sum[0], sum[1], sum[2], sum[3]}});
        return;
    }
    UNROLL
    for (uint32 word = 0; word < 4; ++word) {
        to[image_index(index + word, job.exponent, log_degree)] = sums.reduced[word];
    }
}
