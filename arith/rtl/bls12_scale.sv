// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls12_scale: x_i * 0xd201 modulo 2^OutWidth, on skewed numbers (skew_sum).
//
// One product per clock, 2 clocks (arith_pkg::Bls12ScaleLatency). 0xd201 = 2^9 * 7 * 15 + 1 needs
// three additions: a = 16 x - x, then 2^12 a - 2^9 a + x.
module bls12_scale #(
  parameter int unsigned InWidth = 256,
  parameter int unsigned OutWidth = 272
) (
  input  logic                clk_i,
  input  logic [InWidth-1:0]  x_i,
  output logic [OutWidth-1:0] result_o
);
  logic [OutWidth-1:0] x_16, x_inverted, fifteen, fifteen_high, fifteen_inverted, x_late;

  skew_shift #(.InWidth(InWidth), .OutWidth(OutWidth), .Shift(4)) u_x_16 (
    .clk_i, .x_i, .result_o(x_16)
  );
  skew_shift #(.InWidth(InWidth), .OutWidth(OutWidth), .Invert(1'b1)) u_x_inverted (
    .clk_i, .x_i, .result_o(x_inverted)
  );
  skew_sum #(.Width(OutWidth), .Operands(2), .CarryIn(1)) u_fifteen (
    .clk_i, .a_i(x_16), .b_i(x_inverted), .c_i('0), .sum_o(fifteen)
  );

  skew_shift #(.InWidth(OutWidth), .OutWidth(OutWidth), .Shift(12)) u_high (
    .clk_i, .x_i(fifteen), .result_o(fifteen_high)
  );
  skew_shift #(.InWidth(OutWidth), .OutWidth(OutWidth), .Shift(9), .Invert(1'b1)) u_inverted (
    .clk_i, .x_i(fifteen), .result_o(fifteen_inverted)
  );
  skew_shift #(.InWidth(InWidth), .OutWidth(OutWidth), .Delay(1)) u_x_late (
    .clk_i, .x_i, .result_o(x_late)
  );
  skew_sum #(.Width(OutWidth), .Operands(3), .CarryIn(1)) u_result (
    .clk_i, .a_i(x_late), .b_i(fifteen_high), .c_i(fifteen_inverted), .sum_o(result_o)
  );
endmodule
