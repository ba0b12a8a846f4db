// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// interrupt_request: converts events to an interrupt for AMD's XDMA (PG195, usr_irq_req and
// usr_irq_ack). A request stays until it is acknowledged and HoldClocks clocks longer, in which the
// driver's handler finds it if vectors are shared. Events that come while a request is high share
// the next one, so there is at most one interrupt per HoldClocks clocks.
module interrupt_request #(
  parameter int unsigned HoldClocks = 16384  // at least 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic event_i,  // one event per clock
  output logic request_o,
  input  logic acknowledge_i
);
  localparam int unsigned HoldBits = $clog2(HoldClocks + 1);

  logic wants_q, request_q, acknowledged_q, done_q;
  logic [HoldBits-1:0] held_q;

  assign request_o = request_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wants_q <= 1'b0;
      request_q <= 1'b0;
      acknowledged_q <= 1'b0;
      done_q <= 1'b0;
      held_q <= '0;
    end else begin
      // A request that begins now answers the earlier events.
      wants_q <= event_i || (wants_q && request_q);
      request_q <= request_q ? !done_q : wants_q;
      acknowledged_q <= request_q && !done_q && (acknowledged_q || acknowledge_i);
      held_q <= acknowledged_q ? held_q + 1'b1 : '0;
      done_q <= acknowledged_q && held_q == HoldBits'(HoldClocks - 1);
    end
  end
endmodule
