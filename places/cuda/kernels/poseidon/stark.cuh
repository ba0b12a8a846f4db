// SPDX-License-Identifier: Apache-2.0 OR MIT
// StarkWare's permutation: x^3, and a matrix of ones plus a diagonal of small numbers
// (github.com/starkware-industries/poseidon).
//
// The state stays in registers, since its width is a constant. Multiples of p up to 31p fit a word
// array of 256 bits, so sums are reduced once an element.
//
// The table of an instance, in elements, t = width, P = partial rounds: 4t constants of the first
// full rounds, P constants of element t - 1, 4t constants of the last full rounds.
#pragma once

#include "../field/primes.cuh"

using Felt = Element<StarkPrime>;

constexpr uint32 STARK_HALF_FULL = 4;

// The diagonal of a width, minus the all-ones matrix.
template <uint32 T> DEVICE int32 stark_diagonal(uint32 i) {
    constexpr int32 three[] = {2, -2, -3}, four[] = {1, 0, -1, -2}, five[] = {2, 1, 0, -2, -3};
    constexpr int32 nine[] = {4, 3, 2, 1, 0, -1, -2, -4, -5};
    static_assert(T == 3 || T == 4 || T == 5 || T == 9, "StarkWare's widths");
    if constexpr (T == 3) {
        return three[i];
    } else if constexpr (T == 4) {
        return four[i];
    } else if constexpr (T == 5) {
        return five[i];
    } else {
        return nine[i];
    }
}

// The words of 5p, which exceeds the multiples that are subtracted.
DEVICE Felt five_moduli() {
    Felt result = zero_limbs<8>();
    result.words[0] = 5;
    result.words[6] = 85;
    result.words[7] = 0x28000000;
    return result;
}

// Reduces a number below 2^256 = 32p - .... The estimate of the quotient by p is its quotient by
// 2^251, which is at most one too large.
DEVICE Felt reduce_small(const Felt &a) {
    uint32 quotient = a.words[7] >> 27;
    Felt multiple = zero_limbs<8>(), rest, corrected;
    multiple.words[0] = quotient;
    multiple.words[6] = 17 * quotient;
    multiple.words[7] = quotient << 27;
    uint32 borrow = sub_limbs(rest, a, multiple);
    add_limbs(corrected, rest, modulus_limbs<StarkPrime>());
    return select_limbs(borrow != 0, corrected, rest);
}

// Returns count * a without reduction, for a count from 1 to 5.
DEVICE Felt small_multiple(const Felt &a, uint32 count) {
    Felt doubled, result = a;
    if (count == 1) return result;
    add_limbs(doubled, a, a);
    if (count >= 4) add_limbs(doubled, doubled, doubled);
    if (count % 2 == 0) return doubled;
    add_limbs(result, doubled, a);
    return result;
}

// Returns (a + constant)^3. The sum is below 2p, its square below p / 8 + p.
DEVICE Felt cube_of_sum(const Felt &a, const uint32 *constant) {
    Felt sum;
    add_limbs(sum, a, load_limbs<8>(constant));
    return multiply<StarkPrime>(square<StarkPrime>(sum), sum);
}

// Multiplies the state by the matrix: sums below 9p + 5p.
template <uint32 T> DEVICE void stark_mix(Felt *state) {
    Felt sum = state[0], lifted;
    UNROLL for (uint32 i = 1; i < T; ++i) add_limbs(sum, sum, state[i]);
    add_limbs(lifted, sum, five_moduli());
    UNROLL for (uint32 i = 0; i < T; ++i) {
        int32 factor = stark_diagonal<T>(i);
        Felt result = sum;
        if (factor > 0) {
            add_limbs(result, sum, small_multiple(state[i], static_cast<uint32>(factor)));
        } else if (factor < 0) {
            sub_limbs(result, lifted, small_multiple(state[i], static_cast<uint32>(-factor)));
        }
        state[i] = reduce_small(result);
    }
}

template <uint32 T> DEVICE void stark_full_rounds(Felt *state, const uint32 *&constants) {
    NO_UNROLL for (uint32 round = 0; round < STARK_HALF_FULL; ++round) {
        UNROLL for (uint32 i = 0; i < T; ++i) {
            state[i] = cube_of_sum(state[i], constants + 8 * i);
        }
        stark_mix<T>(state);
        constants += 8 * T;
    }
}

template <uint32 T> DEVICE void stark_permute(Felt *state, const uint32 *table, uint32 partial) {
    const uint32 *constants = table;
    stark_full_rounds<T>(state, constants);
    NO_UNROLL for (uint32 round = 0; round < partial; ++round) {
        state[T - 1] = cube_of_sum(state[T - 1], constants);
        stark_mix<T>(state);
        constants += 8;
    }
    stark_full_rounds<T>(state, constants);
}
