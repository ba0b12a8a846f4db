// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// adder_tree: the sum of Operands vectors, modulo 2^Width. Nothing is reduced in between: the user
// chooses Width so that the true sum fits, and reduces the result once ("lazily").
//
// One sum per clock, arith_pkg::adder_tree_latency(Operands, Width) clocks: carry-save levels, then
// one carry chain in segments. For targets with long chains (arith_pkg): additions of two operands.
module adder_tree #(
  parameter int unsigned Operands = 8,
  parameter int unsigned Width = 260,
  parameter bit Skewed = 1'b0  // sum_o is a skewed number (skew_sum)
) (
  input  logic                           clk_i,
  input  logic [Operands-1:0][Width-1:0] operands_i,
  output logic [Width-1:0]               sum_o
);
  if (arith_pkg::adds_in_pairs(Operands, Width)) begin : gen_pairs
    localparam int unsigned Left = (Operands + 1) / 2;
    logic [2*Left-1:0][Width-1:0] filled;
    logic [Left-1:0][Width-1:0]   left_q;

    assign filled = (2 * Left * Width)'(operands_i);
    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Left; i++) left_q[i] <= filled[2*i] + filled[2*i+1];
    end

    adder_tree #(.Operands(Left), .Width(Width), .Skewed(Skewed)) u_next (
      .clk_i, .operands_i(left_q), .sum_o
    );
  end else begin : gen_saved
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

    wide_add #(.Width(Width), .Skewed(Skewed)) u_add (
      .clk_i, .a_i(pair[0]), .b_i(pair[1]), .sum_o
    );
  end
endmodule
