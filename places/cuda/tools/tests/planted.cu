// SPDX-License-Identifier: Apache-2.0 OR MIT
// Kernels with faults, which the tools find.
#include "platform/platform.cuh"

// Needs more registers than 1,024 threads of a block leave it.
KERNEL(1024, planted_spill, uint32 *data) {
    uint32 words[200];
    uint32 *own = data + global_index() * 200;
    UNROLL for (uint32 i = 0; i < 200; ++i) words[i] = own[i] * own[(i + 7) % 200];
    for (uint32 round = 0; round < 4; ++round) {
        UNROLL for (uint32 i = 0; i < 200; ++i) words[i] += words[(i + 13) % 200] * words[i];
    }
    UNROLL for (uint32 i = 0; i < 200; ++i) own[i] = words[i];
}

// Has an array that only memory can index.
KERNEL(128, planted_stack, uint32 *data) {
    uint32 words[64];
    for (uint32 i = 0; i < 64; ++i) words[i] = 0;
    for (uint32 i = 0; i < 64; ++i) words[data[i] % 64] += i;
    data[64 + global_index()] = words[data[global_index()] % 64];
}

// Writes the word behind its data.
KERNEL(32, planted_overrun, uint32 *data, uint32 words) { data[words] = lane_index(); }

// Shifts by the width of a word.
KERNEL(32, planted_shift, uint32 *data, uint32 count) { data[0] = 1u << count; }
