// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mul_leaf_proof: the product of small operands, of several rows and columns of tiles.
module mul_leaf_proof #(
  parameter int unsigned WidthA = 5,
  parameter int unsigned WidthB = 4,
  parameter int unsigned TileA = 2,
  parameter int unsigned TileB = 1,
  parameter bit Invariants = 1'b1
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [WidthA-1:0] a_i,
  input logic [WidthB-1:0] b_i
);
  localparam int unsigned OutWidth = WidthA + WidthB;
  localparam int unsigned Clocks = arith_pkg::mul_leaf_latency(WidthA, WidthB, 1, TileA, TileB);

  proof_reset u_reset (.rst_ni);

  logic [OutWidth-1:0] product, wanted;
  mul_leaf #(
    .WidthA(WidthA), .WidthB(WidthB), .Interval(1), .TileA(TileA), .TileB(TileB)
  ) u_dut (
    .clk_i, .rst_ni, .valid_i(1'b1), .a_i, .b_i, .product_o(product)
  );

  logic valid;
  valid_delay #(.Stages(Clocks)) u_valid (.clk_i, .rst_ni, .valid_i(1'b1), .valid_o(valid));
  pipeline_delay #(.DataWidth(OutWidth), .Stages(Clocks)) u_wanted (
    .clk_i, .data_i(OutWidth'(a_i) * OutWidth'(b_i)), .data_o(wanted)
  );
  always_comb begin
    if (rst_ni && valid) begin
      assert (product == wanted);
      cover (product == OutWidth'((1 << WidthA) - 1) * OutWidth'((1 << WidthB) - 1));
    end
  end
  logic unused;
  assign unused = Invariants;
endmodule
