// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_radix_sums: a stage of ckks_radix: the ports that differ in one bit become their sum and
// their difference, or stay as they are with skip_i.
//
// One row a clock, ckks_pkg::AddLatency clocks.
module ckks_radix_sums
  import ckks_pkg::*;
#(
  parameter  int unsigned LogRadix = 4,
  parameter  int unsigned Bit      = 3,
  localparam int unsigned Ports    = 1 << LogRadix
) (
  input  logic                 clk_i,
  input  logic                 skip_i,
  input  prime_t               prime_i,
  input  residue_t [Ports-1:0] word_i,
  output residue_t [Ports-1:0] word_o
);
  residue_t [Ports-1:0] sum, delayed;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    localparam int unsigned First  = p & ~(1 << Bit);
    localparam int unsigned Second = p | (1 << Bit);
    ckks_add #(.Lanes(1)) u_sum (
      .clk_i, .prime_i, .subtract_i(p == Second), .a_i(word_i[First]), .b_i(word_i[Second]),
      .sum_o(sum[p])
    );
  end
  logic skip;
  pipeline_delay #(.DataWidth(Ports * ResidueBits), .Stages(AddLatency)) u_words (
    .clk_i, .data_i(word_i), .data_o(delayed)
  );
  pipeline_delay #(.DataWidth(1), .Stages(AddLatency)) u_skip (
    .clk_i, .data_i(skip_i), .data_o(skip)
  );
  assign word_o = skip ? delayed : sum;
endmodule
