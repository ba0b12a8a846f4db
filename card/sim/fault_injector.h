// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// Harms frames on their way, as a bad link or a broken card would: repeatably, from a seed. Each
// direction has its own random numbers, so that neither depends on the other's timing.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "options.h"

namespace card_sim {

class FaultInjector {
public:
    FaultInjector(const FaultRates& rates, uint64_t seed, size_t beat_bytes)
        : rates_(rates),
          beat_bytes_(beat_bytes),
          random_(seed),
          request_random_(~seed) {}

    // Requests may be harmed: they go through pass_requests.
    bool harms_requests() const;
    // Passes the whole frames at the front of `received` on into `out`, or what is left of them,
    // and removes them from `received`.
    void pass_requests(std::vector<uint8_t>& received, std::vector<uint8_t>& out);
    // Passes a whole reply frame on into `out`, or what is left of it.
    void pass(std::vector<uint8_t> frame, uint64_t now_clocks, std::vector<uint8_t>& out);
    // Passes on the frames whose delay is over.
    void release(uint64_t now_clocks, std::vector<uint8_t>& out);
    // Frames are held back: the clock must go on.
    bool holds_frames() const { return !held_.empty(); }
    // The card has fallen silent.
    bool stalled() const { return stalled_; }
    // Whether the hardware reset pulses now; true once for each.
    bool reset_due(uint64_t now_clocks);
    // Whether a memory's bits flip now; true once for each. `random` says where.
    bool flip_due(uint64_t now_clocks, uint64_t (&random)[2]);
    // A new client: the card speaks again, and frames held for the old one are lost.
    void restart();

private:
    static constexpr uint64_t kNever = ~uint64_t{0};

    struct Held {
        uint64_t due_clocks;
        std::vector<uint8_t> frame;
    };

    void pass_request(std::vector<uint8_t> frame, size_t length_bytes, std::vector<uint8_t>& out);

    FaultRates rates_;
    size_t beat_bytes_;
    std::mt19937_64 random_;
    std::mt19937_64 request_random_;
    std::vector<Held> held_;
    bool stalled_ = false;
    uint64_t reset_clocks_ = kNever;
    uint64_t flip_clocks_ = kNever;
};

}  // namespace card_sim
