// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// multiplier_top: bench top with multipliers of several shapes on common operands (their low bits).
// latency_o has the latency of each by arith_pkg; valid_i has a bit for each folded unit.
module multiplier_top (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [4:0]       valid_i,
  input  logic [255:0]     a_i,
  input  logic [255:0]     b_i,
  output logic [42:0]      tile_o,
  output logic [254:0]     grid_o,
  output logic [131:0]     leaf1_o,
  output logic [131:0]     leaf2_o,
  output logic [254:0]     leaf4_o,
  output logic [511:0]     wide_ecp5_o,
  output logic [257:0]     wide_odd_o,
  output logic [399:0]     wide_unequal_o,
  output logic [511:0]     wide2_o,
  output logic [270:0]     wide4_o,
  output logic [129:0]     shift_add_o,
  output logic [127:0]     dense_o,
  output logic [511:0]     skewed_o,
  output logic [12:0][7:0] latency_o
);
  localparam int unsigned A = 26;
  localparam int unsigned B = 17;
  // Three digits, one of them negative, with an addend; and a constant of many digits.
  localparam arith_pkg::constant_t Sparse = arith_pkg::constant_t'(64'hffffffff00000001);
  localparam arith_pkg::constant_t Dense = arith_pkg::constant_t'(64'h53bda402fffe5bfd);

  mul_tile u_tile (.clk_i, .a_i(a_i[25:0]), .b_i(b_i[16:0]), .product_o(tile_o));

  logic [254:0] grid_sum, grid_carry;
  mul_grid #(.WidthA(191), .WidthB(64), .TileA(A), .TileB(B)) u_grid (
    .clk_i, .a_i(a_i[190:0]), .b_i(b_i[63:0]), .sum_o(grid_sum), .carry_o(grid_carry)
  );
  assign grid_o = grid_sum + grid_carry;

  mul_leaf #(.WidthA(66), .WidthB(66), .Interval(1), .TileA(A), .TileB(B)) u_leaf1 (
    .clk_i, .rst_ni, .valid_i(1'b0), .a_i(a_i[65:0]), .b_i(b_i[65:0]), .product_o(leaf1_o)
  );
  mul_leaf #(.WidthA(66), .WidthB(66), .Interval(2), .TileA(A), .TileB(B)) u_leaf2 (
    .clk_i, .rst_ni, .valid_i(valid_i[0]), .a_i(a_i[65:0]), .b_i(b_i[65:0]), .product_o(leaf2_o)
  );
  mul_leaf #(.WidthA(191), .WidthB(64), .Interval(4), .TileA(A), .TileB(B)) u_leaf4 (
    .clk_i, .rst_ni, .valid_i(valid_i[1]), .a_i(a_i[190:0]), .b_i(b_i[63:0]), .product_o(leaf4_o)
  );

  mul_wide #(.TileA(18), .TileB(18)) u_wide_ecp5 (
    .clk_i, .rst_ni, .valid_i(1'b0), .a_i, .b_i, .product_o(wide_ecp5_o)
  );
  mul_wide #(.WidthA(129), .WidthB(129)) u_wide_odd (
    .clk_i, .rst_ni, .valid_i(1'b0), .a_i(a_i[128:0]), .b_i(b_i[128:0]), .product_o(wide_odd_o)
  );
  mul_wide #(.WidthA(255), .WidthB(145)) u_wide_unequal (
    .clk_i, .rst_ni, .valid_i(1'b0), .a_i(a_i[254:0]), .b_i(b_i[144:0]),
    .product_o(wide_unequal_o)
  );
  mul_wide #(.Interval(2), .TileA(18), .TileB(18)) u_wide2 (
    .clk_i, .rst_ni, .valid_i(valid_i[2]), .a_i, .b_i, .product_o(wide2_o)
  );
  mul_wide #(.WidthA(135), .WidthB(136), .Interval(4)) u_wide4 (
    .clk_i, .rst_ni, .valid_i(valid_i[3]), .a_i(a_i[134:0]), .b_i(b_i[135:0]), .product_o(wide4_o)
  );

  const_mul #(.Width(64), .Constant(Sparse), .OutWidth(130), .HasAddend(1'b1)) u_shift_add (
    .clk_i, .rst_ni, .valid_i(1'b0), .x_i(a_i[63:0]), .addend_i(130'(b_i[65:0])),
    .result_o(shift_add_o)
  );
  const_mul #(
    .Width(64), .Constant(Dense), .OutWidth(128), .HasAddend(1'b1), .Interval(2)
  ) u_dense (
    .clk_i, .rst_ni, .valid_i(valid_i[4]), .x_i(a_i[63:0]), .addend_i(b_i[127:0]),
    .result_o(dense_o)
  );

  // A skewed product, with its segments aligned.
  localparam int unsigned Segment = arith_pkg::SegmentWidth;
  localparam int unsigned Last = arith_pkg::ceil_div(512, Segment) - 1;
  logic [511:0] skewed;
  mul_wide #(.Skewed(1'b1)) u_skewed (
    .clk_i, .rst_ni, .valid_i(1'b0), .a_i, .b_i, .product_o(skewed)
  );
  for (genvar k = 0; k <= Last; k++) begin : gen_segment
    localparam int unsigned Bits = arith_pkg::minimum(512 - k * Segment, Segment);
    pipeline_delay #(.DataWidth(Bits), .Stages(Last - k)) u_aligned (
      .clk_i, .data_i(skewed[k*Segment+:Bits]), .data_o(skewed_o[k*Segment+:Bits])
    );
  end

  assign latency_o = {
    8'(arith_pkg::mul_wide_latency(256, 256, 1, A, B) - arith_pkg::skewed_product_clocks(256)
       + Last),
    8'(arith_pkg::const_mul_latency(64, Dense, 128, 1'b1, 2, A, B)),
    8'(arith_pkg::const_mul_latency(64, Sparse, 130, 1'b1, 1, A, B)),
    8'(arith_pkg::mul_wide_latency(135, 136, 4, A, B)),
    8'(arith_pkg::mul_wide_latency(256, 256, 2, 18, 18)),
    8'(arith_pkg::mul_wide_latency(255, 145, 1, A, B)),
    8'(arith_pkg::mul_wide_latency(129, 129, 1, A, B)),
    8'(arith_pkg::mul_wide_latency(256, 256, 1, 18, 18)),
    8'(arith_pkg::mul_leaf_latency(191, 64, 4, A, B)),
    8'(arith_pkg::mul_leaf_latency(66, 66, 2, A, B)),
    8'(arith_pkg::mul_leaf_latency(66, 66, 1, A, B)),
    8'(arith_pkg::mul_grid_latency(191, 64, A, B)),
    8'(arith_pkg::TileLatency)
  };
endmodule
