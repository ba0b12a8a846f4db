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
#define QUINTIC_ARGUMENTS                                                                       \
    uint32 *states, uint32 *results, uint32 count, uint32 width, uint32 half_full,              \
        uint32 partial, const uint32 *table, uint32 first, uint32 outputs
#define QUINTIC_BODY(P, MOST, THREADS)                                                          \
    {                                                                                           \
        SHARED uint32 memory[2 * MOST * 8 * THREADS];                                           \
        uint64 index = global_index();                                                          \
        if (index >= count || width > MOST) return;                                             \
        Quintic<P, THREADS> permutation(memory, {width, half_full, partial}, table);            \
        permutation.run(states + index * width * 8, first, outputs,                             \
                        results + index * outputs * 8);                                         \
    }

KERNEL(128, poseidon_bls12_381_3, QUINTIC_ARGUMENTS) QUINTIC_BODY(Bls12381Scalar, 3, 128)
KERNEL(128, poseidon_bls12_381_5, QUINTIC_ARGUMENTS) QUINTIC_BODY(Bls12381Scalar, 5, 128)
KERNEL(64, poseidon_bls12_381_9, QUINTIC_ARGUMENTS) QUINTIC_BODY(Bls12381Scalar, 9, 64)
KERNEL(64, poseidon_bls12_381_12, QUINTIC_ARGUMENTS) QUINTIC_BODY(Bls12381Scalar, 12, 64)
KERNEL(32, poseidon_bls12_381_24, QUINTIC_ARGUMENTS) QUINTIC_BODY(Bls12381Scalar, 24, 32)
KERNEL(128, poseidon_bn254_3, QUINTIC_ARGUMENTS) QUINTIC_BODY(Bn254Scalar, 3, 128)
KERNEL(128, poseidon_bn254_5, QUINTIC_ARGUMENTS) QUINTIC_BODY(Bn254Scalar, 5, 128)
KERNEL(64, poseidon_bn254_9, QUINTIC_ARGUMENTS) QUINTIC_BODY(Bn254Scalar, 9, 64)
KERNEL(32, poseidon_bn254_24, QUINTIC_ARGUMENTS) QUINTIC_BODY(Bn254Scalar, 24, 32)

// Permutes states of StarkWare's instances; the results may be in their place.
#define STARK_ARGUMENTS                                                                         \
    const uint32 *states, uint32 *results, uint32 count, uint32 partial, const uint32 *table
#define STARK_BODY(T)                                                                           \
    {                                                                                           \
        uint64 index = global_index();                                                          \
        if (index >= count) return;                                                             \
        uint64 place = index * T * 8;                                                           \
        Felt state[T];                                                                          \
        UNROLL for (uint32 i = 0; i < T; ++i) state[i] = load_limbs<8>(states + place + 8 * i); \
        stark_permute<T>(state, table, partial);                                                \
        UNROLL for (uint32 i = 0; i < T; ++i) store_limbs(results + place + 8 * i, state[i]);   \
    }

KERNEL(128, poseidon_stark_3, STARK_ARGUMENTS) STARK_BODY(3)
KERNEL(128, poseidon_stark_4, STARK_ARGUMENTS) STARK_BODY(4)
KERNEL(128, poseidon_stark_5, STARK_ARGUMENTS) STARK_BODY(5)
KERNEL(128, poseidon_stark_9, STARK_ARGUMENTS) STARK_BODY(9)

// Starknet's hashes: message i is the pairs of elements from offsets[i] to offsets[i + 1], which
// the host has padded. The capacity begins with capacities[i] and the digest is element 0.
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

// Permutes states of Poseidon2; the results may be in their place.
#define SECOND_ARGUMENTS                                                                        \
    const uint32 *states, uint32 *results, uint32 count, uint32 width, uint32 half_full,        \
        uint32 partial, const uint32 *table
#define SECOND_BODY(P, MOST, THREADS)                                                           \
    {                                                                                           \
        SHARED uint32 memory[MOST * 8 * THREADS];                                               \
        uint64 index = global_index();                                                          \
        if (index >= count || width > MOST) return;                                             \
        Slots<P, THREADS> slots(memory);                                                        \
        Poseidon2<P, THREADS> permutation{slots, width, half_full, partial};                    \
        uint64 place = index * width * 8;                                                       \
        NO_UNROLL for (uint32 i = 0; i < width; ++i) {                                          \
            slots.store(i, entry<P>(states + place, i));                                        \
        }                                                                                       \
        permutation.run(table);                                                                 \
        NO_UNROLL for (uint32 i = 0; i < width; ++i) {                                          \
            store_limbs(results + place + 8 * i, slots.load(i));                                \
        }                                                                                       \
    }

KERNEL(128, poseidon_second_bls12_381_4, SECOND_ARGUMENTS) SECOND_BODY(Bls12381Scalar, 4, 128)
KERNEL(64, poseidon_second_bls12_381_16, SECOND_ARGUMENTS) SECOND_BODY(Bls12381Scalar, 16, 64)
KERNEL(128, poseidon_second_bn254_4, SECOND_ARGUMENTS) SECOND_BODY(Bn254Scalar, 4, 128)
KERNEL(64, poseidon_second_bn254_16, SECOND_ARGUMENTS) SECOND_BODY(Bn254Scalar, 16, 64)
KERNEL(128, poseidon_second_pallas_4, SECOND_ARGUMENTS) SECOND_BODY(PallasBase, 4, 128)
KERNEL(64, poseidon_second_pallas_16, SECOND_ARGUMENTS) SECOND_BODY(PallasBase, 16, 64)
KERNEL(128, poseidon_second_vesta_4, SECOND_ARGUMENTS) SECOND_BODY(VestaBase, 4, 128)

// Hashes of lists: list i has the elements from offsets[i] to offsets[i + 1]. Width 4 is Noir's
// sponge, width 2 gnark-crypto's chain.
#define SECOND_HASH_ARGUMENTS                                                                   \
    const uint32 *elements, const uint64 *offsets, uint32 *digests, uint32 count, uint32 width, \
        uint32 half_full, uint32 partial, const uint32 *table
#define SECOND_HASH_BODY(P)                                                                     \
    {                                                                                           \
        SHARED uint32 memory[4 * 8 * 128];                                                      \
        uint64 index = global_index();                                                          \
        if (index >= count || (width != 2 && width != 4)) return;                               \
        Poseidon2<P, 128> permutation{Slots<P, 128>(memory), width, half_full, partial};        \
        const uint32 *list = elements + offsets[index] * 8;                                     \
        uint64 length = offsets[index + 1] - offsets[index];                                    \
        store_limbs(digests + index * 8, width == 4 ? permutation.sponge(table, list, length)   \
                                                    : permutation.chain(table, list, length));  \
    }

KERNEL(128, poseidon_second_hash_bls12_381, SECOND_HASH_ARGUMENTS) SECOND_HASH_BODY(Bls12381Scalar)
KERNEL(128, poseidon_second_hash_bn254, SECOND_HASH_ARGUMENTS) SECOND_HASH_BODY(Bn254Scalar)
