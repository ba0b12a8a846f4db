// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_partials: the parts of a product of two residues: a * b = low + high * 2^17 + top * 2^26.
//
// One product a clock, 2 clocks (arith_pkg::TileLatency). Two tiles of 26 by 17 and 26 by 13 bits
// handle the low 26 bits of a; its high 4 bits times b are four rows of LUTs, which cost less than
// two more tiles.
module ckks_partials
  import ckks_pkg::*;
(
  input  logic                clk_i,
  input  residue_t            a_i,
  input  residue_t            b_i,
  output logic [TileLowBits-1:0]  low_o,
  output logic [TileHighBits-1:0] high_o,
  output logic [RowsBits-1:0]  top_o
);
  mul_tile #(.WidthA(TileBits), .WidthB(StepBits)) u_low (
    .clk_i, .a_i(a_i[TileBits-1:0]), .b_i(b_i[StepBits-1:0]), .product_o(low_o)
  );
  mul_tile #(.WidthA(TileBits), .WidthB(PrimeBits)) u_high (
    .clk_i, .a_i(a_i[TileBits-1:0]), .b_i(b_i[ResidueBits-1:StepBits]), .product_o(high_o)
  );

  // Two rows a sum, then both sums.
  localparam int unsigned PairBits = ResidueBits + 2;
  logic [1:0][PairBits-1:0] pair_q;
  logic [RowsBits-1:0]       top_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 2; i++) begin
      pair_q[i] <= PairBits'(a_i[TileBits+2*i] ? b_i : '0)
                 + {1'b0, a_i[TileBits+2*i+1] ? b_i : '0, 1'b0};
    end
    top_q <= RowsBits'(pair_q[0]) + {pair_q[1], 2'b0};
  end
  assign top_o = top_q;
endmodule
