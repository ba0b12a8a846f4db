// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// soft_reset_sequencer: stretches a request of one clock to a soft reset of Clocks clocks, which is
// long enough for an engine to clear its control state stage by stage. A request during a soft
// reset restarts it.
module soft_reset_sequencer #(
  parameter int unsigned Clocks = 16
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic request_i,
  output logic soft_reset_o,  // registered
  output logic busy_o         // from the clock of the request to the end of the soft reset
);
  localparam int unsigned CountBits = $clog2(Clocks + 1);

  logic [CountBits-1:0] left_q;    // clocks, this one included
  logic                 active_q;  // left_q is not 0

  assign soft_reset_o = active_q;
  assign busy_o = request_i || soft_reset_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q   <= '0;
      active_q <= 1'b0;
    end else if (request_i) begin
      left_q   <= CountBits'(Clocks);
      active_q <= 1'b1;
    end else if (active_q) begin
      left_q   <= left_q - CountBits'(1);
      active_q <= left_q != CountBits'(1);
    end
  end
endmodule
