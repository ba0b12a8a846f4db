// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// scalars_top: bench top with secp256k1_scalars and secp256k1_verdict.
module scalars_top #(
  parameter int unsigned TagBits = 64
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               in_valid_i,
  output logic               in_ready_o,
  input  logic [255:0]       r_i,
  input  logic [255:0]       s_i,
  input  logic [255:0]       digest_i,
  input  logic [255:0]       x_i,
  input  logic [255:0]       y_i,
  input  logic [TagBits-1:0] tag_i,
  output logic               job_valid_o,
  input  logic               job_ready_i,
  output logic [255:0]       job_data_o,
  output logic               job_last_o,
  output logic               job_key_alone_o,
  output logic [TagBits+1:0] job_tag_o,
  output logic               refused_valid_o,
  input  logic               refused_ready_i,
  output logic [5:0]         refused_mask_o,
  output logic [TagBits-1:0] refused_tag_o,
  input  logic               result_valid_i,
  output logic               result_ready_o,
  input  logic [255:0]       result_data_i,
  input  logic               result_last_i,
  input  logic [TagBits+1:0] result_tag_i,
  output logic               mask_valid_o,
  input  logic               mask_ready_i,
  output logic [5:0]         mask_o,
  output logic [TagBits-1:0] mask_tag_o
);
  secp256k1_scalars #(.TagBits(TagBits)) u_scalars (.*);
  secp256k1_verdict #(.TagBits(TagBits)) u_verdict (.*);
endmodule
