// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mul_leaf: the unsigned product a_i * b_i by schoolbook, folded over Interval clocks.
//
// A product every Interval clocks; operands are sampled when valid_i, which must not come more
// often (with Interval = 1 it is not looked at). product_o is valid in the single clock
// arith_pkg::mul_leaf_latency(...) after. Folding multiplies a by one slice of b a clock, lowest
// first, and adds each to what is left of the sum above the slices before it.
module mul_leaf #(
  parameter int unsigned WidthA = 66,
  parameter int unsigned WidthB = 66,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     valid_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  output logic [WidthA+WidthB-1:0] product_o
);
  localparam int unsigned Slice = arith_pkg::ceil_div(WidthB, Interval);
  localparam int unsigned PartWidth = WidthA + Slice;

  logic [WidthA-1:0] a;
  logic [Slice-1:0] b;
  logic [PartWidth-1:0] part_sum, part_carry, part;

  mul_grid #(.WidthA(WidthA), .WidthB(Slice), .TileA(TileA), .TileB(TileB)) u_grid (
    .clk_i, .a_i(a), .b_i(b), .sum_o(part_sum), .carry_o(part_carry)
  );
  wide_add #(.Width(PartWidth)) u_add (
    .clk_i, .a_i(part_sum), .b_i(part_carry), .sum_o(part)
  );

  if (Interval == 1) begin : gen_straight
    logic unused_control;
    assign unused_control = ^{rst_ni, valid_i};
    assign a = a_i;
    assign b = b_i;
    assign product_o = part;
  end else begin : gen_folded
    localparam int unsigned PartLatency =
        arith_pkg::mul_grid_latency(WidthA, Slice, TileA, TileB)
        + arith_pkg::ceil_div(PartWidth, arith_pkg::SegmentWidth);
    localparam int unsigned LowWidth = (Interval - 1) * Slice;

    logic [WidthA-1:0] a_q;
    logic [Interval*Slice-1:0] b_q;
    logic [PartWidth-1:0] high_q;
    logic [LowWidth-1:0] low_q;
    logic first;

    always_ff @(posedge clk_i) begin
      if (valid_i) a_q <= a_i;
      b_q <= valid_i ? (Interval * Slice)'(b_i) : b_q >> Slice;
    end
    assign a = a_q;
    assign b = b_q[Slice-1:0];

    valid_delay #(.Stages(1 + PartLatency)) u_first (.clk_i, .rst_ni, .valid_i, .valid_o(first));

    // high_q < 2^(WidthA+Slice) always: (2^(A+S) >> S) + (2^A - 1) * (2^S - 1) stays below it.
    always_ff @(posedge clk_i) begin
      high_q <= part + (first ? '0 : high_q >> Slice);
      low_q  <= LowWidth'({high_q[Slice-1:0], low_q} >> Slice);
    end
    assign product_o = (WidthA + WidthB)'({high_q, low_q});
  end
endmodule
