// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// skew_top: bench top with the parts of bls12_reduce that process skewed numbers, in widths of one
// to three segments.
module skew_top (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [299:0] x_i,
  input  logic [299:0] y_i,
  input  logic [299:0] z_i,
  output logic [299:0] sum3_o,
  output logic [299:0] sum2_o,
  output logic [299:0] sum_low_o,
  output logic [319:0] up_o,
  output logic [259:0] far_up_o,
  output logic [199:0] down_o,
  output logic [99:0]  far_down_o,
  output logic [315:0] scale_o,
  output logic [89:0]  scale_low_o
);
  logic unused_reset;
  assign unused_reset = rst_ni;

  skew_sum #(.Width(300), .CarryIn(2)) u_sum3 (
    .clk_i, .a_i(x_i), .b_i(y_i), .c_i(z_i), .sum_o(sum3_o)
  );
  skew_sum #(.Width(300), .Operands(2), .CarryIn(1)) u_sum2 (
    .clk_i, .a_i(x_i), .b_i(y_i), .c_i(z_i), .sum_o(sum2_o)
  );
  // Low in the second segment; the bits of y and z below it must not count.
  skew_sum #(.Width(300), .CarryIn(1), .Low(150)) u_sum_low (
    .clk_i, .a_i(x_i), .b_i(y_i), .c_i(z_i), .sum_o(sum_low_o)
  );
  skew_shift #(.InWidth(300), .OutWidth(320), .Shift(9), .Delay(1), .Invert(1'b1)) u_up (
    .clk_i, .x_i, .result_o(up_o)
  );
  skew_shift #(.InWidth(100), .OutWidth(260), .Shift(192)) u_far_up (
    .clk_i, .x_i(x_i[99:0]), .result_o(far_up_o)
  );
  skew_shift #(.InWidth(300), .OutWidth(200), .Shift(-60), .Delay(1)) u_down (
    .clk_i, .x_i, .result_o(down_o)
  );
  skew_shift #(.InWidth(300), .OutWidth(100), .Shift(-252), .Delay(3), .Invert(1'b1)) u_far_down (
    .clk_i, .x_i, .result_o(far_down_o)
  );
  bls12_scale #(.InWidth(300), .OutWidth(316)) u_scale (.clk_i, .x_i, .result_o(scale_o));
  bls12_scale #(.InWidth(100), .OutWidth(90)) u_scale_low (
    .clk_i, .x_i(x_i[99:0]), .result_o(scale_low_o)
  );
endmodule
