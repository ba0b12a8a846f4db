// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_products: the pipeline of field_core's multiply slot: product, accumulator, reduction.
//
// With SavedCarries carries pass along unpropagated until the last addition (mul_saved,
// field_core_saved_accumulator, and fold_saved or montgomery_saved): 12 clocks instead of 23 for
// secp256k1, 20 instead of 78 for BLS12-381's base field. A sum of products is then larger by
// Modulus * 2^Width for each product.
//
// Cycles: operands with multiply_valid_i; the product of the turn of turn_* is two clocks later at
// the accumulator; reduce_valid_i with the accumulated value; high_i, for the product's high half
// instead of its residue, two clocks before product_o. With SavedCarries only the high half of one
// product is right, not that of a sum.
module field_core_products
  import field_core_isa_pkg::*;
#(
  parameter  int unsigned      Width         = 256,
  parameter  logic [Width-1:0] Modulus       = arith_pkg::Secp256k1Modulus,
  parameter  int unsigned      Contexts      = 64,
  parameter  int unsigned      Interval      = 1,
  parameter  int unsigned      TileA         = 26,
  parameter  int unsigned      TileB         = 17,
  parameter  bit               ReduceTiles   = 1'b0,
  parameter  bit               Folds         = 1'b0,
  parameter  bit               SavedCarries  = 1'b0,
  parameter  bit               High          = 1'b0,  // high halves are used
  parameter  bit               Follows       = 1'b0,  // field_core_accumulator
  parameter  bit               SkewedProduct = 1'b0,
  parameter  bit               Skewed        = 1'b0,  // the sum of products
  parameter  int unsigned      ReduceLatency = 8,
  localparam int unsigned      ContextBits   = $clog2(Contexts)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   multiply_valid_i,
  input  logic [Width-1:0]       a_i,
  input  logic [Width-1:0]       b_i,
  input  logic                   turn_valid_i,    // the turn carries a product
  input  logic [ContextBits-1:0] turn_context_i,
  input  logic                   turn_add_i,
  input  logic                   turn_follows_i,
  input  logic                   reduce_valid_i,
  input  logic                   high_i,
  output logic [Width-1:0]       product_o,
  output logic                   memory_error_o
);
  localparam int unsigned ExtraBits = AccumulatorExtraBits;
  if (SavedCarries && (Interval != 1 || (High && !Folds))) begin : gen_check
    $error("field_core_products: saved carries need Interval = 1, and high halves need folds");
  end

  logic [Width-1:0] reduced, high;

  if (SavedCarries) begin : gen_saved
    // Each product is offset by Modulus * 2^Width: one bit more.
    localparam int unsigned ValueBits  = 2 * Width + ExtraBits + 1;
    localparam int unsigned Segments   = arith_pkg::ceil_div(ValueBits, arith_pkg::SavedSegment);
    localparam int unsigned CountBits  = $clog2(2 * MaxProductsPerSum + 1);
    logic [ValueBits-1:0]                   product_wide, sum_of_products;
    logic [Segments-1:1]                    product_carries, sum_carries;
    logic [Segments-1:1][CountBits-1:0]     sum_counts;

    mul_saved #(
      .Width    (Width),
      .ValueBits(ValueBits),
      .Offset   (Modulus),
      .TileA    (TileA),
      .TileB    (TileB)
    ) u_multiplier (
      .clk_i,
      .a_i,
      .b_i,
      .value_o  (product_wide),
      .carries_o(product_carries)
    );

    field_core_saved_accumulator #(
      .Width       (ValueBits),
      .Contexts    (Contexts),
      .MostProducts(MaxProductsPerSum),
      .Close       (Follows ? 1 : 2)
    ) u_accumulator (
      .clk_i,
      .rst_ni,
      .turn_valid_i,
      .turn_context_i,
      .turn_add_i,
      .product_i     (product_wide),
      .carries_i     (product_carries),
      .value_o       (sum_of_products),
      .counts_o      (sum_counts),
      .carries_o     (sum_carries),
      .memory_error_o
    );

    if (Folds) begin : gen_fold
      fold_saved #(
        .Width    (Width),
        .Modulus  (Modulus),
        .ValueBits(ValueBits),
        .CountBits(CountBits)
      ) u_reduce (
        .clk_i,
        .value_i  (sum_of_products),
        .counts_i (sum_counts),
        .carries_i(sum_carries),
        .result_o (reduced),
        .high_o   (high)
      );
    end else begin : gen_montgomery
      montgomery_saved #(
        .Width    (Width),
        .Modulus  (Modulus),
        .ValueBits(ValueBits),
        .CountBits(CountBits),
        .Multiples(arith_pkg::saved_multiples(
            Width, arith_pkg::constant_t'(Modulus), ExtraBits, MaxProductsPerSum)),
        .TileA    (TileA),
        .TileB    (TileB)
      ) u_reduce (
        .clk_i,
        .value_i  (sum_of_products),
        .counts_i (sum_counts),
        .carries_i(sum_carries),
        .result_o (reduced)
      );
      assign high = '0;
    end
    logic unused_control;
    assign unused_control = ^{turn_follows_i, multiply_valid_i, reduce_valid_i};
  end else begin : gen_propagated
    logic [2*Width-1:0]           product_wide;
    logic [2*Width+ExtraBits-1:0] sum_of_products;

    mul_wide #(
      .WidthA  (Width),
      .WidthB  (Width),
      .Interval(Interval),
      .TileA   (TileA),
      .TileB   (TileB),
      .Skewed  (SkewedProduct)
    ) u_multiplier (
      .clk_i,
      .rst_ni,
      .valid_i  (multiply_valid_i),
      .a_i,
      .b_i,
      .product_o(product_wide)
    );

    field_core_accumulator #(
      .Width        (Width),
      .ExtraBits    (ExtraBits),
      .Contexts     (Contexts),
      .Follows      (Follows),
      .SkewedProduct(SkewedProduct),
      .SkewedValue  (Skewed)
    ) u_accumulator (
      .clk_i,
      .rst_ni,
      .turn_valid_i,
      .turn_context_i,
      .turn_add_i,
      .turn_follows_i,
      .product_i     (product_wide),
      .value_o       (sum_of_products),
      .memory_error_o
    );

    if (Folds) begin : gen_fold
      logic unused_reduce;
      assign unused_reduce = reduce_valid_i;
      fold_reduce #(
        .Width    (Width),
        .Modulus  (Modulus),
        .ExtraBits(ExtraBits)
      ) u_reduce (
        .clk_i,
        .value_i (sum_of_products),
        .result_o(reduced)
      );
    end else begin : gen_montgomery
      montgomery_reduce #(
        .Width      (Width),
        .Modulus    (Modulus),
        .ExtraBits  (ExtraBits),
        .Interval   (Interval),
        .TileA      (TileA),
        .TileB      (TileB),
        .ReduceTiles(ReduceTiles),
        .Skewed     (Skewed)
      ) u_reduce (
        .clk_i,
        .rst_ni,
        .valid_i (reduce_valid_i),
        .value_i (sum_of_products),
        .result_o(reduced)
      );
    end

    if (High) begin : gen_high
      pipeline_delay #(
        .DataWidth(Width),
        .Stages   (ReduceLatency)
      ) u_high (
        .clk_i,
        .data_i(sum_of_products[2*Width-1:Width]),
        .data_o(high)
      );
    end else begin : gen_no_high
      assign high = '0;
    end
  end

  if (High) begin : gen_choice
    logic [1:0] is_high_q;
    always_ff @(posedge clk_i) is_high_q <= {is_high_q[0], high_i};
    assign product_o = is_high_q[1] ? high : reduced;
  end else begin : gen_no_choice
    logic unused_high;
    assign unused_high = ^{high_i, high};
    assign product_o = reduced;
  end
endmodule
