// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// Moves bytes between the host's socket and the simulated card.
#pragma once

#include <csignal>
#include <cstdint>
#include <vector>

#include "fault_injector.h"
#include "simulated_card.h"
#include "socket_link.h"

namespace card_sim {

enum class End { kSignal, kClientGone, kMaxClocks };

class Server {
public:
    Server(const Options& options, SimulatedCard& card, SocketLink& link,
           const volatile std::sig_atomic_t& stop)
        : options_(options),
          card_(card),
          link_(link),
          stop_(stop),
          faults_(options.faults, options.seed, beat_bytes_) {}

    // Serves clients until the process is to end. Returns the reason.
    End run();

private:
    bool exchange();      // socket <-> buffers, without blocking; false if the client hung up
    bool receive();       // socket -> input_; false if no more will come
    void run_clocks();    // buffers <-> card, for a batch of clocks
    bool work_left() const;
    void drop_client();
    bool input_room() const;
    bool output_room() const;
    bool wants_input() const;

    const size_t beat_bytes_ = SimulatedCard::beat_bytes();
    const Options& options_;
    SimulatedCard& card_;
    SocketLink& link_;
    const volatile std::sig_atomic_t& stop_;
    FaultInjector faults_;

    std::vector<uint8_t> received_;  // from the host, before the fault injector
    std::vector<uint8_t> input_;   // from the host; bytes before input_start_ are in the card
    size_t input_start_ = 0;
    bool input_ended_ = false;     // the client has closed its sending side
    std::vector<uint8_t> output_;  // to the host; bytes before output_start_ are sent
    size_t output_start_ = 0;
    std::vector<uint8_t> frame_;   // the reply frame that the card is sending
    uint64_t memory_beats_ = 0;
    uint64_t quiet_clocks_ = 0;    // clocks since a beat moved in or out, or to or from a memory
};

}  // namespace card_sim
