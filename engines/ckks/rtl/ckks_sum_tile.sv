// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_sum_tile: a sum of products of two signed operands that fit one hardware multiplier.
//
// One product a clock, in the sum 2 clocks later: the multiplier's register, and the output
// register of a DSP slice, which accumulates (DSP48E2: 27 by 18 bits, and a sum of 48). add_i
// belongs to the operands of the previous clock and marks those that count; start_i likewise marks
// those that start a new sum.
module ckks_sum_tile #(
  parameter int unsigned WidthA   = 27,
  parameter int unsigned WidthB   = 17,
  parameter int unsigned SumWidth = 48
) (
  input  logic                       clk_i,
  input  logic signed [WidthA-1:0]   a_i,
  input  logic signed [WidthB-1:0]   b_i,
  input  logic                       add_i,
  input  logic                       start_i,
  output logic signed [SumWidth-1:0] sum_o
);
  localparam int unsigned ProductWidth = WidthA + WidthB;
  logic signed [ProductWidth-1:0] product_q;
  logic signed [SumWidth-1:0]     sum_q;
  always_ff @(posedge clk_i) begin
    product_q <= ProductWidth'(a_i) * ProductWidth'(b_i);
    if (add_i) sum_q <= (start_i ? '0 : sum_q) + SumWidth'(product_q);
  end
  assign sum_o = sum_q;
endmodule
