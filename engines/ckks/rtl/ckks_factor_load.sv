// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_factor_load: loads tables of the transforms' factors from beats of the card's memory into
// ckks_factors.
//
// A table (engines/ckks/card/README.md) has the entries of its passes in sequence, each 2^LogRadix
// words of 32 bits, in the order of the index's bits above the pass; a beat has one or several
// entries. If no lane lies above a pass, entry i is the shared one of block i. If lanes do, the
// entry's lowest bits are those lanes' bits, and its other bits are the row: it belongs to all
// butterflies whose bank's bits above the pass are those lanes' bits xor the row's fold
// (engines/ckks/model/layout.py), and is written to all of them at once.
//
// Words after the last entry, up to the end of the beats, are ignored. Cycles: one entry a clock;
// it is written in the clock after the one that takes it, and done_valid_o comes with the last.
module ckks_factor_load
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes     = 3,
  parameter  int unsigned LogRadix     = 3,
  parameter  int unsigned MaxLogDegree = 16,
  localparam int unsigned Lanes        = 1 << LogLanes,
  localparam int unsigned Words        = arith_pkg::minimum(Lanes, 16),
  localparam int unsigned Ports        = 1 << LogRadix,
  localparam int unsigned Units        = Lanes / Ports,
  localparam int unsigned RowBits      = MaxLogDegree - LogLanes,
  localparam int unsigned OwnPasses    = (LogLanes - 1) / LogRadix,
  localparam int unsigned OwnPassBits  = (OwnPasses > 1) ? $clog2(OwnPasses) : 0,
  localparam int unsigned SharedBits   = RowBits + 2,
  localparam int unsigned OwnBits      = (OwnPasses == 0) ? 0 : 1 + OwnPassBits + RowBits,
  localparam int unsigned EntryBits    = arith_pkg::maximum(SharedBits, OwnBits),
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [DegreeBits-1:0] log_degree_i,  // LogLanes < it; from a clock before a job on

  input  logic                  job_valid_i,
  output logic                  job_ready_o,
  input  logic                  job_half_i,
  output logic                  done_valid_o,

  input  logic                  in_valid_i,
  output logic                  in_ready_o,
  input  logic [32*Words-1:0]   in_data_i,
  input  logic                  in_last_i,     // of the table

  output logic                  factor_valid_o,
  output logic                  factor_shared_o,
  output logic [Units-1:0]      factor_units_o,
  output logic [EntryBits-1:0]  factor_entry_o,
  output residue_t [Ports-1:0]  factor_words_o
);
  localparam int unsigned Pieces    = Words / Ports;  // entries of a beat
  localparam int unsigned PieceBits = (Pieces > 1) ? $clog2(Pieces) : 1;
  localparam int unsigned Passes    = arith_pkg::ceil_div(MaxLogDegree, LogRadix);
  localparam int unsigned PassBits  = $clog2(Passes + 1);
  localparam int unsigned IndexBits = MaxLogDegree - LogRadix + 1;
  typedef logic [IndexBits-1:0] index_t;

  // For each pass: its last entry, whether that is its only one, and whether N has the pass.
  index_t [Passes-1:0] last_q;
  logic [Passes-1:0]   only_q, has_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < Passes; q++) begin
      has_q[q]  <= int'(log_degree_i) > q * LogRadix;
      only_q[q] <= int'(log_degree_i) <= (q + 1) * LogRadix;
      last_q[q] <= (int'(log_degree_i) > (q + 1) * LogRadix)
                 ? index_t'((1 << (int'(log_degree_i) - (q + 1) * LogRadix)) - 1) : '0;
    end
  end

  // ---- An entry a clock ------------------------------------------------------------------------
  logic                 busy_q, half_q, takes, ends_beat;
  logic [PieceBits-1:0] piece_q;
  logic [PassBits-1:0]  pass_q;  // Passes: after the last one
  index_t               index_q, index_next;
  // For the current pass: its last entry, whether index_q is that one, and whether N has the pass.
  index_t               pass_last_q;
  logic                 is_last_q, has_pass_q;
  assign index_next  = index_q + 1'b1;
  assign job_ready_o = !busy_q;
  assign takes       = busy_q && in_valid_i;
  assign ends_beat   = piece_q == PieceBits'(Pieces - 1);
  assign in_ready_o  = takes && ends_beat;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q       <= 1'b0;
      done_valid_o <= 1'b0;
    end else begin
      busy_q       <= busy_q ? !(in_ready_o && in_last_i) : job_valid_i;
      done_valid_o <= in_ready_o && in_last_i;
    end
  end
  // The last entry of the next pass.
  index_t next_last;
  logic   next_only, next_has;
  always_comb begin
    {next_last, next_only, next_has} = '0;
    for (int unsigned q = 1; q < Passes; q++) begin
      if (pass_q == PassBits'(q - 1)) begin
        {next_last, next_only, next_has} = {last_q[q], only_q[q], has_q[q]};
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      half_q      <= job_half_i;
      piece_q     <= '0;
      pass_q      <= '0;
      index_q     <= '0;
      pass_last_q <= last_q[0];
      is_last_q   <= only_q[0];
      has_pass_q  <= has_q[0];
    end else if (takes) begin
      piece_q <= ends_beat ? '0 : piece_q + 1'b1;
      if (has_pass_q && !is_last_q) begin
        index_q   <= index_next;
        is_last_q <= index_next == pass_last_q;
      end else if (has_pass_q) begin
        pass_q      <= pass_q + 1'b1;
        index_q     <= '0;
        pass_last_q <= next_last;
        is_last_q   <= next_only;
        has_pass_q  <= next_has;
      end
    end
  end

  // ---- Its place, and its butterflies ----------------------------------------------------------
  // For an entry with lanes above: the fold that the row adds to the lanes.
  function automatic logic [LogLanes-1:0] fold(input logic [RowBits-1:0] row);
    fold = '0;
    for (int unsigned i = 0; i < RowBits; i++) fold[i%LogLanes] ^= row[i];
  endfunction
  logic                 shared;
  logic [EntryBits-1:0] entry;
  logic [Units-1:0]     units;
  logic [RowBits-1:0]   row;
  logic [LogLanes-1:0]  lanes;
  always_comb begin
    shared = 1'b1;
    entry  = '0;
    row    = '0;
    lanes  = '0;
    units  = '1;
    for (int unsigned q = 0; q < Passes; q++) begin
      if (pass_q == PassBits'(q)) begin
        if ((q + 1) * LogRadix >= LogLanes) begin
          // The first entry of the pass is 2^(n - h): one more than its last.
          entry               = EntryBits'(last_q[q]) + 1'b1 + EntryBits'(index_q);
          entry[SharedBits-1] = half_q;
        end else begin
          row    = RowBits'(index_q >> (LogLanes - (q + 1) * LogRadix));
          lanes  = LogLanes'(index_q << ((q + 1) * LogRadix)) ^ fold(row);
          shared = 1'b0;
          entry  = EntryBits'((q << RowBits) | int'(row));
          entry[arith_pkg::maximum(OwnBits, 1)-1] = half_q;
          for (int unsigned u = 0; u < Units; u++) begin
            units[u] = (u >> (q * LogRadix)) == (int'(lanes) >> ((q + 1) * LogRadix));
          end
        end
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) factor_valid_o <= 1'b0;
    else factor_valid_o <= takes && has_pass_q;
  end
  always_ff @(posedge clk_i) begin
    factor_shared_o <= shared;
    factor_units_o  <= units;
    factor_entry_o  <= entry;
    for (int unsigned i = 0; i < Ports; i++) begin
      factor_words_o[i] <= residue_t'(in_data_i[32*(int'(piece_q)*Ports+i)+:32]);
    end
  end
  logic unused;
  always_comb begin
    unused = 1'b0;
    for (int unsigned i = 0; i < Words; i++) unused ^= ^in_data_i[32*i+30+:2];
  end
endmodule
