// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// registered_add: a + b + carry modulo 2^Width, one clock after the operands. In the first clock,
// segments are added in parallel, each with and without a carry into it. In the second clock they
// are selected by the carries of the segments below (select_add does both in one clock).
module registered_add #(
  parameter int unsigned Width = 381,
  parameter int unsigned Segment = 52
) (
  input  logic             clk_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  input  logic             carry_i,
  output logic [Width-1:0] sum_o
);
  localparam int unsigned Segments = arith_pkg::ceil_div(Width, Segment);

  logic              carry_q;
  logic [Segments:0] carry;  // into each segment, of the operands of the clock before
  always_ff @(posedge clk_i) carry_q <= carry_i;
  assign carry[0] = carry_q;

  for (genvar k = 0; k < Segments; k++) begin : gen_segment
    localparam int unsigned Low = k * Segment;
    localparam int unsigned Bits = (k == Segments - 1) ? Width - Low : Segment;
    logic [Bits:0] without, with_carry, without_q, with_carry_q;
    logic          unused_low;
    assign without = {1'b0, a_i[Low+:Bits]} + {1'b0, b_i[Low+:Bits]};
    // (The carry is added as an extra low bit; otherwise tools build two sums instead of one.)
    assign {with_carry, unused_low} = {1'b0, a_i[Low+:Bits], 1'b1} + {1'b0, b_i[Low+:Bits], 1'b1};
    always_ff @(posedge clk_i) {without_q, with_carry_q} <= {without, with_carry};
    assign carry[k+1] = without_q[Bits] || (with_carry_q[Bits] && carry[k]);
    assign sum_o[Low+:Bits] = carry[k] ? with_carry_q[Bits-1:0] : without_q[Bits-1:0];
  end

  logic unused;
  assign unused = carry[Segments];
endmodule
