// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A folder that acts as Linux's folder of a PCI function: `resource4`, and `resource4_wc` with the
// same memory, have the windows of axi4_stream_bridge. The host maps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace f2_sim {

constexpr uint64_t kRequests = 0;
constexpr uint64_t kReplies = 0x10000;
constexpr uint64_t kControl = 0x20000;
constexpr size_t kFunctionBytes = 0x21000;

// Words of the control window.
enum Word {
    kProduced = 0,
    kTaken = 1,
    kRequestBytes = 2,
    kIdentifier = 3,
    kConsumed = 4,
    kPublished = 5,
    kReplyBytes = 6,
    kWords = 8,
};

class Function {
public:
    // Creates the files; throws std::runtime_error. The folder exists.
    explicit Function(const std::string& folder);
    // Leaves ones in the memory, as if nothing answered on the bus, and removes the files.
    ~Function();
    Function(const Function&) = delete;
    Function& operator=(const Function&) = delete;

    // Reads a word before, and writes it after, all other accesses to the memory.
    uint32_t get(Word word) const;
    void set(Word word, uint32_t value);

    uint8_t* at(uint64_t address) { return memory_ + address; }

private:
    std::string path_, combining_;
    uint8_t* memory_ = nullptr;
};

}  // namespace f2_sim
