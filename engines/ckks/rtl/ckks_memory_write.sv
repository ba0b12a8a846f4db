// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_memory_write: writes runs of beats to the card's memory, with an AXI4 write master.
//
// A burst is offered when all its beats are in the queue, and its beats follow the address without
// a gap from this side: no burst blocks the memory because of a slow source. WLAST comes with the
// burst's last beat according to its length, independently of the source. All bursts have one id,
// so that they are answered in order; a run is done when its last burst is, with error_o if the
// memory answered any burst with an error.
//
// Only a reset can stop a run: a burst that has begun must be completed. (The bus's ports have
// AXI's own names, so that tools recognize the interface.)
module ckks_memory_write #(
  parameter  int unsigned AddressBits = 34,
  parameter  int unsigned BeatBytes   = 64,
  parameter  int unsigned CountBits   = 16,
  parameter  int unsigned MaxBeats    = 64,
  parameter  int unsigned QueueBeats  = 128,  // at least MaxBeats; twice that loses no clock
  parameter  int unsigned OpenBursts  = 16    // not answered at a time
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   run_valid_i,
  output logic                   run_ready_o,
  input  logic [AddressBits-1:0] run_address_i,
  input  logic [CountBits-1:0]   run_beats_i,

  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  logic [8*BeatBytes-1:0] in_data_i,

  output logic                   done_valid_o,  // a pulse for each run, in order
  output logic                   done_error_o,

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
  input  logic [1:0]             m_axi_bresp,
  output logic                   memory_error_o  // of a queue: a word with a flipped bit
);
  logic [2:0] memory_errors;
  assign memory_error_o = memory_errors != '0;

  localparam int unsigned HeldBits = $clog2(QueueBeats + 2);
  localparam int unsigned OpenBits = $clog2(OpenBursts + 1);
  typedef logic [HeldBits-1:0] held_t;

  if (QueueBeats < MaxBeats) begin : gen_bad_queue
    $error("ckks_memory_write: QueueBeats is at least MaxBeats");
  end

  // ---- beats that wait ----
  logic                   beat_valid, beat_ready;
  logic [8*BeatBytes-1:0] beat_data;
  stream_fifo #(.DataWidth(8 * BeatBytes), .Depth(QueueBeats)) u_beats (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i, .in_ready_o, .in_data_i,
    .out_valid_o(beat_valid), .out_ready_i(beat_ready), .out_data_o(beat_data),
    .memory_error_o(memory_errors[0])
  );

  // ---- bursts whose beats are in the queue ----
  logic                   burst_valid, burst_last, asks;
  logic [AddressBits-1:0] burst_address;
  logic [7:0]             burst_length;
  ckks_burst #(
    .AddressBits(AddressBits), .BeatBytes(BeatBytes), .CountBits(CountBits), .MaxBeats(MaxBeats)
  ) u_burst (
    .clk_i, .rst_ni, .run_valid_i, .run_ready_o, .run_address_i, .run_beats_i,
    .burst_valid_o(burst_valid), .burst_ready_i(asks), .burst_address_o(burst_address),
    .burst_length_o(burst_length), .burst_last_o(burst_last)
  );

  held_t               spare_q;  // beats in the queue that no burst has
  logic [OpenBits-1:0] open_q;   // bursts that are offered or not answered
  logic                awvalid_q, lengths_ready, answer;
  assign asks = burst_valid && (!awvalid_q || m_axi_awready) && open_q != OpenBits'(OpenBursts)
             && held_t'(burst_length) < spare_q && lengths_ready;
  assign m_axi_awvalid = awvalid_q;
  assign m_axi_awsize  = 3'($clog2(BeatBytes));
  assign m_axi_awburst = 2'b01;  // INCR
  always_ff @(posedge clk_i) begin
    if (asks) begin
      m_axi_awaddr <= burst_address;
      m_axi_awlen  <= burst_length;
    end
  end

  // ---- the beats of bursts that the memory has taken or is offered ----
  logic       burst_open, beat, ends_burst;
  logic [7:0] length, place_q;
  stream_fifo #(.DataWidth(8), .Depth(OpenBursts)) u_lengths (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(asks), .in_ready_o(lengths_ready),
    .in_data_i(burst_length), .out_valid_o(burst_open), .out_ready_i(beat && ends_burst),
    .out_data_o(length),
    .memory_error_o(memory_errors[1])
  );
  assign ends_burst   = place_q == length;
  assign m_axi_wvalid = burst_open && beat_valid;
  assign m_axi_wdata  = beat_data;
  assign m_axi_wstrb  = '1;
  assign m_axi_wlast  = ends_burst;
  assign beat         = m_axi_wvalid && m_axi_wready;
  assign beat_ready   = burst_open && m_axi_wready;

  // ---- answers ----
  logic owed, is_last, unused_ready, failed_q;
  stream_fifo #(.DataWidth(1), .Depth(OpenBursts)) u_answers (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(asks), .in_ready_o(unused_ready),
    .in_data_i(burst_last), .out_valid_o(owed), .out_ready_i(answer), .out_data_o(is_last),
    .memory_error_o(memory_errors[2])
  );
  assign m_axi_bready = owed;
  assign answer       = m_axi_bvalid && owed;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      awvalid_q    <= 1'b0;
      spare_q      <= '0;
      open_q       <= '0;
      place_q      <= '0;
      failed_q     <= 1'b0;
      done_valid_o <= 1'b0;
    end else begin
      awvalid_q <= asks || (awvalid_q && !m_axi_awready);
      // (Less a burst's beats: plus the inverted length, which counts them less one.)
      if (asks) spare_q <= spare_q + ~held_t'(burst_length) + held_t'(in_valid_i && in_ready_o);
      else spare_q <= spare_q + held_t'(in_valid_i && in_ready_o);
      open_q    <= open_q + OpenBits'(asks) - OpenBits'(answer);
      if (beat) place_q <= ends_burst ? '0 : place_q + 1'b1;
      if (answer) failed_q <= !is_last && (failed_q || m_axi_bresp != 2'b00);
      done_valid_o <= answer && is_last;
    end
  end
  always_ff @(posedge clk_i) done_error_o <= failed_q || m_axi_bresp != 2'b00;
endmodule
