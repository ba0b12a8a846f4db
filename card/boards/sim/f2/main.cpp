// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// halimede-f2-sim: the custom logic of an AWS F2 instance with its card, simulated from the shell's
// ports, behind files that act as the resources of a PCI function. See --help.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "Vtop.h"
#include "assertions.h"
#include "axi4_host.h"
#include "function.h"
#include "verilated.h"

namespace {

using namespace f2_sim;

const char* const kHelp =
    R"(halimede-f2-sim: the card on an AWS F2 instance, simulated from the ports of Amazon's shell.

Usage: halimede-f2-sim [--seed N] FOLDER

Creates FOLDER/resource4 and FOLDER/resource4_wc, prints one line `listening FOLDER` on stderr, and
acts as the shell: the bytes that a host has written there become AXI4 bursts, in pieces, in any
order and some twice; replies are read by bursts. The device f2:FOLDER is the card. The clock stops
while the card is idle.

  --seed N  of the pieces, their order and the pauses of the bus; 1 by default
  --help    this text

Exit codes: 0 after SIGTERM or SIGINT; 1 no files, or the card broke a rule of the bus; 2 a wrong
argument; 4 an assertion of the card failed.
)";

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

// The interval between two looks at the host's positions.
constexpr int kBatchClocks = 64;
// After this time without a transfer and without work in the card, it has no more output.
constexpr uint64_t kQuietClocks = 4000;
constexpr useconds_t kIdlePauseUs = 200;
// The shell cuts accesses at this boundary (a rule of PCIe).
constexpr uint64_t kPageBytes = 4096;

volatile std::sig_atomic_t stop = 0;

void on_signal(int) { stop = 1; }

class Simulation {
public:
    Simulation(const std::string& folder, uint64_t seed)
        : random_(seed), host_(seed + 1), top_(std::make_unique<Vtop>()) {
        for (int i = 0; i < 8; ++i) clock();
        top_->rst_ni = 1;
        for (int i = 0; i < 64; ++i) clock();
        host_.read(kControl, 1);
        ReadBurst burst;
        while (!host_.take(burst)) clock();
        uint32_t words[kWords];
        std::memcpy(words, burst.bytes.data(), sizeof words);
        request_bytes_ = words[kRequestBytes];
        reply_bytes_ = words[kReplyBytes];
        function_ = std::make_unique<Function>(folder);
        for (int word = 0; word < kWords; ++word) {
            function_->set(static_cast<Word>(word), words[word]);
        }
        std::fprintf(stderr, "listening %s\n", folder.c_str());
        std::fflush(stderr);
    }
    ~Simulation() { top_->final(); }

    void run() {
        while (!stop) {
            look();
            if (!host_.writes() && clocks_ - busy_at_ > kQuietClocks) {
                ::usleep(kIdlePauseUs);
                continue;
            }
            for (int i = 0; i < kBatchClocks; ++i) clock();
        }
        std::fprintf(stderr, "halimede-f2-sim: %llu clocks, %llu bytes in, %llu out\n",
                     static_cast<unsigned long long>(clocks_),
                     static_cast<unsigned long long>(requests_),
                     static_cast<unsigned long long>(replies_));
    }

private:
    void clock() {
        top_->clk_i = 0;
        host_.drive(*top_);
        // Each pulse of an interrupt is acknowledged by a pulse.
        top_->irq_ack_i = acknowledge_;
        top_->eval();
        host_.sample(*top_);
        acknowledge_ = top_->irq_req_o;
        if (!top_->idle_o) busy_at_ = clocks_;
        top_->clk_i = 1;
        top_->eval();
        ++clocks_;
        board_sim::check_assertions(clocks_);
    }

    // Passes on what the host has written, and what the card has answered.
    void look() {
        if (!host_.writes()) {
            const uint32_t published = function_->get(kPublished);
            const uint32_t consumed = function_->get(kConsumed);
            if (published != published_) publish(published);
            if (consumed != consumed_) {
                position(kConsumed, consumed);
                consumed_ = consumed;
            }
        }
        ReadBurst burst;
        while (host_.take(burst)) answered(burst);
        if (!host_.reads()) host_.read(kControl, 1);
    }

    // Writes new lines as a processor does that combines stores, and then their position.
    void publish(uint32_t published) {
        if (published - published_ > request_bytes_ || published % kLineBytes != 0) {
            throw std::runtime_error("the host published an invalid position");
        }
        std::vector<std::pair<uint64_t, Line>> stores;
        for (; published_ != published; published_ += kLineBytes) {
            const uint64_t place = published_ % request_bytes_;
            Line line;
            std::memcpy(line.bytes.data(), function_->at(kRequests + place), kLineBytes);
            // Some lines leave the processor in two pieces, cut at 8 bytes.
            const uint64_t cut = random_() % 4 == 0 ? 8 * (random_() % 8) : 0;
            const uint64_t low = (uint64_t{1} << cut) - 1;
            for (const uint64_t strobes : {low, ~low}) {
                line.strobes = strobes;
                if (strobes != 0) stores.emplace_back(place, line);
            }
            requests_ += kLineBytes;
        }
        const size_t count = stores.size();
        for (size_t i = 0; i < count; ++i) {
            if (random_() % 16 == 0) stores.push_back(stores[i]);
        }
        // The buffers of a processor: a store passes only its neighbors.
        for (size_t i = 0; i + 1 < stores.size(); ++i) {
            const size_t other = i + random_() % std::min<size_t>(8, stores.size() - i);
            std::swap(stores[i], stores[other]);
        }
        for (const auto& [place, line] : stores) host_.write(kRequests + place, {line});
        position(kPublished, published);
        busy_at_ = clocks_;
    }

    void position(Word word, uint32_t value) {
        Line line;
        std::memcpy(line.bytes.data() + 4 * word, &value, sizeof value);
        line.strobes = uint64_t{0xF} << (4 * word);
        host_.write(kControl, {line});
    }

    void answered(const ReadBurst& burst) {
        if (burst.address >= kControl) {
            uint32_t words[kWords];
            std::memcpy(words, burst.bytes.data(), sizeof words);
            if (words[kTaken] != taken_ || words[kProduced] != produced_) busy_at_ = clocks_;
            taken_ = words[kTaken];
            function_->set(kTaken, taken_);
            fetch(words[kProduced]);
            return;
        }
        std::memcpy(function_->at(burst.address), burst.bytes.data(), burst.bytes.size());
        replies_ += burst.bytes.size();
        produced_ += static_cast<uint32_t>(burst.bytes.size());
        function_->set(kProduced, produced_);
    }

    // Reads the replies up to a position, in bursts within a page.
    void fetch(uint32_t produced) {
        if (produced - produced_ > reply_bytes_) {
            throw std::runtime_error("the card has an invalid position");
        }
        for (uint32_t at = produced_; at != produced;) {
            const uint64_t place = at % reply_bytes_;
            const uint64_t page = kPageBytes - place % kPageBytes;
            const uint64_t bytes = std::min<uint64_t>(produced - at, page);
            host_.read(kReplies + place, bytes / kLineBytes);
            at += static_cast<uint32_t>(bytes);
        }
    }

    std::mt19937_64 random_;
    Axi4Host host_;
    std::unique_ptr<Vtop> top_;
    std::unique_ptr<Function> function_;
    uint32_t request_bytes_ = 0, reply_bytes_ = 0;
    // The positions that have been passed on.
    uint32_t published_ = 0, consumed_ = 0, produced_ = 0, taken_ = 0;
    uint16_t acknowledge_ = 0;
    uint64_t clocks_ = 0;
    uint64_t busy_at_ = 0;   // the last clock of work
    uint64_t requests_ = 0;  // bytes
    uint64_t replies_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    std::string folder;
    uint64_t seed = 1;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        char* end = nullptr;
        if (argument == "--help") {
            std::fputs(kHelp, stdout);
            return 0;
        } else if (argument == "--seed" && i + 1 < argc) {
            seed = std::strtoull(argv[++i], &end, 10);
            if (end == argv[i] || *end != '\0') folder.clear(), i = argc;
        } else if (argument.rfind("-", 0) != 0 && folder.empty()) {
            folder = argument;
        } else {
            std::fprintf(stderr, "halimede-f2-sim: wrong argument `%s`; see --help\n", argv[i]);
            return kExitUsage;
        }
    }
    if (folder.empty()) {
        std::fputs("halimede-f2-sim: needs a folder, and a seed that is a number; see --help\n",
                   stderr);
        return kExitUsage;
    }
    struct sigaction action {};
    action.sa_handler = on_signal;
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
    try {
        board_sim::collect_assertions();
        Simulation(folder, seed).run();
        return 0;
    } catch (const board_sim::AssertionFailed& error) {
        std::fprintf(stderr, "halimede-f2-sim: %s\n", error.what());
        return board_sim::kExitAssertion;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "halimede-f2-sim: %s\n", error.what());
        return kExitFailure;
    }
}
