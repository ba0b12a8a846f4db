// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_arbiter: merges Inputs streams of frames into one, one complete frame at a time, round
// robin.
//
// The grant goes to the first waiting input after the one served last and is held until the beat
// with `last` has been accepted (and while the first beat is offered, so an offer never changes).
// No latency: out_* follows in_* of the granted input in the same clock. The ready of an input that
// does not wait is low. clear_i drops the grant (a soft reset); the inputs must then start with a
// new frame.
module stream_arbiter #(
  parameter int unsigned Inputs = 2,
  parameter int unsigned DataWidth = 64
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,
  input  logic [Inputs-1:0]                in_valid_i,
  output logic [Inputs-1:0]                in_ready_o,
  input  logic [Inputs-1:0][DataWidth-1:0] in_data_i,
  input  logic [Inputs-1:0]                in_last_i,
  output logic                             out_valid_o,
  input  logic                             out_ready_i,
  output logic [DataWidth-1:0]             out_data_o,
  output logic                             out_last_o
);
  typedef logic [Inputs-1:0] mask_t;

  mask_t granted_q;  // the input served last, or now: one bit
  mask_t behind_q;   // the inputs after it
  mask_t late, choice, grant;
  logic  locked_q;

  function automatic mask_t first_of(input mask_t waiting);
    for (int unsigned i = 0; i < Inputs; i++) begin
      first_of[i] = waiting[i] && (waiting & mask_t'((1 << i) - 1)) == '0;
    end
  endfunction

  assign late   = in_valid_i & behind_q;
  assign choice = late != '0 ? first_of(late) : first_of(in_valid_i);
  assign grant  = locked_q ? granted_q : choice;

  assign out_valid_o = (in_valid_i & grant) != '0;
  assign out_last_o  = (in_last_i & grant) != '0;
  assign in_ready_o  = out_ready_i ? grant : '0;

  always_comb begin
    out_data_o = '0;
    for (int unsigned i = 0; i < Inputs; i++) begin
      if (grant[i]) out_data_o |= in_data_i[i];
    end
  end

  mask_t behind;
  always_comb begin
    for (int unsigned i = 0; i < Inputs; i++) behind[i] = (grant & mask_t'((1 << i) - 1)) != '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      granted_q <= mask_t'(1);
      behind_q  <= ~mask_t'(1);
      locked_q  <= 1'b0;
    end else if (clear_i) begin
      granted_q <= mask_t'(1);
      behind_q  <= ~mask_t'(1);
      locked_q  <= 1'b0;
    end else if (out_valid_o) begin
      granted_q <= grant;
      behind_q  <= behind;
      locked_q  <= !(out_ready_i && out_last_o);
    end
  end
endmodule
