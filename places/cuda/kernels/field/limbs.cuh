// SPDX-License-Identifier: Apache-2.0 OR MIT
// Integers of N words of 32 bits, lowest first. N is even.
//
// Products keep two accumulators: one of the products at even places, one of those at odd places. A
// row of products of words then is two carry chains that do not overlap (Emmart, Zheng, Weems,
// "Faster modular exponentiation using double precision floating point arithmetic on the GPU",
// ARITH 2018, describes the layout).
#pragma once

#include "../platform/platform.cuh"

// An integer. It stays in registers, since all indices are constants after unrolling.
template <uint32 N> struct Limbs {
    uint32 words[N];
};

template <uint32 N> DEVICE Limbs<N> zero_limbs() {
    Limbs<N> result;
    UNROLL for (uint32 i = 0; i < N; ++i) result.words[i] = 0;
    return result;
}

// Reads an integer whose words are `stride` apart.
template <uint32 N> DEVICE Limbs<N> load_limbs(const uint32 *words, uint64 stride = 1) {
    Limbs<N> result;
    UNROLL for (uint32 i = 0; i < N; ++i) result.words[i] = words[i * stride];
    return result;
}

template <uint32 N>
DEVICE void store_limbs(uint32 *words, const Limbs<N> &value, uint64 stride = 1) {
    UNROLL for (uint32 i = 0; i < N; ++i) words[i * stride] = value.words[i];
}

template <uint32 N> DEVICE bool is_zero_limbs(const Limbs<N> &a) {
    uint32 any = 0;
    UNROLL for (uint32 i = 0; i < N; ++i) any |= a.words[i];
    return any == 0;
}

template <uint32 N> DEVICE bool equal_limbs(const Limbs<N> &a, const Limbs<N> &b) {
    uint32 any = 0;
    UNROLL for (uint32 i = 0; i < N; ++i) any |= a.words[i] ^ b.words[i];
    return any == 0;
}

// Returns `first` if the condition holds, otherwise `second`.
template <uint32 N>
DEVICE Limbs<N> select_limbs(bool condition, const Limbs<N> &first, const Limbs<N> &second) {
    Limbs<N> result;
    UNROLL for (uint32 i = 0; i < N; ++i) {
        result.words[i] = condition ? first.words[i] : second.words[i];
    }
    return result;
}

// sum = a + b modulo 2^32N; returns the carry.
template <uint32 N>
DEVICE uint32 add_limbs(Limbs<N> &sum, const Limbs<N> &a, const Limbs<N> &b) {
    sum.words[0] = add_cc(a.words[0], b.words[0]);
    UNROLL for (uint32 i = 1; i < N; ++i) sum.words[i] = addc_cc(a.words[i], b.words[i]);
    return addc(0, 0);
}

// difference = a - b modulo 2^32N; returns the borrow, 0 or 1.
template <uint32 N>
DEVICE uint32 sub_limbs(Limbs<N> &difference, const Limbs<N> &a, const Limbs<N> &b) {
    difference.words[0] = sub_cc(a.words[0], b.words[0]);
    UNROLL for (uint32 i = 1; i < N; ++i) difference.words[i] = subc_cc(a.words[i], b.words[i]);
    return 0 - subc(0, 0);
}

template <uint32 N> DEVICE bool less_limbs(const Limbs<N> &a, const Limbs<N> &b) {
    Limbs<N> difference;
    return sub_limbs(difference, a, b) != 0;
}

// Doubles a modulo 2^32N; returns the highest bit that it had.
template <uint32 N> DEVICE uint32 shift_left_once(Limbs<N> &a) {
    uint32 highest = a.words[N - 1] >> 31;
    UNROLL for (uint32 i = N - 1; i > 0; --i) {
        a.words[i] = a.words[i] << 1 | a.words[i - 1] >> 31;
    }
    a.words[0] <<= 1;
    return highest;
}

// products = the words 0, 2, ..., N - 2 of a, each times b.
template <uint32 N> DEVICE void multiply_alternate(uint32 *products, const uint32 *a, uint32 b) {
    UNROLL for (uint32 i = 0; i < N; i += 2) {
        products[i] = a[i] * b;
        products[i + 1] = mul_hi(a[i], b);
    }
}

// sum += the words 0, 2, ..., COUNT - 2 of a, each times b, plus the carry of the instruction
// before if CARRY_IN. Leaves the carry for `addc`.
template <uint32 COUNT, bool CARRY_IN>
DEVICE void accumulate_alternate(uint32 *sum, const uint32 *a, uint32 b) {
    sum[0] = CARRY_IN ? madc_lo_cc(a[0], b, sum[0]) : mad_lo_cc(a[0], b, sum[0]);
    sum[1] = madc_hi_cc(a[0], b, sum[1]);
    UNROLL for (uint32 i = 2; i < COUNT; i += 2) {
        sum[i] = madc_lo_cc(a[i], b, sum[i]);
        sum[i + 1] = madc_hi_cc(a[i], b, sum[i + 1]);
    }
}

// The two accumulators of a product: even has place 0 first, odd has place 1 first.
template <uint32 N> struct Accumulators {
    uint32 even[2 * N];
    uint32 odd[2 * N];
};

// product = even + odd * 2^32.
template <uint32 N>
DEVICE void join_accumulators(Limbs<2 * N> &product, const Accumulators<N> &sums) {
    product.words[0] = sums.even[0];
    product.words[1] = add_cc(sums.even[1], sums.odd[0]);
    UNROLL for (uint32 i = 2; i < 2 * N; ++i) {
        product.words[i] = addc_cc(sums.even[i], sums.odd[i - 1]);
    }
}

// Returns a * b: 2 * N^2 multiply-adds.
//
// Row i adds a * b[i] at place i. In either accumulator two rows share their places: the first of
// them cannot carry beyond its N words, the carry of the second begins a new word.
template <uint32 N> DEVICE Limbs<2 * N> multiply_wide(const Limbs<N> &a, const Limbs<N> &b) {
    Accumulators<N> sums;
    UNROLL for (uint32 i = 0; i < 2 * N; ++i) sums.even[i] = sums.odd[i] = 0;
    multiply_alternate<N>(sums.even, a.words, b.words[0]);
    multiply_alternate<N>(sums.odd, a.words + 1, b.words[0]);
    UNROLL for (uint32 i = 1; i < N; ++i) {
        if (i % 2 == 1) {
            accumulate_alternate<N, false>(sums.odd + i - 1, a.words, b.words[i]);
            sums.odd[N + i - 1] = addc(sums.odd[N + i - 1], 0);
            accumulate_alternate<N, false>(sums.even + i + 1, a.words + 1, b.words[i]);
        } else {
            accumulate_alternate<N, false>(sums.even + i, a.words, b.words[i]);
            sums.even[N + i] = addc(sums.even[N + i], 0);
            accumulate_alternate<N, false>(sums.odd + i, a.words + 1, b.words[i]);
        }
    }
    Limbs<2 * N> product;
    join_accumulators<N>(product, sums);
    return product;
}

// Adds the products of word i with the words FIRST, FIRST + 2, ... of a to an accumulator, and
// their carry to the word above.
template <uint32 N, uint32 I, uint32 FIRST>
DEVICE void accumulate_products(uint32 *sum, const Limbs<N> &a) {
    if constexpr (FIRST < N) {
        constexpr uint32 PLACE = (I + FIRST) / 2 * 2, COUNT = (N - FIRST + 1) / 2 * 2;
        accumulate_alternate<COUNT, false>(sum + PLACE, a.words + FIRST, a.words[I]);
        if constexpr (PLACE + COUNT < 2 * N) {
            sum[PLACE + COUNT] = addc(sum[PLACE + COUNT], 0);
        }
    }
}

template <uint32 N, uint32 I>
DEVICE void accumulate_square_rows(Accumulators<N> &sums, const Limbs<N> &a) {
    if constexpr (I + 1 < N) {
        accumulate_products<N, I, I + 1>(sums.odd, a);
        accumulate_products<N, I, I + 2>(sums.even, a);
        accumulate_square_rows<N, I + 1>(sums, a);
    }
}

// Returns a^2: N * (N + 1) multiply-adds. The products of different words are doubled.
template <uint32 N> DEVICE Limbs<2 * N> square_wide(const Limbs<N> &a) {
    Accumulators<N> sums;
    UNROLL for (uint32 i = 0; i < 2 * N; ++i) sums.even[i] = sums.odd[i] = 0;
    accumulate_square_rows<N, 0>(sums, a);
    Limbs<2 * N> crossed, result;
    join_accumulators<N>(crossed, sums);
    result.words[0] = 0;
    result.words[1] = add_cc(crossed.words[1], crossed.words[1]);
    UNROLL for (uint32 i = 2; i < 2 * N; ++i) {
        result.words[i] = addc_cc(crossed.words[i], crossed.words[i]);
    }
    result.words[0] = mad_lo_cc(a.words[0], a.words[0], result.words[0]);
    result.words[1] = madc_hi_cc(a.words[0], a.words[0], result.words[1]);
    UNROLL for (uint32 i = 1; i < N; ++i) {
        result.words[2 * i] = madc_lo_cc(a.words[i], a.words[i], result.words[2 * i]);
        result.words[2 * i + 1] = madc_hi_cc(a.words[i], a.words[i], result.words[2 * i + 1]);
    }
    return result;
}
