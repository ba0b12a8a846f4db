// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mul_saved_proof: the parts are a_i * b_i + Offset * 2^Width as plain integers, stage by stage,
// each for arbitrary values of the registers before it:
// - The factors of each leaf are the sums of its limbs of both operands, one clock later.
// - The leaves are the products of the factors, all after the same time. (mul_leaf_proof)
// - Each row is the sum of its terms, + 2^bits - 1 at the place of a negative one, and the constant
//   is Offset * 2^Width without these. Hence the sum of the rows is that of the terms, with their
//   signs, and Offset * 2^Width.
// - The pair has the sum of the rows. (carry_save_proof)
// - The parts have the sum of the pair, which is less than 2^ValueBits.
// - Karatsuba's identity is that of the coefficients: a product of limbs a_i * b_j is in the sum of
//   the terms once where the shift is i + j, and nowhere else. It does not depend on the width.
module mul_saved_proof #(
  parameter int unsigned Width = 8,
  parameter int unsigned ValueBits = 20,
  parameter logic [Width-1:0] Offset = Width'(251),
  parameter int unsigned TileA = 2,
  parameter int unsigned TileB = 1,
  parameter int unsigned Segment = 5,
  parameter bit Invariants = 1'b1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width-1:0] a_i,
  input logic [Width-1:0] b_i
);
  localparam int unsigned Limb = Width / 4;
  localparam int unsigned LeafBits = 2 * (Limb + 2);
  localparam int unsigned Leaves = 9;
  localparam int unsigned Terms = 25;
  localparam int unsigned Rows = 14;
  // The limbs in each leaf's factors; the leaf of each term, and its shift, row and sign.
  localparam logic [Leaves-1:0][3:0] Limbs = {
    4'b1111, 4'b1010, 4'b0101, 4'b1100, 4'b1000, 4'b0100, 4'b0011, 4'b0010, 4'b0001
  };
  localparam int unsigned Leaf[Terms] = '{
    0, 0, 1, 2, 0, 1, 3, 6, 0, 1, 3, 4, 2, 5, 6, 7, 8, 1, 3, 4, 7, 3, 4, 5, 4};
  localparam int unsigned Shift[Terms] = '{
    0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 6};
  localparam int unsigned Row[Terms] = '{
    0, 1, 2, 3, 0, 4, 5, 6, 1, 2, 7, 8, 9, 10, 11, 12, 13, 0, 3, 4, 5, 1, 2, 6, 0};
  localparam bit Negative[Terms] = '{
    0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0};
  localparam int unsigned LeafClocks =
      arith_pkg::mul_leaf_latency(Limb + 2, Limb + 2, 1, TileA, TileB);
  localparam int unsigned Clocks = arith_pkg::saved_mul_latency(Width, TileA, TileB);
  localparam int unsigned Segments = arith_pkg::ceil_div(ValueBits, Segment);
  // Room for the carries: the parts are not taken modulo 2^ValueBits.
  typedef logic [ValueBits-1:0] value_t;
  typedef logic [ValueBits+1:0] whole_t;
  localparam value_t Least = value_t'(Offset) << Width;

  proof_reset u_reset (.rst_ni);

  value_t              value;
  logic [Segments-1:1] carries;
  mul_saved #(
    .Width(Width), .ValueBits(ValueBits), .Offset(Offset), .TileA(TileA), .TileB(TileB),
    .Segment(Segment)
  ) u_dut (
    .clk_i, .a_i, .b_i, .value_o(value), .carries_o(carries)
  );

  // valid[k]: the registers of k clocks have values of operands.
  logic [Clocks:0] valid;
  assign valid[0] = 1'b1;
  for (genvar k = 1; k <= Clocks; k++) begin : gen_clock
    valid_delay #(.Stages(1)) u_valid (.clk_i, .rst_ni, .valid_i(valid[k-1]), .valid_o(valid[k]));
  end

  // ---- Leaves ---------------------------------------------------------------------------------
  for (genvar i = 0; i < Leaves; i++) begin : gen_leaf
    localparam int unsigned Bits = Limb + $clog2($countones(Limbs[i]));
    logic [1:0][LeafBits-1:0] sum_q;
    logic [LeafBits-1:0]      product;
    always_ff @(posedge clk_i) begin
      for (int unsigned side = 0; side < 2; side++) begin
        logic [LeafBits-1:0] sum;
        sum = '0;
        for (int unsigned k = 0; k < 4; k++) begin
          if (Limbs[i][k]) sum += LeafBits'((side == 0 ? a_i : b_i) >> (k * Limb)) &
                                        LeafBits'((1 << Limb) - 1);
        end
        sum_q[side] <= sum;
      end
    end
    pipeline_delay #(.DataWidth(LeafBits), .Stages(LeafClocks)) u_product (
      .clk_i, .data_o(product),
      .data_i(LeafBits'(u_dut.gen_leaf[i].factor_q[0]) * LeafBits'(u_dut.gen_leaf[i].factor_q[1]))
    );
    always_comb begin
      if (rst_ni) begin
        if (valid[1]) begin
          for (int unsigned side = 0; side < 2; side++) begin
            assert (LeafBits'(u_dut.gen_leaf[i].factor_q[side]) == sum_q[side]);
          end
        end
        if (valid[1+LeafClocks]) assert (u_dut.leaves[i] == product);
        assert (u_dut.leaves[i] >> (2 * Bits) == '0);
      end
    end
  end

  // ---- Rows -----------------------------------------------------------------------------------
  value_t sums[Rows + 1];
  always_comb begin
    for (int unsigned row = 0; row < Rows; row++) sums[row] = '0;
    sums[Rows] = Least;
    for (int unsigned i = 0; i < Terms; i++) begin
      value_t term, ones;
      term = value_t'(u_dut.leaves[Leaf[i]]) << (Shift[i] * Limb);
      ones = ((value_t'(1) << (2 * (Limb + $clog2($countones(Limbs[Leaf[i]]))))) -
              value_t'(1)) << (Shift[i] * Limb);
      if (Negative[i]) begin
        sums[Row[i]] += ones - term;
        sums[Rows]   -= ones;
      end else begin
        sums[Row[i]] += term;
      end
    end
    for (int unsigned row = 0; row <= Rows; row++) assert (u_dut.rows[row] == sums[row]);
  end

  // ---- The pair and the parts -----------------------------------------------------------------
  value_t rows, rows_q, pair, pair_q;
  whole_t whole;
  always_comb begin
    rows = '0;
    for (int unsigned row = 0; row <= Rows; row++) rows += u_dut.rows[row];
    pair  = u_dut.pair_q[0] + u_dut.pair_q[1];
    whole = whole_t'(value);
    for (int unsigned k = 1; k < Segments; k++) whole += whole_t'(carries[k]) << (k * Segment);
  end
  always_ff @(posedge clk_i) begin
    rows_q <= rows;
    pair_q <= pair;
  end
  always_comb begin
    if (rst_ni) begin
      if (valid[Clocks-1]) assert (pair == rows_q);
      if (valid[Clocks] && pair_q >= Least) assert (whole == whole_t'(pair_q));
      cover (valid[Clocks] && &carries);
    end
  end

  // ---- Karatsuba's identity -------------------------------------------------------------------
  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      for (int unsigned j = 0; j < 4; j++) begin
        for (int unsigned shift = 0; shift < 7; shift++) begin
          int signed coefficient;
          coefficient = 0;
          for (int unsigned term = 0; term < Terms; term++) begin
            if (Shift[term] == shift && Limbs[Leaf[term]][i] &&
                Limbs[Leaf[term]][j]) begin
              coefficient += Negative[term] ? -1 : 1;
            end
          end
          assert (coefficient == int'(shift == i + j));
        end
      end
    end
  end
  logic unused;
  assign unused = Invariants;
endmodule
