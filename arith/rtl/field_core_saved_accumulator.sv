// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_saved_accumulator: one wide, unreduced sum of products per context, with saved
// carries: the value is value_o plus (counts_o[k] + carries_o[k]) * 2^(k * Segment) for each k.
// Each segment is added by itself; a counter collects the carries into a segment, and carries_o are
// those of the last addition.
//
// A turn sets the context's accumulator to its product, or adds its product to it. The new value is
// also at the output, for the reduction. It is written three clocks after it was addressed, so a
// context's turns must be at least four clocks apart, or Close clocks, 1 or 2: such a turn adds to
// the last one's sum before that is written.
//
// Ranges: at most MostProducts products per sum, whose sum is below 2^Width (the program ensures
// it). Cycles: turn_* in clock t, its product_i and carries_i in clock t+2, the outputs in clock
// t+3.
module field_core_saved_accumulator #(
  parameter  int unsigned Width        = 517,
  parameter  int unsigned Contexts     = 64,
  parameter  int unsigned MostProducts = 12,
  parameter  int unsigned Close        = 2,
  parameter  int unsigned Segment      = arith_pkg::SavedSegment,
  localparam int unsigned ContextBits  = $clog2(Contexts),
  localparam int unsigned Segments     = arith_pkg::ceil_div(Width, Segment),
  // Each product brings at most its own carry and that of its addition.
  localparam int unsigned CountBits    = $clog2(2 * MostProducts + 1)
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,

  input  logic                                  turn_valid_i,    // the turn carries a product
  input  logic [ContextBits-1:0]                turn_context_i,
  input  logic                                  turn_add_i,
  input  logic [Width-1:0]                      product_i,
  input  logic [Segments-1:1]                   carries_i,
  output logic [Width-1:0]                      value_o,
  output logic [Segments-1:1][CountBits-1:0]    counts_o,
  output logic [Segments-1:1]                   carries_o,
  output logic                                  memory_error_o   // of a sum added to two clocks before
);
  typedef struct packed {
    logic [Segments-1:1][CountBits-1:0] counts;  // without the carries of the last addition
    logic [Segments-1:1]                carries;  // of the last addition
    logic [Width-1:0]                   value;
  } sum_t;

  // The turns of the last clocks, the newest first: [0] is that of the inputs.
  logic [3:0]                  valid, add;
  logic [2:0]                  follows;  // the context's last turn was Close clocks before
  logic [3:0][ContextBits-1:0] context_id;
  assign valid[0]      = turn_valid_i;
  assign add[0]        = turn_add_i;
  assign context_id[0] = turn_context_i;
  assign follows[0]    = valid[Close] && context_id[Close] == turn_context_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid[3:1] <= '0;
    else valid[3:1] <= valid[2:0];
  end
  always_ff @(posedge clk_i) begin
    add[3:1]        <= add[2:0];
    follows[2:1]    <= follows[1:0];
    context_id[3:1] <= context_id[2:0];
  end

  sum_t held, earlier, sum, sum_before_q;  // sum: of the turn three clocks before

  checked_memory #(
    .Width         ($bits(sum_t)),
    .Depth         (Contexts),
    .OutputRegister(1'b1)
  ) u_sums (
    .clk_i,
    .write_valid_i  (valid[3]),
    .write_address_i(context_id[3]),
    .write_data_i   (sum),
    .read_enable_i  (1'b1),
    .read_address_i (context_id[0]),
    .read_data_o    (held),
    .check_i        (valid[2] && add[2] && !follows[2]),
    .error_o        (memory_error_o)
  );

  assign earlier = !add[2] ? '0 : !follows[2] ? held : Close == 1 ? sum : sum_before_q;

  saved_add #(.Width(Width), .Segment(Segment)) u_add (
    .clk_i, .a_i(product_i), .b_i(earlier.value), .sum_o(sum.value), .carries_o(sum.carries)
  );
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 1; k < Segments; k++) begin
      sum.counts[k] <= earlier.counts[k] + CountBits'(earlier.carries[k]) + CountBits'(carries_i[k]);
    end
    sum_before_q <= sum;
  end

  assign value_o   = sum.value;
  assign counts_o  = sum.counts;
  assign carries_o = sum.carries;

  if (Close < 1 || Close > 2) begin : gen_check
    $error("field_core_saved_accumulator: turns %0d clocks apart", Close);
  end

  logic unused_turn;
  assign unused_turn = ^{add[3], context_id[2:1], sum_before_q};
endmodule
