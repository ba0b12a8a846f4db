// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_automorphism: X -> X^g of values in bit-reversed order, one row of all banks a clock (the
// operator core HFAuto).
//
// Place i holds the value at psi^(2x + 1), where x is i with its bits reversed, so that place x of
// the result is place g*x + (g-1)/2 of the source, modulo N. The low bits of x are the row: a row
// of the result comes from one row. Its lanes, x' being their number with the bits reversed, come
// from g*x' + c modulo the lanes, where c is the row's carry. From the low bit up, this is a
// conditional exchange per bit: bit j of the source is bit j of x' xor bit j of g*s + c, where s is
// the bits of x' below j. The same exchanges include the layout's fold of both rows
// (engines/ckks/model/layout.py).
//
// A job takes N / Lanes clocks, after SetupClocks. Source and result are different limbs, since the
// same rows would be read after they are written. A read is offered until read_ready_i, and its
// word comes 2 clocks later. Writes are not held up; done_valid_o comes with the last one.
module ckks_automorphism
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes     = 5,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  parameter  int unsigned TagBits      = 8,
  localparam int unsigned Lanes        = 1 << LogLanes,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [DegreeBits-1:0]  log_degree_i,  // LogLanes < it; stable while jobs are present

  input  logic                   job_valid_i,
  output logic                   job_ready_o,
  input  logic [MaxLogDegree:0]  job_exponent_i,  // odd, below 2N
  input  logic [AddressBits-1:0] job_source_i,
  input  logic [AddressBits-1:0] job_result_i,
  input  logic [TagBits-1:0]     job_tag_i,
  output logic                   done_valid_o,
  output logic [TagBits-1:0]     done_tag_o,

  output logic                   read_valid_o,
  input  logic                   read_ready_i,
  output logic [AddressBits-1:0] read_row_o,
  input  residue_t [Lanes-1:0]   read_word_i,
  output logic                   write_valid_o,
  output logic [AddressBits-1:0] write_row_o,
  output residue_t [Lanes-1:0]   write_word_o
);
  localparam int unsigned RowBits     = MaxLogDegree - LogLanes;
  localparam int unsigned SetupClocks = LogLanes + 1;
  typedef logic [RowBits-1:0]  row_t;
  typedef logic [LogLanes-1:0] lane_t;

  // The low `count` bits of a row, reversed, and the carry of a row.
  function automatic row_t reversed_row(input row_t row, input logic [DegreeBits-1:0] count);
    row_t all;
    for (int unsigned i = 0; i < RowBits; i++) all[i] = row[RowBits-1-i];
    return all >> (DegreeBits'(RowBits) - count);
  endfunction
  function automatic lane_t fold_reversed(input row_t row);
    fold_reversed = '0;
    for (int unsigned i = 0; i < RowBits; i++) fold_reversed[LogLanes-1-i%LogLanes] ^= row[i];
  endfunction

  // ---- Rows of a job ---------------------------------------------------------------------------
  localparam int unsigned SetupBits = $clog2(SetupClocks + 1);
  logic                    busy_q;
  logic [SetupBits-1:0]    setup_q;
  row_t                    count_q;   // x's low bits, of the result
  logic [MaxLogDegree-1:0] place_q;   // g * count_q + (g-1)/2, modulo N or more
  logic [MaxLogDegree-1:0] exponent_q;  // modulo N
  logic [AddressBits-1:0]  source_q, result_q;
  logic [TagBits-1:0]      tag_q;
  logic [DegreeBits-1:0]   row_bits;
  logic                    takes, moves, row_valid_q, issues, ends;
  row_t                    last_row;
  always_ff @(posedge clk_i) begin
    row_bits <= log_degree_i - DegreeBits'(LogLanes);
    last_row <= row_t'((1 << row_bits) - 1);
  end
  assign moves       = !row_valid_q || read_ready_i;
  assign issues      = busy_q && setup_q == '0 && moves;
  assign ends        = issues && count_q == last_row;
  // The last row needs its job's multiples of g until it leaves.
  assign job_ready_o = !busy_q && moves;
  assign takes       = job_valid_i && job_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      setup_q <= '0;
      count_q <= '0;
    end else if (!busy_q) begin
      busy_q  <= takes;
      setup_q <= SetupBits'(SetupClocks);
      count_q <= '0;
    end else begin
      if (setup_q != '0) setup_q <= setup_q - 1'b1;
      if (issues) count_q <= count_q + 1'b1;
      if (ends) busy_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (takes) begin
      exponent_q <= job_exponent_i[MaxLogDegree-1:0];
      source_q   <= job_source_i;
      result_q   <= job_result_i;
      tag_q      <= job_tag_i;
      place_q    <= job_exponent_i[MaxLogDegree:1];
    end else if (issues) begin
      place_q <= place_q + exponent_q;
    end
  end

  // ---- A row: where from, where to, c, and the folds -------------------------------------------
  typedef struct packed {
    logic                   last;
    logic [TagBits-1:0]     tag;
    logic [AddressBits-1:0] result;
  } end_t;
  localparam int unsigned WriteClocks = 2 + LogLanes;  // from the addresses of a row

  row_t  from_row, to_row;
  lane_t carry_q, fold_to_q, fold_both_q;
  end_t  end_q, write_end;
  assign from_row = reversed_row(row_t'(place_q) & last_row, row_bits);
  assign to_row   = reversed_row(count_q, row_bits);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) row_valid_q <= 1'b0;
    else if (moves) row_valid_q <= issues;
  end
  always_ff @(posedge clk_i) begin
    if (moves) begin
      carry_q     <= lane_t'(place_q >> row_bits);
      fold_to_q   <= fold_reversed(to_row);
      fold_both_q <= fold_reversed(to_row) ^ fold_reversed(from_row);
      read_row_o  <= source_q | AddressBits'(from_row);
      end_q       <= '{last: ends, tag: tag_q, result: result_q | AddressBits'(to_row)};
    end
  end
  assign read_valid_o = row_valid_q;
  pipeline_delay #(.DataWidth($bits(end_t)), .Stages(WriteClocks)) u_end (
    .clk_i, .data_i(end_q), .data_o(write_end)
  );
  valid_delay #(.Stages(WriteClocks)) u_valid (
    .clk_i, .rst_ni, .valid_i(row_valid_q && read_ready_i), .valid_o(write_valid_o)
  );
  assign write_row_o = write_end.result;
  assign done_valid_o = write_valid_o && write_end.last;
  assign done_tag_o   = write_end.tag;

  // ---- g * s of every s, computed for each job, a bit of s a clock -----------------------------
  lane_t multiple_q[Lanes/2];
  assign multiple_q[0] = '0;
  for (genvar s = 1; s < Lanes / 2; s++) begin : gen_multiple
    localparam int unsigned Top = $clog2(s + 1) - 1;
    always_ff @(posedge clk_i) begin
      multiple_q[s] <= multiple_q[s-(1<<Top)] + (exponent_q[LogLanes-1:0] << Top);
    end
  end

  // ---- Exchanges, from the low bit up ----------------------------------------------------------
  // Lanes by their number with the bits reversed.
  residue_t [Lanes-1:0] word[LogLanes+1];
  for (genvar i = 0; i < Lanes; i++) begin : gen_reversed
    assign word[0][i]      = read_word_i[reversed(i, LogLanes)];
    assign write_word_o[i] = word[LogLanes][reversed(i, LogLanes)];
  end

  for (genvar j = 0; j < LogLanes; j++) begin : gen_bit
    localparam int unsigned Groups = 1 << j;
    logic [Groups-1:0] carried_q, folded_q, chosen;
    lane_t             fold_to;
    logic              fold_bit, fold_bit_later;

    // In the clock of the row's addresses: bit j of g*s + c. In the next clock: that of the group
    // which the fold of the result moves to place s. Its residues are available then.
    for (genvar s = 0; s < Groups; s++) begin : gen_group
      logic [j:0] total;
      assign total = multiple_q[s][j:0] + carry_q[j:0];
      always_ff @(posedge clk_i) carried_q[s] <= total[j];
      if (j > 0) begin : gen_low
        logic unused_low;
        assign unused_low = ^total[j-1:0];
      end
    end
    always_ff @(posedge clk_i) begin
      fold_to  <= fold_to_q;
      fold_bit <= fold_both_q[j];
      for (int unsigned s = 0; s < Groups; s++) begin
        folded_q[s] <= carried_q[s ^ (int'(fold_to) & (Groups - 1))];
      end
      fold_bit_later <= fold_bit;
    end
    pipeline_delay #(.DataWidth(Groups), .Stages(j)) u_chosen (
      .clk_i, .data_i(folded_q ^ {Groups{fold_bit_later}}), .data_o(chosen)
    );
    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Lanes; i++) begin
        word[j+1][i] <= word[j][chosen[i%Groups] ? i ^ (1 << j) : i];
      end
    end
  end
endmodule
