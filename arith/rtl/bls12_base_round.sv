// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls12_base_round: half of a Montgomery reduction by p = Bls12BaseModulus, on skewed numbers
// (skew_sum): result_o = (value_i - s * 3p) / 2^192 with s = value_i / 3p mod 2^192, exactly.
//
// One value per clock, arith_pkg::Bls12BaseRoundLatency clocks. value_i must be at least 2^192 *
// 3p, so that nothing is negative. s is a sum over 45 digits (skew_scale). Its product,
// with u = 2^16 * v (bls12_base_scale) and w_i = v^i * s, is
//   s * 3p = s * (u^6 + 2 u^5 - 2 u^3 - u + 1)
//          = s - 2^16 w_1 - 2^49 w_3 + 2^81 w_5 + 2^96 w_6.
// Only the bits of value - s * 3p from 188 up are summed: each of the six terms is rounded down by
// less than 1 or (the inverted ones) by at most 1, in units of 2^188, which is less than 6 in
// total. As the true sum is a multiple of 2^192, adding 5 (the carries into five sums) and dropping
// four bits gives the exact result. Those four bits are the upper end of a segment whose other bits
// are not computed, so no bit changes its segment.
//
// Comments give the clock of a number's segment 0. Numbers without their Base low bits begin with
// the segment of bit Base.
module bls12_base_round #(
  parameter int unsigned InWidth = 767,
  localparam int unsigned Digit = arith_pkg::Bls12BaseDigit,
  localparam int unsigned OutWidth = InWidth - Digit
) (
  input  logic                clk_i,
  input  logic [InWidth-1:0]  value_i,
  output logic [OutWidth-1:0] result_o
);
  localparam int unsigned Segment = arith_pkg::Bls12BaseSegment;
  localparam int Base = int'(Digit - Segment);
  localparam int unsigned Low = Segment - 4;  // of the sums, above Base
  localparam arith_pkg::constant_t Inverse = arith_pkg::bls12_base_inverse();
  // Above Base: of 2^16 w_1 - s, of that and 2^49 w_3, of the rest.
  localparam int unsigned FirstWidth = Digit + 64 - Base;
  localparam int unsigned SecondWidth = Digit + 3 * 48 + 50 - Base;
  localparam int unsigned SumWidth = InWidth - Base;

  // ---- s: 6; w_1 to w_6: 8, 10, ... 18 ---------------------------------------------------------
  logic [Digit-1:0] s;
  logic [Digit+1*48-1:0] w_1;
  logic [Digit+2*48-1:0] w_2;
  logic [Digit+3*48-1:0] w_3;
  logic [Digit+4*48-1:0] w_4;
  logic [Digit+5*48-1:0] w_5;
  logic [Digit+6*48-1:0] w_6;
  skew_scale #(
    .InWidth(Digit), .OutWidth(Digit), .Constant(Inverse), .Segment(Segment)
  ) u_s (
    .clk_i, .x_i(value_i[Digit-1:0]), .result_o(s)
  );
  bls12_base_scale #(.InWidth(Digit)) u_w_1 (.clk_i, .x_i(s), .result_o(w_1));
  bls12_base_scale #(.InWidth(Digit + 1 * 48)) u_w_2 (.clk_i, .x_i(w_1), .result_o(w_2));
  bls12_base_scale #(.InWidth(Digit + 2 * 48)) u_w_3 (.clk_i, .x_i(w_2), .result_o(w_3));
  bls12_base_scale #(.InWidth(Digit + 3 * 48)) u_w_4 (.clk_i, .x_i(w_3), .result_o(w_4));
  bls12_base_scale #(.InWidth(Digit + 4 * 48)) u_w_5 (.clk_i, .x_i(w_4), .result_o(w_5));
  bls12_base_scale #(.InWidth(Digit + 5 * 48)) u_w_6 (.clk_i, .x_i(w_5), .result_o(w_6));

  // ---- 2^16 w_1 - s: 11; + 2^49 w_3: 15 ---------------------------------------------------------
  logic [FirstWidth-1:0] w_1_16, s_not, first;
  logic [SecondWidth-1:0] first_late, w_3_49, second;
  skew_shift #(
    .InWidth(Digit + 1 * 48), .OutWidth(FirstWidth), .Shift(16 - Base), .Delay(2),
    .Segment(Segment)
  ) u_w_1_16 (
    .clk_i, .x_i(w_1), .result_o(w_1_16)
  );
  skew_shift #(
    .InWidth(Digit), .OutWidth(FirstWidth), .Shift(-Base), .Delay(4), .Invert(1'b1),
    .Segment(Segment)
  ) u_s_not (
    .clk_i, .x_i(s), .result_o(s_not)
  );
  skew_sum #(
    .Width(FirstWidth), .Operands(2), .CarryIn(1), .Low(Low), .Segment(Segment)
  ) u_first (
    .clk_i, .a_i(w_1_16), .b_i(s_not), .c_i('0), .sum_o(first)
  );
  skew_shift #(
    .InWidth(FirstWidth), .OutWidth(SecondWidth), .Delay(3), .Segment(Segment)
  ) u_first_late (
    .clk_i, .x_i(first), .result_o(first_late)
  );
  skew_shift #(
    .InWidth(Digit + 3 * 48), .OutWidth(SecondWidth), .Shift(49 - Base), .Delay(2),
    .Segment(Segment)
  ) u_w_3_49 (
    .clk_i, .x_i(w_3), .result_o(w_3_49)
  );
  skew_sum #(
    .Width(SecondWidth), .Operands(2), .CarryIn(1), .Low(Low), .Segment(Segment)
  ) u_second (
    .clk_i, .a_i(first_late), .b_i(w_3_49), .c_i('0), .sum_o(second)
  );

  // ---- value + that: 16; - 2^81 w_5: 18; - 2^96 w_6: 20 -----------------------------------------
  logic [SumWidth-1:0] value_late, third, third_late, w_5_81, fourth, fourth_late, w_6_96, sum;
  skew_shift #(
    .InWidth(InWidth), .OutWidth(SumWidth), .Shift(-Base), .Delay(15), .Segment(Segment)
  ) u_value_late (
    .clk_i, .x_i(value_i), .result_o(value_late)
  );
  skew_sum #(
    .Width(SumWidth), .Operands(2), .CarryIn(1), .Low(Low), .Segment(Segment)
  ) u_third (
    .clk_i, .a_i(value_late), .b_i(SumWidth'(second)), .c_i('0), .sum_o(third)
  );
  skew_shift #(
    .InWidth(SumWidth), .OutWidth(SumWidth), .Delay(1), .Segment(Segment)
  ) u_third_late (
    .clk_i, .x_i(third), .result_o(third_late)
  );
  skew_shift #(
    .InWidth(Digit + 5 * 48), .OutWidth(SumWidth), .Shift(81 - Base), .Delay(1), .Invert(1'b1),
    .Segment(Segment)
  ) u_w_5_81 (
    .clk_i, .x_i(w_5), .result_o(w_5_81)
  );
  skew_sum #(
    .Width(SumWidth), .Operands(2), .CarryIn(1), .Low(Low), .Segment(Segment)
  ) u_fourth (
    .clk_i, .a_i(third_late), .b_i(w_5_81), .c_i('0), .sum_o(fourth)
  );
  skew_shift #(
    .InWidth(SumWidth), .OutWidth(SumWidth), .Delay(1), .Segment(Segment)
  ) u_fourth_late (
    .clk_i, .x_i(fourth), .result_o(fourth_late)
  );
  skew_shift #(
    .InWidth(Digit + 6 * 48), .OutWidth(SumWidth), .Shift(96 - Base), .Delay(1), .Invert(1'b1),
    .Segment(Segment)
  ) u_w_6_96 (
    .clk_i, .x_i(w_6), .result_o(w_6_96)
  );
  skew_sum #(
    .Width(SumWidth), .Operands(2), .CarryIn(1), .Low(Low), .Segment(Segment)
  ) u_sum (
    .clk_i, .a_i(fourth_late), .b_i(w_6_96), .c_i('0), .sum_o(sum)
  );

  // Without the segment below bit 192: 21.
  logic unused_low;
  assign result_o = sum[SumWidth-1:Segment];
  assign unused_low = ^sum[Segment-1:0];
endmodule
