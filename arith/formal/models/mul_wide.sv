// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of mul_wide for the proof of field_core's contexts: without values, which it does not
// use.
module mul_wide #(
  parameter int unsigned WidthA = 256,
  parameter int unsigned WidthB = 256,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17,
  parameter bit Skewed = 1'b0
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     valid_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  output logic [WidthA+WidthB-1:0] product_o
);
  assign product_o = '0;
endmodule
