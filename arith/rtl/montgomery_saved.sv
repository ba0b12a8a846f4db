// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// montgomery_saved: V * 2^-Width mod Modulus, in [0, Modulus), for the number V = value_i + sum of
// (counts_i[k] + carries_i[k]) * 2^(k * Segment) with saved carries
// (field_core_saved_accumulator).
//
// One value per clock, arith_pkg::SavedMontgomeryLatency clocks. With q = V * -1/Modulus mod
// 2^Width, V + q * Modulus is a multiple of 2^Width. Only q is needed without saved carries: it
// multiplies.
//
// - q is the sum of the tiles of the lower half of value * -1/Modulus (const_columns), and of a
//   table of the multiples of -1/Modulus for each pending carry below 2^Width.
// - Only the columns from C = Width - Guard up of V + q * Modulus are added: the upper half's
//   tiles, V and the pending carries from 2^Width up. The rest is less than one unit 2^C for each
//   vector of tiles, one for V, and one for the lower carries together, in total less than
//   2^Guard - 1 units. As the whole sum is a multiple of 2^Width, adding 2^Guard - 1 units and
//   dropping the units is exact.
//
// The result before quotient_finish is below V / 2^Width + Modulus < Multiples * Modulus; it is a
// sum of vectors that are not negative, so no pair wraps.
module montgomery_saved #(
  parameter  int unsigned      Width     = 384,
  parameter  logic [Width-1:0] Modulus   = Width'(arith_pkg::Bls12BaseModulus),
  parameter  int unsigned      ValueBits = 2 * Width + 5,
  parameter  int unsigned      CountBits = 5,
  parameter  int unsigned      Multiples = 15,
  parameter  int unsigned      TileA     = 26,
  parameter  int unsigned      TileB     = 17,
  parameter  int unsigned      Segment   = arith_pkg::SavedSegment,
  localparam int unsigned      Segments  = arith_pkg::ceil_div(ValueBits, Segment)
) (
  input  logic                               clk_i,
  input  logic [ValueBits-1:0]               value_i,
  input  logic [Segments-1:1][CountBits-1:0] counts_i,
  input  logic [Segments-1:1]                carries_i,
  output logic [Width-1:0]                   result_o
);
  localparam arith_pkg::constant_t Full = arith_pkg::constant_t'(Modulus);
  localparam int unsigned ModulusBits = arith_pkg::bit_length(Full);
  localparam logic [Width-1:0] Inverse = Width'(arith_pkg::negative_inverse(Full, Width));
  localparam int unsigned TotalBits = CountBits + 1;

  // Segments whose pending carries are below 2^Width.
  localparam int unsigned Below = arith_pkg::ceil_div(Width, Segment) - 1;
  localparam int unsigned InverseVectors = 2 * arith_pkg::ceil_div(Width, TileB);
  localparam int unsigned QuotientRows = InverseVectors + Below;

  localparam int unsigned ModulusVectors = 2 * arith_pkg::ceil_div(ModulusBits, TileB);
  localparam int unsigned Guard = $clog2(ModulusVectors + 4);
  localparam int unsigned Column = Width - Guard;
  localparam int unsigned ResultBits =
      arith_pkg::bit_length(Full * arith_pkg::constant_t'(Multiples));
  localparam int unsigned SumBits = ResultBits + Guard;
  localparam int unsigned SumRows = ModulusVectors + 2;

  // Levels of carry_save: those of the first clock, and of the one with a chain.
  localparam int unsigned LateLevels = 3;
  localparam int unsigned QuotientLevels = arith_pkg::compress_levels(QuotientRows) - LateLevels;
  localparam int unsigned SumLevels = arith_pkg::compress_levels(SumRows) - LateLevels;
  localparam int unsigned QuotientLeft = arith_pkg::compressed(QuotientRows, QuotientLevels);
  localparam int unsigned SumLeft = arith_pkg::compressed(SumRows, SumLevels);

  if (ValueBits <= Width || Below * Segment + TotalBits > Column || QuotientLevels > 6 ||
      SumLevels > 6 || TotalBits > Segment) begin : gen_check
    $error("montgomery_saved: Width = %0d, ValueBits = %0d", Width, ValueBits);
  end

  logic [Segments-1:1][TotalBits-1:0] totals_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 1; k < Segments; k++) begin
      totals_q[k] <= TotalBits'(counts_i[k]) + TotalBits'(carries_i[k]);
    end
  end

  // ---- q: 5 -------------------------------------------------------------------------------------
  logic [QuotientRows-1:0][Width-1:0] quotient_rows;
  const_columns #(
    .InWidth(Width), .ConstantBits(Width), .Constant(Inverse), .Low(0), .High(Width),
    .TileA(TileA), .TileB(TileB)
  ) u_inverse (
    .clk_i, .x_i(value_i[Width-1:0]), .vectors_o(quotient_rows[InverseVectors-1:0])
  );
  for (genvar k = 1; k <= Below; k++) begin : gen_below
    localparam int unsigned Bits = Width - k * Segment;
    logic [Bits-1:0] products[2**TotalBits];
    logic [Bits-1:0] product_q;
    for (genvar i = 0; i < 2 ** TotalBits; i++) begin : gen_product
      localparam logic [Bits-1:0] Product = Bits'(Inverse * Width'(i));
      assign products[i] = Product;
    end
    always_ff @(posedge clk_i) product_q <= products[totals_q[k]];
    assign quotient_rows[InverseVectors+k-1] = Width'(product_q) << (k * Segment);
  end

  logic [QuotientLeft-1:0][Width-1:0] quotient_left, quotient_left_q;
  logic [1:0][Width-1:0]              quotient_pair;
  logic [Width-1:0]                   quotient, quotient_q;
  carry_save #(.Operands(QuotientRows), .Width(Width), .Levels(QuotientLevels)) u_quotient_left (
    .operands_i(quotient_rows), .results_o(quotient_left)
  );
  always_ff @(posedge clk_i) quotient_left_q <= quotient_left;
  carry_save #(.Operands(QuotientLeft), .Width(Width), .Levels(LateLevels)) u_quotient_pair (
    .operands_i(quotient_left_q), .results_o(quotient_pair)
  );
  registered_add #(.Width(Width), .Segment(arith_pkg::QuotientChainWidth)) u_quotient (
    .clk_i, .a_i(quotient_pair[0]), .b_i(quotient_pair[1]), .carry_i(1'b0), .sum_o(quotient)
  );
  always_ff @(posedge clk_i) quotient_q <= quotient;

  // ---- V + q * Modulus: a pair in 8 -------------------------------------------------------------
  localparam int unsigned ProductClocks = 5 + arith_pkg::TileLatency;
  logic [SumRows-1:0][SumBits-1:0] rows;
  const_columns #(
    .InWidth(Width), .ConstantBits(ModulusBits), .Constant(ModulusBits'(Modulus)), .Low(Column),
    .High(Column + SumBits), .TileA(TileA), .TileB(TileB)
  ) u_modulus (
    .clk_i, .x_i(quotient_q), .vectors_o(rows[ModulusVectors-1:0])
  );
  pipeline_delay #(.DataWidth(SumBits), .Stages(ProductClocks)) u_value (
    .clk_i, .data_i(SumBits'(value_i >> Column)), .data_o(rows[ModulusVectors])
  );

  // The pending carries, and the units that round up.
  logic [Segments-1:Below+1][TotalBits-1:0] totals;
  pipeline_delay #(
    .DataWidth((Segments - 1 - Below) * TotalBits), .Stages(ProductClocks - 1)
  ) u_totals (
    .clk_i, .data_i(totals_q[Segments-1:Below+1]), .data_o(totals)
  );
  logic [SumBits-1:0]                       pending;
  always_comb begin
    pending = SumBits'((1 << Guard) - 1);
    for (int unsigned k = Below + 1; k < Segments; k++) begin
      pending |= SumBits'(totals[k]) << (k * Segment - Column);
    end
  end
  assign rows[ModulusVectors+1] = pending;

  logic [SumLeft-1:0][SumBits-1:0] left, left_q;
  logic [1:0][SumBits-1:0]         pair;
  carry_save #(.Operands(SumRows), .Width(SumBits), .Levels(SumLevels)) u_left (
    .operands_i(rows), .results_o(left)
  );
  always_ff @(posedge clk_i) left_q <= left;
  carry_save #(.Operands(SumLeft), .Width(SumBits), .Levels(LateLevels)) u_pair (
    .operands_i(left_q), .results_o(pair)
  );

  // ---- The residue: 11 --------------------------------------------------------------------------
  logic [Guard:0] units;
  assign units = {1'b0, pair[0][Guard-1:0]} + {1'b0, pair[1][Guard-1:0]};
  quotient_finish #(.Width(Width), .Modulus(Modulus), .Multiples(Multiples)) u_finish (
    .clk_i, .a_i(pair[0][SumBits-1:Guard]), .b_i(pair[1][SumBits-1:Guard]), .carry_i(units[Guard]),
    .result_o
  );

  logic unused_units;
  assign unused_units = ^{units[Guard-1:0], totals_q};
endmodule
