// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi4_stream_bridge: the card's two streams as windows of an AXI4 slave, for shells whose DMA
// engine or processor reads and writes memory. No access waits for the card as long as the host
// writes no more than the reported room, so no access meets a time limit of the shell.
//
// Windows, each of 2^WindowBits bytes. The address within the request window does not matter:
//
//   0  requests  written: the stream to the card, in lines of BeatBytes
//   1  replies   read: the ring of replies; byte b of the stream is at b modulo the ring's bytes,
//                and the ring repeats throughout the window, so that one burst can pass its end
//   2  control   read, little-endian words of 32 bits:
//                  0  bytes of replies that are ready   1  their first offset in the ring
//                  2  bytes of free room for requests   3  "AXI4", BridgeId
//                written, one word at a time or both:
//                  0  bytes of replies, whole lines, that the host has read and consumes
//                  1  bit 0: drops the pieces of a partial request line
//   3  none: DECERR, as for all higher addresses
//
// The consumption of more than the ready bytes, or of partial lines, is refused: SLVERR, and
// nothing is consumed. axi4_stream_write and axi4_stream_read define the rules for bursts. Reads
// and writes do not wait for each other. rst_ni empties everything, even during a burst. (The bus's
// ports have AXI's own names, so that tools recognize the interface.)
module axi4_stream_bridge #(
  parameter int unsigned BeatBytes = 64,  // a power of two, at least 16
  parameter int unsigned IdBits = 16,
  parameter int unsigned AddressBits = 64,
  parameter int unsigned WindowBits = 16,
  parameter int unsigned InputBeats = 512,  // buffered request beats; a power of two
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
  // The word of the status that identifies the bridge: "AXI4".
  localparam logic [31:0] BridgeId = 32'h3449_5841;

  localparam int unsigned Shift = $clog2(BeatBytes);
  localparam int unsigned RingBits = $clog2(RingBeats);
  localparam int unsigned InputBits = $clog2(InputBeats);

  // ---- requests ----
  logic                   line_valid, line_ready, take_valid, take_refused;
  logic [8*BeatBytes-1:0] line_data;
  logic [31:0]            take_bytes;
  // Lines in the queue. Its output register holds one more than InputBeats: a host may write one
  // line too many, since the gathering register is not counted.
  logic [InputBits:0]     count_q, room;

  axi4_stream_write #(
    .BeatBytes(BeatBytes), .IdBits(IdBits), .AddressBits(AddressBits), .WindowBits(WindowBits)
  ) u_write (
    .clk_i, .rst_ni,
    .s_axi_awvalid, .s_axi_awready, .s_axi_awid, .s_axi_awaddr, .s_axi_awsize, .s_axi_awburst,
    .s_axi_wvalid, .s_axi_wready, .s_axi_wdata, .s_axi_wstrb, .s_axi_wlast,
    .s_axi_bvalid, .s_axi_bready, .s_axi_bid, .s_axi_bresp,
    .out_valid_o(line_valid), .out_ready_i(line_ready), .out_data_o(line_data),
    .take_valid_o(take_valid), .take_bytes_o(take_bytes), .take_refused_i(take_refused)
  );

  logic unused_error;  // frames on the link are protected by their checksums
  stream_fifo #(.DataWidth(8 * BeatBytes), .Depth(InputBeats), .Parity(1'b0)) u_requests (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(line_valid), .in_ready_o(line_ready), .in_data_i(line_data),
    .out_valid_o(m_axis_tvalid), .out_ready_i(m_axis_tready), .out_data_o(m_axis_tdata),
    .memory_error_o(unused_error)
  );

  assign room = count_q[InputBits] ? '0 : (InputBits + 1)'(InputBeats) - count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else begin
      count_q <= count_q + (InputBits + 1)'(line_valid && line_ready)
          - (InputBits + 1)'(m_axis_tvalid && m_axis_tready);
    end
  end

  // ---- replies ----
  logic                   fetch;
  logic [RingBits-1:0]    fetch_index, first;
  logic [RingBits:0]      ready, take;
  logic [8*BeatBytes-1:0] fetched;
  logic [127:0]           status;

  assign take_refused = take_bytes[Shift-1:0] != '0
      || take_bytes[31:Shift] > (32 - Shift)'(ready);
  assign take = take_valid && !take_refused ? take_bytes[Shift+:RingBits+1] : '0;

  stream_ring #(.DataWidth(8 * BeatBytes), .Depth(RingBeats)) u_replies (
    .clk_i, .rst_ni,
    .in_valid_i(s_axis_tvalid), .in_ready_o(s_axis_tready), .in_data_i(s_axis_tdata),
    .first_o(first), .ready_o(ready), .take_i(take),
    .fetch_i(fetch), .fetch_index_i(fetch_index), .fetched_o(fetched)
  );

  assign status = {
    BridgeId, 32'(room) << Shift, 32'(first) << Shift, 32'(ready) << Shift
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
