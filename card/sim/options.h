// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// The command line of halimede-card-sim.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace card_sim {

// The probability, in [0, 1], with which each fault strikes a frame.
struct FaultRates {
    // Faults of replies.
    double drop = 0;       // the frame is lost
    double corrupt = 0;    // one bit of the frame is flipped
    double cut = 0;        // some bytes of the frame are lost, so that the host loses step
    double duplicate = 0;  // the frame is sent twice
    double delay = 0;      // the frame is delayed while others overtake it
    double stall = 0;      // the card sends and accepts nothing more until the host hangs up
    double reset = 0;      // the card's hardware reset pulses a little later, in any state
    double kill = 0;       // the process ends, as by kill -9
    double flip = 0;       // a little later, one bit in each word of a memory of the card flips
    // Faults of requests.
    double request_drop = 0;
    double request_corrupt = 0;
    double request_cut = 0;  // some beats of the frame are lost, so that the card loses step
};

struct Options {
    std::string socket_path;               // empty with `stdio`
    bool stdio = false;                    // serve the socket on standard input
    bool once = false;                     // exit when the first client hangs up
    uint32_t engine_enable = 0xFFFFFFFFu;  // mask of capability bits
    std::string trace_path;                // empty: no trace
    FaultRates faults;
    uint64_t seed = 0;
    uint64_t max_clocks = 0;  // 0: no limit
    // Options of a card with memories (memory_card_top).
    uint64_t memory_mib = 1024;    // per memory; host memory is allocated as it is written
    unsigned memory_latency = 32;  // in clocks
};

// The message names the wrong argument and the expected form.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The text of --help.
extern const char* const kHelp;

// Parses the arguments. Sets `help` if the help text is requested.
Options parse_options(int argc, char** argv, bool& help);

}  // namespace card_sim
