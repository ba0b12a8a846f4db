// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ignore_reply: converts the header of an ignored frame to the two beats of fpga_ignore_rpl. The
// header is accepted together with the second beat.
module ignore_reply (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        restart_i,  // the receiver drops a reply that is partly sent

  input  logic        header_valid_i,
  output logic        header_ready_o,
  input  logic [63:0] header_i,

  output logic        reply_valid_o,
  input  logic        reply_ready_i,
  output logic [63:0] reply_data_o,
  output logic        reply_last_o
);
  import card_pkg::*;

  logic second_q;

  assign reply_valid_o = header_valid_i;
  assign reply_data_o = second_q ? header_i : {ReplyFpgaIgnoreRpl, FpgaIgnoreRplBytes};
  assign reply_last_o = second_q;
  assign header_ready_o = second_q && reply_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) second_q <= 1'b0;
    else if (restart_i) second_q <= 1'b0;
    else if (reply_valid_o && reply_ready_i) second_q <= !second_q;
  end
endmodule
