// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// The command line of halimede-card-sim.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace card_sim {

// How often each fault strikes a frame: a probability in [0, 1].
struct FaultRates {
    // Of replies.
    double drop = 0;       // the frame is lost
    double corrupt = 0;    // one of its bits is flipped
    double cut = 0;        // some of its bytes are lost, so that the host loses step
    double duplicate = 0;  // it comes twice
    double delay = 0;      // it is held back while others overtake it
    double stall = 0;      // the card neither sends nor takes anything more until the host hangs up
    double reset = 0;      // the card's hardware reset pulses a little later, wherever it stands
    double kill = 0;       // the process ends, as by kill -9
    double flip = 0;       // a little later, a bit of each word of one of the card's memories flips
    // Of requests.
    double request_drop = 0;
    double request_corrupt = 0;
    double request_cut = 0;  // some of its beats are lost, so that the card loses step
};

struct Options {
    std::string socket_path;               // empty with `stdio`
    bool stdio = false;                    // serve the socket that is standard input
    bool once = false;                     // exit when the first client hangs up
    uint32_t engine_enable = 0xFFFFFFFFu;  // mask of capability bits
    std::string trace_path;                // empty: no trace
    FaultRates faults;
    uint64_t seed = 0;
    uint64_t max_clocks = 0;  // 0: no limit
    // Of a card with memories (memory_card_top).
    uint64_t memory_mib = 1024;    // each; space is taken as they are written
    unsigned memory_latency = 32;  // in clocks
};

// The message says which argument is wrong and what would be right.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Text of --help.
extern const char* const kHelp;

// Parses the arguments; sets `help` if they ask for the help text.
Options parse_options(int argc, char** argv, bool& help);

}  // namespace card_sim
