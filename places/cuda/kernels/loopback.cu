// SPDX-License-Identifier: Apache-2.0 OR MIT
// The loopback: sends data back unchanged. It checks memory, copies and launches, and is the
// smallest engine.
#include "platform/platform.cuh"

// Copies `words` words. A thread copies those whose numbers leave its own when divided by the
// number of threads.
KERNEL(256, loopback_echo, uint64 words, const uint32 *from, uint32 *to) {
    for (uint64 word = global_index(); word < words; word += global_size()) to[word] = from[word];
}
