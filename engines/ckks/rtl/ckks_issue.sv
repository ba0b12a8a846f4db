// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_issue: a register between ckks_scoreboard and a unit. An instruction waits there until its
// primes have come from their table, and then until the unit takes it.
//
// Cycles: from the clock that takes it to its offer, 3.
module ckks_issue #(
  parameter int unsigned PayloadBits = 256
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   begin_valid_i,
  output logic                   begin_ready_o,
  input  logic [PayloadBits-1:0] begin_payload_i,
  output logic [PayloadBits-1:0] payload_o,  // from the clock after the one that takes it
  output logic                   valid_o,
  input  logic                   ready_i
);
  localparam int unsigned TableClocks = 2;
  logic [TableClocks:0] held_q;  // ... and since how long
  assign begin_ready_o = !held_q[0];
  assign valid_o       = held_q[TableClocks];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else if (valid_o && ready_i) held_q <= '0;
    else if (held_q[0]) held_q <= {held_q[TableClocks-1:0], 1'b1};
    else held_q <= (TableClocks + 1)'(begin_valid_i);
  end
  always_ff @(posedge clk_i) if (!held_q[0]) payload_o <= begin_payload_i;
endmodule
