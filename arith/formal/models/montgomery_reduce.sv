// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of montgomery_reduce for the proof of field_core's contexts: without values, which the
// proof does not use.
module montgomery_reduce #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus = '1,
  parameter int unsigned ExtraBits = 4,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17,
  parameter bit ReduceTiles = 1'b0,
  parameter bit Skewed = 1'b0
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         valid_i,
  input  logic [2*Width+ExtraBits-1:0] value_i,
  output logic [Width-1:0]             result_o
);
  assign result_o = '0;
endmodule
