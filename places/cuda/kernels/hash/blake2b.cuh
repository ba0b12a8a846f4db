// SPDX-License-Identifier: Apache-2.0 OR MIT
// BLAKE2b's compression function (RFC 7693, section 3.2).
#pragma once

#include "../platform/platform.cuh"

constexpr uint32 BLAKE2B_BLOCK_BYTES = 128, BLAKE2B_ROUNDS = 12;

DEVICE uint64 blake2b_initial(uint32 i) {
    constexpr uint64 words[] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
    return words[i];
}

// The message word that place i of a round uses (section 2.7).
DEVICE uint32 blake2b_schedule(uint32 round, uint32 i) {
    constexpr uint8 places[10][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
        {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
        {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
        {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
        {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
    return places[round % 10][i];
}

DEVICE uint64 rotate_right_long(uint64 a, uint32 count) { return a >> count | a << (64 - count); }

DEVICE void blake2b_mix(uint64 *state, uint32 a, uint32 b, uint32 c, uint32 d, uint64 x, uint64 y) {
    state[a] += state[b] + x;
    state[d] = rotate_right_long(state[d] ^ state[a], 32);
    state[c] += state[d];
    state[b] = rotate_right_long(state[b] ^ state[c], 24);
    state[a] += state[b] + y;
    state[d] = rotate_right_long(state[d] ^ state[a], 16);
    state[c] += state[d];
    state[b] = rotate_right_long(state[b] ^ state[c], 63);
}

// Compresses a block; `bytes` is the number of bytes up to the end of the block.
DEVICE void blake2b_compress(uint64 *value, const uint64 *block, uint64 bytes, bool is_last) {
    uint64 state[16];
    UNROLL for (uint32 i = 0; i < 8; ++i) {
        state[i] = value[i];
        state[8 + i] = blake2b_initial(i);
    }
    state[12] ^= bytes;
    if (is_last) state[14] = ~state[14];
    UNROLL for (uint32 round = 0; round < BLAKE2B_ROUNDS; ++round) {
        UNROLL for (uint32 i = 0; i < 4; ++i) {
            blake2b_mix(state, i, 4 + i, 8 + i, 12 + i, block[blake2b_schedule(round, 2 * i)],
                        block[blake2b_schedule(round, 2 * i + 1)]);
        }
        UNROLL for (uint32 i = 0; i < 4; ++i) {
            blake2b_mix(state, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4,
                        block[blake2b_schedule(round, 8 + 2 * i)],
                        block[blake2b_schedule(round, 9 + 2 * i)]);
        }
    }
    UNROLL for (uint32 i = 0; i < 8; ++i) value[i] ^= state[i] ^ state[8 + i];
}
