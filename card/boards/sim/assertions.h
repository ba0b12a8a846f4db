// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// Assertions of the RTL in the simulated boards.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "verilated.h"

namespace board_sim {

constexpr int kExitAssertion = 4;

// An assertion of the RTL does not hold: the card has a bug. Verilator has printed which one.
struct AssertionFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Lets check_assertions report failures, instead of Verilator, which would abort. Verilator prints
// to the standard output which assertion failed: that becomes the standard error output.
inline void collect_assertions() {
    Verilated::fatalOnError(false);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

// Throws AssertionFailed if an assertion has failed up to this clock.
inline void check_assertions(uint64_t clocks) {
    if (!Verilated::gotError()) return;
    std::fflush(stdout);
    throw AssertionFailed("an assertion of the card failed in clock " + std::to_string(clocks));
}

}  // namespace board_sim
