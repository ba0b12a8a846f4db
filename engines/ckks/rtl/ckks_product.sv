// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_product: the product of two residues of 30 bits, not reduced.
//
// One product a clock, 5 clocks (ckks_pkg::ProductLatency). Two multipliers of 27 by 18 signed bits
// handle the low 27 bits of a, a0 (ckks_rows), times both parts of b. Each is a DSP slice with all
// of its registers: the first adds the low bits of the rows on its port C, and the second adds the
// first one's sum, shifted by 17 bits, on its cascade. LUTs only add the rows' high bits.
module ckks_product
  import ckks_pkg::*;
(
  input  logic                   clk_i,
  input  residue_t               a_i,
  input  residue_t               b_i,
  output logic [ProductBits-1:0] product_o
);
  // The first sum stays within 48 signed bits.
  localparam int unsigned LowRows  = 19;
  localparam int unsigned TopBits  = RowsBits - LowRows;
  localparam int unsigned TopPlace = TileBits + LowRows - StepBits;
  localparam int unsigned HighBits = ProductBits - StepBits;
  typedef logic signed [SliceBits-1:0] sum_t;
  typedef logic signed [TileBits+StepBits:0] tile_t;

  logic [RowsBits-1:0] rows;
  ckks_rows u_rows (.clk_i, .a_i(a_i[ResidueBits-1:TileBits-1]), .b_i, .rows_o(rows));

  logic signed [TileBits-1:0]  a_q, later_a_q;
  logic signed [StepBits:0]    low_b_q;
  logic signed [PrimeBits:0]   high_b_q, later_b_q;
  tile_t                       low_q, high_q;
  sum_t                        low_sum_q, high_sum_q;
  logic [1:0][TopBits-1:0]     top_q;
  logic [1:0][StepBits-1:0]    rest_q;
  logic [HighBits-1:0]         result_q;
  always_ff @(posedge clk_i) begin
    a_q        <= a_i[TileBits-1:0];
    low_b_q    <= {1'b0, b_i[StepBits-1:0]};
    high_b_q   <= {1'b0, b_i[ResidueBits-1:StepBits]};
    low_q      <= tile_t'(a_q) * tile_t'(low_b_q);
    later_a_q  <= a_q;
    later_b_q  <= high_b_q;
    low_sum_q  <= sum_t'(low_q) + $signed({2'b00, rows[LowRows-1:0], TileBits'(0)});
    high_q     <= tile_t'(later_a_q) * tile_t'(later_b_q);
    high_sum_q <= sum_t'(high_q) + (low_sum_q >>> StepBits);
    top_q      <= {top_q[0], rows[RowsBits-1:LowRows]};
    rest_q     <= {rest_q[0], low_sum_q[StepBits-1:0]};
    result_q   <= {high_sum_q[HighBits-1:TopPlace] + (HighBits - TopPlace)'(top_q[1]),
                   high_sum_q[TopPlace-1:0]};
  end
  assign product_o = {result_q, rest_q[1]};
  logic unused;
  assign unused = ^{high_sum_q[SliceBits-1:HighBits], top_q[1]};
endmodule
