// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// saved_add: a_i + b_i modulo 2^Width with saved carries, in one clock: each segment is added by
// itself, and carries_o[k] is the carry into segment k, which sum_o does not contain.
module saved_add #(
  parameter  int unsigned Width = 517,
  parameter  int unsigned Segment = arith_pkg::SavedSegment,
  localparam int unsigned Segments = arith_pkg::ceil_div(Width, Segment)
) (
  input  logic                clk_i,
  input  logic [Width-1:0]    a_i,
  input  logic [Width-1:0]    b_i,
  output logic [Width-1:0]    sum_o,
  output logic [Segments-1:1] carries_o
);
  for (genvar k = 0; k < Segments; k++) begin : gen_segment
    localparam int unsigned Low  = k * Segment;
    localparam int unsigned Bits = arith_pkg::minimum(Width - Low, Segment);
    logic [Bits-1:0] sum_q;
    logic [Bits:0]   sum;

    select_add #(.Width(Bits + 1), .Segment(arith_pkg::ChainWidth)) u_add (
      .a_i({1'b0, a_i[Low+:Bits]}), .b_i({1'b0, b_i[Low+:Bits]}), .carry_i(1'b0), .sum_o(sum)
    );
    assign sum_o[Low+:Bits] = sum_q;
    if (k == Segments - 1) begin : gen_last
      logic unused_carry;
      assign unused_carry = sum[Bits];
      always_ff @(posedge clk_i) sum_q <= sum[Bits-1:0];
    end else begin : gen_carry
      always_ff @(posedge clk_i) {carries_o[k+1], sum_q} <= sum;
    end
  end
endmodule
