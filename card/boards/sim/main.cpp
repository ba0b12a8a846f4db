// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// halimede-ulx3s-sim: the ULX3S with its card, simulated from the board's top level down, behind a
// pseudo-terminal. Every bit goes over the simulated serial line at the board's rate. See --help.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vtop.h"
#include "assertions.h"
#include "pseudo_terminal.h"
#include "serial_line.h"
#include "verilated.h"

#if !defined(BIT_SIXTEENTHS) || !defined(IDLE_BITS)
#error "the build defines the parameters of the serial line"
#endif

namespace {

using board_sim::Fate;

const char* const kHelp =
    R"(halimede-ulx3s-sim: the ULX3S with its card, simulated, behind a pseudo-terminal.

Usage: halimede-ulx3s-sim [options]

Prints one line `listening PATH` on stderr: PATH is the serial device that a host opens. The baud
rate of the terminal is ignored: the line runs at the board's rate, in simulated time, and the clock
stops while the board is idle.

  --lose-request N   the N-th byte (from 1) that the host sends is lost on the line
  --break-request N  the N-th byte from the host arrives with a bad stop bit
  --lose-reply N     the N-th byte from the card is lost on the line
                     (each may be repeated)
  --rate-error PPM   the host's end is PPM millionths slower than the board's (may be negative)
  --help             this text

Exit codes: 0 after SIGTERM or SIGINT; 1 no pseudo-terminal; 2 a wrong argument; 4 an assertion of
the card failed.
)";

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

// The interval between two polls of the terminal.
constexpr int kBatchClocks = 1000;
// After this time, a board without work has no more output: several times the clocks of a
// permutation.
constexpr uint64_t kQuietClocks = 60000;
constexpr uint64_t kIdleClocks = uint64_t{BIT_SIXTEENTHS} * IDLE_BITS / 16;
// The buffer at the far end of the line, as in a serial device. A host must wait for the line.
constexpr size_t kWaitingBytes = 256;

struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Options {
    std::set<uint64_t> lost_requests, broken_requests, lost_replies;
    double rate_error = 0;
    bool help = false;
};

long long number(const std::string& name, const char* text, long long least, long long most) {
    char* end = nullptr;
    errno = 0;
    const long long value = text == nullptr ? 0 : std::strtoll(text, &end, 10);
    if (text == nullptr || end == text || *end != '\0' || errno != 0 || value < least ||
        value > most) {
        throw UsageError(name + " needs a number from " + std::to_string(least) + " to " +
                         std::to_string(most));
    }
    return value;
}

Options parse(int argc, char** argv) {
    constexpr long long kMostBytes = 1LL << 62;
    constexpr long long kMostError = 100000;
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (name == "--help") {
            options.help = true;
            continue;
        }
        ++i;
        if (name == "--lose-request") {
            options.lost_requests.insert(static_cast<uint64_t>(number(name, value, 1, kMostBytes)));
        } else if (name == "--break-request") {
            options.broken_requests.insert(
                static_cast<uint64_t>(number(name, value, 1, kMostBytes)));
        } else if (name == "--lose-reply") {
            options.lost_replies.insert(static_cast<uint64_t>(number(name, value, 1, kMostBytes)));
        } else if (name == "--rate-error") {
            const long long error = number(name, value, -kMostError, kMostError);
            options.rate_error = static_cast<double>(error) / 1e6;
        } else {
            throw UsageError("no option `" + name + "`; see --help");
        }
    }
    return options;
}

volatile std::sig_atomic_t stop = 0;
int wake_pipe[2] = {-1, -1};

void on_signal(int) {
    stop = 1;
    const char byte = 0;
    [[maybe_unused]] const ssize_t written = ::write(wake_pipe[1], &byte, 1);
}

class Simulation {
public:
    explicit Simulation(const Options& options)
        : options_(options),
          terminal_(wake_pipe[0]),
          sender_(BIT_SIXTEENTHS / 16.0 * (1 + options.rate_error)),
          receiver_(BIT_SIXTEENTHS / 16.0 * (1 + options.rate_error)),
          top_(std::make_unique<Vtop>()) {
        top_->ftdi_txd = 1;
        top_->btn_fire1 = 1;
        for (int i = 0; i < 4; ++i) edge();
        top_->btn_fire1 = 0;
        for (int i = 0; i < 64; ++i) edge();
        board_sim::check_assertions(clocks_);
    }
    ~Simulation() { top_->final(); }

    void run() {
        std::fprintf(stderr, "listening %s\n", terminal_.path().c_str());
        std::fflush(stderr);
        while (!stop) {
            exchange();
            if (quiet()) {
                terminal_.wait(!output_.empty());
                continue;
            }
            for (int i = 0; i < kBatchClocks; ++i) clock();
        }
        std::fprintf(stderr, "halimede-ulx3s-sim: %llu clocks, %llu bytes in, %llu out\n",
                     static_cast<unsigned long long>(clocks_),
                     static_cast<unsigned long long>(requests_),
                     static_cast<unsigned long long>(replies_));
    }

private:
    void edge() {
        top_->clk_25mhz = !top_->clk_25mhz;
        top_->eval();
    }

    void exchange() {
        if (sender_.waiting() < kWaitingBytes) {
            std::vector<uint8_t> bytes;
            terminal_.read(bytes, kWaitingBytes - sender_.waiting());
            for (const uint8_t byte : bytes) {
                ++requests_;
                const Fate fate = options_.lost_requests.count(requests_)    ? Fate::kLost
                                  : options_.broken_requests.count(requests_) ? Fate::kBadStopBit
                                                                              : Fate::kWhole;
                if (fate == Fate::kWhole) ++arrived_;
                sender_.push(byte, fate);
            }
        }
        terminal_.write(output_);
    }

    void clock() {
        top_->ftdi_txd = sender_.clock();
        const std::optional<uint8_t> byte = receiver_.clock(top_->ftdi_rxd);
        edge();
        edge();
        ++clocks_;
        board_sim::check_assertions(clocks_);
        if (!sender_.idle() || !receiver_.idle()) busy_at_ = clocks_;
        if (byte) {
            ++replies_;
            if (!options_.lost_replies.count(replies_)) output_.push_back(*byte);
        }
    }

    // The board sends nothing more unless the host sends. A partial beat has been dropped before.
    bool quiet() {
        const uint64_t idle = clocks_ - busy_at_;
        if (idle > kIdleClocks + kQuietClocks) arrived_ = 0;
        return sender_.idle() && receiver_.idle() && idle > kQuietClocks && arrived_ % 8 == 0;
    }

    const Options& options_;
    board_sim::PseudoTerminal terminal_;
    board_sim::LineSender sender_;
    board_sim::LineReceiver receiver_;
    std::unique_ptr<Vtop> top_;
    std::vector<uint8_t> output_;  // from the card, for the host
    uint64_t clocks_ = 0;
    uint64_t busy_at_ = 0;   // when the line was last busy
    uint64_t arrived_ = 0;   // bytes that reached the board since its last idle time
    uint64_t requests_ = 0;  // bytes from the host
    uint64_t replies_ = 0;   // bytes from the card
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const Options options = parse(argc, argv);
        if (options.help) {
            std::fputs(kHelp, stdout);
            return 0;
        }
        if (::pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
            std::perror("halimede-ulx3s-sim: pipe");
            return kExitFailure;
        }
        struct sigaction action {};
        action.sa_handler = on_signal;
        ::sigaction(SIGTERM, &action, nullptr);
        ::sigaction(SIGINT, &action, nullptr);
        board_sim::collect_assertions();
        Simulation(options).run();
        return 0;
    } catch (const UsageError& error) {
        std::fprintf(stderr, "halimede-ulx3s-sim: %s\n", error.what());
        return kExitUsage;
    } catch (const board_sim::AssertionFailed& error) {
        std::fprintf(stderr, "halimede-ulx3s-sim: %s\n", error.what());
        return board_sim::kExitAssertion;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "halimede-ulx3s-sim: %s\n", error.what());
        return kExitFailure;
    }
}
