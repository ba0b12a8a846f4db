// SPDX-License-Identifier: Apache-2.0 OR MIT
// BLAKE3's compression function (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020, section 2.2).
#pragma once

#include "blocks.cuh"

constexpr uint32 BLAKE3_CHUNK_BYTES = 1024, BLAKE3_ROUNDS = 7;

// Flags (table 3).
constexpr uint32 CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8;

// Word i of the initial value: those of SHA-256.
DEVICE uint32 blake3_initial(uint32 i) {
    constexpr uint32 words[] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    return words[i];
}

// The message word that place i of a round uses: i, permuted once per round before it (table 2).
DEVICE uint32 blake3_schedule(uint32 round, uint32 i) {
    constexpr uint8 places[BLAKE3_ROUNDS][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8},
        {3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1},
        {10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6},
        {12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4},
        {9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7},
        {11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13}};
    return places[round][i];
}

// The inputs of a compression.
struct Blake3Node {
    uint32 value[8], block[16];
    uint64 counter;
    uint32 bytes, flags;
};

DEVICE void blake3_mix(uint32 *state, uint32 a, uint32 b, uint32 c, uint32 d, uint32 x, uint32 y) {
    state[a] += state[b] + x;
    state[d] = rotate_right(state[d] ^ state[a], 16);
    state[c] += state[d];
    state[b] = rotate_right(state[b] ^ state[c], 12);
    state[a] += state[b] + y;
    state[d] = rotate_right(state[d] ^ state[a], 8);
    state[c] += state[d];
    state[b] = rotate_right(state[b] ^ state[c], 7);
}

// Writes the 16 words of the last state, before the final XOR.
DEVICE void blake3_rounds(const Blake3Node &node, uint32 *state) {
    UNROLL for (uint32 i = 0; i < 8; ++i) state[i] = node.value[i];
    UNROLL for (uint32 i = 0; i < 4; ++i) state[8 + i] = blake3_initial(i);
    state[12] = static_cast<uint32>(node.counter);
    state[13] = static_cast<uint32>(node.counter >> 32);
    state[14] = node.bytes;
    state[15] = node.flags;
    UNROLL for (uint32 round = 0; round < BLAKE3_ROUNDS; ++round) {
        UNROLL for (uint32 i = 0; i < 4; ++i) {
            blake3_mix(state, i, 4 + i, 8 + i, 12 + i, node.block[blake3_schedule(round, 2 * i)],
                       node.block[blake3_schedule(round, 2 * i + 1)]);
        }
        UNROLL for (uint32 i = 0; i < 4; ++i) {
            blake3_mix(state, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4,
                       node.block[blake3_schedule(round, 8 + 2 * i)],
                       node.block[blake3_schedule(round, 9 + 2 * i)]);
        }
    }
}

// Replaces the value of a node by the chaining value of its compression.
DEVICE void blake3_chain(Blake3Node &node) {
    uint32 state[16];
    blake3_rounds(node, state);
    UNROLL for (uint32 i = 0; i < 8; ++i) node.value[i] = state[i] ^ state[8 + i];
}

// Writes the 64 bytes of output number `node.counter` of a root.
DEVICE void blake3_output(const Blake3Node &node, uint32 *output) {
    uint32 state[16];
    blake3_rounds(node, state);
    UNROLL for (uint32 i = 0; i < 8; ++i) {
        output[i] = state[i] ^ state[8 + i];
        output[8 + i] = state[8 + i] ^ node.value[i];
    }
}

// Sets a node to the last block of a chunk, all blocks before it compressed. `length` is at most
// 1,024 bytes.
DEVICE void blake3_chunk(Blake3Node &node, const uint32 *data, uint64 place, uint32 length,
                         uint32 flags) {
    node.flags = flags | CHUNK_START;
    node.bytes = BLOCK_BYTES;
    NO_UNROLL while (length > BLOCK_BYTES) {
        read_block(data, place, BLOCK_BYTES, node.block);
        blake3_chain(node);
        node.flags = flags;
        place += BLOCK_BYTES;
        length -= BLOCK_BYTES;
    }
    read_block(data, place, length, node.block);
    node.bytes = length;
    node.flags |= CHUNK_END;
}
