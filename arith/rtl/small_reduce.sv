// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// small_reduce: value_i mod Modulus, for value_i in [0, Multiples * Modulus).
//
// One value per clock, arith_pkg::small_reduce_latency(Width) clocks. The quotient is estimated
// from the top bits: with 2^Shift <= Modulus, floor(top * 2^Shift / Modulus) is the quotient or one
// less. A table holds this multiple of the modulus and the next one, negated; both are added to the
// value in parallel, and the sign of the second selects.
module small_reduce #(
  parameter int unsigned Width = 256,
  parameter int unsigned InWidth = 260,
  parameter logic [Width-1:0] Modulus = arith_pkg::FrModulus,
  parameter int unsigned Multiples = 9
) (
  input  logic               clk_i,
  input  logic [InWidth-1:0] value_i,
  output logic [Width-1:0]   result_o
);
  localparam arith_pkg::constant_t Full = arith_pkg::constant_t'(Modulus);
  localparam int unsigned Shift = arith_pkg::bit_length(Full) - 1;
  // The largest top bits are those of Multiples * Modulus - 1.
  localparam int unsigned Entries = 32'((Full * Multiples - 1) >> Shift) + 1;
  localparam int unsigned IndexBits = (Entries > 1) ? $clog2(Entries) : 1;
  // The two differences are in [-Modulus, 2 * Modulus).
  localparam int unsigned DiffWidth = Width + 1;

  // -(floor(top * 2^Shift / Modulus) + extra) * Modulus mod 2^DiffWidth.
  function automatic logic [DiffWidth-1:0] negated_multiple(input int unsigned top,
                                                            input int unsigned extra);
    arith_pkg::constant_t limit, multiple;
    limit    = arith_pkg::constant_t'(top) << Shift;
    multiple = '0;
    for (int unsigned i = 0; i < Multiples; i++) begin
      if (multiple + Full <= limit) multiple = multiple + Full;
    end
    return DiffWidth'(arith_pkg::constant_t'(0) - multiple - Full * extra);
  endfunction

  logic [DiffWidth-1:0] table_low[2**IndexBits];
  logic [DiffWidth-1:0] table_next[2**IndexBits];
  for (genvar i = 0; i < 2 ** IndexBits; i++) begin : gen_table
    localparam logic [DiffWidth-1:0] EntryLow = negated_multiple(i, 0);
    localparam logic [DiffWidth-1:0] EntryNext = negated_multiple(i, 1);
    assign table_low[i]  = EntryLow;
    assign table_next[i] = EntryNext;
  end

  logic [IndexBits-1:0] top;
  logic [DiffWidth-1:0] value_q, low_q, next_q, low_diff, next_diff;
  logic [Width-1:0] result_q;
  logic unused_bits;
  assign top = value_i[Shift+:IndexBits];
  assign unused_bits = ^{value_i, low_diff[DiffWidth-1]};

  always_ff @(posedge clk_i) begin
    value_q <= DiffWidth'(value_i);
    low_q   <= table_low[top];
    next_q  <= table_next[top];
  end
  wide_add #(.Width(DiffWidth)) u_low (.clk_i, .a_i(value_q), .b_i(low_q), .sum_o(low_diff));
  wide_add #(.Width(DiffWidth)) u_next (.clk_i, .a_i(value_q), .b_i(next_q), .sum_o(next_diff));

  always_ff @(posedge clk_i) begin
    result_q <= next_diff[DiffWidth-1] ? low_diff[Width-1:0] : next_diff[Width-1:0];
  end
  assign result_o = result_q;
endmodule
