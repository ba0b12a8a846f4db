// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of mul_leaf with Interval = 1, for proofs of its users: the product, with the same
// latency.
module mul_leaf #(
  parameter int unsigned WidthA = 66,
  parameter int unsigned WidthB = 66,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     valid_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  output logic [WidthA+WidthB-1:0] product_o
);
  localparam int unsigned OutWidth = WidthA + WidthB;

  pipeline_delay #(
    .DataWidth(OutWidth),
    .Stages(arith_pkg::mul_leaf_latency(WidthA, WidthB, Interval, TileA, TileB))
  ) u_product (
    .clk_i, .data_i(OutWidth'(a_i) * OutWidth'(b_i)), .data_o(product_o)
  );
  logic unused;
  assign unused = ^{rst_ni, valid_i};
endmodule
