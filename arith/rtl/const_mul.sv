// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// const_mul: x_i * Constant + addend_i, modulo 2^OutWidth (the addend only if HasAddend).
//
// One product every Interval clocks, arith_pkg::const_mul_latency(...) clocks after valid_i; the
// addend is sampled with x_i. A constant with few non-zero digits in non-adjacent form is a sum of
// shifted copies of x, without a multiplier and with one product per clock; any other uses
// mul_wide.
module const_mul #(
  parameter int unsigned Width = 64,
  parameter arith_pkg::constant_t Constant = arith_pkg::constant_t'(3),
  parameter int unsigned OutWidth = 128,
  parameter bit HasAddend = 1'b0,
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA = 26,
  parameter int unsigned TileB = 17
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  logic [Width-1:0]    x_i,
  input  logic [OutWidth-1:0] addend_i,
  output logic [OutWidth-1:0] result_o
);
  if (arith_pkg::is_shift_add(Constant, OutWidth)) begin : gen_shift_add
    localparam int unsigned Operands =
        arith_pkg::shift_add_operands(Constant, OutWidth, HasAddend);
    localparam logic [OutWidth-1:0] Plus = OutWidth'(arith_pkg::naf_plus(Constant));
    localparam logic [OutWidth-1:0] Minus = OutWidth'(arith_pkg::naf_minus(Constant));

    logic [OutWidth-1:0] x;
    logic [Operands-1:0][OutWidth-1:0] terms;
    logic unused_control;
    assign unused_control = ^{rst_ni, valid_i};
    assign x = OutWidth'(x_i);

    // The position of a digit's term: after the terms of the lower digits.
    for (genvar i = 0; i < OutWidth; i++) begin : gen_digit
      localparam int unsigned Index = arith_pkg::naf_weight(Constant, i);
      if (Plus[i]) begin : gen_plus
        assign terms[Index] = x << i;
      end else if (Minus[i]) begin : gen_minus
        // -(x * 2^i) = (~x) * 2^i + 2^i: the last parts of all digits together are Minus.
        assign terms[Index] = ~x << i;
      end
    end
    if (Minus != '0) begin : gen_correction
      assign terms[arith_pkg::naf_weight(Constant, OutWidth)] = Minus;
    end
    if (HasAddend) begin : gen_addend
      assign terms[Operands-1] = addend_i;
    end else begin : gen_no_addend
      logic unused_addend;
      assign unused_addend = ^addend_i;
    end

    adder_tree #(.Operands(Operands), .Width(OutWidth)) u_sum (
      .clk_i, .operands_i(terms), .sum_o(result_o)
    );
  end else begin : gen_tiles
    localparam int unsigned Bits = arith_pkg::bit_length(Constant);
    localparam int unsigned MulLatency =
        arith_pkg::mul_wide_latency(Bits, Width, Interval, TileA, TileB);
    logic [Bits+Width-1:0] product;
    logic unused_upper;
    assign unused_upper = ^product;

    mul_wide #(
      .WidthA(Bits), .WidthB(Width), .Interval(Interval), .TileA(TileA), .TileB(TileB)
    ) u_mul (
      .clk_i, .rst_ni, .valid_i, .a_i(Constant[Bits-1:0]), .b_i(x_i), .product_o(product)
    );

    if (HasAddend) begin : gen_addend
      logic [OutWidth-1:0] addend;
      pipeline_delay #(.DataWidth(OutWidth), .Stages(MulLatency)) u_addend (
        .clk_i, .data_i(addend_i), .data_o(addend)
      );
      wide_add #(.Width(OutWidth)) u_add (
        .clk_i, .a_i(OutWidth'(product)), .b_i(addend), .sum_o(result_o)
      );
    end else begin : gen_no_addend
      logic unused_addend;
      assign unused_addend = ^addend_i;
      assign result_o = OutWidth'(product);
    end
  end
endmodule
