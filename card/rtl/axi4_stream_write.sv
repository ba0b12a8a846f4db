// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi4_stream_write: the write channels of axi4_stream_bridge (its head has the address map): AXI4
// write bursts become stores to the ring of requests, and words of the control window become
// pulses with a position.
//
// No write waits for the card. A store may have any strobes, in any order, and may be repeated. A
// store to a place that is not free is dropped, and its burst is answered with SLVERR. So is every
// beat of a burst that is not INCR or not as wide as the bus, and of a burst to a window that
// cannot be written. A burst to an address outside the windows is answered with DECERR.
//
// One beat per clock, also from one burst to the next if bursts have two beats or more; a beat of
// the control window has two clocks, so that its words can be compared in the first. Each burst is
// answered once, in order, after its last beat.
// (The bus's ports have AXI's own names, so that tools recognize the interface.)
module axi4_stream_write #(
  parameter int unsigned BeatBytes = 64,  // a power of two, at least 32
  parameter int unsigned IdBits = 16,
  parameter int unsigned AddressBits = 64,
  parameter int unsigned WindowBits = 16,  // log2 of the bytes of a window
  parameter int unsigned RingBeats = 512,  // a power of two; the ring fits into a window
  localparam int unsigned RingBits = $clog2(RingBeats)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   s_axi_awvalid,
  output logic                   s_axi_awready,
  input  logic [IdBits-1:0]      s_axi_awid,
  input  logic [AddressBits-1:0] s_axi_awaddr,
  input  logic [2:0]             s_axi_awsize,
  input  logic [1:0]             s_axi_awburst,
  input  logic                   s_axi_wvalid,
  output logic                   s_axi_wready,
  input  logic [8*BeatBytes-1:0] s_axi_wdata,
  input  logic [BeatBytes-1:0]   s_axi_wstrb,
  input  logic                   s_axi_wlast,
  output logic                   s_axi_bvalid,
  input  logic                   s_axi_bready,
  output logic [IdBits-1:0]      s_axi_bid,
  output logic [1:0]             s_axi_bresp,

  input  logic [RingBits-1:0]    first_i,  // of the free places of the ring
  input  logic [RingBits:0]      room_i,   // the number of free places
  output logic                   store_o,
  output logic [RingBits-1:0]    store_index_o,
  output logic [BeatBytes-1:0]   store_strobe_o,
  output logic [8*BeatBytes-1:0] store_data_o,

  // Words of the control window that are written, and whether they are refused in the same clock.
  // The words are also there, without a pulse, in the clock before.
  output logic                   consumes_o,
  output logic [31:0]            consumed_o,
  input  logic                   consumed_refused_i,
  output logic                   publishes_o,
  output logic [31:0]            published_o,
  input  logic                   published_refused_i
);
  import axi4_stream_pkg::*;

  localparam int unsigned Shift = $clog2(BeatBytes);

  typedef struct packed {
    logic [IdBits-1:0]   id;
    logic [RingBits-1:0] index;
    logic                ring;     // the window is that of requests
    logic                control;  // it is the control window; neither: the burst is refused
    logic [1:0]          response;
  } burst_t;

  burst_t awaits_q, burst_q, decoded;  // the next burst, and the current one
  logic   awaits_valid_q, burst_valid_q, starts;

  // ---- addresses ----
  logic [1:0] window;
  logic       outside, shape;
  assign window = s_axi_awaddr[WindowBits+:2];
  assign outside = s_axi_awaddr[AddressBits-1:WindowBits+2] != '0 || window == WindowNone;
  assign shape = s_axi_awburst == BurstIncr && s_axi_awsize == 3'(Shift);

  always_comb begin
    decoded = '{
      id: s_axi_awid, index: s_axi_awaddr[Shift+:RingBits], ring: 1'b0, control: 1'b0,
      response: RespSlaveError
    };
    if (outside) begin
      decoded.response = RespDecodeError;
    end else if (shape && window != WindowReplies) begin
      decoded.ring = window == WindowRequests;
      decoded.control = window == WindowControl;
      decoded.response = RespOkay;
    end
  end

  // ---- data ----
  logic [RingBits-1:0] place;  // position of the beat among the free places
  logic                beat, ends, is_free, fails, answer_free;
  logic                seen_q;  // the beat of the control window was there in the last clock

  assign answer_free = !s_axi_bvalid || s_axi_bready;
  assign s_axi_wready = burst_valid_q && (!burst_q.control || seen_q)
      && (!s_axi_wlast || answer_free);
  assign beat = s_axi_wvalid && s_axi_wready;
  assign ends = beat && s_axi_wlast;

  assign place = burst_q.index - first_i;
  assign is_free = {1'b0, place} < room_i;
  assign store_o = beat && burst_q.ring && is_free;
  assign store_index_o = burst_q.index;
  assign store_strobe_o = s_axi_wstrb;
  assign store_data_o = s_axi_wdata;

  assign consumes_o = beat && burst_q.control && &s_axi_wstrb[4*WordConsumed+:4];
  assign consumed_o = s_axi_wdata[32*WordConsumed+:32];
  assign publishes_o = beat && burst_q.control && &s_axi_wstrb[4*WordPublished+:4];
  assign published_o = s_axi_wdata[32*WordPublished+:32];
  assign fails = (burst_q.ring && !is_free)
      || (burst_q.control && ((consumes_o && consumed_refused_i)
          || (publishes_o && published_refused_i) || !(consumes_o || publishes_o)));

  // ---- bursts ----
  logic failed_q;  // a beat of the burst was refused
  assign s_axi_awready = !awaits_valid_q;
  assign starts = awaits_valid_q && (!burst_valid_q || ends);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      awaits_valid_q <= 1'b0;
      burst_valid_q <= 1'b0;
      seen_q <= 1'b0;
      failed_q <= 1'b0;
      s_axi_bvalid <= 1'b0;
    end else begin
      if (s_axi_awvalid && s_axi_awready) awaits_valid_q <= 1'b1;
      else if (starts) awaits_valid_q <= 1'b0;
      if (starts) burst_valid_q <= 1'b1;
      else if (ends) burst_valid_q <= 1'b0;

      seen_q <= s_axi_wvalid && burst_valid_q && burst_q.control && !beat;
      if (beat) failed_q <= !s_axi_wlast && (failed_q || fails);
      if (ends) s_axi_bvalid <= 1'b1;
      else if (s_axi_bready) s_axi_bvalid <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axi_awready) awaits_q <= decoded;
    if (starts) burst_q <= awaits_q;
    else if (beat) burst_q.index <= burst_q.index + 1'b1;
    if (ends) begin
      s_axi_bid <= burst_q.id;
      s_axi_bresp <= burst_q.response != RespOkay ? burst_q.response
          : failed_q || fails ? RespSlaveError : RespOkay;
    end
  end

  logic unused;
  assign unused = ^s_axi_awaddr[WindowBits-1:0];
endmodule
