// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// fold_top: bench top with fold_reduce for sums of up to 16 products in secp256k1's field, and for
// another modulus. latency_o has the latency of each output by arith_pkg.
module fold_top (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [515:0]    value_i,
  output logic [255:0]    secp_o,
  output logic [255:0]    other_o,
  output logic [1:0][7:0] latency_o
);
  import arith_pkg::*;
  localparam logic [255:0] Other = -256'd189;

  logic unused_reset;
  assign unused_reset = rst_ni;

  fold_reduce #(.Modulus(Secp256k1Modulus)) u_secp (.clk_i, .value_i, .result_o(secp_o));
  fold_reduce #(.Modulus(Other)) u_other (.clk_i, .value_i, .result_o(other_o));

  assign latency_o = {
    8'(fold_reduce_latency(256, constant_t'(Other), 4)),
    8'(fold_reduce_latency(256, constant_t'(Secp256k1Modulus), 4))
  };
endmodule
