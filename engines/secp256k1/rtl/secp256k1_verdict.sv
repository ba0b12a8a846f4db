// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// secp256k1_verdict: converts the words of a core's result to the mask of failed checks.
//
// A result is three words, of which only zero or nonzero matters: the residue of the curve's
// equation, the height Z, and the match; or only the residue, for a key whose signature is out of
// range. The mask's bits: 0 r, 1 s out of range, 2 infinity, 3 no match, 5 the key is not on the
// curve. Later words are meaningful only if the earlier ones pass, so that at most one of 2, 3 and
// 5 is set.
//
// Cycles: the mask is at the output two clocks after the last word; then it waits for its reader.
module secp256k1_verdict #(
  parameter int unsigned TagBits = 64
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               result_valid_i,
  output logic               result_ready_o,
  input  logic [255:0]       result_data_i,
  input  logic               result_last_i,
  input  logic [TagBits+1:0] result_tag_i,  // {s, r out of range, tag}

  output logic               mask_valid_o,
  input  logic               mask_ready_i,
  output logic [5:0]         mask_o,
  output logic [TagBits-1:0] mask_tag_o
);

  logic               full_q;
  logic [1:0]         index_q;
  logic [2:0]         zero_q;  // residue, height, match
  logic               last_q;
  logic [TagBits+1:0] tag_q;

  assign result_ready_o = !last_q && !full_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {full_q, last_q} <= '0;
      index_q          <= '0;
    end else begin
      last_q <= result_valid_i && result_ready_o && result_last_i;
      if (result_valid_i && result_ready_o) index_q <= result_last_i ? '0 : index_q + 1'b1;
      if (last_q) full_q <= 1'b1;
      else if (mask_ready_i) full_q <= 1'b0;
    end
  end

  logic       out_of_range;
  logic [2:0] failed;  // curve, match, infinity
  assign out_of_range = tag_q[TagBits+1:TagBits] != '0;
  always_comb begin
    failed = '0;
    if (!zero_q[0]) failed[2] = 1'b1;
    else if (out_of_range) failed = '0;
    else if (zero_q[1]) failed[0] = 1'b1;
    else if (!zero_q[2]) failed[1] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (result_valid_i && result_ready_o) begin
      for (int unsigned i = 0; i < 3; i++) begin
        if (index_q == 2'(i)) zero_q[i] <= result_data_i == '0;
      end
      tag_q <= result_tag_i;
    end
    if (last_q) begin
      mask_o     <= {failed[2], 1'b0, failed[1:0], tag_q[TagBits+1:TagBits]};
      mask_tag_o <= tag_q[TagBits-1:0];
    end
  end
  assign mask_valid_o = full_q;

endmodule
