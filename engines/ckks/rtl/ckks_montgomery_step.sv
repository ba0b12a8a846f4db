// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_montgomery_step: T * 2^-17 modulo q = k * 2^17 + 1, of a signed T.
//
// T - (T mod 2^17) * q is a multiple of 2^17; divided by it, it is floor(T / 2^17) - (T mod 2^17) *
// k: a product of 17 by 13 bits and a sum, in one DSP slice. One step a clock, 2 clocks
// (ckks_pkg::StepLatency). A T in [0, M) gives a result in (-q, M / 2^17), and one in (-q, M) too.
// The result of a T of another range is the same modulo 2^OutWidth.
module ckks_montgomery_step
  import ckks_pkg::*;
#(
  parameter  int unsigned Width    = 61,  // of T, its sign included
  // A result has fewer bits, but is at least as wide as -q.
  localparam int unsigned HighBits = Width - StepBits,
  localparam int unsigned OutWidth = arith_pkg::maximum(HighBits, ResidueBits + 1)
) (
  input  logic                       clk_i,
  input  minus_t                     minus_i,  // -k
  input  logic signed [Width-1:0]    value_i,
  output logic signed [OutWidth-1:0] value_o
);
  localparam int unsigned MultipleBits = StepBits + PrimeBits + 1;
  logic signed [HighBits-1:0]     high_q;
  logic signed [MultipleBits-1:0] multiple_q;
  logic signed [OutWidth-1:0]     value_q;
  always_ff @(posedge clk_i) begin
    high_q     <= value_i[Width-1:StepBits];
    multiple_q <= MultipleBits'($signed({1'b0, value_i[StepBits-1:0]})) * MultipleBits'(minus_i);
    value_q    <= OutWidth'(high_q) + OutWidth'(multiple_q);
  end
  assign value_o = value_q;
endmodule
