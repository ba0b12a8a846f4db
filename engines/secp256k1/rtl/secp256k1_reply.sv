// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// secp256k1_reply: verdicts and refused frames in, reply frames out, eight bytes a beat.
//
//   of a verdict   0 length, command   1 index   2 mask (byte 0), cycles (bytes 2 and 3)
//   of a refusal   0 length, command   1 the refused frame's header
//
// A refusal goes first. The next frame is refused after it at the earliest, so that a verdict that
// waits comes between them.
module secp256k1_reply
  import secp256k1_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        verdict_valid_i,
  output logic        verdict_ready_o,
  input  verdict_t    verdict_i,

  input  logic        refusal_valid_i,
  output logic        refusal_ready_o,
  input  logic [63:0] refusal_header_i,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o
);
  typedef enum logic [2:0] { Idle, VerdictHead, VerdictIndex, VerdictMask, IgnoreHead, IgnoreBody }
    state_e;

  state_e state_q, state_d;

  assign verdict_ready_o = state_q == VerdictMask && rpl_ready_i;
  assign refusal_ready_o = state_q == IgnoreBody && rpl_ready_i;
  assign rpl_valid_o     = state_q != Idle;
  assign rpl_last_o      = state_q == VerdictMask || state_q == IgnoreBody;

  always_comb begin
    state_d    = state_q;
    rpl_data_o = '0;
    unique case (state_q)
      Idle: begin
        if (refusal_valid_i) state_d = IgnoreHead;
        else if (verdict_valid_i) state_d = VerdictHead;
      end
      VerdictHead: begin
        rpl_data_o = {ReplyVerify, 32'd24};
        if (rpl_ready_i) state_d = VerdictIndex;
      end
      VerdictIndex: begin
        rpl_data_o = verdict_i.index;
        if (rpl_ready_i) state_d = VerdictMask;
      end
      VerdictMask: begin
        rpl_data_o = {32'd0, verdict_i.cycles, 8'd0, 8'(verdict_i.mask)};
        if (rpl_ready_i) state_d = Idle;
      end
      IgnoreHead: begin
        rpl_data_o = {ReplyIgnore, 32'd16};
        if (rpl_ready_i) state_d = IgnoreBody;
      end
      default: begin
        rpl_data_o = refusal_header_i;
        if (rpl_ready_i) state_d = Idle;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end
endmodule
