// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_sequencer: decides which rows of which limbs enter the transform unit, clock by clock.
//
// A job's first pass reads the limb at job_source_i and writes the result at job_base_i; the other
// passes read and write the result. Both may be the same. Its passes run in sequence, one row a
// clock; a pass may begin when every row of the previous one has been written. Two jobs are in
// progress, so that the passes of one fill the clocks in which the other waits. Jobs of the other
// direction wait until no row is inside.
//
// Forward passes go from the index's highest bits down, inverse ones upwards. In pass q, a row
// counter c determines (engines/ckks/model/layout.py): the addresses, which are common_o xor, for
// each row bit of the pass, the bank's bit that it moves; swap_o; and the places of the factors,
// after ckks_factors' heads: the shared entry 2^(n - h) + (c >> (h - l)) of the buffer's half,
// where h is the first bit above the pass, or the own entry {q, c}.
//
// Cycles: the outputs belong to one row, and valid_o marks a valid one. written_i: the row of the
// oldest pass inside has been written; done_o comes with the last row of a job.
module ckks_sequencer
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes      = 5,
  parameter  int unsigned LogRadix      = 4,
  parameter  int unsigned MaxLogDegree  = 16,
  parameter  int unsigned AddressBits   = 12,
  parameter  int unsigned TagBits       = 8,
  localparam int unsigned Passes        = arith_pkg::ceil_div(MaxLogDegree, LogRadix),
  localparam int unsigned PassBits      = $clog2(Passes + 1),
  localparam int unsigned RowBits       = MaxLogDegree - LogLanes,
  localparam int unsigned DegreeBits    = $clog2(MaxLogDegree + 1)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [DegreeBits-1:0]   log_degree_i,  // from a clock before the first job on

  input  logic                    job_valid_i,
  output logic                    job_ready_o,
  input  logic                    job_inverse_i,
  input  prime_t                  job_prime_i,
  input  logic                    job_buffer_i,  // of the factors
  input  logic [AddressBits-1:0]  job_source_i,  // first rows: multiples of the rows
  input  logic [AddressBits-1:0]  job_base_i,
  input  logic [TagBits-1:0]      job_tag_i,

  output logic                    valid_o,
  output logic                    inverse_o,     // of all rows inside
  output prime_t                  prime_o,
  output logic                    buffer_o,
  output logic [PassBits-1:0]     pass_o,
  output logic [RowBits-1:0]      row_o,         // c
  output logic [AddressBits-1:0]  common_o,      // of writes
  output logic [AddressBits-1:0]  source_o,      // the same of reads
  output logic [LogRadix-1:0]     swap_o,
  output logic [LogRadix-1:0]     has_stage_o,   // of each bit of the pass: whether N has it

  input  logic                    written_i,
  output logic                    done_valid_o,
  output logic [TagBits-1:0]      done_tag_o
);
  typedef struct packed {
    prime_t                 prime;
    logic                   inverse;
    logic                   which;
    logic [AddressBits-1:0] source;
    logic [AddressBits-1:0] base;
    logic [TagBits-1:0]     tag;
  } job_t;

  // ---- Two jobs --------------------------------------------------------------------------------
  job_t [1:0]                 job_q;
  logic [1:0]                 has_q;      // there is a job
  logic [1:0][PassBits-1:0]   pass_q;     // its next pass
  logic [1:0]                 waits_q;    // a pass of it is inside
  logic [1:0]                 last_q;     // ... its last one
  logic [1:0]                 first_q;    // its first pass is not written

  // Derived from the degree: its highest pass, its rows, the bits of the index.
  localparam int unsigned Bits = Passes * LogRadix;
  logic [PassBits-1:0] first_pass;
  logic [RowBits-1:0]  last_row;
  logic [Bits-1:0]     has_bit;
  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < Passes; q++) begin
      if (int'(log_degree_i) > q * LogRadix) first_pass <= PassBits'(q);
    end
    last_row <= RowBits'((1 << (log_degree_i - DegreeBits'(LogLanes))) - 1);
    has_bit  <= Bits'((1 << log_degree_i) - 1);
  end

  logic [1:0] takes;
  assign job_ready_o = has_q != '1;
  assign takes = (job_valid_i && job_ready_o) ? (has_q[0] ? 2'b10 : 2'b01) : 2'b00;

  // ---- The pass that is being issued -----------------------------------------------------------
  localparam int unsigned InsideBits = 16;
  logic                  busy_q, which_q, inverse_q, next_q;
  logic [RowBits-1:0]    row_q;
  logic [InsideBits-1:0] inside_q;  // rows that were issued and not written
  logic [1:0]            ready;
  logic                  choice, starts, ends;

  for (genvar j = 0; j < 2; j++) begin : gen_ready
    assign ready[j] = has_q[j] && !waits_q[j]
                    && (job_q[j].inverse == inverse_q || (inside_q == '0 && !busy_q));
  end
  // The jobs alternate if the other one is ready; a pass starts immediately after another.
  assign choice = ready[next_q] ? next_q : !next_q;
  assign ends   = busy_q && row_q == last_row;
  assign starts = (!busy_q || ends) && ready != '0
                && (job_q[choice].inverse == inverse_q || (inside_q == '0 && !busy_q));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      which_q   <= 1'b0;
      next_q    <= 1'b0;
      inverse_q <= 1'b0;
      row_q     <= '0;
      inside_q  <= '0;
    end else begin
      busy_q   <= starts || (busy_q && !ends);
      row_q    <= (!busy_q || ends) ? '0 : row_q + 1'b1;
      inside_q <= inside_q + InsideBits'(busy_q) - InsideBits'(written_i);
      if (starts) begin
        which_q   <= choice;
        next_q    <= !choice;
        inverse_q <= job_q[choice].inverse;
      end
    end
  end

  // ---- Passes inside, the oldest first: at most one of each job --------------------------------
  logic [1:0]         order_q;   // whose they are
  logic [1:0]         count_q;
  logic [RowBits-1:0] rows_q;    // of the oldest that have been written
  logic               whole;
  assign whole = written_i && rows_q == last_row;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      order_q <= '0;
      count_q <= '0;
      rows_q  <= '0;
    end else begin
      if (written_i) rows_q <= whole ? '0 : rows_q + 1'b1;
      count_q <= count_q + 2'(starts) - 2'(whole);
      if (whole) order_q[0] <= order_q[1];
      if (starts) order_q[count_q[0] ^ whole] <= choice;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_q   <= '0;
      waits_q <= '0;
      last_q  <= '0;
    end else begin
      for (int unsigned j = 0; j < 2; j++) begin
        if (takes[j]) has_q[j] <= 1'b1;
        else if (whole && order_q[0] == (j == 1) && last_q[j]) has_q[j] <= 1'b0;
        if (starts && choice == (j == 1)) begin
          waits_q[j] <= 1'b1;
          last_q[j]  <= pass_q[j] == (job_q[j].inverse ? first_pass : PassBits'(0));
        end else if (whole && order_q[0] == (j == 1)) begin
          waits_q[j] <= 1'b0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned j = 0; j < 2; j++) begin
      if (takes[j]) begin
        job_q[j]  <= '{prime: job_prime_i, inverse: job_inverse_i, which: job_buffer_i,
                       source: job_source_i, base: job_base_i, tag: job_tag_i};
        pass_q[j] <= job_inverse_i ? PassBits'(0) : first_pass;
        first_q[j] <= 1'b1;
      end else if (whole && order_q[0] == (j == 1)) begin
        pass_q[j] <= job_q[j].inverse ? pass_q[j] + 1'b1 : pass_q[j] - 1'b1;
        first_q[j] <= 1'b0;
      end
    end
    done_tag_o <= job_q[order_q[0]].tag;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_valid_o <= 1'b0;
    else done_valid_o <= whole && last_q[order_q[0]];
  end

  // ---- A row's addresses and swaps -------------------------------------------------------------
  prime_t                 prime;
  logic                   which;
  logic [AddressBits-1:0] base, source;
  logic [PassBits-1:0]    pass;
  assign prime  = job_q[which_q].prime;
  assign which  = job_q[which_q].which;
  assign base   = job_q[which_q].base;
  assign source = first_q[which_q] ? job_q[which_q].source : base;
  assign pass   = pass_q[which_q];

  logic [RowBits-1:0]  outside, common_row;
  logic [LogLanes-1:0] folded;
  logic [LogRadix-1:0] swap, has_stage;
  always_comb begin
    // c without the bits of the pass; the fold that it adds to the lanes; x.
    outside = row_q;
    for (int unsigned q = 0; q < Passes; q++) begin
      for (int unsigned i = 0; i < LogRadix; i++) begin
        if (pass == PassBits'(q) && q * LogRadix + i >= LogLanes && has_bit[q*LogRadix+i]) begin
          outside[(q * LogRadix + i - LogLanes) % RowBits] = 1'b0;
        end
      end
    end
    folded = '0;
    for (int unsigned j = 0; j < RowBits; j++) folded[j % LogLanes] ^= outside[j];

    swap       = '0;
    has_stage  = '0;
    common_row = outside;
    for (int unsigned q = 0; q < Passes; q++) begin
      for (int unsigned i = 0; i < LogRadix; i++) begin
        if (pass == PassBits'(q) && has_bit[q*LogRadix+i]) begin
          has_stage[i] = 1'b1;
          swap[i] = folded[(q * LogRadix + i) % LogLanes];
          if (q * LogRadix + i >= LogLanes) begin
            swap[i] ^= row_q[(q * LogRadix + i - LogLanes) % RowBits];
            common_row[(q * LogRadix + i - LogLanes) % RowBits] = swap[i];
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= busy_q;
  end
  always_ff @(posedge clk_i) begin
    inverse_o   <= inverse_q;
    prime_o     <= prime;
    buffer_o    <= which;
    pass_o      <= pass;
    row_o       <= row_q;
    common_o    <= base | AddressBits'(common_row);
    source_o    <= source | AddressBits'(common_row);
    swap_o      <= swap;
    has_stage_o <= has_stage;
  end

endmodule
