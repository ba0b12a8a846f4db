// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// mul_wide: the unsigned product a_i * b_i, by Karatsuba down to leaves of tiles.
//
// One product every Interval clocks (1, 2 or 4); operands are sampled with valid_i, which must not
// come more often (it is ignored with Interval = 1). product_o is valid only in the clock
// arith_pkg::mul_wide_latency(WidthA, WidthB, Interval, TileA, TileB) later.
//
// With a = a1*2^h + a0, b likewise: low = a0*b0, high = a1*b1, middle = (a0+a1)*(b0+b1), and a*b =
// high*2^2h + (middle - low - high)*2^h + low. Folding halves the tiles with each doubling of
// Interval: low and high alternate in one multiplier with half the Interval, while middle has its
// own multiplier with the whole Interval. Tiles: 256 bits of 26x17: 108, 54, 27 for Interval 1, 2,
// 4. Halving treats both operands as wide as the wider one; a narrow operand makes the whole
// product a leaf.
//
// With Skewed, product_o is a skewed number (skew_sum), and its segment 0 comes
// arith_pkg::skewed_product_clocks(WidthA) earlier.
module mul_wide #(
  parameter int unsigned WidthA = 256,
  parameter int unsigned WidthB = 256,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17,
  parameter bit Skewed = 1'b0
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     valid_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  output logic [WidthA+WidthB-1:0] product_o
);
  localparam int unsigned Width = arith_pkg::maximum(WidthA, WidthB);

  if (Interval != 1 && Interval != 2 && Interval != 4) begin : gen_check
    $error("mul_wide: Interval is %0d; it must be 1, 2 or 4", Interval);
  end

  if (Skewed && (WidthA != WidthB || (WidthA + 1) / 2 >= arith_pkg::SegmentWidth ||
                 WidthA <= arith_pkg::leaf_width(TileA, TileB))) begin : gen_skewed_check
    $error("mul_wide: a skewed product needs halves that are shorter than a segment");
  end

  if (arith_pkg::minimum(WidthA, WidthB) <= arith_pkg::leaf_width(TileA, TileB)) begin : gen_leaf
    mul_leaf #(
      .WidthA(WidthA), .WidthB(WidthB), .Interval(Interval), .TileA(TileA), .TileB(TileB)
    ) u_leaf (
      .clk_i, .rst_ni, .valid_i, .a_i, .b_i, .product_o
    );
  end else begin : gen_karatsuba
    localparam int unsigned Half = (Width + 1) / 2;
    localparam int unsigned SumWidth = Half + 1;
    localparam int unsigned UpperWidth = 2 * Width - Half;
    // The clock in which high is multiplied, if it shares a multiplier with low.
    localparam int unsigned Turn = (Interval > 1) ? Interval / 2 : 0;
    localparam int unsigned OuterInterval = (Interval > 1) ? Interval / 2 : 1;
    localparam int unsigned ChoiceClocks = (Interval == 2) ? 1 : 0;
    localparam int unsigned OuterLatency = ChoiceClocks
        + arith_pkg::mul_wide_latency(Half, Half, OuterInterval, TileA, TileB);
    localparam int unsigned MiddleLatency =
        1 + arith_pkg::mul_wide_latency(SumWidth, SumWidth, Interval, TileA, TileB);
    localparam int unsigned Latency =
        arith_pkg::karatsuba_latency(Width, Interval, TileA, TileB);

    logic [Half-1:0] a_low, b_low, a_high, b_high;
    logic [2*Half-1:0] low, high;
    logic [2*SumWidth-1:0] middle_product, middle;

    assign {a_high, a_low} = (2 * Half)'(a_i);
    assign {b_high, b_low} = (2 * Half)'(b_i);

    logic [2*Half-1:0] low_product, high_product;
    if (Interval == 1) begin : gen_two
      mul_wide #(
        .WidthA(Half), .WidthB(Half), .Interval(1), .TileA(TileA), .TileB(TileB)
      ) u_low (
        .clk_i, .rst_ni, .valid_i, .a_i(a_low), .b_i(b_low), .product_o(low_product)
      );
      mul_wide #(
        .WidthA(Half), .WidthB(Half), .Interval(1), .TileA(TileA), .TileB(TileB)
      ) u_high (
        .clk_i, .rst_ni, .valid_i, .a_i(a_high), .b_i(b_high), .product_o(high_product)
      );
    end else begin : gen_shared
      logic [Half-1:0] a_high_q, b_high_q, a_shared, b_shared, a_chosen, b_chosen;
      logic high_valid, shared_valid;

      always_ff @(posedge clk_i) begin
        if (valid_i) {a_high_q, b_high_q} <= {a_high, b_high};
      end
      valid_delay #(.Stages(Turn)) u_turn (.clk_i, .rst_ni, .valid_i, .valid_o(high_valid));
      assign {a_chosen, b_chosen} = valid_i ? {a_low, b_low} : {a_high_q, b_high_q};

      // Before bare tiles, the selection has its own register, because many bits depend on it.
      valid_delay #(.Stages(ChoiceClocks)) u_shared_valid (
        .clk_i, .rst_ni, .valid_i(valid_i || high_valid), .valid_o(shared_valid)
      );
      pipeline_delay #(.DataWidth(2 * Half), .Stages(ChoiceClocks)) u_choice (
        .clk_i, .data_i({a_chosen, b_chosen}), .data_o({a_shared, b_shared})
      );

      mul_wide #(
        .WidthA(Half), .WidthB(Half), .Interval(OuterInterval), .TileA(TileA), .TileB(TileB)
      ) u_shared (
        .clk_i, .rst_ni, .valid_i(shared_valid), .a_i(a_shared), .b_i(b_shared),
        .product_o(high_product)
      );
      assign low_product = high_product;
    end
    pipeline_delay #(.DataWidth(2 * Half), .Stages(Latency - OuterLatency)) u_low_delay (
      .clk_i, .data_i(low_product), .data_o(low)
    );
    pipeline_delay #(.DataWidth(2 * Half), .Stages(Latency - OuterLatency - Turn)) u_high_delay (
      .clk_i, .data_i(high_product), .data_o(high)
    );

    logic [SumWidth-1:0] a_sum_q, b_sum_q;
    logic sum_valid;
    logic [SumWidth-1:0] a_sum, b_sum;
    select_add #(.Width(SumWidth), .Segment(arith_pkg::ChainWidth)) u_a_sum (
      .a_i(SumWidth'(a_low)), .b_i(SumWidth'(a_high)), .carry_i(1'b0), .sum_o(a_sum)
    );
    select_add #(.Width(SumWidth), .Segment(arith_pkg::ChainWidth)) u_b_sum (
      .a_i(SumWidth'(b_low)), .b_i(SumWidth'(b_high)), .carry_i(1'b0), .sum_o(b_sum)
    );
    always_ff @(posedge clk_i) {a_sum_q, b_sum_q} <= {a_sum, b_sum};
    valid_delay #(.Stages(1)) u_sum_valid (.clk_i, .rst_ni, .valid_i, .valid_o(sum_valid));

    mul_wide #(
      .WidthA(SumWidth), .WidthB(SumWidth), .Interval(Interval), .TileA(TileA), .TileB(TileB)
    ) u_middle (
      .clk_i, .rst_ni, .valid_i(sum_valid), .a_i(a_sum_q), .b_i(b_sum_q),
      .product_o(middle_product)
    );
    pipeline_delay #(.DataWidth(2 * SumWidth), .Stages(Latency - MiddleLatency)) u_middle_delay (
      .clk_i, .data_i(middle_product), .data_o(middle)
    );

    // upper = (a*b) >> Half = {high, low >> Half} + middle - low - high; -v = ~v + 1.
    logic [4:0][UpperWidth-1:0] terms;
    logic [UpperWidth-1:0] upper;
    logic [Half-1:0] lower;
    assign terms[0] = UpperWidth'({high, low[2*Half-1:Half]});
    assign terms[1] = UpperWidth'(middle);
    assign terms[2] = ~UpperWidth'(low);
    assign terms[3] = ~UpperWidth'(high);
    assign terms[4] = UpperWidth'(2);

    adder_tree #(.Operands(5), .Width(UpperWidth), .Skewed(Skewed)) u_upper (
      .clk_i, .operands_i(terms), .sum_o(upper)
    );
    pipeline_delay #(
      .DataWidth(Half),
      .Stages(arith_pkg::adder_tree_latency(5, UpperWidth) -
              (Skewed ? arith_pkg::skewed_product_clocks(Width) : 0))
    ) u_lower (
      .clk_i, .data_i(low[Half-1:0]), .data_o(lower)
    );

    if (Skewed) begin : gen_skewed
      // The segments of the sum begin at bit Half, those of the product at bit 0.
      localparam int unsigned Segment = arith_pkg::SegmentWidth;
      assign product_o[Half-1:0] = lower;
      for (genvar k = 0; k < arith_pkg::ceil_div(UpperWidth, Segment); k++) begin : gen_segment
        localparam int unsigned Start  = Half + k * Segment;
        localparam int unsigned End    = arith_pkg::minimum(Start + Segment, 2 * Width);
        localparam int unsigned Border = arith_pkg::minimum((k + 1) * Segment, End);
        assign product_o[Border-1:Start] = upper[Start-Half+:Border-Start];
        if (Border < End) begin : gen_next
          pipeline_delay #(.DataWidth(End - Border), .Stages(1)) u_next (
            .clk_i, .data_i(upper[Border-Half+:End-Border]), .data_o(product_o[End-1:Border])
          );
        end
      end
    end else begin : gen_aligned
      assign product_o = (WidthA + WidthB)'({upper, lower});
    end
  end
endmodule
