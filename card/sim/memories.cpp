// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "memories.h"

#include <cstring>

#include "verilated.h"
#include "verilated_sym_props.h"

namespace card_sim {

namespace {

// All public memories have parity, except those between the host and the engines.
bool is_protected(const char* scope) {
    return std::strstr(scope, ".u_replies.") == nullptr &&
           std::strstr(scope, ".u_crossing.") == nullptr;
}

}  // namespace

Memories::Memories() {
    for (const auto& [name, scope] : *Verilated::scopeNameMap()) {
        if (scope->varsp() == nullptr || !is_protected(name)) continue;
        for (const auto& [variable, properties] : *scope->varsp()) {
            if (properties.udims() != 1) continue;
            memories_.push_back({static_cast<uint8_t*>(properties.datap()), properties.entSize(),
                                 properties.totalSize(), properties.entBits()});
        }
    }
}

void Memories::flip(uint64_t random_memory, uint64_t random_bit) {
    if (memories_.empty()) return;
    const Memory& memory = memories_[random_memory % memories_.size()];
    const size_t bit = static_cast<size_t>(random_bit % memory.bits);
    // (Verilator stores a word as consecutive little-endian words.)
    for (size_t place = bit / 8; place < memory.words_bytes; place += memory.word_bytes) {
        memory.words[place] ^= static_cast<uint8_t>(1u << (bit % 8));
    }
}

}  // namespace card_sim
