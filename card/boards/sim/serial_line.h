// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// The far end of the board's serial line, in simulated time: 8 data bits, no parity, one stop bit.
// Times are in clocks of the board; a bit need not be a whole number of clocks.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace board_sim {

// The fate of a byte on its way to the board.
enum class Fate { kWhole, kLost, kBadStopBit };

class LineSender {
public:
    explicit LineSender(double clocks_per_bit) : bit_(clocks_per_bit) {}

    void push(uint8_t byte, Fate fate);
    bool idle() const { return !sending_ && queue_.empty(); }
    size_t waiting() const { return queue_.size(); }

    // Returns the level of the line in the next clock.
    bool clock();

private:
    struct Character {
        uint16_t bits;  // in the order of the line, the start bit lowest
        int count;
    };

    double bit_;
    std::deque<Character> queue_;
    Character now_{};
    bool sending_ = false;
    double left_ = 0;  // clocks until the bit on the line ends
};

class LineReceiver {
public:
    explicit LineReceiver(double clocks_per_bit) : bit_(clocks_per_bit) {}

    bool idle() const { return !receiving_; }
    uint64_t framing_errors() const { return framing_errors_; }

    // Processes the level of the line in one clock. Returns a byte once its stop bit has arrived.
    std::optional<uint8_t> clock(bool level);

private:
    double bit_;
    bool receiving_ = false;
    bool last_ = true;
    int index_ = 0;    // of the next sampled bit; 0 is the start bit
    double left_ = 0;  // clocks until then
    uint8_t byte_ = 0;
    uint64_t framing_errors_ = 0;
};

}  // namespace board_sim
