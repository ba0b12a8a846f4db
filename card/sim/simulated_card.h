// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// The verilated card_top, or memory_card_top with simulated memories: its two streams as beats.
// AXI4-Lite is not connected: the registers are accessed through the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

class Vtop;

namespace card_sim {

class CardMemory;
class MemoryPort;
class Memories;
struct Options;

// The bytes per beat of the widest stream.
constexpr size_t kMostBeatBytes = 64;

struct Beat {
    uint8_t bytes[kMostBeatBytes];  // the first bytes, one beat of this card
    bool last;
};

// An assertion of the RTL does not hold: the card has a bug. Verilator has printed which one.
struct AssertionFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class SimulatedCard {
public:
    // Builds the card and runs its hardware reset. Throws std::runtime_error if the trace cannot be
    // written.
    explicit SimulatedCard(const Options& options);
    ~SimulatedCard();
    SimulatedCard(const SimulatedCard&) = delete;
    SimulatedCard& operator=(const SimulatedCard&) = delete;

    // The bytes per beat of the streams: 8 to 64.
    static size_t beat_bytes();

    // Simulates one clock. `input` (the bytes of a beat, or null) is offered on the input stream,
    // and `take_output` accepts a beat of the output stream. Returns whether the input was
    // accepted, and whether there was an `output`, which is written only in that case.
    struct Clock {
        bool input_taken;
        bool has_output;
    };
    // Throws AssertionFailed.
    Clock clock(const uint8_t* input, bool take_output, Beat& output);

    // Pulses the hardware reset for some clocks. Requests in the card and accesses in flight to its
    // memories are lost; the bytes of the memories stay.
    void reset();

    // Flips one bit in each word of one of its memories (Memories::flip).
    void flip(uint64_t random_memory, uint64_t random_bit);

    // The beats that its engines have moved to and from the card's memories.
    uint64_t memory_beats() const;

    // Returns true if no more output comes without input.
    bool idle() const;
    uint64_t clocks() const { return clocks_; }

private:
    struct Trace;

    void edge(bool level);
    void attach_memories(const Options& options);

    std::unique_ptr<Vtop> top_;
    std::unique_ptr<Trace> trace_;
    std::unique_ptr<Memories> memories_;
    std::vector<std::unique_ptr<CardMemory>> card_memories_;  // empty for card_top
    std::vector<std::unique_ptr<MemoryPort>> memory_ports_;
    uint64_t clocks_ = 0;
    uint64_t half_clocks_ = 0;
};

}  // namespace card_sim
