// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// skew_scale: x_i * Constant modulo 2^OutWidth, on skewed numbers (skew_sum).
//
// One product per clock, arith_pkg::skew_scale_latency(Constant, OutWidth, Operands) clocks: a
// balanced tree of sums of two or three operands over the digits of Constant's non-adjacent form,
// the lowest of which must be positive. A subtree has the digits of one range of bits, so a sum
// begins at the lowest digit of its second operand: with two operands, a digit at bit k costs
// OutWidth - k bits of one sum in any tree. With three there are fewer clocks and larger sums.
module skew_scale #(
  parameter int unsigned InWidth = 192,
  parameter int unsigned OutWidth = 192,
  parameter arith_pkg::constant_t Constant = arith_pkg::constant_t'(5),
  parameter int unsigned Operands = 2,  // 2 or 3
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
  end else begin : gen_parts
    // The digits of the last part, and of the one before. With a number of digits that is not
    // divisible, lower parts have one more, and so are never the faster ones.
    localparam int unsigned Third = Operands > 2 ? Digits / 3 : 0;
    localparam int unsigned Second = (Digits - Third) / 2;
    localparam int unsigned Split = arith_pkg::naf_position(Constant, Digits - Third - Second);
    localparam int unsigned Last = arith_pkg::naf_position(Constant, Digits - Third);
    localparam bit HasThird = Third != 0;
    localparam arith_pkg::constant_t Above = arith_pkg::naf_above(Constant, Split);
    localparam arith_pkg::constant_t Lower = Constant - Above;
    localparam arith_pkg::constant_t Highest =
        HasThird ? arith_pkg::naf_above(Constant, Last) : '0;
    localparam int unsigned Latency =
        arith_pkg::skew_scale_latency(Lower, OutWidth, Operands);

    logic [OutWidth-1:0] lower;
    logic [2:1][OutWidth-1:0] upper;  // the other parts, with their signs
    skew_scale #(
      .InWidth(InWidth), .OutWidth(OutWidth), .Constant(Lower), .Operands(Operands),
      .Segment(Segment)
    ) u_lower (
      .clk_i, .x_i, .result_o(lower)
    );

    for (genvar i = 1; i <= 2; i++) begin : gen_upper
      localparam arith_pkg::constant_t Part = i == 1 ? Above - Highest : Highest;
      if (i == 2 && !HasThird) begin : gen_none
        assign upper[i] = '0;
      end else begin : gen_part
        localparam bit Negative = Minus[i == 1 ? Split : Last];
        localparam arith_pkg::constant_t Factor = Negative ? -Part : Part;
        localparam int unsigned Wait =
            Latency - arith_pkg::skew_scale_latency(Factor, OutWidth, Operands);
        logic [OutWidth-1:0] product;
        skew_scale #(
          .InWidth(InWidth), .OutWidth(OutWidth), .Constant(Factor), .Operands(Operands),
          .Segment(Segment)
        ) u_product (
          .clk_i, .x_i, .result_o(product)
        );
        skew_shift #(
          .InWidth(OutWidth), .OutWidth(OutWidth), .Delay(Wait), .Invert(Negative),
          .Segment(Segment)
        ) u_late (
          .clk_i, .x_i(product), .result_o(upper[i])
        );
      end
    end

    localparam int unsigned Inverted = 32'(Minus[Split]) + 32'(HasThird && Minus[Last]);
    skew_sum #(
      .Width(OutWidth), .Operands(HasThird ? 3 : 2), .CarryIn(Inverted), .Low(Split),
      .Segment(Segment)
    ) u_sum (
      .clk_i, .a_i(lower), .b_i(upper[1]), .c_i(upper[2]), .sum_o(result_o)
    );
  end
endmodule
