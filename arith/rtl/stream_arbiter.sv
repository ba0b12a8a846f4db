// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_arbiter: joins Inputs streams of frames into one, a whole frame at a time, round robin.
//
// The grant goes to the first waiting input after the one served last and is held until the beat
// with `last` has been taken (and while the first beat is offered, so an offer never changes).
// No clock of delay: out_* follows in_* of the granted input in the same clock.
// clear_i forgets the grant (a soft reset); the inputs must then start with a new frame.
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
  localparam int unsigned IndexBits = (Inputs > 1) ? $clog2(Inputs) : 1;

  logic [IndexBits-1:0] grant, choice, grant_q;
  logic locked_q;

  // The last assignment wins: first any waiting input, then any waiting one behind grant_q; both
  // counted downwards, so that the nearest is assigned last.
  always_comb begin
    choice = grant_q;
    for (int unsigned i = Inputs; i > 0; i--) begin
      if (in_valid_i[IndexBits'(i-1)]) choice = IndexBits'(i - 1);
    end
    for (int unsigned i = Inputs; i > 0; i--) begin
      if (in_valid_i[IndexBits'(i-1)] && IndexBits'(i - 1) > grant_q) choice = IndexBits'(i - 1);
    end
  end

  assign grant       = locked_q ? grant_q : choice;
  assign out_valid_o = in_valid_i[grant];
  assign out_data_o  = in_data_i[grant];
  assign out_last_o  = in_last_i[grant];

  always_comb begin
    in_ready_o        = '0;
    in_ready_o[grant] = out_ready_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      grant_q  <= '0;
      locked_q <= 1'b0;
    end else if (clear_i) begin
      grant_q  <= '0;
      locked_q <= 1'b0;
    end else if (out_valid_o) begin
      grant_q  <= grant;
      locked_q <= !(out_ready_i && out_last_o);
    end
  end
endmodule
