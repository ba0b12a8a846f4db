// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// adder_tree: the sum of Operands vectors, modulo 2^Width. Nothing is reduced on the way: the user
// chooses Width so that the true sum fits, and reduces once behind it ("lazily").
//
// One sum a clock, arith_pkg::adder_tree_latency(Operands, Width) clocks: carry-save levels, then
// one carry chain in segments.
module adder_tree #(
  parameter int unsigned Operands = 8,
  parameter int unsigned Width = 260
) (
  input  logic                           clk_i,
  input  logic [Operands-1:0][Width-1:0] operands_i,
  output logic [Width-1:0]               sum_o
);
  logic [1:0][Width-1:0] pair;

  if (Operands > 3) begin : gen_compress
    compress #(.Operands(Operands), .Width(Width)) u_compress (
      .clk_i, .operands_i, .sum_o(pair[0]), .carry_o(pair[1])
    );
  end else if (Operands > 1) begin : gen_level
    carry_save #(.Operands(Operands), .Width(Width), .Levels(1)) u_level (
      .operands_i, .results_o(pair)
    );
  end else begin : gen_single
    assign pair[0] = operands_i[0];
    assign pair[1] = '0;
  end

  wide_add #(.Width(Width)) u_add (.clk_i, .a_i(pair[0]), .b_i(pair[1]), .sum_o);
endmodule
