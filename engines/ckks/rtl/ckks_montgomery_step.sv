// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_montgomery_step: T * 2^-17 modulo q = k * 2^17 + 1, of a signed T.
//
// T - (T mod 2^17) * q is a multiple of 2^17; divided by it, it is floor(T / 2^17) - (T mod 2^17) *
// k: one tile of 17 by 13 bits. One step a clock, 3 clocks (ckks_pkg::StepLatency). A T in [0, M)
// gives a result in (-q, M / 2^17), and one in (-q, M) too.
module ckks_montgomery_step
  import ckks_pkg::*;
#(
  parameter  int unsigned Width    = 61,  // of T, its sign included
  // A result has fewer bits, but is at least as wide as -q.
  localparam int unsigned HighBits = Width - StepBits,
  localparam int unsigned OutWidth = arith_pkg::maximum(HighBits, ResidueBits + 1)
) (
  input  logic                       clk_i,
  input  prime_t                     prime_i,
  input  logic signed [Width-1:0]    value_i,
  output logic signed [OutWidth-1:0] value_o
);
  logic [StepBits+PrimeBits-1:0] multiple;
  mul_tile #(.WidthA(StepBits), .WidthB(PrimeBits)) u_multiple (
    .clk_i, .a_i(value_i[StepBits-1:0]), .b_i(prime_i), .product_o(multiple)
  );

  logic signed [HighBits-1:0] high;
  pipeline_delay #(.DataWidth(HighBits), .Stages(arith_pkg::TileLatency)) u_high (
    .clk_i, .data_i(value_i[Width-1:StepBits]), .data_o(high)
  );

  logic signed [OutWidth-1:0] value_q;
  always_ff @(posedge clk_i) value_q <= OutWidth'(high) - OutWidth'({1'b0, multiple});
  assign value_o = value_q;
endmodule
