// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A simulated memory of the card behind AXI4 master ports of its RTL. Each port moves one beat per
// clock in each direction. Bursts are answered in order: the first beat of a read and the response
// to a write follow the address by a fixed number of clocks. Accesses beyond the memory's size are
// answered with an error; a burst that breaks a rule of AXI4 throws std::runtime_error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace card_sim {

// The contents that all ports of one memory share. Bytes are 0 until they are written, and occupy
// host memory from the first write on.
class CardMemory {
public:
    explicit CardMemory(uint64_t size_bytes) : size_bytes_(size_bytes) {}

    // Returns true if the range lies in the memory.
    bool has(uint64_t address, size_t bytes) const;
    void read(uint64_t address, uint8_t* to, size_t bytes) const;
    // Writes the bytes whose bit in `strobes` is set (one bit per byte, the lowest first).
    void write(uint64_t address, const uint8_t* from, const uint8_t* strobes, size_t bytes);

    // The number of beats that its ports have moved.
    uint64_t beats() const { return beats_; }
    void count_beat() { ++beats_; }

private:
    uint64_t size_bytes_;
    uint64_t beats_ = 0;
    std::vector<uint8_t> bytes_;  // those below the end of the highest write
};

// The bursts of one port, independent of its pin names.
class MemoryBursts {
public:
    MemoryBursts(CardMemory& memory, unsigned latency_clocks, size_t beat_bytes)
        : memory_(memory), latency_(latency_clocks), beat_bytes_(beat_bytes) {}

    void reset();
    void clock() { ++now_; }

    bool takes_read() const { return reads_.size() < kOpenBursts; }
    void ask_read(uint64_t address, unsigned length, unsigned size, unsigned kind);
    bool has_read_beat() const { return !reads_.empty() && reads_.front().due <= now_; }
    // Copies the current beat to `to`; returns AXI's response.
    unsigned read_beat(uint8_t* to) const;
    bool is_last_read_beat() const { return reads_.front().beats == 1; }
    void end_read_beat();

    bool takes_write() const { return writes_.size() < kOpenBursts; }
    void ask_write(uint64_t address, unsigned length, unsigned size, unsigned kind);
    bool takes_write_beat() const { return !writes_.empty(); }
    void write_beat(const uint8_t* from, const uint8_t* strobes, bool last);
    bool has_answer() const { return !answers_.empty() && answers_.front().due <= now_; }
    unsigned answer() const { return response(answers_.front().failed); }
    void end_answer() { answers_.pop_front(); }

private:
    static constexpr size_t kOpenBursts = 16;

    struct Burst {
        uint64_t address;
        unsigned beats;  // remaining beats
        uint64_t due;
        bool failed;
    };

    Burst checked(uint64_t address, unsigned length, unsigned size, unsigned kind) const;
    static unsigned response(bool failed) { return failed ? 2u : 0u; }  // SLVERR, OKAY

    CardMemory& memory_;
    unsigned latency_;
    size_t beat_bytes_;
    uint64_t now_ = 0;
    std::deque<Burst> reads_, writes_, answers_;
};

// A port of the verilated card, clocked before each rising edge of the card's clock.
class MemoryPort {
public:
    virtual ~MemoryPort() = default;
    virtual void reset() = 0;
    virtual void clock() = 0;
};

// `Pins` names the pins of `Top`: one static function each, which returns a reference. The card's
// outputs are registered, so inputs that change here do not change them before the edge.
template <class Top, class Pins>
class PinnedPort : public MemoryPort {
public:
    PinnedPort(Top& top, CardMemory& memory, unsigned latency_clocks)
        : top_(top), bursts_(memory, latency_clocks, kBeatBytes) {}

    void reset() override {
        bursts_.reset();
        Pins::rvalid(top_) = 0;
        Pins::bvalid(top_) = 0;
    }

    void clock() override {
        read();
        write();
        bursts_.clock();
    }

private:
    // Verilator stores a port of any width as consecutive little-endian words.
    static constexpr size_t kBeatBytes = sizeof(Pins::rdata(std::declval<Top&>()));

    void read() {
        const bool takes = bursts_.takes_read(), offers = bursts_.has_read_beat();
        Pins::arready(top_) = takes;
        Pins::rvalid(top_) = offers;
        if (offers) {
            uint8_t beat[kBeatBytes];
            Pins::rresp(top_) = bursts_.read_beat(beat);
            std::memcpy(static_cast<void*>(&Pins::rdata(top_)), beat, kBeatBytes);
            Pins::rlast(top_) = bursts_.is_last_read_beat();
            if (Pins::rready(top_)) bursts_.end_read_beat();
        }
        if (takes && Pins::arvalid(top_)) {
            bursts_.ask_read(Pins::araddr(top_), Pins::arlen(top_), Pins::arsize(top_),
                             Pins::arburst(top_));
        }
    }

    void write() {
        const bool takes = bursts_.takes_write(), takes_beat = bursts_.takes_write_beat();
        const bool offers = bursts_.has_answer();
        Pins::awready(top_) = takes;
        Pins::wready(top_) = takes_beat;
        Pins::bvalid(top_) = offers;
        if (offers) {
            Pins::bresp(top_) = bursts_.answer();
            if (Pins::bready(top_)) bursts_.end_answer();
        }
        if (takes_beat && Pins::wvalid(top_)) {
            uint8_t beat[kBeatBytes], strobes[kBeatBytes] = {};
            std::memcpy(beat, &Pins::wdata(top_), kBeatBytes);
            std::memcpy(strobes, &Pins::wstrb(top_), kBeatBytes / 8);
            bursts_.write_beat(beat, strobes, Pins::wlast(top_));
        }
        if (takes && Pins::awvalid(top_)) {
            bursts_.ask_write(Pins::awaddr(top_), Pins::awlen(top_), Pins::awsize(top_),
                              Pins::awburst(top_));
        }
    }

    Top& top_;
    MemoryBursts bursts_;
};

}  // namespace card_sim
