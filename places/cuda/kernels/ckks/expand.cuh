// SPDX-License-Identifier: Apache-2.0 OR MIT
// Uniform limbs from seeds: ChaCha20 (RFC 8439, section 2.3) with a counter and a stream number of
// 64 bits each, and rejection of the words that are not below the prime.
#pragma once

#include "limb.cuh"

constexpr uint32 EXPAND_THREADS = 256;
constexpr uint32 BLOCK_WORDS = 16;

// One limb: the residues modulo the prime at position `place` of the ring come from stream
// index * 2^16 + place under the seed.
struct ExpandJob {
    Limb to;
    uint32 prime, index;
    uint32 seed[8];
};

DEVICE void quarter_round(uint32 &a, uint32 &b, uint32 &c, uint32 &d) {
    a += b;
    d = rotate_right(d ^ a, 16);
    c += d;
    b = rotate_right(b ^ c, 20);
    a += b;
    d = rotate_right(d ^ a, 24);
    c += d;
    b = rotate_right(b ^ c, 25);
}

// Block `counter` of a stream.
DEVICE void chacha_block(const ExpandJob &job, uint64 counter, uint64 stream,
                         uint32 (&words)[BLOCK_WORDS]) {
    uint32 start[BLOCK_WORDS] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    UNROLL
    for (uint32 word = 0; word < 8; ++word) start[4 + word] = job.seed[word];
    start[12] = static_cast<uint32>(counter);
    start[13] = static_cast<uint32>(counter >> 32);
    start[14] = static_cast<uint32>(stream);
    start[15] = static_cast<uint32>(stream >> 32);
    UNROLL
    for (uint32 word = 0; word < BLOCK_WORDS; ++word) words[word] = start[word];
    NO_UNROLL
    for (uint32 round = 0; round < 10; ++round) {
        UNROLL
        for (uint32 column = 0; column < 4; ++column) {
            quarter_round(words[column], words[4 + column], words[8 + column], words[12 + column]);
        }
        UNROLL
        for (uint32 column = 0; column < 4; ++column) {
            quarter_round(words[column], words[4 + (column + 1) % 4], words[8 + (column + 2) % 4],
                          words[12 + (column + 3) % 4]);
        }
    }
    UNROLL
    for (uint32 word = 0; word < BLOCK_WORDS; ++word) words[word] += start[word];
}

// The sum of the counts of the threads before this one, and of all threads. `sums` has
// EXPAND_THREADS words for each of two rounds that take turns.
DEVICE uint32 sum_before(uint32 count, uint32 (*sums)[EXPAND_THREADS], uint32 &all) {
    const uint32 thread = thread_index();
    uint32 side = 0;
    sums[0][thread] = count;
    barrier();
    for (uint32 distance = 1; distance < EXPAND_THREADS; distance *= 2, side ^= 1) {
        const uint32 other = thread >= distance ? sums[side][thread - distance] : 0;
        sums[side ^ 1][thread] = sums[side][thread] + other;
        barrier();
    }
    all = sums[side][EXPAND_THREADS - 1];
    const uint32 before = sums[side][thread] - count;
    // The next call writes what others may still read.
    barrier();
    return before;
}
