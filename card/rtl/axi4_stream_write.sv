// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi4_stream_write: the write channels of axi4_stream_bridge (its head has the address map): AXI4
// write bursts become beats of a stream, and words of the control window become pulses.
//
// A line of the stream may come in pieces, like the stores of a processor: the bytes marked by the
// strobes are gathered until the line is complete. A piece with a byte that the line already has is
// dropped, and its burst is answered with SLVERR. So is every beat of a burst that is not INCR or
// not as wide as the bus, and of a burst to a window that cannot be written. A burst to an address
// outside the windows is answered with DECERR.
//
// One beat per clock, also from one burst to the next if bursts have two beats or more. A blocked
// stream delays (WREADY) only bursts to it, not refused bursts or bursts to the control window.
// Each burst is answered once, in order, after its last beat.
// (The bus's ports have AXI's own names, so that tools recognize the interface.)
module axi4_stream_write #(
  parameter int unsigned BeatBytes = 64,  // a power of two, at least 8
  parameter int unsigned IdBits = 16,
  parameter int unsigned AddressBits = 64,
  parameter int unsigned WindowBits = 16  // log2 of the bytes of a window
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

  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic [8*BeatBytes-1:0] out_data_o,

  output logic                   take_valid_o,   // word 0 of the control window is written
  output logic [31:0]            take_bytes_o,
  input  logic                   take_refused_i  // in the same clock
);
  import axi4_stream_pkg::*;

  typedef struct packed {
    logic [IdBits-1:0] id;
    logic              stream;   // the window is the stream's
    logic              control;  // it is the control window; neither: the burst is refused
    logic [1:0]        response;
  } burst_t;

  burst_t awaits_q, burst_q, decoded;  // the next burst, and the current one
  logic   awaits_valid_q, burst_valid_q, starts;

  // ---- addresses ----
  logic [1:0] window;
  logic       outside, shape;
  assign window = s_axi_awaddr[WindowBits+:2];
  assign outside = s_axi_awaddr[AddressBits-1:WindowBits+2] != '0 || window == WindowNone;
  assign shape = s_axi_awburst == BurstIncr && s_axi_awsize == 3'($clog2(BeatBytes));

  always_comb begin
    decoded = '{id: s_axi_awid, stream: 1'b0, control: 1'b0, response: RespSlaveError};
    if (outside) begin
      decoded.response = RespDecodeError;
    end else if (shape && window != WindowReplies) begin
      decoded.stream = window == WindowRequests;
      decoded.control = window == WindowControl;
      decoded.response = RespOkay;
    end
  end

  // ---- data ----
  logic [BeatBytes-1:0]      mask_q, mask, pieces;  // the bytes of the line that have arrived
  logic [BeatBytes-1:0][7:0] line_q;
  logic                      full_q, overlaps, beat, gathers, completes, ends, fails, drops;
  logic                      answer_free;

  assign answer_free = !s_axi_bvalid || s_axi_bready;
  assign s_axi_wready = burst_valid_q && (!burst_q.stream || !full_q || out_ready_i)
      && (!s_axi_wlast || answer_free);
  assign beat = s_axi_wvalid && s_axi_wready;
  assign ends = beat && s_axi_wlast;

  assign mask = full_q ? '0 : mask_q;
  assign overlaps = (mask & s_axi_wstrb) != '0;
  assign gathers = beat && burst_q.stream && !overlaps;
  assign pieces = mask | s_axi_wstrb;
  assign completes = gathers && &pieces;

  assign take_valid_o = beat && burst_q.control && &s_axi_wstrb[3:0];
  assign take_bytes_o = s_axi_wdata[31:0];
  assign drops = beat && burst_q.control && &s_axi_wstrb[7:4] && s_axi_wdata[32];
  assign fails = (burst_q.stream && overlaps)
      || (burst_q.control && ((take_valid_o && take_refused_i)
          || !(&s_axi_wstrb[3:0] || &s_axi_wstrb[7:4])));

  assign out_valid_o = full_q;
  assign out_data_o = line_q;

  // ---- bursts ----
  logic failed_q;  // a beat of the burst was refused
  assign s_axi_awready = !awaits_valid_q;
  assign starts = awaits_valid_q && (!burst_valid_q || ends);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      awaits_valid_q <= 1'b0;
      burst_valid_q <= 1'b0;
      failed_q <= 1'b0;
      mask_q <= '0;
      full_q <= 1'b0;
      s_axi_bvalid <= 1'b0;
    end else begin
      if (s_axi_awvalid && s_axi_awready) awaits_valid_q <= 1'b1;
      else if (starts) awaits_valid_q <= 1'b0;
      if (starts) burst_valid_q <= 1'b1;
      else if (ends) burst_valid_q <= 1'b0;

      if (beat) failed_q <= !s_axi_wlast && (failed_q || fails);
      if (ends) s_axi_bvalid <= 1'b1;
      else if (s_axi_bready) s_axi_bvalid <= 1'b0;

      if (completes) full_q <= 1'b1;
      else if (out_ready_i) full_q <= 1'b0;
      if (gathers) mask_q <= completes ? '0 : pieces;
      else if (drops) mask_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axi_awready) awaits_q <= decoded;
    if (starts) burst_q <= awaits_q;
    if (ends) begin
      s_axi_bid <= burst_q.id;
      s_axi_bresp <= burst_q.response != RespOkay ? burst_q.response
          : failed_q || fails ? RespSlaveError : RespOkay;
    end
    for (int unsigned i = 0; i < BeatBytes; i++) begin
      if (gathers && s_axi_wstrb[i]) line_q[i] <= s_axi_wdata[8*i+:8];
    end
  end

  logic unused;
  assign unused = ^s_axi_awaddr[WindowBits-1:0];
endmodule
