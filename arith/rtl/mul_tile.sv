// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mul_tile: the unsigned product of two operands that fit into one hardware multiplier.
//
// One product per clock, 2 clocks (arith_pkg::TileLatency): the multiplier's register and the
// output register of a DSP block (DSP48E2: 26x17 unsigned of its 27x18 signed; ECP5: 18x18).
module mul_tile #(
  parameter int unsigned WidthA = 26,
  parameter int unsigned WidthB = 17
) (
  input  logic                     clk_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  output logic [WidthA+WidthB-1:0] product_o
);
  logic [WidthA+WidthB-1:0] multiplier_q, product_q;

  always_ff @(posedge clk_i) begin
    multiplier_q <= (WidthA + WidthB)'(a_i) * (WidthA + WidthB)'(b_i);
    product_q    <= multiplier_q;
  end
  assign product_o = product_q;
endmodule
