// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// compress: a sum of Operands vectors as a carry-save pair, modulo 2^Width:
// sum_o + carry_o = operands_i[0] + operands_i[1] + ...
//
// One sum per clock, arith_pkg::compress_latency(Operands) clocks: 0 for two operands, 1 for up to
// nine.
module compress #(
  parameter int unsigned Operands = 8,
  parameter int unsigned Width = 132
) (
  input  logic                           clk_i,
  input  logic [Operands-1:0][Width-1:0] operands_i,
  output logic [Width-1:0]               sum_o,
  output logic [Width-1:0]               carry_o
);
  if (Operands <= 2) begin : gen_wire
    logic unused_clk;
    assign unused_clk = clk_i;
    assign sum_o   = operands_i[0];
    assign carry_o = (Operands == 2) ? operands_i[Operands-1] : '0;
  end else begin : gen_stage
    localparam int unsigned Levels = arith_pkg::CompressLevels;
    localparam int unsigned Left = arith_pkg::compressed(Operands, Levels);
    logic [Left-1:0][Width-1:0] left, left_q;

    carry_save #(.Operands(Operands), .Width(Width), .Levels(Levels)) u_levels (
      .operands_i, .results_o(left)
    );
    always_ff @(posedge clk_i) left_q <= left;

    compress #(.Operands(Left), .Width(Width)) u_next (
      .clk_i, .operands_i(left_q), .sum_o, .carry_o
    );
  end
endmodule
