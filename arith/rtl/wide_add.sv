// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// wide_add: a + b modulo 2^Width, in segments of arith_pkg::SegmentWidth bits, one per clock.
//
// One sum per clock, ceil(Width / SegmentWidth) clocks. Segment k adds the carry of segment k-1
// from the previous clock; the operands wait for their segment and the sums for the last one.
module wide_add #(
  parameter int unsigned Width = 256,
  parameter bit Skewed = 1'b0  // sum_o is a skewed number (skew_sum): its clocks count to segment 0
) (
  input  logic             clk_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  output logic [Width-1:0] sum_o
);
  localparam int unsigned Segment = arith_pkg::SegmentWidth;
  localparam int unsigned Segments = arith_pkg::ceil_div(Width, Segment);

  for (genvar k = 0; k < Segments; k++) begin : gen_segment
    localparam int unsigned Low = k * Segment;
    localparam int unsigned Bits = (k == Segments - 1) ? Width - Low : Segment;
    logic [Bits-1:0] a, b, sum_q;
    logic [Bits:0] sum;
    logic carry;

    pipeline_delay #(.DataWidth(2 * Bits), .Stages(k)) u_operands (
      .clk_i, .data_i({a_i[Low+:Bits], b_i[Low+:Bits]}), .data_o({a, b})
    );

    if (k == 0) begin : gen_first
      assign carry = 1'b0;
    end else begin : gen_next
      assign carry = gen_segment[k-1].gen_carry.carry_q;
    end

    select_add #(.Width(Bits + 1), .Segment(arith_pkg::ChainWidth)) u_add (
      .a_i({1'b0, a}), .b_i({1'b0, b}), .carry_i(carry), .sum_o(sum)
    );
    if (k == Segments - 1) begin : gen_last
      logic unused_carry;
      assign unused_carry = sum[Bits];
      always_ff @(posedge clk_i) sum_q <= sum[Bits-1:0];
    end else begin : gen_carry
      logic carry_q;
      always_ff @(posedge clk_i) {carry_q, sum_q} <= sum;
    end

    pipeline_delay #(.DataWidth(Bits), .Stages(Skewed ? 0 : Segments - 1 - k)) u_sum (
      .clk_i, .data_i(sum_q), .data_o(sum_o[Low+:Bits])
    );
  end
endmodule
