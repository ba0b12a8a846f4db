// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// Damages frames in transit, like a bad link or a broken card, reproducibly from a seed. Each
// direction has its own random numbers, so neither depends on the other's timing.
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

    // Returns true if requests can be damaged: they go through pass_requests.
    bool harms_requests() const;
    // Passes the complete frames at the front of `received`, or their remains, to `out`, and
    // removes them from `received`.
    void pass_requests(std::vector<uint8_t>& received, std::vector<uint8_t>& out);
    // Passes a complete reply frame, or its remains, to `out`.
    void pass(std::vector<uint8_t> frame, uint64_t now_clocks, std::vector<uint8_t>& out);
    // Passes the frames whose delay has ended.
    void release(uint64_t now_clocks, std::vector<uint8_t>& out);
    // Returns true if frames are held back: the clock must continue.
    bool holds_frames() const { return !held_.empty(); }
    // Returns true if the card has stopped responding.
    bool stalled() const { return stalled_; }
    // Returns true once for each pulse of the hardware reset, when it is due.
    bool reset_due(uint64_t now_clocks);
    // Returns true once for each flip of a memory's bits, when it is due. `random` selects the
    // bits.
    bool flip_due(uint64_t now_clocks, uint64_t (&random)[2]);
    // Starts for a new client: the card responds again, and frames held for the old client are
    // dropped.
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
