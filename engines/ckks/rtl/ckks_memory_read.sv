// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_memory_read: reads runs of beats from the card's memory, with an AXI4 read master.
//
// A run is requested as soon as the queue of beats has room for a whole burst: up to QueueBeats
// beats are in flight or wait, even if the receiver is busy. The memory's data therefore never wait
// (RREADY is always high), and a run that is submitted early is prefetched. All bursts have one id:
// their data come in order.
//
// Each beat is offered once, in order, with a mark at the end of its run. A beat that the memory
// answered with an error, or whose burst ended at the wrong place, is marked. A soft stop (drop_i)
// discards the contents; outstanding beats of the memory are discarded too, and idle_o reports when
// none is left. (The bus's ports have AXI's own names, so that tools recognize the interface.)
module ckks_memory_read #(
  parameter  int unsigned AddressBits = 34,
  parameter  int unsigned BeatBytes   = 64,
  parameter  int unsigned CountBits   = 16,
  parameter  int unsigned MaxBeats    = 64,
  parameter  int unsigned QueueBeats  = 512,  // at least MaxBeats; more hide the latency
  parameter  int unsigned OpenBursts  = 32    // in flight at a time
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   drop_i,
  output logic                   idle_o,

  input  logic                   run_valid_i,
  output logic                   run_ready_o,
  input  logic [AddressBits-1:0] run_address_i,
  input  logic [CountBits-1:0]   run_beats_i,

  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic [8*BeatBytes-1:0] out_data_o,
  output logic                   out_error_o,
  output logic                   out_last_o,

  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  output logic [AddressBits-1:0] m_axi_araddr,
  output logic [7:0]             m_axi_arlen,
  output logic [2:0]             m_axi_arsize,
  output logic [1:0]             m_axi_arburst,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready,
  input  logic [8*BeatBytes-1:0] m_axi_rdata,
  input  logic [1:0]             m_axi_rresp,
  input  logic                   m_axi_rlast,
  output logic                   memory_error_o  // of a queue: a word with a flipped bit
);
  logic [1:0] memory_errors;
  assign memory_error_o = memory_errors != '0;

  localparam int unsigned FreeBits = $clog2(QueueBeats + 1);
  localparam int unsigned OpenBits = $clog2(OpenBursts + 1);
  typedef logic [FreeBits-1:0] free_t;

  if (QueueBeats < MaxBeats) begin : gen_bad_queue
    $error("ckks_memory_read: QueueBeats is at least MaxBeats");
  end

  // ---- bursts that the queue has room for ----
  logic                   burst_valid, burst_ready, burst_last, asks, answered, run_ready;
  logic [AddressBits-1:0] burst_address;
  logic [7:0]             burst_length;
  logic                   splitter_ready;
  ckks_burst #(
    .AddressBits(AddressBits), .BeatBytes(BeatBytes), .CountBits(CountBits), .MaxBeats(MaxBeats)
  ) u_burst (
    .clk_i, .rst_ni(rst_ni), .run_valid_i(run_valid_i && run_ready_o), .run_ready_o(splitter_ready),
    .run_address_i, .run_beats_i, .burst_valid_o(burst_valid), .burst_ready_i(burst_ready),
    .burst_address_o(burst_address), .burst_length_o(burst_length), .burst_last_o(burst_last)
  );

  // A burst is offered to the memory once its beats have places in the queue.
  free_t               free_q;      // places of the queue that no burst has
  logic [OpenBits-1:0] open_q;      // bursts that are offered or in flight
  logic                arvalid_q, pop, push, dropping_q, drops;
  assign asks        = burst_valid && (!arvalid_q || m_axi_arready) && !drops
                    && open_q != OpenBits'(OpenBursts) && free_t'(burst_length) < free_q;
  // A dropped burst does not leave the splitter.
  assign burst_ready = asks || drops;
  assign drops       = drop_i || dropping_q;
  assign run_ready   = splitter_ready;
  assign run_ready_o = run_ready && !drops;

  assign m_axi_arvalid = arvalid_q;
  assign m_axi_arsize  = 3'($clog2(BeatBytes));
  assign m_axi_arburst = 2'b01;  // INCR
  always_ff @(posedge clk_i) begin
    if (asks) begin
      m_axi_araddr <= burst_address;
      m_axi_arlen  <= burst_length;
    end
  end

  // ---- bursts in flight, the oldest first ----
  typedef struct packed {
    logic [7:0] length;
    logic       last;
  } open_t;
  open_t      oldest;
  logic       oldest_valid, beat, ends_burst, unused_open_ready;
  logic [7:0] place_q;  // of the next beat in its burst
  stream_fifo #(.DataWidth($bits(open_t)), .Depth(OpenBursts)) u_open (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(asks), .in_ready_o(unused_open_ready),
    .in_data_i({burst_length, burst_last}), .out_valid_o(oldest_valid), .out_ready_i(answered),
    .out_data_o(oldest),
    .memory_error_o(memory_errors[0])
  );
  // (A burst is in the queue before its first beat can come: two clocks after its offer.)
  assign m_axi_rready = oldest_valid;
  assign beat         = m_axi_rvalid && oldest_valid;
  assign ends_burst   = place_q == oldest.length;
  assign answered     = beat && ends_burst;
  assign push         = beat && !drops;

  // ---- beats that wait ----
  logic error, unused_ready;
  assign error = m_axi_rresp != 2'b00 || m_axi_rlast != ends_burst;
  stream_fifo #(.DataWidth(8 * BeatBytes + 2), .Depth(QueueBeats)) u_beats (
    .clk_i, .rst_ni, .clear_i(drops), .in_valid_i(push), .in_ready_o(unused_ready),
    .in_data_i({m_axi_rdata, error, ends_burst && oldest.last}),
    .out_valid_o, .out_ready_i, .out_data_o({out_data_o, out_error_o, out_last_o}),
    .memory_error_o(memory_errors[1])
  );
  assign pop = out_valid_o && out_ready_i;

  assign idle_o = !burst_valid && open_q == '0 && !out_valid_o && free_q == free_t'(QueueBeats);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      arvalid_q  <= 1'b0;
      free_q     <= free_t'(QueueBeats);
      open_q     <= '0;
      place_q    <= '0;
      dropping_q <= 1'b0;
    end else begin
      arvalid_q <= asks || (arvalid_q && !m_axi_arready);
      open_q    <= open_q + OpenBits'(asks) - OpenBits'(answered);
      if (beat) place_q <= ends_burst ? '0 : place_q + 1'b1;
      // Every place is free when no beat is in flight. (Minus a burst's beats: plus the inverted
      // length, which counts them minus one.)
      if (drops) free_q <= free_t'(QueueBeats);
      else if (asks) free_q <= free_q + ~free_t'(burst_length) + free_t'(pop);
      else free_q <= free_q + free_t'(pop);
      dropping_q <= drops && (burst_valid || open_q != '0);
    end
  end
endmodule
