// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mul_leaf: the unsigned schoolbook product a_i * b_i, folded over Interval clocks.
//
// One product every Interval clocks; operands are sampled with valid_i, which must not come more
// often (it is ignored with Interval = 1). product_o is valid only in the clock
// arith_pkg::mul_leaf_latency(...) later. Folding multiplies a by one slice of b per clock, lowest
// first, and collects the shifted products of the slices in a carry-save pair.
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
  localparam int unsigned OutWidth = WidthA + WidthB;
  localparam int unsigned Slice = arith_pkg::ceil_div(WidthB, Interval);
  localparam int unsigned PartWidth = WidthA + Slice;

  logic [WidthA-1:0] a;
  logic [Slice-1:0] b;
  logic [PartWidth-1:0] part_sum, part_carry;
  logic [OutWidth-1:0] sum, carry;

  mul_grid #(.WidthA(WidthA), .WidthB(Slice), .TileA(TileA), .TileB(TileB)) u_grid (
    .clk_i, .a_i(a), .b_i(b), .sum_o(part_sum), .carry_o(part_carry)
  );
  wide_add #(.Width(OutWidth)) u_add (.clk_i, .a_i(sum), .b_i(carry), .sum_o(product_o));

  if (Interval == 1) begin : gen_straight
    logic unused_control;
    assign unused_control = ^{rst_ni, valid_i};
    assign {a, b} = {a_i, b_i};
    assign {sum, carry} = {part_sum, part_carry};
  end else begin : gen_folded
    localparam int unsigned GridLatency = arith_pkg::mul_grid_latency(WidthA, Slice, TileA, TileB);

    logic [WidthA-1:0] a_q;
    logic [Interval*Slice-1:0] b_q;
    always_ff @(posedge clk_i) begin
      if (valid_i) a_q <= a_i;
      b_q <= valid_i ? (Interval * Slice)'(b_i) : b_q >> Slice;
    end
    assign {a, b} = {a_q, b_q[Slice-1:0]};

    // turn[k]: the product of slice k leaves the grid.
    logic [Interval-1:0] turn;
    valid_delay #(.Stages(1 + GridLatency)) u_first (.clk_i, .rst_ni, .valid_i, .valid_o(turn[0]));
    for (genvar k = 1; k < Interval; k++) begin : gen_turn
      valid_delay #(.Stages(1)) u_turn (.clk_i, .rst_ni, .valid_i(turn[k-1]), .valid_o(turn[k]));
    end

    // Both vectors of a slice's product are at most that product, so they fit into its range.
    logic [3:0][OutWidth-1:0] terms;
    logic [1:0][OutWidth-1:0] total, total_q;
    always_comb begin
      terms[0] = turn[0] ? '0 : total_q[0];
      terms[1] = turn[0] ? '0 : total_q[1];
      terms[2] = '0;
      terms[3] = '0;
      for (int unsigned k = 0; k < Interval; k++) begin
        if (turn[k]) begin
          terms[2] |= OutWidth'(part_sum) << (k * Slice);
          terms[3] |= OutWidth'(part_carry) << (k * Slice);
        end
      end
    end
    carry_save #(.Operands(4), .Width(OutWidth), .Levels(2)) u_total (
      .operands_i(terms), .results_o(total)
    );
    always_ff @(posedge clk_i) total_q <= total;
    assign {sum, carry} = {total_q[1], total_q[0]};
  end
endmodule
