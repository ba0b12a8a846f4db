// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of the shell's AXI4 master: bursts of whole beats with strobes, random pauses on all five
// channels, at most 32 bursts in flight per direction, and the shell's time limit. It ends the
// simulation by an exception if the card breaks a rule.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

class Vtop;

namespace f2_sim {

constexpr size_t kLineBytes = 64;

struct Line {
    std::array<uint8_t, kLineBytes> bytes{};
    uint64_t strobes = 0;  // bit i: byte i is written
};

struct ReadBurst {
    uint64_t address;
    size_t beats;
    uint16_t id;
    uint64_t issued;  // the clock
    std::vector<uint8_t> bytes;
};

class Axi4Host {
public:
    explicit Axi4Host(uint64_t seed) : random_(seed) {}

    // Queues a burst that begins at the line of `address`. All bursts are executed in order.
    void write(uint64_t address, std::vector<Line> lines);
    void read(uint64_t address, size_t beats);
    // Takes the oldest read that has been answered. False: none.
    bool take(ReadBurst& burst);

    bool writes() const { return !writes_.empty() || !data_.empty() || !answers_.empty(); }
    bool reads() const { return !asked_.empty() || !answering_.empty(); }

    // Before a rising edge: sets the card's inputs; evaluates them by the caller; then notes the
    // transfers of the edge.
    void drive(Vtop& top);
    void sample(const Vtop& top);

private:
    struct WriteBurst {
        uint64_t address;
        size_t beats;
        uint16_t id;
        uint64_t issued;
    };
    struct DataBeat {
        Line line;
        bool last;
    };

    bool pauses() { return random_() % 8 == 0; }
    void check_time(uint64_t issued) const;

    std::mt19937_64 random_;
    uint64_t clock_ = 0;
    bool offers_address_ = false, offers_data_ = false, offers_read_ = false;
    std::deque<WriteBurst> writes_;   // whose addresses have not been accepted
    std::deque<DataBeat> data_;       // beats that have not been accepted
    std::deque<WriteBurst> answers_;  // bursts that have not been answered
    std::deque<ReadBurst> asked_, answering_, done_;
};

}  // namespace f2_sim
