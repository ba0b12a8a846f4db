// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// fold_saved: (value_i + sum of (counts_i[k] + carries_i[k]) * 2^(k * Segment)) mod Modulus, in [0,
// Modulus), for a Modulus = 2^Width - c as in fold_reduce; and the high half of the same number.
//
// One value per clock, arith_pkg::SavedFoldLatency clocks. The number is below 2^ValueBits. The
// first fold, low + c * high, is a carry-save pair, to which c * (count + carry) is added from a
// table. The second fold adds c times the high parts of both numbers of the pair, without their
// sum: its pair is below 2^(Width + 1) + 2^(2*|c| + 8) < 3 * Modulus as a plain integer, and
// fold_finish reduces it.
//
// high_o = floor(number / 2^Width) - Offset * (with the Modulus as Offset) for one product of
// mul_saved: the product's high half. It is added segment by segment, with Modulus = 2^Width - c.
module fold_saved #(
  parameter  int unsigned Width = 256,
  parameter  logic [Width-1:0] Modulus = arith_pkg::Secp256k1Modulus,
  parameter  int unsigned ValueBits = 2 * Width + 5,
  parameter  int unsigned CountBits = 5,
  parameter  int unsigned Segment = arith_pkg::SavedSegment,
  localparam int unsigned Segments = arith_pkg::ceil_div(ValueBits, Segment)
) (
  input  logic                               clk_i,
  input  logic [ValueBits-1:0]               value_i,
  input  logic [Segments-1:1][CountBits-1:0] counts_i,
  input  logic [Segments-1:1]                carries_i,
  output logic [Width-1:0]                   result_o,
  output logic [Width-1:0]                   high_o
);
  localparam arith_pkg::constant_t Constant =
      arith_pkg::fold_constant(Width, arith_pkg::constant_t'(Modulus));
  localparam int unsigned ConstantBits = arith_pkg::bit_length(Constant);
  localparam int unsigned Digits = $countones(Constant);
  localparam int unsigned FirstBits = ValueBits - Width + ConstantBits + 1;
  localparam int unsigned HighBits = FirstBits - Width;
  localparam int unsigned PairBits = Width + 2;
  localparam int unsigned TableBits = ConstantBits + CountBits + 1;
  localparam int unsigned Left = arith_pkg::compressed(Digits + 1, 2);

  // The folds of the two pairs, and of the carries into neighboring segments, do not overlap.
  if (HighBits + ConstantBits + 1 >= Width || TableBits > Segment || Segments != 4 ||
      arith_pkg::compressed(Left + 1, 3) != 2 ||
      Segment + CountBits + 1 > Width || 2 * Segment < Width + CountBits + 1 ||
      2 * Segment - Width + TableBits > Segment) begin : gen_check
    $error("fold_saved: Width = %0d, ValueBits = %0d", Width, ValueBits);
  end

  // ---- The first fold -------------------------------------------------------------------------
  // The pending carries are the last operand: their table is behind only one level.
  logic [Digits:0][FirstBits-1:0] first;
  logic [Left-1:0][FirstBits-1:0] first_left;
  logic [FirstBits-1:0] pending;
  logic [1:0][FirstBits-1:0] first_pair, first_q;

  // count + carry, and c times that for those above Width, by {carry, count}: a LUT per bit.
  logic [CountBits:0]   totals[2**(CountBits+1)];
  logic [TableBits-1:0] products[2**(CountBits+1)];
  for (genvar i = 0; i < 2 ** (CountBits + 1); i++) begin : gen_product
    localparam int unsigned Total = i % 2 ** CountBits + i / 2 ** CountBits;
    localparam logic [TableBits-1:0] Product = TableBits'(Constant * Total);
    assign totals[i]   = (CountBits+1)'(Total);
    assign products[i] = Product;
  end

  assign first[0] = FirstBits'(value_i[Width-1:0]);
  always_comb begin
    pending = FirstBits'(totals[{carries_i[1], counts_i[1]}]) << Segment;
    for (int unsigned k = 2; k < Segments; k++) begin
      pending |= FirstBits'(products[{carries_i[k], counts_i[k]}]) << (k * Segment - Width);
    end
  end
  for (genvar i = 0; i < ConstantBits; i++) begin : gen_digit
    if (Constant[i]) begin : gen_one
      localparam arith_pkg::constant_t Below = Constant & ((arith_pkg::constant_t'(1) << i) - 1);
      assign first[$countones(Below)+1] = FirstBits'(value_i[ValueBits-1:Width]) << i;
    end
  end
  carry_save #(.Operands(Digits + 1), .Width(FirstBits), .Levels(2)) u_first (
    .operands_i(first), .results_o(first_left)
  );
  carry_save #(.Operands(Left + 1), .Width(FirstBits), .Levels(3)) u_pending (
    .operands_i({pending, first_left}), .results_o(first_pair)
  );
  always_ff @(posedge clk_i) first_q <= first_pair;

  // ---- The second fold ------------------------------------------------------------------------
  // The low parts are the last operands: few levels change their upper bits.
  logic [2*Digits+1:0][PairBits-1:0] second;
  logic [1:0][PairBits-1:0] second_pair, second_q;

  for (genvar half = 0; half < 2; half++) begin : gen_half
    assign second[2*Digits+half] = PairBits'(first_q[half][Width-1:0]);
    for (genvar i = 0; i < ConstantBits; i++) begin : gen_digit
      if (Constant[i]) begin : gen_one
        localparam arith_pkg::constant_t Below = Constant & ((arith_pkg::constant_t'(1) << i) - 1);
        assign second[half*Digits+$countones(Below)] =
            PairBits'(first_q[half][FirstBits-1:Width]) << i;
      end
    end
  end
  carry_save #(.Operands(2 * Digits + 2), .Width(PairBits), .Levels(6)) u_second (
    .operands_i(second), .results_o(second_pair)
  );
  always_ff @(posedge clk_i) second_q <= second_pair;

  fold_finish #(.Width(Width), .Modulus(Modulus)) u_finish (
    .clk_i, .a_i(second_q[0]), .b_i(second_q[1]), .result_o
  );

  // ---- The high half: + c, - 2^Width, by segments of the value's upper part -------------------
  // Segment 1 holds the value from bit Segment on; Width is inside it.
  localparam int unsigned Below = Width - Segment;
  localparam int unsigned LowConstantBits = Segment - Below;
  localparam arith_pkg::constant_t LowConstant =
      Constant & ((arith_pkg::constant_t'(1) << LowConstantBits) - 1);
  localparam int unsigned TopBits = 2 * Width - 3 * Segment;

  logic [Segment-1:0] addend1, addend2_q, segment2_q;
  logic [Segment:0]   sum1, sum2;
  logic [TopBits-1:0] segment3_q, segment3_qq, sum3;
  logic [CountBits:0] total3_q, total3_qq;
  logic carry1_q, carry2_q;
  logic [LowConstantBits-1:0] low_q, low_qq, low_qqq;
  logic [Segment-1:0] middle_q, middle_qq;
  logic [TopBits-1:0] top_q;

  assign addend1 = Segment'(counts_i[1]) | (Segment'(LowConstant) << Below);
  select_add #(.Width(Segment + 1), .Segment(arith_pkg::ChainWidth)) u_high1 (
    .a_i({1'b0, value_i[Segment+:Segment]}), .b_i({1'b0, addend1}), .carry_i(carries_i[1]),
    .sum_o(sum1)
  );
  select_add #(.Width(Segment + 1), .Segment(arith_pkg::ChainWidth)) u_high2 (
    .a_i({1'b0, segment2_q}), .b_i({1'b0, addend2_q}), .carry_i(carry1_q), .sum_o(sum2)
  );
  select_add #(.Width(TopBits), .Segment(arith_pkg::ChainWidth)) u_high3 (
    .a_i(segment3_qq), .b_i(TopBits'(total3_qq)), .carry_i(carry2_q), .sum_o(sum3)
  );
  always_ff @(posedge clk_i) begin
    {carry1_q, low_q} <= sum1[Segment:Below];
    segment2_q  <= value_i[2*Segment+:Segment];
    addend2_q   <= Segment'(totals[{carries_i[2], counts_i[2]}]) +
                   Segment'(Constant >> LowConstantBits);
    segment3_q  <= value_i[3*Segment+:TopBits];
    total3_q    <= totals[{carries_i[3], counts_i[3]}];

    {carry2_q, middle_q} <= sum2;
    low_qq      <= low_q;
    segment3_qq <= segment3_q;
    total3_qq   <= total3_q;

    top_q     <= sum3;
    low_qqq   <= low_qq;
    middle_qq <= middle_q;

    high_o <= {top_q, middle_qq, low_qqq};
  end

  logic unused_low;
  assign unused_low = ^sum1[Below-1:0];
endmodule
