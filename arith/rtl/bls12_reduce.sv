// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls12_reduce: a Montgomery reduction by r = FrModulus without a multiplier, up to the subtraction
// of a small multiple of r: result_o = (value_i + m * r) / 2^256 < value_i / 2^256 + r.
//
// One value a clock, arith_pkg::Bls12ReduceLatency clocks. Both products, m = -value / r mod 2^256
// and m * r, are a few shifts and additions, since with c = 0xd201 (bls12_scale)
//   r = X^2 - X + 1,  X = 2^32 * (2^32 c + 1)^2 = 2^32 + 2^65 c + 2^96 c^2;
//   1 / r = (1 + X) / (1 + X^3) = (1 + X) * (1 - X^3 + X^6) mod 2^256, since X^9 = 0 there;
//   X^3 = 2^96 + 6 * 2^128 c + 15 * 2^160 c^2 + 20 * 2^192 c^3 + 15 * 2^224 c^4 mod 2^256;
//   X^6 = 2^192 + 12 * 2^224 c mod 2^256;
//   r = 1 - 2^32 + 2^64 + (2^98 - 2^65) c + (2^130 + 2^129 - 2^96) c^2 + 2^162 c^3 + 2^192 c^4.
// All numbers are skewed (skew_sum). Comments give the clock of a number's segment 0.
//
// Only the bits of value + m * r from 252 up are summed. Ten terms are each rounded down by less
// than 1 or (the inverted ones) by at most 1, in units of 2^252. As the true sum is a multiple of
// 2^256, adding 15 and dropping four bits gives the exact result.
module bls12_reduce #(
  parameter int unsigned ExtraBits = 4,  // 0..4: value_i < 2^ExtraBits * r^2
  localparam int unsigned Width = 256,
  localparam int unsigned ResultWidth = Width + ExtraBits + 1
) (
  input  logic                         clk_i,
  input  logic [2*Width+ExtraBits-1:0] value_i,
  output logic [ResultWidth-1:0]       result_o
);
  localparam int unsigned Segment = arith_pkg::SegmentWidth;
  localparam int Base = 252;  // lowest bit that is summed
  localparam int unsigned UpperWidth = Width + ExtraBits + 4;

  if (ExtraBits > 4) begin : gen_check
    $error("bls12_reduce: ExtraBits is %0d; at most 4", ExtraBits);
  end

  // ---- s = value * (1 + X) mod 2^256 -----------------------------------------------------------
  logic [Width-1:0] t;  // 0
  pipeline_delay #(.DataWidth(Width - Segment), .Stages(1)) u_t (
    .clk_i, .data_i(value_i[Width-1:Segment]), .data_o(t[Width-1:Segment])
  );
  assign t[Segment-1:0] = value_i[Segment-1:0];

  logic [190:0] t_c;
  logic [159:0] t_cc;
  logic [255:0] t_2, t_32, t_c_65, s_part, s_part_4, t_cc_96, s;
  // c t and c^2 t: 2 and 4.
  bls12_scale #(.InWidth(256), .OutWidth(191)) u_t_c (
    .clk_i, .x_i(t), .result_o(t_c)
  );
  bls12_scale #(.InWidth(191), .OutWidth(160)) u_t_cc (
    .clk_i, .x_i(t_c), .result_o(t_cc)
  );

  // s: 5.
  skew_shift #(.InWidth(256), .OutWidth(256), .Delay(2)) u_t_2 (
    .clk_i, .x_i(t), .result_o(t_2)
  );
  skew_shift #(.InWidth(256), .OutWidth(256), .Shift(32), .Delay(2)) u_t_32 (
    .clk_i, .x_i(t), .result_o(t_32)
  );
  skew_shift #(.InWidth(191), .OutWidth(256), .Shift(65)) u_t_c_65 (
    .clk_i, .x_i(t_c), .result_o(t_c_65)
  );
  skew_sum #(.Width(256)) u_s_part (
    .clk_i, .a_i(t_2), .b_i(t_32), .c_i(t_c_65), .sum_o(s_part)
  );
  skew_shift #(.InWidth(256), .OutWidth(256), .Delay(1)) u_s_part_4 (
    .clk_i, .x_i(s_part), .result_o(s_part_4)
  );
  skew_shift #(.InWidth(160), .OutWidth(256), .Shift(96)) u_t_cc_96 (
    .clk_i, .x_i(t_cc), .result_o(t_cc_96)
  );
  skew_sum #(.Width(256), .Operands(2), .Low(96)) u_s (
    .clk_i, .a_i(s_part_4), .b_i(t_cc_96), .c_i('0), .sum_o(s)
  );

  // ---- m = -s * (1 - X^3 + X^6) mod 2^256 ------------------------------------------------------
  logic [127:0] s_c;
  logic [95:0] s_cc;
  logic [63:0] s_ccc;
  logic [31:0] s_cccc;
  logic [255:0] s_not, s_96, s_192_not, m_6, m_7, s_c_130, s_c_129, m_8, s_c_227, s_c_226, m_9,
      s_cc_164, s_cc_160, m_10, m_11, s_ccc_196, s_ccc_194, m_12, m_13, s_cccc_228, s_cccc_224, m;
  // c s, c^2 s, c^3 s, c^4 s, only the bits that are needed: 7, 9, 11, 13.
  bls12_scale #(.InWidth(256), .OutWidth(128)) u_s_c (
    .clk_i, .x_i(s), .result_o(s_c)
  );
  bls12_scale #(.InWidth(128), .OutWidth(96)) u_s_cc (
    .clk_i, .x_i(s_c), .result_o(s_cc)
  );
  bls12_scale #(.InWidth(96), .OutWidth(64)) u_s_ccc (
    .clk_i, .x_i(s_cc), .result_o(s_ccc)
  );
  bls12_scale #(.InWidth(64), .OutWidth(32)) u_s_cccc (
    .clk_i, .x_i(s_ccc), .result_o(s_cccc)
  );

  // m_6 = -s + 2^96 s - 2^192 s; the number in its name is its clock, likewise below.
  skew_shift #(.InWidth(256), .OutWidth(256), .Invert(1'b1)) u_s_not (
    .clk_i, .x_i(s), .result_o(s_not)
  );
  skew_shift #(.InWidth(256), .OutWidth(256), .Shift(96)) u_s_96 (
    .clk_i, .x_i(s), .result_o(s_96)
  );
  skew_shift #(.InWidth(256), .OutWidth(256), .Shift(192), .Invert(1'b1)) u_s_192_not (
    .clk_i, .x_i(s), .result_o(s_192_not)
  );
  skew_sum #(.Width(256), .CarryIn(2)) u_m_6 (
    .clk_i, .a_i(s_not), .b_i(s_96), .c_i(s_192_not), .sum_o(m_6)
  );

  // + 6 * 2^128 c s - 12 * 2^224 c s.
  skew_shift #(.InWidth(256), .OutWidth(256), .Delay(1)) u_m_7 (
    .clk_i, .x_i(m_6), .result_o(m_7)
  );
  skew_shift #(.InWidth(128), .OutWidth(256), .Shift(130)) u_s_c_130 (
    .clk_i, .x_i(s_c), .result_o(s_c_130)
  );
  skew_shift #(.InWidth(128), .OutWidth(256), .Shift(129)) u_s_c_129 (
    .clk_i, .x_i(s_c), .result_o(s_c_129)
  );
  skew_sum #(.Width(256), .Low(129)) u_m_8 (
    .clk_i, .a_i(m_7), .b_i(s_c_130), .c_i(s_c_129), .sum_o(m_8)
  );
  skew_shift #(.InWidth(128), .OutWidth(256), .Shift(227), .Delay(1), .Invert(1'b1)) u_s_c_227 (
    .clk_i, .x_i(s_c), .result_o(s_c_227)
  );
  skew_shift #(.InWidth(128), .OutWidth(256), .Shift(226), .Delay(1), .Invert(1'b1)) u_s_c_226 (
    .clk_i, .x_i(s_c), .result_o(s_c_226)
  );
  skew_sum #(.Width(256), .CarryIn(2), .Low(226)) u_m_9 (
    .clk_i, .a_i(m_8), .b_i(s_c_227), .c_i(s_c_226), .sum_o(m_9)
  );

  // + 15 * 2^160 c^2 s + 20 * 2^192 c^3 s + 15 * 2^224 c^4 s.
  skew_shift #(.InWidth(96), .OutWidth(256), .Shift(164)) u_s_cc_164 (
    .clk_i, .x_i(s_cc), .result_o(s_cc_164)
  );
  skew_shift #(.InWidth(96), .OutWidth(256), .Shift(160), .Invert(1'b1)) u_s_cc_160 (
    .clk_i, .x_i(s_cc), .result_o(s_cc_160)
  );
  skew_sum #(.Width(256), .CarryIn(1), .Low(160)) u_m_10 (
    .clk_i, .a_i(m_9), .b_i(s_cc_164), .c_i(s_cc_160), .sum_o(m_10)
  );
  skew_shift #(.InWidth(256), .OutWidth(256), .Delay(1)) u_m_11 (
    .clk_i, .x_i(m_10), .result_o(m_11)
  );
  skew_shift #(.InWidth(64), .OutWidth(256), .Shift(196)) u_s_ccc_196 (
    .clk_i, .x_i(s_ccc), .result_o(s_ccc_196)
  );
  skew_shift #(.InWidth(64), .OutWidth(256), .Shift(194)) u_s_ccc_194 (
    .clk_i, .x_i(s_ccc), .result_o(s_ccc_194)
  );
  skew_sum #(.Width(256), .Low(194)) u_m_12 (
    .clk_i, .a_i(m_11), .b_i(s_ccc_196), .c_i(s_ccc_194), .sum_o(m_12)
  );
  skew_shift #(.InWidth(256), .OutWidth(256), .Delay(1)) u_m_13 (
    .clk_i, .x_i(m_12), .result_o(m_13)
  );
  skew_shift #(.InWidth(32), .OutWidth(256), .Shift(228)) u_s_cccc_228 (
    .clk_i, .x_i(s_cccc), .result_o(s_cccc_228)
  );
  skew_shift #(.InWidth(32), .OutWidth(256), .Shift(224), .Invert(1'b1)) u_s_cccc_224 (
    .clk_i, .x_i(s_cccc), .result_o(s_cccc_224)
  );
  skew_sum #(.Width(256), .CarryIn(1), .Low(224)) u_m (
    .clk_i, .a_i(m_13), .b_i(s_cccc_228), .c_i(s_cccc_224), .sum_o(m)
  );

  // ---- (value + m * r) >> Base, without the carry from below -----------------------------------
  // m: 14; c m, c^2 m, c^3 m, c^4 m: 16, 18, 20, 22.
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

  // The value's upper part: 17. Its segments come all at once, unlike those of a skewed number. It
  // comes from a shift-register table, late in a clock: so it is one of only two operands.
  logic [UpperWidth-1:0] value_17;
  for (genvar k = 0; k < arith_pkg::ceil_div(UpperWidth, Segment); k++) begin : gen_value
    localparam int unsigned Low = k * Segment;
    localparam int unsigned Bits = arith_pkg::minimum(UpperWidth - Low, Segment);
    pipeline_delay #(.DataWidth(Bits), .Stages(17 + k)) u_value (
      .clk_i, .data_i(value_i[Base+Low+:Bits]), .data_o(value_17[Low+:Bits])
    );
  end

  logic [UpperWidth-1:0] m_64, m_32, sum_17, m_0, sum_18, m_c_98, m_c_65, sum_19, m_cc_130,
      m_cc_129, sum_20, sum_21, m_cc_96, m_ccc_162, sum_22, sum_23, m_cccc_192, sum_24;
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
  skew_sum #(.Width(UpperWidth)) u_sum_17 (
    .clk_i, .a_i(m_0), .b_i(m_64), .c_i(m_32), .sum_o(sum_17)
  );
  skew_sum #(.Width(UpperWidth), .Operands(2)) u_sum_18 (
    .clk_i, .a_i(sum_17), .b_i(value_17), .c_i('0), .sum_o(sum_18)
  );
  skew_shift #(.InWidth(272), .OutWidth(UpperWidth), .Shift(98 - Base), .Delay(2)) u_m_c_98 (
    .clk_i, .x_i(m_c), .result_o(m_c_98)
  );
  skew_shift #(
    .InWidth(272), .OutWidth(UpperWidth), .Shift(65 - Base), .Delay(2), .Invert(1'b1)
  ) u_m_c_65 (
    .clk_i, .x_i(m_c), .result_o(m_c_65)
  );
  skew_sum #(.Width(UpperWidth)) u_sum_19 (
    .clk_i, .a_i(sum_18), .b_i(m_c_98), .c_i(m_c_65), .sum_o(sum_19)
  );
  skew_shift #(.InWidth(288), .OutWidth(UpperWidth), .Shift(130 - Base), .Delay(1)) u_m_cc_130 (
    .clk_i, .x_i(m_cc), .result_o(m_cc_130)
  );
  skew_shift #(.InWidth(288), .OutWidth(UpperWidth), .Shift(129 - Base), .Delay(1)) u_m_cc_129 (
    .clk_i, .x_i(m_cc), .result_o(m_cc_129)
  );
  skew_sum #(.Width(UpperWidth)) u_sum_20 (
    .clk_i, .a_i(sum_19), .b_i(m_cc_130), .c_i(m_cc_129), .sum_o(sum_20)
  );
  skew_shift #(.InWidth(UpperWidth), .OutWidth(UpperWidth), .Delay(1)) u_sum_21 (
    .clk_i, .x_i(sum_20), .result_o(sum_21)
  );
  skew_shift #(
    .InWidth(288), .OutWidth(UpperWidth), .Shift(96 - Base), .Delay(3), .Invert(1'b1)
  ) u_m_cc_96 (
    .clk_i, .x_i(m_cc), .result_o(m_cc_96)
  );
  skew_shift #(.InWidth(304), .OutWidth(UpperWidth), .Shift(162 - Base), .Delay(1)) u_m_ccc_162 (
    .clk_i, .x_i(m_ccc), .result_o(m_ccc_162)
  );
  skew_sum #(.Width(UpperWidth)) u_sum_22 (
    .clk_i, .a_i(sum_21), .b_i(m_ccc_162), .c_i(m_cc_96), .sum_o(sum_22)
  );
  skew_shift #(.InWidth(UpperWidth), .OutWidth(UpperWidth), .Delay(1)) u_sum_23 (
    .clk_i, .x_i(sum_22), .result_o(sum_23)
  );
  skew_shift #(.InWidth(320), .OutWidth(UpperWidth), .Shift(192 - Base), .Delay(1)) u_m_cccc_192 (
    .clk_i, .x_i(m_cccc), .result_o(m_cccc_192)
  );
  skew_sum #(.Width(UpperWidth)) u_sum_24 (
    .clk_i, .a_i(sum_23), .b_i(m_cccc_192), .c_i(UpperWidth'(15)), .sum_o(sum_24)
  );

  // Segment 0 waits for segment 1: 25.
  logic [UpperWidth-1:0] aligned;
  logic unused_low;
  pipeline_delay #(.DataWidth(Segment), .Stages(1)) u_aligned (
    .clk_i, .data_i(sum_24[Segment-1:0]), .data_o(aligned[Segment-1:0])
  );
  assign aligned[UpperWidth-1:Segment] = sum_24[UpperWidth-1:Segment];
  assign result_o = ResultWidth'(aligned[UpperWidth-1:4]);
  assign unused_low = ^aligned[3:0];
endmodule
