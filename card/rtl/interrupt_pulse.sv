// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// interrupt_pulse: converts a level interrupt for a shell that expects pulses of one clock, each
// acknowledged before the next. Each rise of level_i is followed by a pulse that begins after it:
// two clocks later, or when the last pulse is acknowledged. Rises that wait for the same
// acknowledgement share one pulse.
module interrupt_pulse (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic level_i,
  output logic request_o,
  input  logic acknowledge_i
);
  logic level_q, wants_q, busy_q, asks;

  assign asks = wants_q && !busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q <= 1'b0;
      wants_q <= 1'b0;
      busy_q <= 1'b0;
      request_o <= 1'b0;
    end else begin
      level_q <= level_i;
      if (level_i && !level_q) wants_q <= 1'b1;
      else if (asks) wants_q <= 1'b0;
      if (asks) busy_q <= 1'b1;
      else if (acknowledge_i) busy_q <= 1'b0;
      request_o <= asks;
    end
  end
endmodule
