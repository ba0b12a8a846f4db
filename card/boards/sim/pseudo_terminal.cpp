// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "pseudo_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace board_sim {

namespace {

[[noreturn]] void fail(const char* what) {
    throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

PseudoTerminal::PseudoTerminal(int wake_fd) : wake_fd_(wake_fd) {
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (master_ < 0) fail("no pseudo-terminal");
    char name[128];
    if (::grantpt(master_) != 0 || ::unlockpt(master_) != 0 ||
        ::ptsname_r(master_, name, sizeof name) != 0) {
        fail("cannot unlock the pseudo-terminal");
    }
    path_ = name;
    slave_ = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    if (slave_ < 0 || ::tcgetattr(slave_, &settings) != 0) fail("cannot open the terminal's slave");
    ::cfmakeraw(&settings);  // no echo before the host has configured the terminal
    if (::tcsetattr(slave_, TCSANOW, &settings) != 0) fail("cannot set the terminal's slave");
}

PseudoTerminal::~PseudoTerminal() {
    if (slave_ >= 0) ::close(slave_);
    if (master_ >= 0) ::close(master_);
}

void PseudoTerminal::read(std::vector<uint8_t>& buffer, size_t limit) {
    const size_t size = buffer.size();
    buffer.resize(size + limit);
    const ssize_t count = ::read(master_, buffer.data() + size, limit);
    buffer.resize(size + (count > 0 ? static_cast<size_t>(count) : 0));
}

void PseudoTerminal::write(std::vector<uint8_t>& bytes) {
    if (bytes.empty()) return;
    const ssize_t count = ::write(master_, bytes.data(), bytes.size());
    if (count > 0) bytes.erase(bytes.begin(), bytes.begin() + count);
}

void PseudoTerminal::wait(bool for_output) {
    const int events = POLLIN | (for_output ? POLLOUT : 0);
    pollfd descriptors[2] = {{wake_fd_, POLLIN, 0}, {master_, static_cast<short>(events), 0}};
    ::poll(descriptors, 2, -1);  // the result does not matter: the caller checks
}

}  // namespace board_sim
