// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "fault_injector.h"

#include <algorithm>
#include <csignal>

namespace card_sim {

namespace {

constexpr uint64_t kLeastDelayClocks = 1'000;
constexpr uint64_t kMostDelayClocks = 50'000;
constexpr uint64_t kMostClocksToReset = 2'000;

void append(std::vector<uint8_t>& out, const std::vector<uint8_t>& frame) {
    out.insert(out.end(), frame.begin(), frame.end());
}

}  // namespace

// The C++ library's distributions differ between implementations; these do not.
bool FaultInjector::strikes(double rate) {
    if (rate <= 0) return false;
    return static_cast<double>(random_() >> 11) * 0x1p-53 < rate;
}

uint64_t FaultInjector::between(uint64_t least, uint64_t most) {
    return least + random_() % (most - least + 1);
}

void FaultInjector::pass(std::vector<uint8_t> frame, uint64_t now_clocks,
                         std::vector<uint8_t>& out) {
    if (strikes(rates_.kill)) std::raise(SIGKILL);
    if (strikes(rates_.reset)) {
        reset_clocks_ = std::min(reset_clocks_, now_clocks + between(0, kMostClocksToReset));
    }
    if (strikes(rates_.stall)) stalled_ = true;
    if (stalled_ || strikes(rates_.drop)) return;
    if (strikes(rates_.corrupt)) {
        frame[between(0, frame.size() - 1)] ^= static_cast<uint8_t>(1u << between(0, 7));
    }
    if (strikes(rates_.cut)) {
        const auto first = static_cast<std::ptrdiff_t>(between(0, frame.size() - 1));
        const auto length = static_cast<std::ptrdiff_t>(
            between(1, frame.size() - static_cast<uint64_t>(first)));
        frame.erase(frame.begin() + first, frame.begin() + first + length);
    }
    if (strikes(rates_.delay)) {
        held_.push_back({now_clocks + between(kLeastDelayClocks, kMostDelayClocks), frame});
        return;
    }
    append(out, frame);
}

void FaultInjector::release(uint64_t now_clocks, std::vector<uint8_t>& out) {
    const auto due = std::stable_partition(held_.begin(), held_.end(), [&](const Held& held) {
        return held.due_clocks > now_clocks;
    });
    for (auto held = due; held != held_.end(); ++held) {
        if (!stalled_) append(out, held->frame);
    }
    held_.erase(due, held_.end());
}

bool FaultInjector::reset_due(uint64_t now_clocks) {
    if (now_clocks < reset_clocks_) return false;
    reset_clocks_ = kNever;
    return true;
}

void FaultInjector::restart() {
    held_.clear();
    stalled_ = false;
}

}  // namespace card_sim
