// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_product: the product of two residues of 30 bits, not reduced.
//
// One product a clock, 4 clocks (ckks_pkg::ProductLatency): its parts, the sum of both tiles'
// parts, and the sum with the LUTs' part.
module ckks_product
  import ckks_pkg::*;
(
  input  logic                   clk_i,
  input  residue_t               a_i,
  input  residue_t               b_i,
  output logic [ProductBits-1:0] product_o
);
  logic [TileLowBits-1:0]  low;
  logic [TileHighBits-1:0] high;
  logic [RowsBits-1:0]  top, top_q;
  ckks_partials u_partials (.clk_i, .a_i, .b_i, .low_o(low), .high_o(high), .top_o(top));

  localparam int unsigned TilesBits = TileBits + ResidueBits;
  logic [TilesBits-1:0]   tiles_q;
  logic [ProductBits-1:0] product_q;
  always_ff @(posedge clk_i) begin
    tiles_q   <= TilesBits'(low) + {high, StepBits'(0)};
    top_q     <= top;
    product_q <= ProductBits'(tiles_q) + {top_q, TileBits'(0)};
  end
  assign product_o = product_q;
endmodule
