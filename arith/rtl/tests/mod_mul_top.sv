// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mod_mul_top: bench top with mod_mul of both fields for Interval 1, 2 and 4, on common operands
// but each with a separate valid. Core 2*k + f: field f (0 Fr, 1 Felt), Interval 2^k.
module mod_mul_top (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [5:0]        valid_i,
  input  logic [255:0]      a_i,
  input  logic [255:0]      b_i,
  input  logic [7:0]        tag_i,
  output logic [5:0]        valid_o,
  output logic [5:0][255:0] product_o,
  output logic [5:0][7:0]   tag_o,
  output logic [5:0][7:0]   latency_o
);
  for (genvar k = 0; k < 3; k++) begin : gen_interval
    for (genvar f = 0; f < 2; f++) begin : gen_field
      localparam logic [255:0] Modulus = (f == 0) ? arith_pkg::FrModulus : arith_pkg::FeltModulus;
      mod_mul #(
        .Modulus(Modulus), .Interval(1 << k)
      ) u_core (
        .clk_i, .rst_ni, .valid_i(valid_i[2*k+f]), .a_i, .b_i, .tag_i,
        .valid_o(valid_o[2*k+f]), .product_o(product_o[2*k+f]), .tag_o(tag_o[2*k+f])
      );
      assign latency_o[2*k+f] = 8'(arith_pkg::mod_mul_latency(
          256, arith_pkg::constant_t'(Modulus), 1 << k, 26, 17, 1'b0));
    end
  end
endmodule
