// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_memory_gate: an AXI4 port of the card's memory whose masters can be reset at any time.
//
//   masters: s_* ─▶ slices of AR, AW and W ─▶ m_*      R and B come back as they are
//
// AXI has no way to cancel a transaction that a master has begun (AMBA AXI, A3.1 and A3.2).
// closed_i closes the gate together with the masters' reset, and the gate then completes the
// transactions: an address that was offered stays offered, a burst that has begun is written to its
// end with no byte enabled, and outstanding replies of the memory are discarded. busy_o reports,
// two clocks late, that work is left; the masters stay in reset until it has been low for that time
// after closed_i. A memory that never answers keeps the gate closed.
//
// A beat to write passes only after its burst's address: the gate must know its place in the burst.
// Otherwise the gate changes neither the order nor the number of beats. One beat a clock, one clock
// late. (The bus's ports have AXI's own names, so that tools recognize the interface.)
module ckks_memory_gate #(
  parameter int unsigned AddressBits = 34,
  parameter int unsigned BeatBytes   = 64,
  parameter int unsigned OpenBursts  = 16  // of writes, whose beats have not all passed
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   closed_i,  // the masters are in reset: they offer nothing
  output logic                   busy_o,

  input  logic                   s_axi_arvalid,
  output logic                   s_axi_arready,
  input  logic [AddressBits-1:0] s_axi_araddr,
  input  logic [7:0]             s_axi_arlen,
  output logic                   s_axi_rvalid,
  input  logic                   s_axi_rready,
  input  logic                   s_axi_awvalid,
  output logic                   s_axi_awready,
  input  logic [AddressBits-1:0] s_axi_awaddr,
  input  logic [7:0]             s_axi_awlen,
  input  logic                   s_axi_wvalid,
  output logic                   s_axi_wready,
  input  logic [8*BeatBytes-1:0] s_axi_wdata,
  output logic                   s_axi_bvalid,
  input  logic                   s_axi_bready,

  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  output logic [AddressBits-1:0] m_axi_araddr,
  output logic [7:0]             m_axi_arlen,
  output logic [2:0]             m_axi_arsize,
  output logic [1:0]             m_axi_arburst,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [AddressBits-1:0] m_axi_awaddr,
  output logic [7:0]             m_axi_awlen,
  output logic [2:0]             m_axi_awsize,
  output logic [1:0]             m_axi_awburst,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  output logic [8*BeatBytes-1:0] m_axi_wdata,
  output logic [BeatBytes-1:0]   m_axi_wstrb,
  output logic                   m_axi_wlast,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready,
  output logic                   memory_error_o  // of a queue: a word with a flipped bit
);
  // Masters have at most 32 bursts of 256 beats in flight.
  localparam int unsigned BeatBits = 16;

  assign m_axi_arsize  = 3'($clog2(BeatBytes));
  assign m_axi_arburst = 2'b01;  // INCR
  assign m_axi_awsize  = 3'($clog2(BeatBytes));
  assign m_axi_awburst = 2'b01;

  // ---- Reads -----------------------------------------------------------------------------------
  logic                asks, read_beat;
  logic [BeatBits-1:0] reads_q;  // beats that the memory owes or will owe
  stream_skid #(.DataWidth(AddressBits + 8)) u_read_address (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(s_axi_arvalid), .in_ready_o(s_axi_arready), .in_data_i({s_axi_araddr, s_axi_arlen}),
    .out_valid_o(m_axi_arvalid), .out_ready_i(m_axi_arready),
    .out_data_o({m_axi_araddr, m_axi_arlen})
  );
  assign asks         = s_axi_arvalid && s_axi_arready;
  assign s_axi_rvalid = m_axi_rvalid && !closed_i;
  assign m_axi_rready = s_axi_rready || closed_i;
  assign read_beat    = m_axi_rvalid && m_axi_rready;

  // ---- Addresses of writes, and how long each burst is -----------------------------------------
  logic       address_ready, lengths_ready, writes, burst_open, write_beat, ends_burst;
  logic [7:0] length, place_q;
  assign s_axi_awready = address_ready && lengths_ready;
  assign writes        = s_axi_awvalid && s_axi_awready;
  stream_skid #(.DataWidth(AddressBits + 8)) u_write_address (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(s_axi_awvalid && lengths_ready), .in_ready_o(address_ready),
    .in_data_i({s_axi_awaddr, s_axi_awlen}),
    .out_valid_o(m_axi_awvalid), .out_ready_i(m_axi_awready),
    .out_data_o({m_axi_awaddr, m_axi_awlen})
  );
  stream_fifo #(.DataWidth(8), .Depth(OpenBursts)) u_lengths (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(writes), .in_ready_o(lengths_ready),
    .in_data_i(s_axi_awlen), .out_valid_o(burst_open), .out_ready_i(write_beat && ends_burst),
    .out_data_o(length), .memory_error_o
  );

  // ---- Beats to write: the masters', or empty ones ---------------------------------------------
  logic slice_ready;
  assign ends_burst   = place_q == length;
  assign s_axi_wready = burst_open && slice_ready;
  assign write_beat   = s_axi_wready && (s_axi_wvalid || closed_i);
  stream_skid #(.DataWidth(8 * BeatBytes + 2)) u_write_data (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(burst_open && (s_axi_wvalid || closed_i)), .in_ready_o(slice_ready),
    .in_data_i({s_axi_wdata, !closed_i, ends_burst}),
    .out_valid_o(m_axi_wvalid), .out_ready_i(m_axi_wready),
    .out_data_o({m_axi_wdata, m_axi_wstrb[0], m_axi_wlast})
  );
  assign m_axi_wstrb[BeatBytes-1:1] = {(BeatBytes - 1){m_axi_wstrb[0]}};

  logic                answered;
  logic [BeatBits-1:0] answers_q;  // bursts that the memory has not answered
  assign s_axi_bvalid = m_axi_bvalid && !closed_i;
  assign m_axi_bready = s_axi_bready || closed_i;
  assign answered     = m_axi_bvalid && m_axi_bready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reads_q   <= '0;
      answers_q <= '0;
      place_q   <= '0;
      busy_o    <= 1'b0;
    end else begin
      reads_q   <= reads_q + (asks ? BeatBits'(s_axi_arlen) + 1'b1 : '0) - BeatBits'(read_beat);
      answers_q <= answers_q + BeatBits'(writes) - BeatBits'(answered);
      if (write_beat) place_q <= ends_burst ? '0 : place_q + 1'b1;
      busy_o    <= reads_q != '0 || answers_q != '0;
    end
  end
endmodule
