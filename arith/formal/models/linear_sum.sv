// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of linear_sum for the proof of field_core's contexts: without values, which it does not
// use.
module linear_sum #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus = '1,
  parameter logic [26:0] Coefficients = '1,
  parameter bit Folds = 1'b0,
  parameter bit Saved = 1'b0
) (
  input  logic              clk_i,
  input  logic [Width-1:0]  op0_i,
  input  logic [Width-1:0]  op1_i,
  input  logic [Width-1:0]  op2_i,
  input  logic [Width-1:0]  const_i,
  input  logic signed [3:0] coef0_i,
  input  logic signed [3:0] coef1_i,
  input  logic signed [3:0] coef2_i,
  output logic [Width-1:0]  result_o
);
  assign result_o = '0;
endmodule
