// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi4_stream_bridge: the card's two streams as windows of an AXI4 slave, for shells whose host
// reads and writes memory. No access waits for the card, so none meets a time limit of the shell.
//
// Windows, each of 2^WindowBits bytes. A position is the number of bytes since the reset, modulo
// 2^32; byte b of a stream is at b modulo the ring's bytes, and a ring repeats throughout its
// window, so that one burst can pass its end.
//
//   0  requests  written: the ring of requests, in any order and in any pieces
//   1  replies   read: the ring of replies
//   2  control   little-endian words of 32 bits:
//                  0  read: position up to which replies are ready
//                  1  read: position up to which requests have left the ring
//                  2  read: bytes of the ring of requests
//                  3  read: "RING", BridgeId
//                  4  position up to which the host has consumed replies
//                  5  position up to which the host has written requests
//                  6  read: bytes of the ring of replies
//                Words 4 and 5 are written one at a time or both, and read back.
//   3  none: DECERR, as for all higher addresses
//
// The host's positions only rise, in whole beats, by at most the ready bytes or the free places of
// the ring: another position is refused (SLVERR) and changes nothing. Every access can be repeated,
// and a read that passes an earlier write only sees less room. axi4_stream_write and
// axi4_stream_read define the rules for bursts. Reads and writes do not wait for each other. rst_ni
// empties everything, even during a burst, and sets all positions to zero. (The bus's ports have
// AXI's own names, so that tools recognize the interface.)
module axi4_stream_bridge #(
  parameter int unsigned BeatBytes = 64,  // a power of two, at least 32
  parameter int unsigned IdBits = 16,
  parameter int unsigned AddressBits = 64,
  parameter int unsigned WindowBits = 16,
  parameter int unsigned InputBeats = 512,  // buffered request beats; a power of two, at least 2
  parameter int unsigned RingBeats = 512    // buffered reply beats; a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   s_axi_awvalid,
  output logic                   s_axi_awready,
  input  logic [IdBits-1:0]      s_axi_awid,
  input  logic [AddressBits-1:0] s_axi_awaddr,
  input  logic [7:0]             s_axi_awlen,
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

  // To and from the card.
  output logic                   m_axis_tvalid,
  input  logic                   m_axis_tready,
  output logic [8*BeatBytes-1:0] m_axis_tdata,
  input  logic                   s_axis_tvalid,
  output logic                   s_axis_tready,
  input  logic [8*BeatBytes-1:0] s_axis_tdata,

  output logic                   replies_o  // some are ready
);
  import axi4_stream_pkg::*;

  // The word of the control window that identifies the bridge: "RING".
  localparam logic [31:0] BridgeId = 32'h474E_4952;

  localparam int unsigned Shift = $clog2(BeatBytes);
  localparam int unsigned PositionBits = 32 - Shift;  // of a position in beats
  localparam int unsigned RingBits = $clog2(RingBeats);
  localparam int unsigned InputBits = $clog2(InputBeats);
  typedef logic [PositionBits-1:0] position_t;

  // The positions that the host has written.
  position_t consumed_q, published_q;

  // ---- requests ----
  logic                   store, publishes, published_refused_q, consumes, consumed_refused_q;
  logic [InputBits-1:0]   store_index, free_index;
  logic [InputBits:0]     room;
  logic [BeatBytes-1:0]   store_strobe;
  logic [8*BeatBytes-1:0] store_data;
  logic [31:0]            published, consumed;
  position_t              publish;  // beats
  logic [InputBits:0]     publish_q;

  axi4_stream_write #(
    .BeatBytes(BeatBytes), .IdBits(IdBits), .AddressBits(AddressBits), .WindowBits(WindowBits),
    .RingBeats(InputBeats)
  ) u_write (
    .clk_i, .rst_ni,
    .s_axi_awvalid, .s_axi_awready, .s_axi_awid, .s_axi_awaddr, .s_axi_awsize, .s_axi_awburst,
    .s_axi_wvalid, .s_axi_wready, .s_axi_wdata, .s_axi_wstrb, .s_axi_wlast,
    .s_axi_bvalid, .s_axi_bready, .s_axi_bid, .s_axi_bresp,
    .first_i(free_index), .room_i(room), .store_o(store), .store_index_o(store_index),
    .store_strobe_o(store_strobe), .store_data_o(store_data),
    .consumes_o(consumes), .consumed_o(consumed), .consumed_refused_i(consumed_refused_q),
    .publishes_o(publishes), .published_o(published), .published_refused_i(published_refused_q)
  );

  // Compared in the clock before the pulse. Since then, there can only be more room.
  assign publish = published[31:Shift] - published_q;
  always_ff @(posedge clk_i) begin
    publish_q <= publish[InputBits:0];
    published_refused_q <= published[Shift-1:0] != '0 || publish > position_t'(room);
  end

  request_ring #(.BeatBytes(BeatBytes), .Depth(InputBeats)) u_requests (
    .clk_i, .rst_ni, .first_o(free_index), .room_o(room),
    .store_i(store), .store_index_i(store_index), .store_strobe_i(store_strobe),
    .store_data_i(store_data),
    .publish_i(publishes && !published_refused_q ? publish_q : '0),
    .out_valid_o(m_axis_tvalid), .out_ready_i(m_axis_tready), .out_data_o(m_axis_tdata)
  );

  // ---- replies ----
  logic                   fetch;
  logic [RingBits-1:0]    fetch_index, first;
  logic [RingBits:0]      ready;
  logic [8*BeatBytes-1:0] fetched;
  logic [ControlBits-1:0] status;
  position_t              consume;  // beats
  logic [RingBits:0]      consume_q;

  assign consume = consumed[31:Shift] - consumed_q;
  always_ff @(posedge clk_i) begin
    consume_q <= consume[RingBits:0];
    consumed_refused_q <= consumed[Shift-1:0] != '0 || consume > position_t'(ready);
  end

  stream_ring #(.DataWidth(8 * BeatBytes), .Depth(RingBeats)) u_replies (
    .clk_i, .rst_ni,
    .in_valid_i(s_axis_tvalid), .in_ready_o(s_axis_tready), .in_data_i(s_axis_tdata),
    .first_o(first), .ready_o(ready),
    .take_i(consumes && !consumed_refused_q ? consume_q : '0),
    .fetch_i(fetch), .fetch_index_i(fetch_index), .fetched_o(fetched)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      consumed_q <= '0;
      published_q <= '0;
    end else begin
      if (consumes && !consumed_refused_q) consumed_q <= consumed[31:Shift];
      if (publishes && !published_refused_q) published_q <= published[31:Shift];
    end
  end

  // ---- the control window ----
  position_t produced, taken;
  assign produced = consumed_q + position_t'(ready);
  assign taken = published_q + position_t'(room) - position_t'(InputBeats);
  assign status = {
    32'd0, 32'(RingBeats) << Shift, published_q, Shift'(0), consumed_q, Shift'(0), BridgeId,
    32'(InputBeats) << Shift, taken, Shift'(0), produced, Shift'(0)
  };
  assign replies_o = ready != '0;

  axi4_stream_read #(
    .BeatBytes(BeatBytes), .IdBits(IdBits), .AddressBits(AddressBits), .WindowBits(WindowBits),
    .RingBeats(RingBeats)
  ) u_read (
    .clk_i, .rst_ni,
    .s_axi_arvalid, .s_axi_arready, .s_axi_arid, .s_axi_araddr, .s_axi_arlen, .s_axi_arsize,
    .s_axi_arburst,
    .s_axi_rvalid, .s_axi_rready, .s_axi_rid, .s_axi_rdata, .s_axi_rresp, .s_axi_rlast,
    .fetch_o(fetch), .fetch_index_o(fetch_index), .fetched_i(fetched),
    .first_i(first), .ready_i(ready), .status_i(status)
  );

  logic unused;
  assign unused = ^s_axi_awlen;  // WLAST has the same information
endmodule
