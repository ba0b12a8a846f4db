// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "fault_injector.h"

#include <algorithm>
#include <csignal>

#include "halimede_card.h"

namespace card_sim {

namespace {

constexpr uint64_t kLeastDelayClocks = 1'000;
constexpr uint64_t kMostDelayClocks = 50'000;
constexpr uint64_t kMostClocksToStrike = 2'000;  // of a reset or a flip

void append(std::vector<uint8_t>& out, const std::vector<uint8_t>& frame) {
    out.insert(out.end(), frame.begin(), frame.end());
}

size_t little_endian_u32(const uint8_t* bytes) {
    return bytes[0] | size_t{bytes[1]} << 8 | size_t{bytes[2]} << 16 | size_t{bytes[3]} << 24;
}

size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

// The C++ library's distributions differ between implementations; these do not.
bool strikes(std::mt19937_64& random, double rate) {
    if (rate <= 0) return false;
    return static_cast<double>(random() >> 11) * 0x1p-53 < rate;
}

uint64_t between(std::mt19937_64& random, uint64_t least, uint64_t most) {
    return least + random() % (most - least + 1);
}

// Flips a bit of the first `length_bytes`.
void flip_bit(std::mt19937_64& random, std::vector<uint8_t>& frame, size_t length_bytes) {
    const auto bit = static_cast<uint8_t>(1u << between(random, 0, 7));
    frame[between(random, 0, length_bytes - 1)] ^= bit;
}

// Removes a piece of at least one unit from the frame, in whole units of `unit_bytes`.
void cut(std::mt19937_64& random, std::vector<uint8_t>& frame, size_t unit_bytes) {
    const uint64_t units = frame.size() / unit_bytes;
    const uint64_t first = between(random, 0, units - 1);
    const uint64_t count = between(random, 1, units - first);
    const auto begin = frame.begin() + static_cast<std::ptrdiff_t>(first * unit_bytes);
    frame.erase(begin, begin + static_cast<std::ptrdiff_t>(count * unit_bytes));
}

}  // namespace

bool FaultInjector::harms_requests() const {
    return rates_.request_drop > 0 || rates_.request_corrupt > 0 || rates_.request_cut > 0;
}

// Splits the stream into frames as the card does (docs/card.md), as long as nothing is lost.
void FaultInjector::pass_requests(std::vector<uint8_t>& received, std::vector<uint8_t>& out) {
    size_t start = 0;
    while (received.size() - start >= beat_bytes_) {
        const size_t length = little_endian_u32(&received[start]);
        // Idle beats and headers with a bad length are single beats, not frames.
        const bool stands_alone =
            length < HALIMEDE_CARD_HEADER_BYTES || length > HALIMEDE_CARD_MAX_FRAME_BYTES;
        const size_t frame_bytes = stands_alone ? beat_bytes_ : rounded_up(length, beat_bytes_);
        if (received.size() - start < frame_bytes) break;
        const auto first = received.begin() + static_cast<std::ptrdiff_t>(start);
        std::vector<uint8_t> frame(first, first + static_cast<std::ptrdiff_t>(frame_bytes));
        if (stands_alone) {
            append(out, frame);
        } else {
            pass_request(std::move(frame), length, out);
        }
        start += frame_bytes;
    }
    received.erase(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(start));
}

void FaultInjector::pass_request(std::vector<uint8_t> frame, size_t length_bytes,
                                 std::vector<uint8_t>& out) {
    if (strikes(request_random_, rates_.request_drop)) return;
    if (strikes(request_random_, rates_.request_corrupt)) {
        flip_bit(request_random_, frame, length_bytes);
    }
    if (strikes(request_random_, rates_.request_cut)) cut(request_random_, frame, beat_bytes_);
    append(out, frame);
}

void FaultInjector::pass(std::vector<uint8_t> frame, uint64_t now_clocks,
                         std::vector<uint8_t>& out) {
    if (strikes(random_, rates_.kill)) std::raise(SIGKILL);
    if (strikes(random_, rates_.reset)) {
        reset_clocks_ =
            std::min(reset_clocks_, now_clocks + between(random_, 0, kMostClocksToStrike));
    }
    if (strikes(random_, rates_.flip)) {
        flip_clocks_ =
            std::min(flip_clocks_, now_clocks + between(random_, 0, kMostClocksToStrike));
    }
    if (strikes(random_, rates_.stall)) stalled_ = true;
    if (stalled_ || strikes(random_, rates_.drop)) return;
    if (strikes(random_, rates_.corrupt)) flip_bit(random_, frame, frame.size());
    if (strikes(random_, rates_.cut)) cut(random_, frame, 1);
    if (strikes(random_, rates_.duplicate)) append(out, frame);
    if (strikes(random_, rates_.delay)) {
        held_.push_back({now_clocks + between(random_, kLeastDelayClocks, kMostDelayClocks), frame});
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

bool FaultInjector::flip_due(uint64_t now_clocks, uint64_t (&random)[2]) {
    if (now_clocks < flip_clocks_) return false;
    flip_clocks_ = kNever;
    for (uint64_t& number : random) number = random_();
    return true;
}

void FaultInjector::restart() {
    held_.clear();
    stalled_ = false;
}

}  // namespace card_sim
