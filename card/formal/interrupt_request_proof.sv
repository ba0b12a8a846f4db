// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// interrupt_request_proof: a request stays until it was acknowledged and for HoldClocks clocks
// after that. A request begins only if an event is unanswered, and at once if no other is high.
module interrupt_request_proof #(
  parameter int unsigned HoldClocks = 2,
  parameter bit Invariants = 1'b1
) (
  input logic clk_i,
  input logic rst_ni,
  input logic event_i,
  input logic acknowledge_i
);
  typedef logic [3:0] count_t;

  logic request;

  interrupt_request #(.HoldClocks(HoldClocks)) u_dut (
    .clk_i, .rst_ni, .event_i, .request_o(request), .acknowledge_i
  );

  proof_reset u_reset (.rst_ni);

  // owed_q: an event to which no request has begun since. since_q: clocks of the request since its
  // acknowledgement, which counts as the first.
  logic   before_q, owed_q, owed_before_q;
  count_t since_q, since_before_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      before_q <= 1'b0;
      owed_q <= 1'b0;
      owed_before_q <= 1'b0;
      since_q <= '0;
      since_before_q <= '0;
    end else begin
      before_q <= request;
      owed_before_q <= owed_q;
      // A request that begins in the next clock answers the events up to the last one.
      owed_q <= event_i || (owed_q && request);
      since_before_q <= since_q;
      if (!request) since_q <= '0;
      else if (since_q != 0) since_q <= since_q + 1'b1;
      else if (acknowledge_i) since_q <= 4'd1;
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (before_q && !request) assert (since_before_q > count_t'(HoldClocks));
      if (!before_q) assert (request == owed_before_q);

      cover (before_q && !request && owed_q);
      cover (request && !before_q && event_i);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.wants_q == owed_q);
        if (request) assert (u_dut.acknowledged_q == (since_q != 0));
        if (!request) assert (!u_dut.done_q && (!u_dut.acknowledged_q || before_q));
        if (request && since_q != 0) assert (count_t'(u_dut.held_q) == since_q - 1'b1);
        if (request && since_q == 0) assert (u_dut.held_q == 0 || !before_q);
        assert (since_q <= count_t'(HoldClocks) + 2);
        if (request) assert (u_dut.done_q == (since_q == count_t'(HoldClocks) + 1));
        if (before_q && request) assert (since_q == 0 || since_q == since_before_q + 1'b1);
        if (!before_q) assert (since_q == 0);
      end
    end
  end
endmodule
