// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_accumulator_proof: the accumulator in segments is the plain sum. For an arbitrary
// context, whatever the others do in between, each turn's value is its product, or its product plus
// the value of the context's previous turn, modulo 2^ValueBits. Turns that add are at least four
// clocks apart or, with Follows, in consecutive clocks. Widths are small: all segments are alike.
module field_core_accumulator_proof #(
  parameter int unsigned Width = 3,
  parameter int unsigned ExtraBits = 2,
  parameter int unsigned Contexts = 4,
  parameter int unsigned Segment = 3,
  parameter bit Follows = 1'b0,
  parameter bit SkewedProduct = 1'b0,
  parameter bit SkewedValue = 1'b0,
  parameter bit Invariants = 1'b1,
  localparam int unsigned ContextBits = $clog2(Contexts),
  localparam int unsigned ValueBits = 2 * Width + ExtraBits
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   turn_valid_i,
  input logic [ContextBits-1:0] turn_context_i,
  input logic                   turn_add_i,
  input logic                   turn_follows_i,
  input logic [2*Width-1:0]     product_i
);
  localparam int unsigned Segments = arith_pkg::ceil_div(ValueBits, Segment);
  // Minimum clocks between a context's turns, and clocks from a turn to its product.
  localparam int unsigned Apart = 4;
  localparam int unsigned ProductClocks = 2;

  logic [ValueBits-1:0] value;

  logic [ValueBits-1:0] product, skewed;
  assign product = ValueBits'(product_i);
  for (genvar k = 0; k < Segments; k++) begin : gen_product
    localparam int unsigned Low = k * Segment;
    localparam int unsigned Bits = arith_pkg::minimum(ValueBits - Low, Segment);
    pipeline_delay #(.DataWidth(Bits), .Stages(SkewedProduct ? k : 0)) u_skewed (
      .clk_i, .data_i(product[Low+:Bits]), .data_o(skewed[Low+:Bits])
    );
  end

  field_core_accumulator #(
    .Width(Width), .ExtraBits(ExtraBits), .Contexts(Contexts), .Segment(Segment),
    .Follows(Follows), .SkewedProduct(SkewedProduct), .SkewedValue(SkewedValue)
  ) u_dut (
    .clk_i, .rst_ni, .turn_valid_i, .turn_context_i, .turn_add_i, .turn_follows_i,
    .product_i(skewed[2*Width-1:0]), .value_o(value), .memory_error_o()
  );

  proof_reset u_reset (.rst_ni);

  // No reset and no other value: arbitrary and constant.
  logic [ContextBits-1:0] watched_q;
  always_ff @(posedge clk_i) watched_q <= watched_q;

  // The watched context's turns of the last clocks, the newest first.
  logic             turn;
  logic [Apart-1:1] turn_q;
  logic [2:1]       add_q;
  assign turn = turn_valid_i && turn_context_i == watched_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= '0;
    else turn_q <= {turn_q[Apart-2:1], turn};
  end
  always_ff @(posedge clk_i) add_q <= {add_q[1], turn_add_i};

  // The turn one clock before.
  logic                   valid_q;
  logic [ContextBits-1:0] context_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= turn_valid_i;
  end
  always_ff @(posedge clk_i) context_q <= turn_context_i;

  // The plain sum, and its values of the last clocks. After a reset it is set before it is added
  // to.
  logic                               set_q;
  logic [ValueBits-1:0]               sum_q;
  logic [Segments:0][ValueBits-1:0]   sum;
  logic [Segments:0]                  set, valid;  // valid[0]: a clock after the product
  logic                               sums;
  assign sums = turn_q[ProductClocks];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) set_q <= 1'b0;
    else if (sums) set_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (sums) sum_q <= (add_q[2] ? sum_q : '0) + ValueBits'(product_i);
  end
  assign sum[0] = sum_q;
  assign set[0] = set_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set[Segments:1] <= '0;
      valid           <= '0;
    end else begin
      set[Segments:1] <= set[Segments-1:0];
      valid           <= {valid[Segments-1:0], sums};
    end
  end
  always_ff @(posedge clk_i) sum[Segments:1] <= sum[Segments-1:0];

  always_comb begin
    if (rst_ni) begin
      if (Follows) begin
        if (turn && turn_add_i) assume (turn_q == '0 || (turn_q[1] && turn_follows_i));
        // The turn one clock before, if it has a product, is of the same context.
        if (turn_follows_i && valid_q) assume (turn_context_i == context_q);
      end else if (turn) begin
        assume (turn_q == '0);
      end
      if (turn && turn_add_i) assume (set_q);
      cover (valid[Segments-1] && value[ValueBits-1] && set[Segments]);
    end
  end

  // Each segment of the value, in its clock.
  for (genvar k = 0; k < Segments; k++) begin : gen_value
    localparam int unsigned Low = k * Segment;
    localparam int unsigned Bits = arith_pkg::minimum(ValueBits - Low, Segment);
    localparam int unsigned Clock = SkewedValue ? k : Segments - 1;
    always_comb begin
      if (rst_ni && valid[Clock]) assert (value[Low+:Bits] == sum[Clock][Low+:Bits]);
    end
  end

  // A segment's memory is the plain sum before the clocks that its write takes.
  if (Invariants) begin : gen_invariants
    for (genvar k = 0; k < Segments; k++) begin : gen_segment
      localparam int unsigned Low = k * Segment;
      localparam int unsigned Bits = arith_pkg::minimum(ValueBits - Low, Segment);
      always_comb begin
        if (rst_ni && set[k+1]) begin
          assert (u_dut.gen_segment[k].u_sums.u_memory.words[watched_q] == sum[k+1][Low+:Bits]);
        end
      end
    end
  end
endmodule
