// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "axi4_host.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "Vtop.h"

namespace f2_sim {

namespace {

// The shell ends an access of a processor after 8 µs: 2,000 clocks of 250 MHz.
constexpr uint64_t kTimeLimitClocks = 2000;
constexpr size_t kMostInFlight = 32;
constexpr uint8_t kBurstIncr = 1;
constexpr uint8_t kSizeLine = 6;
constexpr uint8_t kOkay = 0;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

}  // namespace

void Axi4Host::write(uint64_t address, std::vector<Line> lines) {
    const auto id = static_cast<uint16_t>(random_());
    writes_.push_back({address, lines.size(), id, 0});
    for (size_t i = 0; i < lines.size(); ++i) data_.push_back({lines[i], i + 1 == lines.size()});
}

void Axi4Host::read(uint64_t address, size_t beats) {
    asked_.push_back({address, beats, static_cast<uint16_t>(random_()), 0, {}});
}

bool Axi4Host::take(ReadBurst& burst) {
    if (done_.empty()) return false;
    burst = std::move(done_.front());
    done_.pop_front();
    return true;
}

void Axi4Host::check_time(uint64_t issued) const {
    if (clock_ - issued > kTimeLimitClocks) fail("the card did not end an access in 8 us");
}

void Axi4Host::drive(Vtop& top) {
    // An offer stays until it is accepted.
    if (!offers_address_ && !writes_.empty() && answers_.size() < kMostInFlight && !pauses()) {
        offers_address_ = true;
        writes_.front().issued = clock_;
        top.s_axi_awaddr = writes_.front().address;
        top.s_axi_awlen = static_cast<uint8_t>(writes_.front().beats - 1);
        top.s_axi_awid = writes_.front().id;
        top.s_axi_awsize = kSizeLine;
        top.s_axi_awburst = kBurstIncr;
    }
    if (!offers_data_ && !data_.empty() && !pauses()) {
        offers_data_ = true;
        std::memcpy(&top.s_axi_wdata, data_.front().line.bytes.data(), kLineBytes);
        top.s_axi_wstrb = data_.front().line.strobes;
        top.s_axi_wlast = data_.front().last;
    }
    if (!offers_read_ && !asked_.empty() && answering_.size() < kMostInFlight && !pauses()) {
        offers_read_ = true;
        asked_.front().issued = clock_;
        top.s_axi_araddr = asked_.front().address;
        top.s_axi_arlen = static_cast<uint8_t>(asked_.front().beats - 1);
        top.s_axi_arid = asked_.front().id;
        top.s_axi_arsize = kSizeLine;
        top.s_axi_arburst = kBurstIncr;
    }
    top.s_axi_awvalid = offers_address_;
    top.s_axi_wvalid = offers_data_;
    top.s_axi_arvalid = offers_read_;
    top.s_axi_bready = !pauses();
    top.s_axi_rready = !pauses();
}

void Axi4Host::sample(const Vtop& top) {
    ++clock_;
    if (top.s_axi_bvalid && top.s_axi_bready) {
        if (answers_.empty()) fail("the card answered a write that was not sent");
        if (top.s_axi_bid != answers_.front().id) fail("the card answered another write");
        if (top.s_axi_bresp != kOkay) fail("the card refused a write");
        answers_.pop_front();
    }
    if (top.s_axi_rvalid && top.s_axi_rready) {
        if (answering_.empty()) fail("the card answered a read that was not sent");
        ReadBurst& burst = answering_.front();
        if (top.s_axi_rid != burst.id) fail("the card answered another read");
        if (top.s_axi_rresp != kOkay) fail("the card refused a read");
        const auto* bytes = reinterpret_cast<const uint8_t*>(&top.s_axi_rdata);
        burst.bytes.insert(burst.bytes.end(), bytes, bytes + kLineBytes);
        const bool last = burst.bytes.size() == burst.beats * kLineBytes;
        if (last != static_cast<bool>(top.s_axi_rlast)) fail("a read has another length");
        if (last) {
            done_.push_back(std::move(burst));
            answering_.pop_front();
        }
    }
    if (offers_address_ && top.s_axi_awready) {
        offers_address_ = false;
        answers_.push_back(writes_.front());
        writes_.pop_front();
    }
    if (offers_data_ && top.s_axi_wready) {
        offers_data_ = false;
        data_.pop_front();
    }
    if (offers_read_ && top.s_axi_arready) {
        offers_read_ = false;
        answering_.push_back(std::move(asked_.front()));
        asked_.pop_front();
    }
    if (offers_address_) check_time(writes_.front().issued);
    if (!answers_.empty()) check_time(answers_.front().issued);
    if (offers_read_) check_time(asked_.front().issued);
    if (!answering_.empty()) check_time(answering_.front().issued);
}

}  // namespace f2_sim
