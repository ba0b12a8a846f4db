// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "card_memory.h"

#include <algorithm>

namespace card_sim {

namespace {
constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kGrowBytes = 1 << 20;
constexpr unsigned kIncrementing = 1;
}

bool CardMemory::has(uint64_t address, size_t bytes) const {
    return address < size_bytes_ && bytes <= size_bytes_ - address;
}

void CardMemory::read(uint64_t address, uint8_t* to, size_t bytes) const {
    const size_t written = address < bytes_.size() ? bytes_.size() - address : 0;
    const size_t copied = std::min(bytes, written);
    if (copied != 0) std::memcpy(to, bytes_.data() + address, copied);
    std::memset(to + copied, 0, bytes - copied);
}

void CardMemory::write(uint64_t address, const uint8_t* from, const uint8_t* strobes,
                       size_t bytes) {
    if (address + bytes > bytes_.size()) {
        const uint64_t grown = (address + bytes + kGrowBytes - 1) / kGrowBytes * kGrowBytes;
        bytes_.resize(std::min(grown, size_bytes_));
    }
    for (size_t i = 0; i < bytes; ++i) {
        if (strobes[i / 8] >> i % 8 & 1) bytes_[address + i] = from[i];
    }
}

void MemoryBursts::reset() {
    reads_.clear();
    writes_.clear();
    answers_.clear();
}

MemoryBursts::Burst MemoryBursts::checked(uint64_t address, unsigned length, unsigned size,
                                          unsigned kind) const {
    const uint64_t bytes = uint64_t{length + 1} * beat_bytes_;
    const char* broken = nullptr;
    if (size_t{1} << size != beat_bytes_) broken = "a beat is narrower than the port";
    if (kind != kIncrementing) broken = "the burst is not of the kind INCR";
    if (address % beat_bytes_ != 0) broken = "the address is not a multiple of a beat";
    if (address % kPageBytes + bytes > kPageBytes) broken = "the burst crosses 4 KiB";
    if (broken != nullptr) {
        throw std::runtime_error("AXI4 burst at " + std::to_string(address) + ", " +
                                 std::to_string(length + 1) + " beats: " + broken);
    }
    return {address, length + 1, now_ + latency_, !memory_.has(address, bytes)};
}

void MemoryBursts::ask_read(uint64_t address, unsigned length, unsigned size, unsigned kind) {
    reads_.push_back(checked(address, length, size, kind));
}

unsigned MemoryBursts::read_beat(uint8_t* to) const {
    const Burst& burst = reads_.front();
    if (burst.failed) {
        std::memset(to, 0, beat_bytes_);
    } else {
        memory_.read(burst.address, to, beat_bytes_);
    }
    return response(burst.failed);
}

void MemoryBursts::end_read_beat() {
    memory_.count_beat();
    Burst& burst = reads_.front();
    burst.address += beat_bytes_;
    if (--burst.beats == 0) reads_.pop_front();
}

void MemoryBursts::ask_write(uint64_t address, unsigned length, unsigned size, unsigned kind) {
    writes_.push_back(checked(address, length, size, kind));
}

void MemoryBursts::write_beat(const uint8_t* from, const uint8_t* strobes, bool last) {
    Burst& burst = writes_.front();
    if (last != (burst.beats == 1)) {
        throw std::runtime_error("AXI4 write at " + std::to_string(burst.address) +
                                 ": WLAST is not with the last beat");
    }
    if (!burst.failed) memory_.write(burst.address, from, strobes, beat_bytes_);
    memory_.count_beat();
    burst.address += beat_bytes_;
    if (--burst.beats == 0) {
        burst.due = now_ + latency_;
        answers_.push_back(burst);
        writes_.pop_front();
    }
}

}  // namespace card_sim
