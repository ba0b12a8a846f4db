// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mod_mul: the Montgomery product a * b * 2^-Width mod Modulus. Operands and result are in [0,
// Modulus).
//
// One product every Interval clocks (1, 2 or 4), arith_pkg::mod_mul_latency(...) clocks after its
// operands are sampled with valid_i, which must not come more often. A tag travels with each
// product. A reset drops all products in flight.
module mod_mul #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus = arith_pkg::FrModulus,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17,
  parameter bit ReduceTiles = 1'b0,  // see montgomery_reduce
  parameter int unsigned TagBits = 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  input  logic [Width-1:0]   a_i,
  input  logic [Width-1:0]   b_i,
  input  logic [TagBits-1:0] tag_i,
  output logic               valid_o,
  output logic [Width-1:0]   product_o,
  output logic [TagBits-1:0] tag_o
);
  localparam arith_pkg::constant_t Full = arith_pkg::constant_t'(Modulus);
  localparam int unsigned MulLatency =
      arith_pkg::mul_wide_latency(Width, Width, Interval, TileA, TileB);
  localparam int unsigned Latency =
      arith_pkg::mod_mul_latency(Width, Full, Interval, TileA, TileB, ReduceTiles);

  logic [2*Width-1:0] product;
  logic product_valid;

  mul_wide #(
    .WidthA(Width), .WidthB(Width), .Interval(Interval), .TileA(TileA), .TileB(TileB)
  ) u_mul (
    .clk_i, .rst_ni, .valid_i, .a_i, .b_i, .product_o(product)
  );
  valid_delay #(.Stages(MulLatency)) u_product_valid (
    .clk_i, .rst_ni, .valid_i, .valid_o(product_valid)
  );
  montgomery_reduce #(
    .Width(Width), .Modulus(Modulus), .ExtraBits(0), .Interval(Interval), .TileA(TileA),
    .TileB(TileB), .ReduceTiles(ReduceTiles)
  ) u_reduce (
    .clk_i, .rst_ni, .valid_i(product_valid), .value_i(product), .result_o(product_o)
  );

  valid_delay #(.Stages(Latency - MulLatency)) u_valid (
    .clk_i, .rst_ni, .valid_i(product_valid), .valid_o
  );
  pipeline_delay #(.DataWidth(TagBits), .Stages(Latency)) u_tag (
    .clk_i, .data_i(tag_i), .data_o(tag_o)
  );
endmodule
