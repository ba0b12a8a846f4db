// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls12_reduce: a Montgomery reduction by r = FrModulus without a multiplier, up to the subtraction
// of a small multiple of r: result_o = (value_i + m * r) / 2^256 < value_i / 2^256 + r.
//
// One value a clock, arith_pkg::Bls12ReduceLatency clocks. Both products, m = -value / r mod 2^256
// and m * r, are shifts and additions, since with c = 0xd201 (bls12_scale)
//   r = X^2 - X + 1,  X = 2^32 * (2^32 c + 1)^2 = 2^32 + 2^65 c + 2^96 c^2;
//   1 / r = (1 + X) / (1 + X^3) = (1 + X) * (1 - X^3 + X^6) mod 2^256, since X^9 = 0 there;
// 1 + X and X^3 - X^6 have few digits (skew_scale), and
//   r = 1 - 2^32 + 2^64 + (2^98 - 2^65) c + (2^130 + 2^129 - 2^96) c^2 + 2^162 c^3 + 2^192 c^4.
// All numbers are skewed (skew_sum). Comments give the clock of a number's segment 0.
//
// Only the bits of value + m * r from 252 up are summed. Ten terms are each rounded down by less
// than 1 or (the inverted ones) by at most 1, in units of 2^252. As the true sum is a multiple of
// 2^256, adding 15 and dropping four bits gives the exact result.
module bls12_reduce #(
  parameter int unsigned ExtraBits = 4,  // 0..4: value_i < 2^ExtraBits * r^2
  parameter bit Skewed = 1'b0,           // value_i is a skewed number
  localparam int unsigned Width = 256,
  localparam int unsigned ResultWidth = Width + ExtraBits + 1
) (
  input  logic                         clk_i,
  input  logic [2*Width+ExtraBits-1:0] value_i,
  output logic [ResultWidth-1:0]       result_o
);
  localparam int unsigned Segment = arith_pkg::SegmentWidth;
  localparam int Base = 252;  // lowest bit that is summed

  localparam arith_pkg::constant_t Root = (arith_pkg::constant_t'(32'hd201) << 32) + 1;
  localparam arith_pkg::constant_t OnePlusX = ((Root * Root) << 32) + 1;
  localparam arith_pkg::constant_t Cube = (OnePlusX - 1) * (OnePlusX - 1) * (OnePlusX - 1);
  localparam arith_pkg::constant_t Powers =
      (Cube - Cube * Cube) & ((arith_pkg::constant_t'(1) << Width) - 1);
  localparam int unsigned HighStart =
      arith_pkg::naf_position(Powers, arith_pkg::naf_weight(Powers, Width) / 2);
  localparam arith_pkg::constant_t HighPowers = arith_pkg::naf_above(Powers, HighStart);
  localparam arith_pkg::constant_t PowersMinus = arith_pkg::naf_minus(Powers);
  localparam bit HighNegative = PowersMinus[HighStart];
  localparam int unsigned UpperWidth = Width + ExtraBits + 4;

  if (ExtraBits > 4) begin : gen_check
    $error("bls12_reduce: ExtraBits is %0d; at most 4", ExtraBits);
  end

  // ---- s = value * (1 + X) mod 2^256 -----------------------------------------------------------
  localparam int unsigned ValueWidth = 2 * Width + ExtraBits;
  logic [ValueWidth-1:0] value;  // 0
  for (genvar k = 0; k < arith_pkg::ceil_div(ValueWidth, Segment); k++) begin : gen_value
    localparam int unsigned Low = k * Segment;
    localparam int unsigned Bits = arith_pkg::minimum(ValueWidth - Low, Segment);
    pipeline_delay #(.DataWidth(Bits), .Stages(Skewed ? 0 : k)) u_value (
      .clk_i, .data_i(value_i[Low+:Bits]), .data_o(value[Low+:Bits])
    );
  end

  // s: 3.
  logic [Width-1:0] s;
  skew_scale #(
    .InWidth(Width), .OutWidth(Width), .Constant(OnePlusX), .Operands(3)
  ) u_s (
    .clk_i, .x_i(value[Width-1:0]), .result_o(s)
  );

  // ---- m = -s + s * (X^3 - X^6) mod 2^256 ------------------------------------------------------
  // The digits of X^3 - X^6 in two halves: 6. m: 7.
  logic [Width-1:0] s_not, s_low, s_high, s_high_signed, m;
  skew_shift #(.InWidth(Width), .OutWidth(Width), .Delay(3), .Invert(1'b1)) u_s_not (
    .clk_i, .x_i(s), .result_o(s_not)
  );
  skew_scale #(
    .InWidth(Width), .OutWidth(Width), .Constant(Powers - HighPowers), .Operands(3)
  ) u_s_low (
    .clk_i, .x_i(s), .result_o(s_low)
  );
  skew_scale #(
    .InWidth(Width), .OutWidth(Width), .Constant(HighNegative ? -HighPowers : HighPowers),
    .Operands(3)
  ) u_s_high (
    .clk_i, .x_i(s), .result_o(s_high)
  );
  skew_shift #(.InWidth(Width), .OutWidth(Width), .Invert(HighNegative)) u_s_high_signed (
    .clk_i, .x_i(s_high), .result_o(s_high_signed)
  );
  skew_sum #(.Width(Width), .CarryIn(HighNegative ? 2 : 1)) u_m (
    .clk_i, .a_i(s_not), .b_i(s_low), .c_i(s_high_signed), .sum_o(m)
  );

  // ---- (value + m * r) >> Base, without the carry from below -----------------------------------
  // m: 7; c m, c^2 m, c^3 m, c^4 m: 9, 11, 13, 15. The number in a sum's name is its clock.
  logic [271:0] m_c;
  logic [287:0] m_cc;
  logic [303:0] m_ccc;
  logic [319:0] m_cccc;
  bls12_scale #(.InWidth(256), .OutWidth(272)) u_m_c (
    .clk_i, .x_i(m), .result_o(m_c)
  );
  bls12_scale #(.InWidth(272), .OutWidth(288)) u_m_cc (
    .clk_i, .x_i(m_c), .result_o(m_cc)
  );
  bls12_scale #(.InWidth(288), .OutWidth(304)) u_m_ccc (
    .clk_i, .x_i(m_cc), .result_o(m_ccc)
  );
  bls12_scale #(.InWidth(304), .OutWidth(320)) u_m_cccc (
    .clk_i, .x_i(m_ccc), .result_o(m_cccc)
  );

  // The value's upper part: 10. It comes from a shift-register table, late in a clock: so it is one
  // of only two operands.
  logic [UpperWidth-1:0] value_10;
  skew_shift #(
    .InWidth(ValueWidth), .OutWidth(UpperWidth), .Shift(-Base), .Delay(10)
  ) u_value_10 (
    .clk_i, .x_i(value), .result_o(value_10)
  );

  logic [UpperWidth-1:0] m_64, m_32, sum_10, m_0, sum_11, m_c_98, m_c_65, sum_12, m_cc_130,
      m_cc_129, sum_13, sum_14, m_cc_96, m_ccc_162, sum_15, sum_16, m_cccc_192, sum_17;
  skew_shift #(.InWidth(256), .OutWidth(UpperWidth), .Shift(64 - Base), .Delay(2)) u_m_64 (
    .clk_i, .x_i(m), .result_o(m_64)
  );
  skew_shift #(
    .InWidth(256), .OutWidth(UpperWidth), .Shift(32 - Base), .Delay(2), .Invert(1'b1)
  ) u_m_32 (
    .clk_i, .x_i(m), .result_o(m_32)
  );
  skew_shift #(.InWidth(256), .OutWidth(UpperWidth), .Shift(-Base), .Delay(2)) u_m_0 (
    .clk_i, .x_i(m), .result_o(m_0)
  );
  skew_sum #(.Width(UpperWidth)) u_sum_10 (
    .clk_i, .a_i(m_0), .b_i(m_64), .c_i(m_32), .sum_o(sum_10)
  );
  skew_sum #(.Width(UpperWidth), .Operands(2)) u_sum_11 (
    .clk_i, .a_i(sum_10), .b_i(value_10), .c_i('0), .sum_o(sum_11)
  );
  skew_shift #(.InWidth(272), .OutWidth(UpperWidth), .Shift(98 - Base), .Delay(2)) u_m_c_98 (
    .clk_i, .x_i(m_c), .result_o(m_c_98)
  );
  skew_shift #(
    .InWidth(272), .OutWidth(UpperWidth), .Shift(65 - Base), .Delay(2), .Invert(1'b1)
  ) u_m_c_65 (
    .clk_i, .x_i(m_c), .result_o(m_c_65)
  );
  skew_sum #(.Width(UpperWidth)) u_sum_12 (
    .clk_i, .a_i(sum_11), .b_i(m_c_98), .c_i(m_c_65), .sum_o(sum_12)
  );
  skew_shift #(.InWidth(288), .OutWidth(UpperWidth), .Shift(130 - Base), .Delay(1)) u_m_cc_130 (
    .clk_i, .x_i(m_cc), .result_o(m_cc_130)
  );
  skew_shift #(.InWidth(288), .OutWidth(UpperWidth), .Shift(129 - Base), .Delay(1)) u_m_cc_129 (
    .clk_i, .x_i(m_cc), .result_o(m_cc_129)
  );
  skew_sum #(.Width(UpperWidth)) u_sum_13 (
    .clk_i, .a_i(sum_12), .b_i(m_cc_130), .c_i(m_cc_129), .sum_o(sum_13)
  );
  skew_shift #(.InWidth(UpperWidth), .OutWidth(UpperWidth), .Delay(1)) u_sum_14 (
    .clk_i, .x_i(sum_13), .result_o(sum_14)
  );
  skew_shift #(
    .InWidth(288), .OutWidth(UpperWidth), .Shift(96 - Base), .Delay(3), .Invert(1'b1)
  ) u_m_cc_96 (
    .clk_i, .x_i(m_cc), .result_o(m_cc_96)
  );
  skew_shift #(.InWidth(304), .OutWidth(UpperWidth), .Shift(162 - Base), .Delay(1)) u_m_ccc_162 (
    .clk_i, .x_i(m_ccc), .result_o(m_ccc_162)
  );
  skew_sum #(.Width(UpperWidth)) u_sum_15 (
    .clk_i, .a_i(sum_14), .b_i(m_ccc_162), .c_i(m_cc_96), .sum_o(sum_15)
  );
  skew_shift #(.InWidth(UpperWidth), .OutWidth(UpperWidth), .Delay(1)) u_sum_16 (
    .clk_i, .x_i(sum_15), .result_o(sum_16)
  );
  skew_shift #(.InWidth(320), .OutWidth(UpperWidth), .Shift(192 - Base), .Delay(1)) u_m_cccc_192 (
    .clk_i, .x_i(m_cccc), .result_o(m_cccc_192)
  );
  skew_sum #(.Width(UpperWidth)) u_sum_17 (
    .clk_i, .a_i(sum_16), .b_i(m_cccc_192), .c_i(UpperWidth'(15)), .sum_o(sum_17)
  );

  // Segment 0 waits for segment 1: 18.
  logic [UpperWidth-1:0] aligned;
  logic unused_low;
  pipeline_delay #(.DataWidth(Segment), .Stages(1)) u_aligned (
    .clk_i, .data_i(sum_17[Segment-1:0]), .data_o(aligned[Segment-1:0])
  );
  assign aligned[UpperWidth-1:Segment] = sum_17[UpperWidth-1:Segment];
  assign result_o = ResultWidth'(aligned[UpperWidth-1:4]);
  assign unused_low = ^aligned[3:0];
endmodule
