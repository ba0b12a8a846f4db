// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mul_saved: a_i * b_i + Offset * 2^Width with saved carries: the sum of value_o and of
// carries_o[k]
// * 2^(k * Segment). The segments of the last addition do not wait for each other's carries.
//
// One product per clock, arith_pkg::saved_mul_latency(Width, TileA, TileB) clocks: sums of limbs,
// the leaves (mul_leaf), one compression, and one addition per segment. Two levels of Karatsuba are
// flat: with four limbs of L = Width / 4 bits, the nine leaves are the products of (a0), (a1),
// (a0 + a1), (a2), (a3), (a2 + a3), (a0 + a2), (a1 + a3), (a0 + a1 + a2 + a3), and the product is a
// sum of 25 leaves, each shifted by limbs and some negated: -v = ~v + 1 - 2^bits, whose constants
// are summed at elaboration.
//
// Operands are in [0, 2^Width). All sums are modulo 2^ValueBits. Offset makes the result at least
// 2^((Segments - 1) * Segment), so the top segment is not 0 while a carry into it is pending, and
// the parts are the result as plain integers, without a multiple of 2^ValueBits.
module mul_saved #(
  parameter  int unsigned Width = 256,  // a multiple of 4
  parameter  int unsigned ValueBits = 2 * Width + 5,
  parameter  logic [Width-1:0] Offset = arith_pkg::Secp256k1Modulus,
  parameter  int unsigned TileA = 26,
  parameter  int unsigned TileB = 17,
  parameter  int unsigned Segment = arith_pkg::SavedSegment,
  localparam int unsigned Segments = arith_pkg::ceil_div(ValueBits, Segment)
) (
  input  logic                  clk_i,
  input  logic [Width-1:0]      a_i,
  input  logic [Width-1:0]      b_i,
  output logic [ValueBits-1:0]  value_o,
  output logic [Segments-1:1]   carries_o
);
  localparam int unsigned Limb = Width / 4;
  localparam int unsigned FactorBits = Limb + 2;
  localparam int unsigned LeafBits = 2 * FactorBits;
  localparam int unsigned Leaves = 9;
  typedef logic [ValueBits-1:0] value_t;

  // (The terms of a row would overlap with limbs of one bit.)
  if (Width % 4 != 0 || Width < 8 || ValueBits <= 2 * Width ||
      (ValueBits'(Offset) << Width) >> ((Segments - 1) * Segment) == '0) begin : gen_check
    $error("mul_saved: Width = %0d, ValueBits = %0d", Width, ValueBits);
  end

  // ---- Leaves ---------------------------------------------------------------------------------
  // The limbs in each leaf's factors.
  localparam logic [Leaves-1:0][3:0] Limbs = {
    4'b1111, 4'b1010, 4'b0101, 4'b1100, 4'b1000, 4'b0100, 4'b0011, 4'b0010, 4'b0001
  };
  logic [Leaves-1:0][LeafBits-1:0] leaves;  // zero-extended

  for (genvar i = 0; i < Leaves; i++) begin : gen_leaf
    localparam int unsigned Count = $countones(Limbs[i]);
    localparam int unsigned Bits = Limb + $clog2(Count);
    logic [1:0][Bits-1:0] factor_q;
    logic [2*Bits-1:0]    product;

    if (arith_pkg::mul_leaf_latency(Bits, Bits, 1, TileA, TileB) !=
        arith_pkg::mul_leaf_latency(FactorBits, FactorBits, 1, TileA, TileB)) begin : gen_check
      $error("mul_saved: a leaf of %0d bits takes another number of clocks", Bits);
    end

    for (genvar side = 0; side < 2; side++) begin : gen_side
      logic [Width-1:0] operand;
      logic [3:0][Bits-1:0] terms;
      logic [1:0][Bits-1:0] pair;
      assign operand = side == 0 ? a_i : b_i;
      for (genvar k = 0; k < 4; k++) begin : gen_limb
        assign terms[k] = Limbs[i][k] ? Bits'(operand[k*Limb+:Limb]) : '0;
      end
      carry_save #(.Operands(4), .Width(Bits), .Levels(2)) u_pair (
        .operands_i(terms), .results_o(pair)
      );
      if (Bits <= arith_pkg::ChainWidth) begin : gen_chain
        always_ff @(posedge clk_i) factor_q[side] <= pair[0] + pair[1];
      end else begin : gen_chains
        logic [Bits-1:0] factor;
        select_add #(.Width(Bits), .Segment(arith_pkg::LimbChainWidth)) u_factor (
          .a_i(pair[0]), .b_i(pair[1]), .carry_i(1'b0), .sum_o(factor)
        );
        always_ff @(posedge clk_i) factor_q[side] <= factor;
      end
    end

    if (LeafBits <= arith_pkg::SegmentWidth) begin : gen_leaf_product
      mul_leaf #(
        .WidthA(Bits), .WidthB(Bits), .Interval(1), .TileA(TileA), .TileB(TileB)
      ) u_leaf (
        .clk_i, .rst_ni(1'b1), .valid_i(1'b1), .a_i(factor_q[0]), .b_i(factor_q[1]),
        .product_o(product)
      );
    end else begin : gen_long_product
      // One clock for the addition, too.
      logic [2*Bits-1:0] sum, carry, whole;
      mul_grid #(.WidthA(Bits), .WidthB(Bits), .TileA(TileA), .TileB(TileB)) u_grid (
        .clk_i, .a_i(factor_q[0]), .b_i(factor_q[1]), .sum_o(sum), .carry_o(carry)
      );
      select_add #(.Width(2 * Bits), .Segment(arith_pkg::LimbChainWidth)) u_whole (
        .a_i(sum), .b_i(carry), .carry_i(1'b0), .sum_o(whole)
      );
      always_ff @(posedge clk_i) product <= whole;
    end
    assign leaves[i] = LeafBits'(product);
  end

  // ---- The sum of 25 shifted leaves -----------------------------------------------------------
  localparam int unsigned Terms = 25;
  localparam int unsigned Rows = 14;  // terms of a row do not overlap
  localparam int unsigned Leaf[Terms] = '{
    0, 0, 1, 2, 0, 1, 3, 6, 0, 1, 3, 4, 2, 5, 6, 7, 8, 1, 3, 4, 7, 3, 4, 5, 4};
  localparam int unsigned Shift[Terms] = '{
    0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 6};
  localparam int unsigned Row[Terms] = '{
    0, 1, 2, 3, 0, 4, 5, 6, 1, 2, 7, 8, 9, 10, 11, 12, 13, 0, 3, 4, 5, 1, 2, 6, 0};
  localparam bit Negative[Terms] = '{
    0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0};

  // The bits of a term, at its place.
  function automatic value_t mask_of(input logic [$clog2(Terms)-1:0] term);
    int unsigned bits;
    bits = 2 * (Limb + $clog2($countones(Limbs[Leaf[term]])));
    return ((value_t'(1) << bits) - value_t'(1)) << (Shift[term] * Limb);
  endfunction
  function automatic value_t constant_of();
    value_t sum;
    sum = value_t'(Offset) << Width;
    for (int unsigned i = 0; i < Terms; i++) begin
      if (Negative[i]) sum -= mask_of(($clog2(Terms))'(i));
    end
    return sum;
  endfunction
  localparam value_t Constant = constant_of();

  value_t placed[Terms];
  for (genvar i = 0; i < Terms; i++) begin : gen_term
    localparam value_t Mask = mask_of(($clog2(Terms))'(i));
    value_t shifted;
    assign shifted   = value_t'(leaves[Leaf[i]]) << (Shift[i] * Limb);
    assign placed[i] = (Negative[i] ? ~shifted : shifted) & Mask;
  end

  logic [Rows:0][ValueBits-1:0] rows;
  always_comb begin
    for (int unsigned i = 0; i < Rows; i++) rows[i] = '0;
    rows[Rows] = Constant;
    for (int unsigned i = 0; i < Terms; i++) rows[Row[i]] |= placed[i];
  end

  logic [1:0][ValueBits-1:0] pair, pair_q;
  carry_save #(.Operands(Rows + 1), .Width(ValueBits), .Levels(6)) u_rows (
    .operands_i(rows), .results_o(pair)
  );
  always_ff @(posedge clk_i) pair_q <= pair;

  saved_add #(.Width(ValueBits), .Segment(Segment)) u_add (
    .clk_i, .a_i(pair_q[0]), .b_i(pair_q[1]), .sum_o(value_o), .carries_o
  );
endmodule
