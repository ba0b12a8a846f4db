// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_accumulator: one wide, unreduced sum of products per context.
//
// A turn sets the context's accumulator to its product, or adds its product to it. The new value is
// also at the output, for the reduction. It is added in segments of at most arith_pkg::SegmentWidth
// bits, one per clock: segment k of the product waits k clocks; its part of the accumulators is in
// a separate memory, which is read and written k clocks after that of segment 0; and its sum waits
// for the last segment's. A segment is written three clocks after it was addressed, so a context's
// turns must be at least four clocks apart. With Follows they may also be in consecutive clocks:
// such a turn adds to the last one's sum before it is written.
//
// Ranges: products of operands in [0, Modulus); at most 12 products per sum (the program ensures
// it), so the value is below 12 * Modulus^2 < 2^(2*Width + ExtraBits). Cycles: turn_* in clock t,
// its product_i in clock t+2, value_o in clock t+2 + arith_pkg::accumulator_latency(Width,
// ExtraBits).
module field_core_accumulator #(
  parameter  int unsigned Width         = 256,
  parameter  int unsigned ExtraBits     = 4,
  parameter  int unsigned Contexts      = 64,
  parameter  bit          Follows       = 1'b0,
  parameter  bit          SkewedProduct = 1'b0,  // product_i is a skewed number (skew_sum)
  parameter  bit          SkewedValue   = 1'b0,  // value_o is a skewed number
  parameter  int unsigned Segment       = arith_pkg::SegmentWidth,
  localparam int unsigned ContextBits   = $clog2(Contexts),
  localparam int unsigned ValueBits     = 2 * Width + ExtraBits
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   turn_valid_i,    // the turn carries a product
  input  logic [ContextBits-1:0] turn_context_i,
  input  logic                   turn_add_i,      // the turn one clock before is this context's
  input  logic                   turn_follows_i,  // the turn one clock before is this context's
  input  logic [2*Width-1:0]     product_i,
  output logic [ValueBits-1:0]   value_o,
  output logic                   memory_error_o   // of a sum added to two clocks before
);

  localparam int unsigned Segments = arith_pkg::ceil_div(ValueBits, Segment);
  localparam int unsigned Stages   = Segments + 2;  // the last stage in which a segment is written

  // The turns of the last clocks, the newest first: [0] is that of the inputs.
  logic [Stages:0]                  valid, add;
  logic [Stages:0]                  follows;  // a turn with a product
  logic [Stages:0][ContextBits-1:0] context_id;
  assign valid[0]      = turn_valid_i;
  assign add[0]        = turn_add_i;
  assign context_id[0] = turn_context_i;
  assign follows[0]    = Follows && turn_follows_i && valid[1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid[Stages:1] <= '0;
    else valid[Stages:1] <= valid[Stages-1:0];
  end
  always_ff @(posedge clk_i) begin
    add[Stages:1]        <= add[Stages-1:0];
    follows[Stages:1]    <= follows[Stages-1:0];
    context_id[Stages:1] <= context_id[Stages-1:0];
  end

  logic [ValueBits-1:0] product;
  logic [Segments:0]    carry;  // into each segment, in the clock of its addition
  assign product  = ValueBits'(product_i);
  assign carry[0] = 1'b0;

  logic [Segments-1:0] errors;
  assign memory_error_o = errors != '0;

  for (genvar k = 0; k < Segments; k++) begin : gen_segment
    localparam int unsigned Low  = k * Segment;
    localparam int unsigned Bits = arith_pkg::minimum(ValueBits - Low, Segment);
    logic [Bits-1:0] addend, held, earlier, sum_q;
    logic [Bits:0]   sum;
    logic            carry_q;

    pipeline_delay #(
      .DataWidth(Bits),
      .Stages   (SkewedProduct ? 0 : k)
    ) u_product (
      .clk_i,
      .data_i(product[Low+:Bits]),
      .data_o(addend)
    );

    checked_memory #(
      .Width         (Bits),
      .Depth         (Contexts),
      .OutputRegister(1'b1)
    ) u_sums (
      .clk_i,
      .write_valid_i  (valid[k+3]),
      .write_address_i(context_id[k+3]),
      .write_data_i   (sum_q),
      .read_enable_i  (1'b1),
      .read_address_i (context_id[k]),
      .read_data_o    (held),
      .check_i        (valid[k+2] && add[k+2] && !follows[k+2]),
      .error_o        (errors[k])
    );

    assign earlier = !add[k+2] ? '0 : follows[k+2] ? sum_q : held;

    select_add #(
      .Width  (Bits + 1),
      .Segment(arith_pkg::ChainWidth)
    ) u_add (
      .a_i    ({1'b0, addend}),
      .b_i    ({1'b0, earlier}),
      .carry_i(carry[k]),
      .sum_o  (sum)
    );
    always_ff @(posedge clk_i) {carry_q, sum_q} <= sum;
    assign carry[k+1] = carry_q;

    pipeline_delay #(
      .DataWidth(Bits),
      .Stages   (SkewedValue ? 0 : Segments - 1 - k)
    ) u_value (
      .clk_i,
      .data_i(sum_q),
      .data_o(value_o[Low+:Bits])
    );
  end

  logic unused_carry;
  assign unused_carry = ^{carry[Segments], add[Stages], follows[Stages], turn_follows_i};

endmodule
