// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// saved_sum_top: bench top with linear_sum with saved carries in BLS12-381's base field, and with
// quotient_finish for other multiples. latency_o has the latency of each output by arith_pkg.
module saved_sum_top #(
  parameter  logic [26:0] Coefficients = '1,  // of linear_sum
  localparam int unsigned Multiples    = 15,
  localparam int unsigned PairBits     = 385
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [383:0]        op0_i,
  input  logic [383:0]        op1_i,
  input  logic [383:0]        op2_i,
  input  logic [383:0]        const_i,
  input  logic signed [3:0]   coef0_i,
  input  logic signed [3:0]   coef1_i,
  input  logic signed [3:0]   coef2_i,
  input  logic [PairBits-1:0] first_i,
  input  logic [PairBits-1:0] second_i,
  input  logic                carry_i,
  output logic [383:0]        linear_o,
  output logic [383:0]        finish_o,
  output logic [1:0][7:0]     latency_o
);
  logic unused_reset;
  assign unused_reset = rst_ni;

  linear_sum #(
    .Width(384), .Modulus(arith_pkg::Bls12BaseModulus), .Coefficients(Coefficients), .Saved(1'b1)
  ) u_linear (
    .clk_i, .op0_i, .op1_i, .op2_i, .const_i, .coef0_i, .coef1_i, .coef2_i, .result_o(linear_o)
  );
  quotient_finish #(.Multiples(Multiples)) u_finish (
    .clk_i, .a_i(first_i), .b_i(second_i), .carry_i, .result_o(finish_o)
  );

  assign latency_o = {
    8'(arith_pkg::QuotientFinishLatency), 8'(arith_pkg::saved_sum_latency(1'b0))
  };
endmodule
