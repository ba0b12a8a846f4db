// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ignore_reply_proof: each header becomes the two beats of one fpga_ignore_rpl, its constant header
// and then the ignored one, and is accepted with the second. An offered beat stays. restart_i
// starts the reply again. Assumed: a header stays until it is accepted.
module ignore_reply_proof #(
  parameter bit Invariants = 1'b1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        restart_i,
  input logic        header_valid_i,
  input logic [63:0] header_i,
  input logic        reply_ready_i
);
  import card_pkg::*;

  logic        header_ready, reply_valid, reply_last, beat;
  logic [63:0] reply_data;

  ignore_reply u_dut (
    .clk_i, .rst_ni, .restart_i, .header_valid_i, .header_ready_o(header_ready), .header_i,
    .reply_valid_o(reply_valid), .reply_ready_i, .reply_data_o(reply_data),
    .reply_last_o(reply_last)
  );
  assign beat = reply_valid && reply_ready_i;

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(64), .Assume(1'b1)) u_header (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(header_valid_i), .ready_i(header_ready),
    .data_i(header_i)
  );
  proof_stable #(.DataWidth(65)) u_reply (
    .clk_i, .rst_ni, .free_i(restart_i), .valid_i(reply_valid), .ready_i(reply_ready_i),
    .data_i({reply_last, reply_data})
  );

  logic half_q;  // the first beat of a reply has left
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) half_q <= 1'b0;
    else if (restart_i) half_q <= 1'b0;
    else if (beat) half_q <= !reply_last;
  end

  always_comb begin
    if (rst_ni) begin
      assert (reply_valid == header_valid_i);
      assert (reply_last == half_q);
      if (reply_valid && !half_q) assert (reply_data == {ReplyFpgaIgnoreRpl, FpgaIgnoreRplBytes});
      if (reply_valid && half_q) assert (reply_data == header_i);
      assert ((header_valid_i && header_ready) == (beat && reply_last));

      cover (half_q && header_ready && header_valid_i);
      cover (half_q && restart_i && !reply_ready_i);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb if (rst_ni) assert (u_dut.second_q == half_q);
  end
endmodule
