// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// The parity-protected memories of the verilated card, whose bits can be flipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace card_sim {

class Memories {
public:
    // Finds the memories of the existing card: those that arith/simulation/memories.vlt makes
    // public.
    Memories();

    // Flips one bit in each word of a memory. Random numbers select the memory and the bit.
    void flip(uint64_t random_memory, uint64_t random_bit);

private:
    struct Memory {
        uint8_t* words;
        size_t word_bytes;
        size_t words_bytes;  // all of them
        uint64_t bits;       // of a word
    };
    std::vector<Memory> memories_;
};

}  // namespace card_sim
