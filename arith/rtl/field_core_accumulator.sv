// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_accumulator: one wide sum of products for each context, not reduced.
//
// A turn sets the context's accumulator to its product, or adds its product to it. The new value
// is at the output as well, for the reduction. It is added in two halves, a clock each, so that
// the carry chain is half as long; a context's turns lie at least the multiplier's latency apart,
// so no turn reads an accumulator that is still being added to.
//
// Ranges: products of operands in [0, Modulus); up to 12 of them to a sum (the program's duty),
// so the value is below 12 * Modulus^2 < 2^(2*Width + ExtraBits). Cycles: turn_* in clock t, its
// product_i in clock t+1, value_o in clock t+3.
module field_core_accumulator #(
  parameter  int unsigned Width       = 256,
  parameter  int unsigned ExtraBits   = 4,
  parameter  int unsigned Contexts    = 64,
  localparam int unsigned ContextBits = $clog2(Contexts),
  localparam int unsigned ValueBits   = 2 * Width + ExtraBits
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   turn_valid_i,    // the turn carries a product
  input  logic [ContextBits-1:0] turn_context_i,
  input  logic                   turn_add_i,      // 1: add to the accumulator, 0: set it
  input  logic [2*Width-1:0]     product_i,
  output logic [ValueBits-1:0]   value_o
);

  localparam int unsigned LowBits  = ValueBits / 2;
  localparam int unsigned HighBits = ValueBits - LowBits;

  // Stages, counted from the turn: 1 product here and sum read, 2 low half added, 3 all added.
  logic                   valid_1_q, valid_2_q, valid_3_q;
  logic [ContextBits-1:0] context_1_q, context_2_q, context_3_q;
  logic                   add_1_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {valid_1_q, valid_2_q, valid_3_q} <= '0;
    end else begin
      {valid_1_q, valid_2_q, valid_3_q} <= {turn_valid_i, valid_1_q, valid_2_q};
    end
  end

  logic [ValueBits-1:0] sum_before, sum_before_masked, product;
  assign product           = ValueBits'(product_i);
  assign sum_before_masked = add_1_q ? sum_before : '0;

  logic [LowBits:0]    low_2_q;   // with its carry
  logic [LowBits-1:0]  low_3_q;
  logic [HighBits-1:0] product_high_2_q, sum_high_2_q, high_3_q;

  always_ff @(posedge clk_i) begin
    context_1_q      <= turn_context_i;
    context_2_q      <= context_1_q;
    context_3_q      <= context_2_q;
    add_1_q          <= turn_add_i;
    low_2_q          <= {1'b0, product[LowBits-1:0]} + {1'b0, sum_before_masked[LowBits-1:0]};
    product_high_2_q <= product[ValueBits-1:LowBits];
    sum_high_2_q     <= sum_before_masked[ValueBits-1:LowBits];
    low_3_q          <= low_2_q[LowBits-1:0];
    high_3_q         <= product_high_2_q + sum_high_2_q + HighBits'(low_2_q[LowBits]);
  end

  assign value_o = {high_3_q, low_3_q};

  field_core_memory #(
    .Width(ValueBits),
    .Depth(Contexts)
  ) u_sums (
    .clk_i,
    .write_valid_i  (valid_3_q),
    .write_address_i(context_3_q),
    .write_data_i   (value_o),
    .read_enable_i  (1'b1),
    .read_address_i (turn_context_i),
    .read_data_o    (sum_before)
  );

endmodule
