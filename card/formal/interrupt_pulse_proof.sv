// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// interrupt_pulse_proof: an acknowledgement lies between two pulses; a pulse answers a rise that no
// earlier pulse answered; and a rise waits only for the acknowledgement. Assumed: an
// acknowledgement comes with a pulse or later, one per pulse.
module interrupt_pulse_proof #(
  parameter bit Invariants = 1'b1
) (
  input logic clk_i,
  input logic rst_ni,
  input logic level_i,
  input logic acknowledge_i
);
  logic request;

  interrupt_pulse u_dut (.clk_i, .rst_ni, .level_i, .request_o(request), .acknowledge_i);

  proof_reset u_reset (.rst_ni);

  // A pulse is decided a clock before it appears, so it answers a rise two or more clocks before
  // it: owed_q, if no other pulse did.
  logic before_q, rose_q, owed_q, open_q, busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      before_q <= 1'b0;
      rose_q <= 1'b0;
      owed_q <= 1'b0;
      open_q <= 1'b0;
      busy_q <= 1'b0;
    end else begin
      before_q <= level_i;
      rose_q <= level_i && !before_q;
      owed_q <= rose_q || (owed_q && !request);
      open_q <= (open_q || request) && !acknowledge_i;
      busy_q <= open_q || request;
    end
  end

  always_comb begin
    if (acknowledge_i) assume (open_q || request);
    if (rst_ni) begin
      assert (!(request && open_q));
      if (request) assert (owed_q);
      if (owed_q && !request) assert (busy_q);

      cover (request && rose_q);
      cover (open_q && acknowledge_i && owed_q);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.level_q == before_q);
        assert (u_dut.busy_q == (open_q || request));
        assert (u_dut.wants_q == (rose_q || (owed_q && !request)));
      end
    end
  end
endmodule
