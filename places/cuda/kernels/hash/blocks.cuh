// SPDX-License-Identifier: Apache-2.0 OR MIT
// Reads blocks of 64 bytes at any byte of device memory.
#pragma once

#include "../platform/platform.cuh"

constexpr uint32 BLOCK_BYTES = 64;

struct alignas(16) FourWords {
    uint32 words[4];
};

// Reads the block of `bytes` bytes, at most 64, at a byte of `data`, with zeros after it. Reads
// whole words: `data` is aligned to 16 bytes, and its memory is a multiple of 4 bytes long.
DEVICE void read_block(const uint32 *data, uint64 place, uint32 bytes, uint32 *block) {
    const uint32 *words = data + place / 4;
    if (bytes == BLOCK_BYTES && place % 16 == 0) {
        const FourWords *fours = reinterpret_cast<const FourWords *>(words);
        UNROLL for (uint32 i = 0; i < 4; ++i) {
            FourWords four = fours[i];
            UNROLL for (uint32 j = 0; j < 4; ++j) block[4 * i + j] = four.words[j];
        }
        return;
    }
    uint32 skipped = static_cast<uint32>(place % 4), end = skipped + bytes;
    uint32 word = end > 0 ? words[0] : 0;
    UNROLL for (uint32 i = 0; i < 16; ++i) {
        uint32 next = 4 * i + 4 < end ? words[i + 1] : 0;
        uint64 both = static_cast<uint64>(next) << 32 | word;
        uint32 value = static_cast<uint32>(both >> (8 * skipped));
        uint32 kept = bytes > 4 * i ? bytes - 4 * i : 0;
        block[i] = kept >= 4 ? value : value & ((1u << (8 * kept)) - 1);
        word = next;
    }
}
