// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_late_ready: cuts the path from a receiver's ready to its sender, for a stream that need
// not be fast: the sender's ready comes a clock after the receiver has accepted a beat.
//
// A beat goes out in the clock in which it comes in, and is accepted at the input one clock after
// the output accepted it: at most one beat in two clocks. Holds no beat, so the sender must keep
// its offer until it is accepted. No path leads from out_ready_i to in_ready_o.
module stream_late_ready #(
  parameter int unsigned DataWidth = 64
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o
);
  logic taken_q;  // the output accepted this beat one clock before

  assign out_valid_o = in_valid_i && !taken_q;
  assign out_data_o  = in_data_i;
  assign in_ready_o  = taken_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) taken_q <= 1'b0;
    else taken_q <= out_valid_o && out_ready_i;
  end
endmodule
