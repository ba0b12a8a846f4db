// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of field_core_products for the proof of field_core's contexts: without values, which it
// does not use.
module field_core_products #(
  parameter  int unsigned      Width         = 256,
  parameter  logic [Width-1:0] Modulus       = '1,
  parameter  int unsigned      Contexts      = 64,
  parameter  int unsigned      Interval      = 1,
  parameter  int unsigned      TileA         = 26,
  parameter  int unsigned      TileB         = 17,
  parameter  bit               ReduceTiles   = 1'b0,
  parameter  bit               Folds         = 1'b0,
  parameter  bit               SavedCarries  = 1'b0,
  parameter  bit               High          = 1'b0,
  parameter  bit               Follows       = 1'b0,
  parameter  bit               SkewedProduct = 1'b0,
  parameter  bit               Skewed        = 1'b0,
  parameter  int unsigned      ReduceLatency = 8,
  localparam int unsigned      ContextBits   = $clog2(Contexts)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   multiply_valid_i,
  input  logic [Width-1:0]       a_i,
  input  logic [Width-1:0]       b_i,
  input  logic                   turn_valid_i,
  input  logic [ContextBits-1:0] turn_context_i,
  input  logic                   turn_add_i,
  input  logic                   turn_follows_i,
  input  logic                   reduce_valid_i,
  input  logic                   high_i,
  output logic [Width-1:0]       product_o,
  output logic                   memory_error_o
);
  assign product_o      = '0;
  assign memory_error_o = 1'b0;
endmodule
