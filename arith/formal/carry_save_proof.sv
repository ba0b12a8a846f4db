// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// carry_save_proof: the results have the sum of the operands modulo 2^Width, and as plain integers
// if that of the operands is below 2^Width. More levels are one level, and the others on its
// results; the operands of a level are triples, which do not depend on each other, and the rest.
module carry_save_proof #(
  parameter int unsigned Operands = 4,
  parameter int unsigned Width = 12,
  parameter int unsigned Levels = 1,
  parameter bit Invariants = 1'b1
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input logic [Operands-1:0][Width-1:0] operands_i
);
  localparam int unsigned Results = arith_pkg::compressed(Operands, Levels);
  localparam int unsigned WholeBits = Width + $clog2(Operands);

  logic [Results-1:0][Width-1:0] results;
  carry_save #(.Operands(Operands), .Width(Width), .Levels(Levels)) u_dut (
    .operands_i, .results_o(results)
  );

  logic [WholeBits-1:0] given, left;
  always_comb begin
    given = '0;
    left  = '0;
    for (int unsigned i = 0; i < Operands; i++) given += WholeBits'(operands_i[i]);
    for (int unsigned i = 0; i < Results; i++) left += WholeBits'(results[i]);
    assert (left[Width-1:0] == given[Width-1:0]);
    if (given[WholeBits-1:Width] == '0) assert (left[WholeBits-1:Width] == '0);
    cover (&given[Width-1:0] && given[WholeBits-1:Width] != '0);
  end
  logic unused;
  assign unused = ^{clk_i, rst_ni, Invariants};
endmodule
