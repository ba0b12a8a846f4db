// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// reset_sync: a reset for the registers of clk_i from an asynchronous reset. It is asserted at
// once, whether the clock runs or not, and released at the Stages-th clock edge after rst_ni rises,
// so that all registers leave reset in the same clock.
//
// The reset of each side of a clock crossing comes from a separate reset_sync, and all of these
// from one rst_ni: then all sides are reset at the same time, which the crossing needs.
module reset_sync #(
  parameter int unsigned Stages = 2  // at least 2
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic rst_no
);
  // Only the last stage is a reset; the others are data for the next stage.
  /* verilator lint_off SYNCASYNCNET */
  (* ASYNC_REG = "TRUE" *) logic [Stages-1:0] stages_q;
  /* verilator lint_on SYNCASYNCNET */

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stages_q <= '0;
    else stages_q <= {stages_q[Stages-2:0], 1'b1};
  end

  assign rst_no = stages_q[Stages-1];
endmodule
