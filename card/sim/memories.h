// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// The memories of the verilated card that its parity protects, to flip their bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace card_sim {

class Memories {
public:
    // Finds those of the card that has been made: what arith/simulation/memories.vlt makes public.
    Memories();

    // Flips a bit of each word of a memory: which one, and which bit, is chosen by random numbers.
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
