// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// halimede-card-sim: the card, simulated from its RTL, behind a Unix socket. See --help.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>

#include "options.h"
#include "server.h"
#include "simulated_card.h"
#include "socket_link.h"

namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;
constexpr int kExitMaxClocks = 3;
constexpr int kExitAssertion = 4;

// Set by a signal; the pipe wakes poll(), which the flag alone would not if the signal came just
// before the call.
volatile std::sig_atomic_t stop = 0;
int wake_pipe[2] = {-1, -1};

void on_signal(int) {
    stop = 1;
    const char byte = 0;
    [[maybe_unused]] const ssize_t written = ::write(wake_pipe[1], &byte, 1);
}

std::unique_ptr<card_sim::SocketLink> open_link(const card_sim::Options& options) {
    if (options.stdio) return std::make_unique<card_sim::SocketLink>(STDIN_FILENO, wake_pipe[0]);
    auto link = std::make_unique<card_sim::SocketLink>(options.socket_path, wake_pipe[0]);
    std::fprintf(stderr, "listening %s\n", options.socket_path.c_str());
    std::fflush(stderr);
    return link;
}

int serve(const card_sim::Options& options) {
    if (::pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        std::perror("halimede-card-sim: pipe");
        return kExitFailure;
    }
    struct sigaction action {};
    action.sa_handler = on_signal;
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);

    card_sim::SimulatedCard card(options);
    const std::unique_ptr<card_sim::SocketLink> link = open_link(options);
    card_sim::Server server(options, card, *link, stop);
    if (server.run() == card_sim::End::kMaxClocks) {
        std::fprintf(stderr, "halimede-card-sim: stopped after %llu clocks (--max-clocks)\n",
                     static_cast<unsigned long long>(card.clocks()));
        return kExitMaxClocks;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        bool help = false;
        const card_sim::Options options = card_sim::parse_options(argc, argv, help);
        if (help) {
            std::fputs(card_sim::kHelp, stdout);
            return 0;
        }
        // Verilator prints to the standard output which assertion failed.
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        return serve(options);
    } catch (const card_sim::UsageError& error) {
        std::fprintf(stderr, "halimede-card-sim: %s\n", error.what());
        return kExitUsage;
    } catch (const card_sim::AssertionFailed& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "halimede-card-sim: %s\n", error.what());
        return kExitAssertion;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "halimede-card-sim: %s\n", error.what());
        return kExitFailure;
    }
}
