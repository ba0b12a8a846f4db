// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_store: moves limbs from the banks to beats of the card's memory, the inverse of ckks_load:
// Words residues of one row and group a clock, words of 32 bits in the order of the limb.
//
// A read is offered until read_ready_i; its words come 2 clocks later. The number of reads in
// flight is limited by the places of the queue.
module ckks_store
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes     = 3,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  localparam int unsigned Lanes        = 1 << LogLanes,
  localparam int unsigned Words        = arith_pkg::minimum(Lanes, 16),
  localparam int unsigned Groups       = Lanes / Words,
  localparam int unsigned GroupBits    = (Groups > 1) ? $clog2(Groups) : 1,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [DegreeBits-1:0]  log_degree_i,  // LogLanes < it; stable while a job is present

  input  logic                   job_valid_i,
  output logic                   job_ready_o,
  input  logic [AddressBits-1:0] job_source_i,

  output logic                   read_valid_o,
  input  logic                   read_ready_i,
  output logic [AddressBits-1:0] read_row_o,
  output logic [GroupBits-1:0]   read_group_o,
  input  residue_t [Words-1:0]   read_word_i,

  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic [32*Words-1:0]    out_data_o,
  output logic                   memory_error_o  // of a queue: a word with a flipped bit
);
  localparam int unsigned LogWords   = $clog2(Words);
  localparam int unsigned PlaceBits  = MaxLogDegree - LogWords;
  localparam int unsigned RowBits    = MaxLogDegree - LogLanes;
  localparam int unsigned ReadClocks = 2;
  // Enough for a group a clock: the clocks from a read until it leaves the queue.
  localparam int unsigned Depth     = 8;
  localparam int unsigned CountBits = $clog2(Depth + 1);
  typedef logic [PlaceBits-1:0] place_t;

  // ---- The job, a group a clock ----------------------------------------------------------------
  logic                   busy_q, moves, issues, pops;
  logic [AddressBits-1:0] source_q;
  place_t                 place_q, last_place;
  logic [CountBits-1:0]   inside_q;  // groups that were issued and have not left
  assign job_ready_o = !busy_q;
  assign moves       = !read_valid_o || read_ready_i;
  assign issues      = busy_q && moves && inside_q != CountBits'(Depth);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q       <= 1'b0;
      read_valid_o <= 1'b0;
      inside_q     <= '0;
    end else begin
      if (!busy_q) busy_q <= job_valid_i;
      else if (issues && place_q == last_place) busy_q <= 1'b0;
      if (moves) read_valid_o <= issues;
      inside_q <= inside_q + CountBits'(issues) - CountBits'(pops);
    end
  end

  // ---- Its row, group and fold -----------------------------------------------------------------
  logic [RowBits-1:0]  row;
  logic [LogLanes-1:0] folded;
  logic [LogWords-1:0] swap_q, swap;
  assign row = RowBits'(place_q >> (LogLanes - LogWords));
  always_comb begin
    folded = '0;
    for (int unsigned i = 0; i < RowBits; i++) folded[i%LogLanes] ^= row[i];
  end
  always_ff @(posedge clk_i) begin
    last_place <= place_t'((1 << (log_degree_i - DegreeBits'(LogWords))) - 1);
    if (!busy_q) begin
      source_q <= job_source_i;
      place_q  <= '0;
    end else if (issues) begin
      place_q    <= place_q + 1'b1;
      read_row_o <= source_q | AddressBits'(row);
      swap_q     <= folded[LogWords-1:0];
    end
  end
  if (Groups > 1) begin : gen_group
    always_ff @(posedge clk_i) begin
      if (issues) read_group_o <= GroupBits'(place_q) ^ folded[LogLanes-1:LogWords];
    end
  end else begin : gen_one_group
    assign read_group_o = '0;
  end

  // ---- Its words -------------------------------------------------------------------------------
  logic                 words_valid, out_valid, unused_ready;
  residue_t [Words-1:0] swapped, out_words;
  valid_delay #(.Stages(ReadClocks)) u_valid (
    .clk_i, .rst_ni, .valid_i(read_valid_o && read_ready_i), .valid_o(words_valid)
  );
  pipeline_delay #(.DataWidth(LogWords), .Stages(ReadClocks)) u_swap_delay (
    .clk_i, .data_i(swap_q), .data_o(swap)
  );
  ckks_bank_swap #(.Words(Words)) u_swap (.swap_i(swap), .word_i(read_word_i), .word_o(swapped));
  stream_fifo #(.DataWidth(ResidueBits * Words), .Depth(Depth)) u_queue (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(words_valid), .in_ready_o(unused_ready),
    .in_data_i(swapped), .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_words),
    .memory_error_o
  );
  assign out_valid_o = out_valid;
  assign pops        = out_valid && out_ready_i;
  always_comb begin
    for (int unsigned i = 0; i < Words; i++) out_data_o[32*i+:32] = 32'(out_words[i]);
  end
endmodule
