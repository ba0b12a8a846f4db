// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_rows: the part of a product of residues a * b that the multipliers leave, times 2^-27.
//
// A multiplier has 27 signed bits: the low 27 bits of a, read as a signed number a0. So a is a0 +
// 2^27 * r with r in 0..8, and r * b is the part here. Booth's digits (1951, in the form of
// MacSorley, 1961) of r are two, one of -2..2 and one of 0..2, and therefore two rows of LUTs.
//
// One product a clock, 2 clocks (ckks_pkg::RowsLatency).
module ckks_rows
  import ckks_pkg::*;
(
  input  logic                            clk_i,
  input  logic [ResidueBits-TileBits:0]   a_i,  // the bits of a from TileBits - 1 on
  input  residue_t                        b_i,
  output logic [RowsBits-1:0]             rows_o
);
  // The first digit: b or 2b, inverted if it is negative. One is added to it later.
  localparam int unsigned RowBits = ResidueBits + 2;
  logic               one, two, negative;
  logic [RowBits-1:0] row;
  assign one      = a_i[1] ^ a_i[0];
  assign two      = (a_i[2] && a_i[1:0] == 2'b00) || (!a_i[2] && a_i[1:0] == 2'b11);
  assign negative = a_i[2] && a_i[1:0] != 2'b11;
  assign row      = (one ? RowBits'(b_i) : '0) | (two ? {1'b0, b_i, 1'b0} : '0);

  // The second digit: the sum of the two highest bits.
  logic                negative_q;
  logic [1:0]          high_q;
  logic [RowBits-1:0]  row_q, second;
  residue_t            b_q;
  logic [RowsBits-1:0] rows_q;
  logic [RowsBits:0]   lower_row, upper_row, total;
  assign second = (high_q == 2'b11) ? {1'b0, b_q, 1'b0} : (high_q != 2'b00) ? RowBits'(b_q) : '0;
  // The lowest bit is the carry of a negative digit. A difference of an inverted row, which is the
  // sum and one more, keeps the row that is a register at the carry chain, and the other in its
  // LUTs.
  assign lower_row = {{(RowsBits - RowBits) {row_q[RowBits-1]}}, row_q, negative_q};
  assign upper_row = {second, 2'b00, 1'b0};
  assign total     = lower_row - ~upper_row;
  always_ff @(posedge clk_i) begin
    row_q      <= negative ? ~row : row;
    negative_q <= negative;
    high_q     <= a_i[3:2];
    b_q        <= b_i;
    rows_q     <= total[RowsBits:1];
  end
  assign rows_o = rows_q;
  logic unused;
  assign unused = total[0];
endmodule
