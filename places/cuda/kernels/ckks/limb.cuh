// SPDX-License-Identifier: Apache-2.0 OR MIT
// Limbs in device memory, and the jobs of kernels on them.
//
// A limb is N residues modulo one prime. A job names limbs by a buffer and a position in it, so
// that the jobs of a program are the same for every run: only the table of the buffers' addresses
// changes. A kernel runs a list of jobs, each on the same number of blocks.
#pragma once

#include "modular.cuh"

// The number of a buffer in the upper word, and the position in the buffer, in units of LIMB_UNIT
// words, in the lower one.
using Limb = uint64;

constexpr uint32 LIMB_UNIT = 16;

// The addresses of the buffers of a program.
using Buffers = const uint64 *;

DEVICE uint32 *words_of(Buffers buffers, Limb limb) {
    uint32 *buffer = reinterpret_cast<uint32 *>(buffers[limb >> 32]);
    return buffer + (limb & 0xffffffffu) * LIMB_UNIT;
}

// Four words that are loaded and stored at once.
struct alignas(16) Four {
    uint32 at[4];
};

DEVICE Four load_four(const uint32 *words, uint32 index) {
    return *reinterpret_cast<const Four *>(words + index);
}

DEVICE void store_four(uint32 *words, uint32 index, const Four &four) {
    *reinterpret_cast<Four *>(words + index) = four;
}

// The index from which X -> X^exponent takes the value at `index`: values are in bit-reversed
// order, index i has the value at psi^(2 rev(i) + 1).
DEVICE uint32 image_index(uint32 index, uint32 exponent, uint32 log_degree) {
    uint32 power = 2 * (reverse_bits(index) >> (32 - log_degree)) + 1;
    uint32 image = (power * exponent) & ((2u << log_degree) - 1);
    return reverse_bits(image >> 1) >> (32 - log_degree);
}

// The job of a block, and the part of it that the block runs.
struct Part {
    uint32 job, block;
};

DEVICE Part part_of(uint32 blocks_of_job) {
    return Part{block_index() / blocks_of_job, block_index() % blocks_of_job};
}
