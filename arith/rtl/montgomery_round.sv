// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// montgomery_round: one digit of a Montgomery reduction. With A = sum_i + carry_i <= Modulus and
// the value's next digit of K bits,
//   q = -(A + digit) / Modulus mod 2^K,    A' = (A + digit + q * Modulus) / 2^K + addend,
// where the division is exact and A' - addend <= Modulus again. (Montgomery, Modular multiplication
// without trial division, 1985; K = arith_pkg::montgomery_round_width.)
//
// A stays a carry-save pair of non-negative integers, so no carry propagates through the number.
// Only its lowest digit is summed, since the quotient needs it. Modulus = High * 2^K + Low:
//   A' = A >> K  +  q * High  +  (carried digit + q * Low) >> K  +  addend.
// One round every Interval clocks, arith_pkg::montgomery_round_latency(...) clocks after valid_i,
// with which all inputs are sampled. OutWidth: bits of A'.
module montgomery_round #(
  parameter int unsigned Width = 256,
  parameter int unsigned OutWidth = 256,
  parameter logic [Width-1:0] Modulus = arith_pkg::FrModulus,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17,
  localparam int unsigned DigitWidth =
      arith_pkg::montgomery_round_width(arith_pkg::constant_t'(Modulus))
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  valid_i,
  input  logic [Width-1:0]      sum_i,
  input  logic [Width-1:0]      carry_i,
  input  logic [DigitWidth-1:0] digit_i,
  input  logic [OutWidth-1:0]   addend_i,
  output logic [OutWidth-1:0]   sum_o,
  output logic [OutWidth-1:0]   carry_o
);
  localparam arith_pkg::constant_t Full = arith_pkg::constant_t'(Modulus);
  localparam arith_pkg::constant_t High = Full >> DigitWidth;
  localparam arith_pkg::constant_t Low = arith_pkg::constant_t'(Modulus[DigitWidth-1:0]);
  localparam arith_pkg::constant_t Inverse = arith_pkg::negative_inverse(Full, DigitWidth);

  // Bits of: the summed digit (three addends), q * High, and digit + q * Low.
  localparam int unsigned LowestWidth = DigitWidth + 2;
  localparam int unsigned HighBits = arith_pkg::bit_length(High);
  localparam int unsigned HighWidth = DigitWidth + HighBits;
  localparam int unsigned LowWidth = DigitWidth + arith_pkg::bit_length(Low) + 2;
  localparam int unsigned RestWidth = Width - DigitWidth;

  localparam int unsigned LowestLatency = arith_pkg::adder_tree_latency(3, LowestWidth);
  localparam int unsigned QuotientLatency =
      arith_pkg::montgomery_quotient_latency(Full, Interval, TileA, TileB);
  localparam int unsigned ProductLatency =
      arith_pkg::montgomery_product_latency(Width, Full, Interval, TileA, TileB);
  localparam int unsigned LowLatency =
      arith_pkg::const_mul_latency(DigitWidth, Low, LowWidth, 1'b1, Interval, TileA, TileB);
  localparam bit UseGrid = arith_pkg::montgomery_uses_grid(Full, Width, Interval);

  // The quotient.
  logic [LowestWidth-1:0] lowest, lowest_late;
  logic [DigitWidth-1:0] quotient;
  logic lowest_valid, quotient_valid;

  adder_tree #(.Operands(3), .Width(LowestWidth)) u_lowest (
    .clk_i,
    .operands_i({LowestWidth'(sum_i[DigitWidth-1:0]), LowestWidth'(carry_i[DigitWidth-1:0]),
                 LowestWidth'(digit_i)}),
    .sum_o(lowest)
  );
  valid_delay #(.Stages(LowestLatency)) u_lowest_valid (
    .clk_i, .rst_ni, .valid_i, .valid_o(lowest_valid)
  );
  const_mul #(
    .Width(DigitWidth), .Constant(Inverse), .OutWidth(DigitWidth), .Interval(Interval),
    .TileA(TileA), .TileB(TileB)
  ) u_quotient (
    .clk_i, .rst_ni, .valid_i(lowest_valid), .x_i(lowest[DigitWidth-1:0]), .addend_i('0),
    .result_o(quotient)
  );
  valid_delay #(.Stages(QuotientLatency)) u_quotient_valid (
    .clk_i, .rst_ni, .valid_i(lowest_valid), .valid_o(quotient_valid)
  );
  pipeline_delay #(.DataWidth(LowestWidth), .Stages(QuotientLatency)) u_lowest_late (
    .clk_i, .data_i(lowest), .data_o(lowest_late)
  );

  // quotient * High, as a carry-save pair.
  logic [HighWidth-1:0] high_sum, high_carry, high_sum_late, high_carry_late;
  if (UseGrid) begin : gen_grid
    logic unused_valid;
    assign unused_valid = quotient_valid;
    mul_grid #(.WidthA(HighBits), .WidthB(DigitWidth), .TileA(TileA), .TileB(TileB)) u_high (
      .clk_i, .a_i(High[HighBits-1:0]), .b_i(quotient), .sum_o(high_sum), .carry_o(high_carry)
    );
  end else begin : gen_plain
    const_mul #(
      .Width(DigitWidth), .Constant(High), .OutWidth(HighWidth), .Interval(Interval),
      .TileA(TileA), .TileB(TileB)
    ) u_high (
      .clk_i, .rst_ni, .valid_i(quotient_valid), .x_i(quotient), .addend_i('0),
      .result_o(high_sum)
    );
    assign high_carry = '0;
  end
  localparam int unsigned HighLatency = UseGrid
      ? arith_pkg::mul_grid_latency(HighBits, DigitWidth, TileA, TileB)
      : arith_pkg::const_mul_latency(DigitWidth, High, HighWidth, 1'b0, Interval, TileA, TileB);
  pipeline_delay #(
    .DataWidth(2 * HighWidth), .Stages(ProductLatency - HighLatency)
  ) u_high_late (
    .clk_i, .data_i({high_sum, high_carry}), .data_o({high_sum_late, high_carry_late})
  );

  // (lowest + quotient * Low) >> DigitWidth; the bits shifted out are zero.
  logic [LowWidth-1:0] low;
  logic [LowWidth-DigitWidth-1:0] low_late;
  logic unused_low;
  const_mul #(
    .Width(DigitWidth), .Constant(Low), .OutWidth(LowWidth), .HasAddend(1'b1),
    .Interval(Interval), .TileA(TileA), .TileB(TileB)
  ) u_low (
    .clk_i, .rst_ni, .valid_i(quotient_valid), .x_i(quotient),
    .addend_i(LowWidth'(lowest_late)), .result_o(low)
  );
  assign unused_low = ^low[DigitWidth-1:0];
  pipeline_delay #(
    .DataWidth(LowWidth - DigitWidth), .Stages(ProductLatency - LowLatency)
  ) u_low_late (
    .clk_i, .data_i(low[LowWidth-1:DigitWidth]), .data_o(low_late)
  );

  // The rest of A and the addend wait for these results.
  logic [RestWidth-1:0] sum_late, carry_late;
  logic [OutWidth-1:0] addend_late;
  pipeline_delay #(
    .DataWidth(2 * RestWidth + OutWidth), .Stages(LowestLatency + QuotientLatency + ProductLatency)
  ) u_rest (
    .clk_i,
    .data_i({sum_i[Width-1:DigitWidth], carry_i[Width-1:DigitWidth], addend_i}),
    .data_o({sum_late, carry_late, addend_late})
  );

  compress #(.Operands(6), .Width(OutWidth)) u_merge (
    .clk_i,
    .operands_i({OutWidth'(high_sum_late), OutWidth'(high_carry_late), OutWidth'(low_late),
                 OutWidth'(sum_late), OutWidth'(carry_late), addend_late}),
    .sum_o, .carry_o
  );
endmodule
