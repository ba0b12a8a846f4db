// SPDX-License-Identifier: Apache-2.0 OR MIT
// Conversions of residues from some primes to others (Halevi, Polyakov, Shoup, CT-RSA 2019, section
// 2.2): x modulo B is sum_i y_i (B/b_i) - v B, where y_i = x_i (B/b_i)^-1 mod b_i, and v is sum_i
// y_i/b_i rounded to the nearest integer, in fixed point with FRACTION_BITS bits.
#pragma once

#include "limb.cuh"

constexpr uint32 FRACTION_BITS = 59;
constexpr uint32 MAX_SOURCES = 24;
// Threads of a block, and coefficients of a thread.
constexpr uint32 CONVERT_THREADS = 128;
constexpr uint32 CONVERT_EACH = 2;
constexpr uint32 CONVERT_BLOCK = CONVERT_THREADS * CONVERT_EACH;
// Targets that are computed at a time.
constexpr uint32 TARGETS = 4;

// A conversion to some targets. The sources and the targets are parts of lists; the factors of
// TARGETS targets for a source are next to each other.
struct ConvertJob {
    uint32 first_source, sources, first_target, targets;
    // The first factor, in units of TARGETS words.
    uint64 first_factor;
    uint64 reserved;
};

struct ConvertSource {
    Limb from;
    uint32 prime;
    // 30 minus the number of bits of the prime b: y * 2^shift is below 2^30.
    uint32 shift;
    // floor(2^59 / (b * 2^shift)), below 2^30.
    uint32 reciprocal;
    // 1 if the residues are already y.
    uint32 is_ready;
    // (B/b)^-1 times the factor before the conversion.
    Shoup ready;
};

struct ConvertTarget {
    Limb to;
    uint32 prime;
    // -B times the factor after the conversion, in Montgomery form.
    uint32 overflow;
};

// The y of a thread's coefficients, and the multiples of B that a conversion subtracts.
DEVICE void load_sources(Buffers buffers, const Prime *primes, const ConvertJob &job,
                         const ConvertSource *sources, uint32 first, uint32 degree,
                         uint32 (*y)[CONVERT_BLOCK], uint32 (&overflow)[CONVERT_EACH]) {
    uint64 sum[CONVERT_EACH];
    UNROLL
    for (uint32 each = 0; each < CONVERT_EACH; ++each) sum[each] = 1ull << (FRACTION_BITS - 1);
    NO_UNROLL
    for (uint32 index = 0; index < job.sources; ++index) {
        const ConvertSource &source = sources[job.first_source + index];
        const uint32 *from = words_of(buffers, source.from);
        const uint32 q = primes[source.prime].modulus;
        UNROLL
        for (uint32 each = 0; each < CONVERT_EACH; ++each) {
            const uint32 local = thread_index() + each * CONVERT_THREADS;
            uint32 x = first + local < degree ? from[first + local] : 0;
            if (!source.is_ready) x = mul_shoup(x, source.ready, q);
            y[index][local] = x;
            sum[each] += wide_product(x << source.shift, source.reciprocal);
        }
    }
    UNROLL
    for (uint32 each = 0; each < CONVERT_EACH; ++each) {
        overflow[each] = static_cast<uint32>(sum[each] >> FRACTION_BITS);
    }
}

// The sums of TARGETS targets, open or reduced.
struct TargetSums {
    uint64 open[CONVERT_EACH][TARGETS];
    uint32 reduced[CONVERT_EACH][TARGETS];
};

DEVICE void close_targets(const Prime *primes, const ConvertTarget *targets, uint32 count,
                          TargetSums &sums) {
    UNROLL
    for (uint32 target = 0; target < TARGETS; ++target) {
        if (target < count) {
            const Prime prime = primes[targets[target].prime];
            UNROLL
            for (uint32 each = 0; each < CONVERT_EACH; ++each) {
                uint32 part = montgomery_reduce(sums.open[each][target], prime);
                uint32 &reduced = sums.reduced[each][target];
                reduced = add_mod(reduced, part, prime.modulus);
                sums.open[each][target] = 0;
            }
        }
    }
}

// Computes at most TARGETS targets. The multiple of B belongs to the first sum: 12 products with y
// below a prime 1 modulo 64 leave room for one by a number below 32.
DEVICE void convert_targets(Buffers buffers, const Prime *primes, const ConvertJob &job,
                            const ConvertTarget *targets, uint32 count, const Four *factors,
                            const uint32 (*y)[CONVERT_BLOCK],
                            const uint32 (&overflow)[CONVERT_EACH], uint32 first,
                            uint32 degree) {
    TargetSums sums;
    UNROLL
    for (uint32 target = 0; target < TARGETS; ++target) {
        const uint32 by = target < count ? targets[target].overflow : 0;
        UNROLL
        for (uint32 each = 0; each < CONVERT_EACH; ++each) {
            sums.open[each][target] = wide_product(overflow[each], by);
            sums.reduced[each][target] = 0;
        }
    }
    NO_UNROLL
    for (uint32 source = 0; source < job.sources; ++source) {
        const Four by = factors[source];
        UNROLL
        for (uint32 each = 0; each < CONVERT_EACH; ++each) {
            const uint32 a = y[source][thread_index() + each * CONVERT_THREADS];
            UNROLL
            for (uint32 target = 0; target < TARGETS; ++target) {
                sums.open[each][target] += wide_product(a, by.at[target]);
            }
        }
        if (source % TERMS == TERMS - 1) close_targets(primes, targets, count, sums);
    }
    close_targets(primes, targets, count, sums);
    UNROLL
    for (uint32 target = 0; target < TARGETS; ++target) {
        if (target < count) {
            uint32 *to = words_of(buffers, targets[target].to);
            UNROLL
            for (uint32 each = 0; each < CONVERT_EACH; ++each) {
                const uint32 index = first + thread_index() + each * CONVERT_THREADS;
                if (index < degree) to[index] = sums.reduced[each][target];
            }
        }
    }
}
