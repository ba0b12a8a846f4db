// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "simulated_card.h"

#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "Vtop.h"
#include "card_memory.h"
#include "memories.h"
#include "options.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
using TraceFile = VerilatedFstC;
#elif VM_TRACE
#include "verilated_vcd_c.h"
using TraceFile = VerilatedVcdC;
#endif

namespace card_sim {

namespace {
constexpr int kResetClocks = 4;
// Verilator stores a port of any width as consecutive little-endian words.
constexpr size_t kBeatBytes = sizeof(Vtop::s_axis_tdata);
static_assert(sizeof(Vtop::m_axis_tdata) == kBeatBytes && kBeatBytes <= kMostBeatBytes);
}

#if VM_TRACE
struct SimulatedCard::Trace {
    Trace(Vtop& top, const std::string& path) {
        // The tracer itself does not report a file that it cannot open.
        if (!std::ofstream(path)) throw std::runtime_error("--trace: cannot write " + path);
        top.trace(&file, 99);
        file.open(path.c_str());
    }
    ~Trace() { file.close(); }
    TraceFile file;
};
#else
struct SimulatedCard::Trace {
    Trace(Vtop&, const std::string&) {
        throw std::runtime_error("--trace: this simulator was built without traces; "
                                 "`python -m card.sim.build --trace` builds one with traces");
    }
};
#endif

#ifdef MEMORY_CARD
#include "memory_pins.h"

#define PIN(name, pin) \
    static auto& pin(Vtop& top) { return top.name##_##pin; }
#define PINS(number, name)                                                                  \
    struct Pins_##name {                                                                    \
        PIN(name, arvalid) PIN(name, arready) PIN(name, araddr) PIN(name, arlen)            \
        PIN(name, arsize) PIN(name, arburst) PIN(name, rvalid) PIN(name, rready)            \
        PIN(name, rdata) PIN(name, rresp) PIN(name, rlast) PIN(name, awvalid)               \
        PIN(name, awready) PIN(name, awaddr) PIN(name, awlen) PIN(name, awsize)             \
        PIN(name, awburst) PIN(name, wvalid) PIN(name, wready) PIN(name, wdata)             \
        PIN(name, wstrb) PIN(name, wlast) PIN(name, bvalid) PIN(name, bready)               \
        PIN(name, bresp)                                                                    \
    };
namespace {
CARD_MEMORY_PINS(PINS)
}
#undef PINS
#undef PIN

void SimulatedCard::attach_memories(const Options& options) {
    for (int i = 0; i < CARD_MEMORIES; ++i) {
        card_memories_.push_back(std::make_unique<CardMemory>(options.memory_mib << 20));
    }
#define ATTACH(number, name)                                                    \
    memory_ports_.push_back(std::make_unique<PinnedPort<Vtop, Pins_##name>>(    \
        *top_, *card_memories_[number], options.memory_latency));
    CARD_MEMORY_PINS(ATTACH)
#undef ATTACH
}
#else
void SimulatedCard::attach_memories(const Options&) {}
#endif

SimulatedCard::SimulatedCard(const Options& options) {
    const std::string& trace_path = options.trace_path;
    Verilated::traceEverOn(!trace_path.empty());
    Verilated::fatalOnError(false);  // clock() checks for errors: the server and the trace end well
    // A flipped bit of a memory may break what the design relies on.
    if (options.faults.flip > 0) Verilated::assertOn(false);
    top_ = std::make_unique<Vtop>();
    memories_ = std::make_unique<Memories>();
    attach_memories(options);
    if (!trace_path.empty()) trace_ = std::make_unique<Trace>(*top_, trace_path);
    top_->engine_enable_i = options.engine_enable;
    top_->s_axis_tkeep = std::numeric_limits<std::decay_t<decltype(top_->s_axis_tkeep)>>::max();
    top_->s_axil_bready = 1;
    top_->s_axil_rready = 1;
    reset();
}

void SimulatedCard::reset() {
    top_->s_axis_tvalid = 0;
    top_->m_axis_tready = 0;
    for (const auto& port : memory_ports_) port->reset();
    top_->rst_ni = 0;
    for (int i = 0; i < kResetClocks; ++i) {
        edge(true);
        edge(false);
    }
    top_->rst_ni = 1;
    edge(false);
}

SimulatedCard::~SimulatedCard() { top_->final(); }

void SimulatedCard::edge(bool level) {
    top_->clk_i = level;
    top_->eval();
#if VM_TRACE
    if (trace_) trace_->file.dump(half_clocks_);
#endif
    ++half_clocks_;
}

size_t SimulatedCard::beat_bytes() { return kBeatBytes; }

SimulatedCard::Clock SimulatedCard::clock(const uint8_t* input, bool take_output, Beat& output) {
    // The streams and the memory ports end in register slices, so their outputs hold until the edge
    // whatever the inputs are, and one evaluation per clock level is enough.
    Clock result;
    result.input_taken = input != nullptr && top_->s_axis_tready;
    result.has_output = take_output && top_->m_axis_tvalid;
    if (result.has_output) {
        std::memcpy(output.bytes, &top_->m_axis_tdata, kBeatBytes);
        output.last = top_->m_axis_tlast != 0;
    }
    top_->s_axis_tvalid = input != nullptr;
    if (input != nullptr) std::memcpy(static_cast<void*>(&top_->s_axis_tdata), input, kBeatBytes);
    top_->m_axis_tready = take_output;
    for (const auto& port : memory_ports_) port->clock();
    edge(true);
    edge(false);
    ++clocks_;
    if (Verilated::gotError()) {
        throw AssertionFailed("an assertion of the card failed in clock " + std::to_string(clocks_));
    }
    return result;
}

uint64_t SimulatedCard::memory_beats() const {
    uint64_t beats = 0;
    for (const auto& memory : card_memories_) beats += memory->beats();
    return beats;
}

void SimulatedCard::flip(uint64_t random_memory, uint64_t random_bit) {
    memories_->flip(random_memory, random_bit);
}

bool SimulatedCard::idle() const { return top_->idle_o; }

}  // namespace card_sim
