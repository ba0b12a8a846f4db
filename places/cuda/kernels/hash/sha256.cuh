// SPDX-License-Identifier: Apache-2.0 OR MIT
// SHA-256 (FIPS 180-4, sections 5 and 6.2).
#pragma once

#include "blocks.cuh"

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
CONSTANT uint32 SHA256_CONSTANTS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

DEVICE void sha256_begin(uint32 *state) {
    constexpr uint32 words[] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    UNROLL for (uint32 i = 0; i < 8; ++i) state[i] = words[i];
}

// Compresses a block of 16 big-endian words, which is overwritten.
DEVICE void sha256_compress(uint32 *state, uint32 *block) {
    uint32 a = state[0], b = state[1], c = state[2], d = state[3];
    uint32 e = state[4], f = state[5], g = state[6], h = state[7];
    NO_UNROLL for (uint32 round = 0; round < 64; round += 16) {
        UNROLL for (uint32 i = 0; i < 16; ++i) {
            uint32 upper = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
            uint32 choice = (e & f) ^ (~e & g);
            uint32 first = h + upper + choice + SHA256_CONSTANTS[round + i] + block[i];
            uint32 lower = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
            uint32 second = lower + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + first;
            d = c;
            c = b;
            b = a;
            a = first + second;
            uint32 near = block[(i + 1) % 16], far = block[(i + 14) % 16];
            block[i] += (rotate_right(near, 7) ^ rotate_right(near, 18) ^ near >> 3) +
                        block[(i + 9) % 16] +
                        (rotate_right(far, 17) ^ rotate_right(far, 19) ^ far >> 10);
        }
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

// Compresses the last `length` bytes of a message of `total` bytes, from a byte of `data` on, and
// the padding. The bytes before them were whole blocks.
DEVICE void sha256_end(uint32 *state, const uint32 *data, uint64 place, uint64 length,
                       uint64 total) {
    bool is_padded = false, is_last = false;
    NO_UNROLL while (!is_last) {
        uint32 bytes = length < BLOCK_BYTES ? static_cast<uint32>(length) : BLOCK_BYTES;
        uint32 block[16];
        read_block(data, place, bytes, block);
        is_last = bytes < BLOCK_BYTES - 8;
        UNROLL for (uint32 i = 0; i < 16; ++i) {
            block[i] = swap_bytes(block[i]);
            if (!is_padded && bytes / 4 == i) block[i] |= 0x80000000u >> (bytes % 4 * 8);
        }
        is_padded = is_padded || bytes < BLOCK_BYTES;
        if (is_last) {
            block[14] = static_cast<uint32>(total >> 29);
            block[15] = static_cast<uint32>(total << 3);
        }
        sha256_compress(state, block);
        place += bytes;
        length -= bytes;
    }
}
