// SPDX-License-Identifier: Apache-2.0 OR MIT
// Poseidon and Poseidon2 over fields of 256 bits: a thread per state.
//
// Elements are in Montgomery form, eight words each. States are consecutive in memory.
#include "field/primes.cuh"
#include "poseidon/poseidon2.cuh"
#include "poseidon/recurrence.cuh"
#include "poseidon/stark.cuh"

// Permutes states of x^5 and writes the elements from `first` on, `outputs` of them per state. The
// states are overwritten; the results may be in their place if all elements are written. `MOST` is
// the largest width; the memory of a block holds twice as many elements per thread.
#define QUINTIC_KERNEL(field, P, MOST, THREADS)                                                 \
    KERNEL(THREADS, poseidon_##field##_##MOST, uint32 *states, uint32 *results, uint32 count,   \
           uint32 width, uint32 half_full, uint32 partial, const uint32 *table, uint32 first,   \
           uint32 outputs) {                                                                    \
        SHARED uint32 memory[2 * MOST * 8 * THREADS];                                           \
        uint64 index = global_index();                                                          \
        if (index >= count || width > MOST) return;                                             \
        Quintic<P, THREADS> permutation(memory, {width, half_full, partial}, table);            \
        permutation.run(states + index * width * 8, first, outputs,                             \
                        results + index * outputs * 8);                                         \
    }

QUINTIC_KERNEL(bls12_381, Bls12381Scalar, 3, 128)
QUINTIC_KERNEL(bls12_381, Bls12381Scalar, 5, 128)
QUINTIC_KERNEL(bls12_381, Bls12381Scalar, 9, 64)
QUINTIC_KERNEL(bls12_381, Bls12381Scalar, 12, 64)
QUINTIC_KERNEL(bls12_381, Bls12381Scalar, 24, 32)
QUINTIC_KERNEL(bn254, Bn254Scalar, 3, 128)
QUINTIC_KERNEL(bn254, Bn254Scalar, 5, 128)
QUINTIC_KERNEL(bn254, Bn254Scalar, 9, 64)
QUINTIC_KERNEL(bn254, Bn254Scalar, 24, 32)

// Permutes states of StarkWare's instances in place.
#define STARK_KERNEL(T)                                                                         \
    KERNEL(128, poseidon_stark_##T, uint32 *states, uint32 count, uint32 partial,               \
           const uint32 *table) {                                                               \
        uint64 index = global_index();                                                          \
        if (index >= count) return;                                                             \
        uint32 *elements = states + index * T * 8;                                              \
        Felt state[T];                                                                          \
        UNROLL for (uint32 i = 0; i < T; ++i) state[i] = load_limbs<8>(elements + 8 * i);       \
        stark_permute<T>(state, table, partial);                                                \
        UNROLL for (uint32 i = 0; i < T; ++i) store_limbs(elements + 8 * i, state[i]);          \
    }

STARK_KERNEL(3)
STARK_KERNEL(4)
STARK_KERNEL(5)
STARK_KERNEL(9)

// Starknet's hashes: message i is the pairs of elements from offsets[i] to offsets[i + 1], which the
// host has padded. The capacity begins with capacities[i] and the digest is element 0.
KERNEL(128, poseidon_stark_hash, const uint32 *elements, const uint64 *offsets,
       const uint32 *capacities, uint32 *digests, uint32 count, uint32 partial,
       const uint32 *table) {
    uint64 index = global_index();
    if (index >= count) return;
    Felt state[3] = {zero_limbs<8>(), zero_limbs<8>(), zero_limbs<8>()};
    state[2].words[0] = capacities[index];
    state[2] = to_montgomery<StarkPrime>(state[2]);
    NO_UNROLL for (uint64 place = offsets[index]; place < offsets[index + 1]; place += 2) {
        state[0] = add<StarkPrime>(state[0], load_limbs<8>(elements + 8 * place));
        state[1] = add<StarkPrime>(state[1], load_limbs<8>(elements + 8 * place + 8));
        stark_permute<3>(state, table, partial);
    }
    store_limbs(digests + 8 * index, state[0]);
}

// Permutes states of Poseidon2 in place.
#define POSEIDON2_KERNEL(field, P, MOST, THREADS)                                               \
    KERNEL(THREADS, poseidon2_##field##_##MOST, uint32 *states, uint32 count, uint32 width,     \
           uint32 half_full, uint32 partial, const uint32 *table) {                             \
        SHARED uint32 memory[MOST * 8 * THREADS];                                               \
        uint64 index = global_index();                                                          \
        if (index >= count || width > MOST) return;                                             \
        Poseidon2<P, THREADS> permutation{Slots<P, THREADS>(memory), width, half_full, partial}; \
        uint32 *elements = states + index * width * 8;                                          \
        NO_UNROLL for (uint32 i = 0; i < width; ++i) {                                          \
            permutation.slots.store(i, entry<P>(elements, i));                                  \
        }                                                                                       \
        permutation.run(table);                                                                 \
        NO_UNROLL for (uint32 i = 0; i < width; ++i) {                                          \
            store_limbs(elements + 8 * i, permutation.slots.load(i));                           \
        }                                                                                       \
    }

POSEIDON2_KERNEL(bls12_381, Bls12381Scalar, 4, 128)
POSEIDON2_KERNEL(bls12_381, Bls12381Scalar, 16, 64)
POSEIDON2_KERNEL(bn254, Bn254Scalar, 4, 128)
POSEIDON2_KERNEL(bn254, Bn254Scalar, 16, 64)
POSEIDON2_KERNEL(pallas, PallasBase, 4, 128)
POSEIDON2_KERNEL(pallas, PallasBase, 16, 64)
POSEIDON2_KERNEL(vesta, VestaBase, 4, 128)
