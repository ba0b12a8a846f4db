// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A pseudo-terminal whose slave acts as the board's serial device. Only wait() blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace board_sim {

class PseudoTerminal {
public:
    // Throws std::runtime_error if the system has no pseudo-terminal. `wake_fd` becomes readable
    // when the process is to end.
    explicit PseudoTerminal(int wake_fd);
    ~PseudoTerminal();
    PseudoTerminal(const PseudoTerminal&) = delete;
    PseudoTerminal& operator=(const PseudoTerminal&) = delete;

    // The path that the host opens.
    const std::string& path() const { return path_; }

    // Appends the received bytes to `buffer`, at most `limit`.
    void read(std::vector<uint8_t>& buffer, size_t limit);
    // Writes the bytes that the terminal accepts, and removes them from the front.
    void write(std::vector<uint8_t>& bytes);
    // Blocks until bytes arrive, bytes can be written (if `for_output`) or the process is to end.
    void wait(bool for_output);

private:
    int wake_fd_;
    int master_ = -1;
    // Kept open, so that the terminal outlives its clients.
    int slave_ = -1;
    std::string path_;
};

}  // namespace board_sim
