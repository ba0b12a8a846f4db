// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls12_base_reduce: a Montgomery reduction by p = Bls12BaseModulus without a multiplier, up to the
// subtraction of a small multiple of p: result_o = value_i * 2^-384 modulo p, and
//   0 < result_o <= value_i / 2^384 + 3p.
//
// One value per clock, arith_pkg::Bls12BaseReduceLatency clocks: 2^384 * 3p is added, then two
// rounds (bls12_base_round) each remove a multiple of 3p and 192 zero bits. With value_i < 2^E *
// p^2 the result is below (3 + 2^(E - 3)) * p, as p < 2^381.
module bls12_base_reduce #(
  parameter int unsigned ExtraBits = 4,  // value_i < 2^ExtraBits * p^2
  localparam int unsigned Width = 384,
  localparam int unsigned ResultWidth = Width + ExtraBits + 1
) (
  input  logic                         clk_i,
  input  logic [2*Width+ExtraBits-1:0] value_i,
  output logic [ResultWidth-1:0]       result_o
);
  localparam int unsigned Segment = arith_pkg::Bls12BaseSegment;
  localparam int unsigned Digit = arith_pkg::Bls12BaseDigit;
  // 2^384 * 3p < 2^767; p^2 < 2^762.
  localparam int unsigned StartWidth = arith_pkg::maximum(767, 763 + ExtraBits);
  localparam int unsigned HighWidth = StartWidth - Width;
  localparam int unsigned EndWidth = StartWidth - 2 * Digit;
  localparam logic [HighWidth-1:0] Offset =
      HighWidth'(arith_pkg::constant_t'(3) * arith_pkg::constant_t'(arith_pkg::Bls12BaseModulus));

  // The value with skewed segments, the offset added to the upper ones: 0.
  logic [StartWidth-1:0] start;
  logic [HighWidth-1:0] high, offset, high_sum;
  for (genvar k = 0; k < Width / Segment; k++) begin : gen_low
    pipeline_delay #(.DataWidth(Segment), .Stages(k)) u_low (
      .clk_i, .data_i(value_i[k*Segment+:Segment]), .data_o(start[k*Segment+:Segment])
    );
  end
  for (genvar k = 0; k < arith_pkg::ceil_div(HighWidth, Segment); k++) begin : gen_high
    localparam int unsigned Bits = arith_pkg::minimum(HighWidth - k * Segment, Segment);
    pipeline_delay #(.DataWidth(Bits), .Stages(Width / Segment - 1 + k)) u_high (
      .clk_i, .data_i(value_i[Width+k*Segment+:Bits]), .data_o(high[k*Segment+:Bits])
    );
  end
  assign offset = Offset;
  skew_sum #(.Width(HighWidth), .Operands(2), .Segment(Segment)) u_offset (
    .clk_i, .a_i(high), .b_i(offset), .c_i('0), .sum_o(high_sum)
  );
  assign start[StartWidth-1:Width] = high_sum;

  // 21, 42.
  logic [StartWidth-Digit-1:0] middle;
  logic [EndWidth-1:0] last;
  bls12_base_round #(.InWidth(StartWidth)) u_first (
    .clk_i, .value_i(start), .result_o(middle)
  );
  bls12_base_round #(.InWidth(StartWidth - Digit)) u_second (
    .clk_i, .value_i(middle), .result_o(last)
  );

  // All segments wait for the highest one: 47.
  localparam int unsigned EndSegments = arith_pkg::ceil_div(EndWidth, Segment);
  logic [EndWidth-1:0] aligned;
  for (genvar k = 0; k < EndSegments; k++) begin : gen_align
    localparam int unsigned Bits = arith_pkg::minimum(EndWidth - k * Segment, Segment);
    pipeline_delay #(.DataWidth(Bits), .Stages(EndSegments - 1 - k)) u_align (
      .clk_i, .data_i(last[k*Segment+:Bits]), .data_o(aligned[k*Segment+:Bits])
    );
  end
  assign result_o = ResultWidth'(aligned);

  logic unused_high;
  assign unused_high = ^value_i;
endmodule
