// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// select_add: a + b + carry modulo 2^Width, within one clock. Segments are added in parallel, each
// with and without a carry into it, and selected by the carries of the segments below: a carry
// chain is as long as a segment, at the cost of two chains for each segment except the first.
module select_add #(
  parameter int unsigned Width = 256,
  parameter int unsigned Segment = 52
) (
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  input  logic             carry_i,
  output logic [Width-1:0] sum_o
);
  localparam int unsigned Segments = arith_pkg::ceil_div(Width, Segment);

  logic [Segments:0] carry;  // into each segment
  assign carry[0] = carry_i;

  for (genvar k = 0; k < Segments; k++) begin : gen_segment
    localparam int unsigned Low = k * Segment;
    localparam int unsigned Bits = (k == Segments - 1) ? Width - Low : Segment;
    logic [Bits:0] a, b;
    assign a = {1'b0, a_i[Low+:Bits]};
    assign b = {1'b0, b_i[Low+:Bits]};

    // (The carry is added as an extra low bit; otherwise tools build two sums instead of one.)
    if (k == 0) begin : gen_first
      logic unused_low;
      assign {carry[1], sum_o[Low+:Bits], unused_low} = {a, 1'b1} + {b, carry_i};
    end else begin : gen_either
      logic [Bits:0] without, with_carry;
      logic          unused_low;
      assign without = a + b;
      assign {with_carry, unused_low} = {a, 1'b1} + {b, 1'b1};
      assign carry[k+1] = without[Bits] || (with_carry[Bits] && carry[k]);
      assign sum_o[Low+:Bits] = carry[k] ? with_carry[Bits-1:0] : without[Bits-1:0];
    end
  end

  logic unused;
  assign unused = carry[Segments];
endmodule
