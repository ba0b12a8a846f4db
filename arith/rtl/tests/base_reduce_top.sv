// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// base_reduce_top: bench top with the reduction of sums of 16 products in BLS12-381's base field,
// and with the product. latency_o has the latency of each output by arith_pkg.
module base_reduce_top (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [771:0]    value_i,
  input  logic [383:0]    a_i,
  input  logic [383:0]    b_i,
  output logic [383:0]    reduced_o,
  output logic [383:0]    product_o,
  output logic [1:0][7:0] latency_o
);
  import arith_pkg::*;
  localparam constant_t Full = constant_t'(Bls12BaseModulus);

  montgomery_reduce #(.Width(384), .Modulus(Bls12BaseModulus)) u_reduced (
    .clk_i, .rst_ni, .valid_i(1'b0), .value_i, .result_o(reduced_o)
  );
  logic unused_valid, unused_tag;
  mod_mul #(.Width(384), .Modulus(Bls12BaseModulus), .TagBits(1)) u_product (
    .clk_i, .rst_ni, .valid_i(1'b0), .a_i, .b_i, .tag_i(1'b0), .valid_o(unused_valid),
    .product_o, .tag_o(unused_tag)
  );

  assign latency_o = {
    8'(mod_mul_latency(384, Full, 1, 26, 17, 1'b0)),
    8'(montgomery_reduce_latency(384, Full, 4, 1, 26, 17, 1'b0))
  };
endmodule
