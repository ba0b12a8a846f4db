// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "serial_line.h"

namespace board_sim {

namespace {
constexpr int kStopBit = 9;
}

void LineSender::push(uint8_t byte, Fate fate) {
    if (fate == Fate::kLost) return;
    const uint16_t data = static_cast<uint16_t>(byte << 1);
    // A bad stop bit is followed by a good one, so that the line is high before the next start bit.
    if (fate == Fate::kBadStopBit) queue_.push_back({static_cast<uint16_t>(data | 1u << 10), 11});
    else queue_.push_back({static_cast<uint16_t>(data | 1u << kStopBit), 10});
}

bool LineSender::clock() {
    if (!sending_) {
        if (queue_.empty()) return true;
        now_ = queue_.front();
        queue_.pop_front();
        sending_ = true;
        left_ += bit_;
    }
    const bool level = now_.bits & 1;
    left_ -= 1;
    if (left_ <= 0) {
        now_.bits >>= 1;
        if (--now_.count > 0) {
            left_ += bit_;
        } else {
            sending_ = false;
            if (queue_.empty()) left_ = 0;
        }
    }
    return level;
}

std::optional<uint8_t> LineReceiver::clock(bool level) {
    const bool falls = last_ && !level;
    last_ = level;
    if (!receiving_) {
        if (falls) {
            receiving_ = true;
            index_ = 0;
            left_ = bit_ / 2;
        }
        return std::nullopt;
    }
    left_ -= 1;
    if (left_ > 0) return std::nullopt;
    left_ += bit_;
    if (index_ == 0) {
        receiving_ = !level;  // high again: a glitch
    } else if (index_ < kStopBit) {
        byte_ = static_cast<uint8_t>(byte_ >> 1 | (level ? 0x80 : 0));
    } else {
        receiving_ = false;
        if (level) return byte_;
        ++framing_errors_;
    }
    ++index_;
    return std::nullopt;
}

}  // namespace board_sim
