// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// skew_scale: x_i * Constant modulo 2^OutWidth, on skewed numbers (skew_sum).
//
// One product per clock, arith_pkg::skew_scale_latency(Constant, OutWidth) clocks: a balanced tree
// of two-operand sums over the digits of Constant's non-adjacent form, the lowest of which must be
// positive. A subtree has the digits of one range of bits, so a sum begins at the lowest digit of
// its upper half: a digit at bit k costs OutWidth - k bits of one sum in any tree.
module skew_scale #(
  parameter int unsigned InWidth = 192,
  parameter int unsigned OutWidth = 192,
  parameter arith_pkg::constant_t Constant = arith_pkg::constant_t'(5),
  parameter int unsigned Segment = arith_pkg::SegmentWidth
) (
  input  logic                clk_i,
  input  logic [InWidth-1:0]  x_i,
  output logic [OutWidth-1:0] result_o
);
  localparam int unsigned Digits = arith_pkg::naf_weight(Constant, OutWidth);
  localparam int unsigned First = arith_pkg::naf_position(Constant, 0);
  localparam arith_pkg::constant_t Minus = arith_pkg::naf_minus(Constant);

  if (Minus[First]) begin : gen_check
    $error("skew_scale: the lowest digit of %0h is negative", Constant);
  end

  if (Digits <= 1) begin : gen_digit
    skew_shift #(
      .InWidth(InWidth), .OutWidth(OutWidth), .Shift(int'(First)), .Segment(Segment)
    ) u_shift (
      .clk_i, .x_i, .result_o
    );
  end else begin : gen_halves
    // With an odd number of digits the lower half has one more, and so is never the faster one.
    localparam int unsigned Split = arith_pkg::naf_position(Constant, Digits - Digits / 2);
    localparam bit Negative = Minus[Split];
    localparam arith_pkg::constant_t Upper = arith_pkg::naf_above(Constant, Split);
    localparam arith_pkg::constant_t Lower = Constant - Upper;
    localparam int unsigned Wait = arith_pkg::skew_scale_latency(Lower, OutWidth)
        - arith_pkg::skew_scale_latency(Upper, OutWidth);

    logic [OutWidth-1:0] lower, upper, upper_late;
    skew_scale #(
      .InWidth(InWidth), .OutWidth(OutWidth), .Constant(Lower), .Segment(Segment)
    ) u_lower (
      .clk_i, .x_i, .result_o(lower)
    );
    skew_scale #(
      .InWidth(InWidth), .OutWidth(OutWidth), .Constant(Negative ? -Upper : Upper),
      .Segment(Segment)
    ) u_upper (
      .clk_i, .x_i, .result_o(upper)
    );
    skew_shift #(
      .InWidth(OutWidth), .OutWidth(OutWidth), .Delay(Wait), .Invert(Negative), .Segment(Segment)
    ) u_upper_late (
      .clk_i, .x_i(upper), .result_o(upper_late)
    );
    skew_sum #(
      .Width(OutWidth), .Operands(2), .CarryIn(Negative ? 1 : 0), .Low(Split), .Segment(Segment)
    ) u_sum (
      .clk_i, .a_i(lower), .b_i(upper_late), .c_i('0), .sum_o(result_o)
    );
  end
endmodule
