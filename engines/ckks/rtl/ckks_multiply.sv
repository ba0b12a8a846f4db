// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_multiply: a * b * 2^-34 modulo q in every lane (the operator core MM). Residues lie in [0,
// q); the prime belongs to the row, and is the same in all lanes.
//
// One row a clock, 11 clocks (ckks_pkg::MultiplyLatency): 4 DSP a lane, two of the product and one
// of each Montgomery step.
module ckks_multiply
  import ckks_pkg::*;
#(
  parameter int unsigned Lanes = 4
) (
  input  logic                 clk_i,
  input  prime_t               prime_i,
  input  residue_t [Lanes-1:0] a_i,
  input  residue_t [Lanes-1:0] b_i,
  output residue_t [Lanes-1:0] product_o
);
  minus_t minus_first, minus_second;
  prime_t prime_correct;
  ckks_primes #(.Before(ProductLatency)) u_primes (
    .clk_i, .prime_i, .minus_first_o(minus_first), .minus_second_o(minus_second),
    .prime_correct_o(prime_correct)
  );

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    logic [ProductBits-1:0] product;
    ckks_product u_product (.clk_i, .a_i(a_i[i]), .b_i(b_i[i]), .product_o(product));
    ckks_reduce #(.Terms(1)) u_reduce (
      .clk_i, .sum_i(product), .minus_first_i(minus_first), .minus_second_i(minus_second),
      .prime_correct_i(prime_correct), .residue_o(product_o[i])
    );
  end
endmodule
