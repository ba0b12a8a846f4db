// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls12_base_scale: x_i * v with v = 2^32 * 0xd201 + 1, on skewed numbers (skew_sum). 2^16 * v is
// the size of BLS12-381's parameter.
//
// One product per clock, 2 clocks (arith_pkg::Bls12BaseScaleLatency). v = 2^41 * 7 * 15 + 2^32 + 1
// needs four additions: a = 16 x - x and b = 2^32 x + x, then 2^44 a - 2^41 a + b.
module bls12_base_scale #(
  parameter int unsigned InWidth = 192,
  localparam int unsigned OutWidth = InWidth + 48
) (
  input  logic                clk_i,
  input  logic [InWidth-1:0]  x_i,
  output logic [OutWidth-1:0] result_o
);
  localparam int unsigned Segment = arith_pkg::Bls12BaseSegment;
  localparam int unsigned FifteenWidth = InWidth + 4;
  localparam int unsigned PairWidth = InWidth + 33;

  logic [FifteenWidth-1:0] x_16, x_inverted, fifteen;
  logic [PairWidth-1:0] x, x_32, pair;
  logic [OutWidth-1:0] fifteen_44, fifteen_41;

  skew_shift #(
    .InWidth(InWidth), .OutWidth(FifteenWidth), .Shift(4), .Segment(Segment)
  ) u_x_16 (
    .clk_i, .x_i, .result_o(x_16)
  );
  assign x_inverted = ~FifteenWidth'(x_i);
  skew_sum #(
    .Width(FifteenWidth), .Operands(2), .CarryIn(1), .Segment(Segment)
  ) u_fifteen (
    .clk_i, .a_i(x_16), .b_i(x_inverted), .c_i('0), .sum_o(fifteen)
  );

  assign x = PairWidth'(x_i);
  skew_shift #(
    .InWidth(InWidth), .OutWidth(PairWidth), .Shift(32), .Segment(Segment)
  ) u_x_32 (
    .clk_i, .x_i, .result_o(x_32)
  );
  skew_sum #(.Width(PairWidth), .Operands(2), .Low(32), .Segment(Segment)) u_pair (
    .clk_i, .a_i(x), .b_i(x_32), .c_i('0), .sum_o(pair)
  );

  skew_shift #(
    .InWidth(FifteenWidth), .OutWidth(OutWidth), .Shift(44), .Segment(Segment)
  ) u_fifteen_44 (
    .clk_i, .x_i(fifteen), .result_o(fifteen_44)
  );
  skew_shift #(
    .InWidth(FifteenWidth), .OutWidth(OutWidth), .Shift(41), .Invert(1'b1), .Segment(Segment)
  ) u_fifteen_41 (
    .clk_i, .x_i(fifteen), .result_o(fifteen_41)
  );
  skew_sum #(.Width(OutWidth), .CarryIn(1), .Low(41), .Segment(Segment)) u_result (
    .clk_i, .a_i(OutWidth'(pair)), .b_i(fifteen_44), .c_i(fifteen_41), .sum_o(result_o)
  );
endmodule
