// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// skew_sum: a_i + b_i + c_i + CarryIn * 2^Low modulo 2^Width, on skewed numbers.
//
// A skewed number's segment k (of Segment bits) comes k clocks after segment 0. So a chain of
// additions of any width takes one clock each, and every carry is used in the clock after it was
// computed.
//
// One sum per clock, one clock. b_i and c_i are multiples of 2^Low: below that bit a_i passes
// through. CarryIn corrects inverted operands: -(x * 2^Low) = (~x) * 2^Low + 2^Low. With Operands =
// 2, c_i is ignored and CarryIn is at most 1.
module skew_sum #(
  parameter int unsigned Width = 256,
  parameter int unsigned Operands = 3,  // 2 or 3
  parameter int unsigned CarryIn = 0,
  parameter int unsigned Low = 0,
  parameter int unsigned Segment = arith_pkg::SegmentWidth
) (
  input  logic             clk_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  input  logic [Width-1:0] c_i,
  output logic [Width-1:0] sum_o
);
  localparam int unsigned Segments = arith_pkg::ceil_div(Width, Segment);
  localparam int unsigned First = Low / Segment;

  if (Operands < 2 || Operands > 3 || CarryIn > Operands - 1 || Low >= Width) begin : gen_check
    $error("skew_sum: %0d operands, CarryIn %0d, Low %0d of %0d", Operands, CarryIn, Low, Width);
  end

  if (Low > 0) begin : gen_below
    logic [Low-1:0] below_q;
    logic unused_below;
    always_ff @(posedge clk_i) below_q <= a_i[Low-1:0];
    assign sum_o[Low-1:0] = below_q;
    assign unused_below = ^{b_i[Low-1:0], c_i[Low-1:0]};
  end

  for (genvar k = First; k < Segments; k++) begin : gen_segment
    localparam int unsigned Start = (k == First) ? Low : k * Segment;
    localparam int unsigned Bits = arith_pkg::minimum((k + 1) * Segment, Width) - Start;
    logic [Bits-1:0] a, b, partial, carries, sum_q;
    logic [Bits:0] sum;
    logic [1:0] carry_in, carry_q;  // of the chain, of the carry-save level

    assign a = a_i[Start+:Bits];
    assign b = b_i[Start+:Bits];
    if (k == First) begin : gen_first
      assign carry_in = (CarryIn == 2) ? 2'b11 : (CarryIn == 1) ? 2'b01 : 2'b00;
    end else begin : gen_next
      assign carry_in = gen_segment[k-1].carry_q;
    end

    if (Operands == 3) begin : gen_three
      logic [Bits-1:0] c, majority;
      assign c        = c_i[Start+:Bits];
      assign partial  = a ^ b ^ c;
      assign majority = (a & b) | (c & (a ^ b));
      assign carries  = Bits'({majority, carry_in[1]});
      always_ff @(posedge clk_i) carry_q[1] <= majority[Bits-1];
    end else begin : gen_two
      logic unused_third;
      assign unused_third = ^{c_i[Start+:Bits], carry_in[1]};
      assign partial    = a;
      assign carries    = b;
      assign carry_q[1] = 1'b0;
    end

    select_add #(.Width(Bits + 1), .Segment(arith_pkg::ChainWidth)) u_add (
      .a_i({1'b0, partial}), .b_i({1'b0, carries}), .carry_i(carry_in[0]), .sum_o(sum)
    );
    always_ff @(posedge clk_i) {carry_q[0], sum_q} <= sum;
    assign sum_o[Start+:Bits] = sum_q;
    if (k == Segments - 1) begin : gen_last
      logic unused_carry;
      assign unused_carry = ^carry_q;
    end
  end
endmodule
