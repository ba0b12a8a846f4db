// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "server.h"

namespace card_sim {

namespace {

// The maximum number of bytes read from the socket at once, and buffered in each direction.
constexpr size_t kBufferBytes = 64 * 1024;
// Clocks between two polls of the socket: about a millisecond, so that the cost of the calls is
// small.
constexpr int kBatchClocks = 64;
// A card that has moved no beat to or from the host or its memory for this time waits for input,
// even if it does not report that it is idle (it holds half a frame). No job computes for so long
// without a beat, except on a card that is built with a longer time.
#ifndef QUIET_CLOCKS
#define QUIET_CLOCKS 2'000'000
#endif
constexpr uint64_t kQuietClocks = QUIET_CLOCKS;

// Drops the bytes before `start` once they are the larger part of the buffer.
void compact(std::vector<uint8_t>& buffer, size_t& start) {
    if (start < buffer.size() && start < kBufferBytes) return;
    buffer.erase(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(start));
    start = 0;
}

}  // namespace

bool Server::input_room() const { return input_.size() - input_start_ < kBufferBytes; }

bool Server::output_room() const { return output_.size() - output_start_ < kBufferBytes; }

bool Server::receive() {
    if (!faults_.harms_requests()) return link_.receive(input_, kBufferBytes);
    const bool goes_on = link_.receive(received_, kBufferBytes);
    faults_.pass_requests(received_, input_);
    return goes_on;
}

bool Server::exchange() {
    if (output_start_ < output_.size()) {
        if (!link_.send(output_, output_start_)) return false;
        compact(output_, output_start_);
    }
    if (wants_input()) {
        compact(input_, input_start_);
        input_ended_ = !receive();
    }
    if (faults_.stalled()) return !link_.hung_up();
    // A client that has closed only its sending side still receives its replies.
    const bool served = !work_left() && output_start_ == output_.size();
    return !input_ended_ || !(served || link_.hung_up());
}

bool Server::wants_input() const { return input_room() && !input_ended_ && !faults_.stalled(); }

void Server::run_clocks() {
    const bool take_output = output_room();
    Beat output;
    for (int i = 0; i < kBatchClocks; ++i) {
        if (faults_.reset_due(card_.clocks())) {
            card_.reset();
            // Bytes that had left the card are on the link, whether or not the frame is complete.
            output_.insert(output_.end(), frame_.begin(), frame_.end());
            frame_.clear();
        }
        if (uint64_t random[2]; faults_.flip_due(card_.clocks(), random)) {
            card_.flip(random[0], random[1]);
        }
        const bool has_input = input_.size() - input_start_ >= beat_bytes_;
        const uint8_t* input = has_input ? input_.data() + input_start_ : nullptr;
        const SimulatedCard::Clock clock = card_.clock(input, take_output, output);
        if (clock.input_taken) input_start_ += beat_bytes_;
        if (clock.has_output) {
            frame_.insert(frame_.end(), output.bytes, output.bytes + beat_bytes_);
            if (output.last) {
                faults_.pass(std::move(frame_), card_.clocks(), output_);
                frame_.clear();
            }
        }
        const bool moves = clock.input_taken || clock.has_output ||
                           card_.memory_beats() != memory_beats_;
        memory_beats_ = card_.memory_beats();
        quiet_clocks_ = moves ? 0 : quiet_clocks_ + 1;
        if (!has_input && card_.idle() && !faults_.holds_frames()) break;
    }
    faults_.release(card_.clocks(), output_);
}

bool Server::work_left() const {
    if (faults_.stalled() || !output_room()) return false;
    if (input_.size() - input_start_ >= beat_bytes_ || faults_.holds_frames()) return true;
    return !card_.idle() && quiet_clocks_ < kQuietClocks;
}

// The card processes all complete input; a partial beat is lost with the link.
void Server::drop_client() {
    link_.hang_up();
    const size_t whole = (input_.size() - input_start_) / beat_bytes_ * beat_bytes_;
    input_.resize(input_start_ + whole);
    received_.clear();
    output_.clear();
    output_start_ = 0;
    input_ended_ = false;
    faults_.restart();
}

End Server::run() {
    while (!stop_) {
        if (options_.max_clocks != 0 && card_.clocks() >= options_.max_clocks) {
            return End::kMaxClocks;
        }
        if (link_.connected() || link_.accept_client()) {
            if (!exchange()) {
                drop_client();
                if (options_.once) return End::kClientGone;
                continue;
            }
        } else {
            output_.clear();  // replies to a client that has disconnected
            output_start_ = 0;
            faults_.restart();  // a stall ends with its client, too
        }
        if (work_left()) {
            run_clocks();
        } else {
            link_.wait(wants_input(), output_start_ < output_.size());
            quiet_clocks_ = 0;
        }
    }
    return End::kSignal;
}

}  // namespace card_sim
