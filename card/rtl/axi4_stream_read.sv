// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi4_stream_read: the read channels of axi4_stream_bridge (its head has the address map). It
// reads the ring of replies and the control words without side effects: a repeated or speculative
// read returns the same bytes and loses none.
//
// Every read is answered at once. A beat is a filler of ones with SLVERR if it is a beat of the
// ring that is not ready, of a window that cannot be read, or of a burst that is not INCR or not as
// wide as the bus; outside the windows it is a filler with DECERR. The ready count at the fetch of
// a beat, one clock before its offer, decides.
//
// One beat per clock, also from one burst to the next if bursts have two beats or more. Bursts are
// answered in order. (The bus's ports have AXI's own names, so that tools recognize the interface.)
module axi4_stream_read #(
  parameter int unsigned BeatBytes = 64,  // a power of two, at least 32
  parameter int unsigned IdBits = 16,
  parameter int unsigned AddressBits = 64,
  parameter int unsigned WindowBits = 16,  // log2 of the bytes of a window
  parameter int unsigned RingBeats = 512,  // a power of two; the ring fits into a window
  localparam int unsigned RingBits = $clog2(RingBeats)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   s_axi_arvalid,
  output logic                   s_axi_arready,
  input  logic [IdBits-1:0]      s_axi_arid,
  input  logic [AddressBits-1:0] s_axi_araddr,
  input  logic [7:0]             s_axi_arlen,
  input  logic [2:0]             s_axi_arsize,
  input  logic [1:0]             s_axi_arburst,
  output logic                   s_axi_rvalid,
  input  logic                   s_axi_rready,
  output logic [IdBits-1:0]      s_axi_rid,
  output logic [8*BeatBytes-1:0] s_axi_rdata,
  output logic [1:0]             s_axi_rresp,
  output logic                   s_axi_rlast,

  output logic                   fetch_o,        // reads the ring's memory at
  output logic [RingBits-1:0]    fetch_index_o,  // this beat, whose data
  input  logic [8*BeatBytes-1:0] fetched_i,      // are valid from the next clock to the next fetch
  input  logic [RingBits-1:0]    first_i,        // of the ready beats
  input  logic [RingBits:0]      ready_i,        // the number of ready beats
  input  logic [axi4_stream_pkg::ControlBits-1:0] status_i
);
  import axi4_stream_pkg::*;

  localparam int unsigned Shift = $clog2(BeatBytes);

  typedef struct packed {
    logic [IdBits-1:0]   id;
    logic [RingBits-1:0] index;
    logic [7:0]          left;  // beats after the next one
    logic                ring;
    logic                status;  // neither: a filler
    logic [1:0]          response;
  } burst_t;

  burst_t awaits_q, burst_q, decoded;  // the next burst, and the current one
  logic   awaits_valid_q, burst_valid_q, starts, ends;

  // ---- addresses ----
  logic [1:0] window;
  logic       outside, shape;
  assign window = s_axi_araddr[WindowBits+:2];
  assign outside = s_axi_araddr[AddressBits-1:WindowBits+2] != '0 || window == WindowNone;
  assign shape = s_axi_arburst == BurstIncr && s_axi_arsize == 3'(Shift);

  always_comb begin
    decoded = '{
      id: s_axi_arid, index: s_axi_araddr[Shift+:RingBits], left: s_axi_arlen,
      ring: 1'b0, status: 1'b0, response: RespSlaveError
    };
    if (outside) begin
      decoded.response = RespDecodeError;
    end else if (shape && window != WindowRequests) begin
      decoded.ring = window == WindowReplies;
      decoded.status = window == WindowControl;
      decoded.response = RespOkay;
    end
  end

  // ---- beats ----
  logic                is_ready;
  logic [RingBits-1:0] place;  // position of the beat among the ready beats
  logic                ring_q, status_now_q;
  logic [ControlBits-1:0] status_q;

  assign fetch_o = burst_valid_q && (!s_axi_rvalid || s_axi_rready);
  assign fetch_index_o = burst_q.index;
  assign place = burst_q.index - first_i;
  assign is_ready = {1'b0, place} < ready_i;
  assign ends = fetch_o && burst_q.left == '0;

  always_comb begin
    s_axi_rdata = '1;
    if (ring_q) s_axi_rdata = fetched_i;
    if (status_now_q) s_axi_rdata = (8 * BeatBytes)'(status_q);
  end

  // ---- bursts ----
  assign s_axi_arready = !awaits_valid_q;
  assign starts = awaits_valid_q && (!burst_valid_q || ends);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      awaits_valid_q <= 1'b0;
      burst_valid_q <= 1'b0;
      s_axi_rvalid <= 1'b0;
    end else begin
      if (s_axi_arvalid && s_axi_arready) awaits_valid_q <= 1'b1;
      else if (starts) awaits_valid_q <= 1'b0;
      if (starts) burst_valid_q <= 1'b1;
      else if (ends) burst_valid_q <= 1'b0;
      if (fetch_o) s_axi_rvalid <= 1'b1;
      else if (s_axi_rready) s_axi_rvalid <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axi_arready) awaits_q <= decoded;
    if (starts) begin
      burst_q <= awaits_q;
    end else if (fetch_o) begin
      burst_q.index <= burst_q.index + 1'b1;
      burst_q.left <= burst_q.left - 1'b1;
    end
    if (fetch_o) begin
      s_axi_rid <= burst_q.id;
      s_axi_rlast <= burst_q.left == '0;
      s_axi_rresp <= burst_q.ring && !is_ready ? RespSlaveError : burst_q.response;
      ring_q <= burst_q.ring && is_ready;
      status_now_q <= burst_q.status;
      status_q <= status_i;
    end
  end

  logic unused;
  assign unused = ^s_axi_araddr[WindowBits-1:0];
endmodule
