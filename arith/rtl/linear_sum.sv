// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// linear_sum: (coef0*op0 + coef1*op1 + coef2*op2 + const) mod Modulus, in [0, Modulus).
//
// Operands and constant are in [0, Modulus), coefficients in -4..4. One sum per clock,
// arith_pkg::linear_sum_latency(Width) clocks. A multiple of Modulus makes the sum positive, so it
// is in [0, 25 * Modulus), and it is reduced once. A coefficient's product is two vectors, one for
// its low bit and one for the bits above. A negative coefficient inverts both and adds 2 to the
// correction. Logic for coefficients that no program uses (Coefficients) is left out.
//
// With Folds, for a Modulus = 2^Width - c (fold_reduce), no sum waits for its carries before
// fold_finish: arith_pkg::SavedSumLatency clocks. The sum is at least 2 * Modulus, so that the high
// parts of its carry-save pair, added modulo 32, are not 31 while a carry into them is pending.
// With Saved the same holds for any Modulus, by quotient_finish:
// arith_pkg::SavedMontgomerySumLatency clocks, for a sum of at least the Modulus.
module linear_sum #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus = arith_pkg::FrModulus,
  // Bit 9k+4+c: operand k has the coefficient c somewhere; 0 needs no bit.
  parameter logic [26:0] Coefficients = '1,
  parameter bit Folds = 1'b0,
  parameter bit Saved = 1'b0  // without Folds
) (
  input  logic              clk_i,
  input  logic [Width-1:0]  op0_i,
  input  logic [Width-1:0]  op1_i,
  input  logic [Width-1:0]  op2_i,
  input  logic [Width-1:0]  const_i,
  input  logic signed [3:0] coef0_i,
  input  logic signed [3:0] coef1_i,
  input  logic signed [3:0] coef2_i,
  output logic [Width-1:0]  result_o
);
  localparam int unsigned Terms = 3;
  localparam int unsigned Largest = 4;
  localparam int unsigned SumWidth = Width + 5;
  localparam int unsigned Operands = 2 * Terms + 2;

  // 1 if a term has a coefficient of this size and sign.
  function automatic bit has(input int unsigned term, input bit is_negative,
                             input int unsigned size);
    return Coefficients[9*term+Largest+(is_negative ? -size : size)];
  endfunction
  function automatic int unsigned largest(input int unsigned term, input bit is_negative);
    largest = 0;
    for (int unsigned size = 1; size <= Largest; size++) begin
      if (has(term, is_negative, size)) largest = size;
    end
  endfunction
  // 1 if a term has a coefficient with a bit in `bits`.
  function automatic bit has_bits(input int unsigned term, input int unsigned bits);
    has_bits = 1'b0;
    for (int unsigned size = 1; size <= Largest; size++) begin
      if ((size & bits) != 0) has_bits |= has(term, 1'b0, size) || has(term, 1'b1, size);
    end
  endfunction
  function automatic int unsigned largest_sum(input bit is_negative);
    largest_sum = 0;
    for (int unsigned term = 0; term < Terms; term++) largest_sum += largest(term, is_negative);
  endfunction

  localparam int unsigned Offset = largest_sum(1'b1) + (Folds ? 2 : Saved ? 1 : 0);
  localparam int unsigned Multiples = Offset + largest_sum(1'b0) + 1;

  // The correction by the negative terms: each of their vectors lacks 1.
  function automatic logic [SumWidth-1:0] correction_of(input int unsigned negatives);
    correction_of = SumWidth'(Modulus) * SumWidth'(Offset);
    for (int unsigned term = 0; term < Terms; term++) begin
      if (negatives[term]) begin
        correction_of += SumWidth'(has_bits(term, 1)) + SumWidth'(has_bits(term, 6));
      end
    end
  endfunction
  logic [SumWidth-1:0] corrections[2**Terms];
  for (genvar negatives = 0; negatives < 2 ** Terms; negatives++) begin : gen_correction
    localparam logic [SumWidth-1:0] Correction = correction_of(negatives);
    assign corrections[negatives] = Correction;
  end

  logic [Terms-1:0][Width-1:0] op;
  logic signed [Terms-1:0][3:0] coef;
  logic [Terms-1:0] negative;
  logic [Operands-1:0][SumWidth-1:0] operands, operands_q;

  assign op   = {op2_i, op1_i, op0_i};
  assign coef = {coef2_i, coef1_i, coef0_i};

  for (genvar i = 0; i < Terms; i++) begin : gen_term
    localparam bit Negative = largest(i, 1'b1) != 0;
    localparam bit Twice = has_bits(i, 2);
    localparam bit FourTimes = has_bits(i, 4);
    logic [3:0] magnitude;
    logic [SumWidth-1:0] low, high;
    logic unused_term;

    assign negative[i] = Negative && coef[i][3];
    assign magnitude   = negative[i] ? -coef[i] : coef[i];
    assign unused_term = ^{magnitude, op[i]};
    assign low  = magnitude[0] ? SumWidth'(op[i]) : '0;
    assign high = FourTimes && magnitude[2] ? SumWidth'(op[i]) << 2
                : Twice && magnitude[1] ? SumWidth'(op[i]) << 1 : '0;
    assign operands[2*i]   = has_bits(i, 1) ? low ^ {SumWidth{negative[i]}} : '0;
    assign operands[2*i+1] = Twice || FourTimes ? high ^ {SumWidth{negative[i]}} : '0;
  end

  assign operands[2*Terms]   = SumWidth'(const_i);
  assign operands[2*Terms+1] = corrections[negative];

  if (!Saved) begin : gen_operands
    always_ff @(posedge clk_i) operands_q <= operands;
  end

  if (Folds) begin : gen_fold
    localparam int unsigned HighBits = SumWidth - Width;
    localparam int unsigned PairBits = Width + 2;
    localparam arith_pkg::constant_t Constant =
        arith_pkg::fold_constant(Width, arith_pkg::constant_t'(Modulus));
    localparam int unsigned TableBits = arith_pkg::bit_length(Constant) + HighBits;
    logic [1:0][SumWidth-1:0] saved;
    logic [HighBits-1:0]      high;
    logic [TableBits-1:0]     products[2**HighBits];
    logic [1:0][PairBits-1:0] pair, pair_q;

    for (genvar i = 0; i < 2 ** HighBits; i++) begin : gen_product
      localparam logic [TableBits-1:0] Product = TableBits'(Constant * i);
      assign products[i] = Product;
    end
    if (Multiples > 2 ** HighBits || Multiples < 3) begin : gen_check
      $error("linear_sum: a sum below %0d times the modulus", Multiples);
    end

    compress #(.Operands(Operands), .Width(SumWidth)) u_saved (
      .clk_i, .operands_i(operands_q), .sum_o(saved[0]), .carry_o(saved[1])
    );
    assign high = saved[0][SumWidth-1:Width] + saved[1][SumWidth-1:Width];
    carry_save #(.Operands(3), .Width(PairBits), .Levels(1)) u_pair (
      .operands_i({PairBits'(products[high]), PairBits'(saved[0][Width-1:0]),
                   PairBits'(saved[1][Width-1:0])}),
      .results_o(pair)
    );
    always_ff @(posedge clk_i) pair_q <= pair;
    fold_finish #(.Width(Width), .Modulus(Modulus)) u_finish (
      .clk_i, .a_i(pair_q[0]), .b_i(pair_q[1]), .result_o
    );
  end else if (Saved) begin : gen_saved
    localparam int unsigned PairBits = arith_pkg::bit_length(
        arith_pkg::constant_t'(Modulus) * arith_pkg::constant_t'(Multiples));
    // One level before the first register, so that the quotient is behind three.
    localparam int unsigned Left = arith_pkg::compressed(Operands, 1);
    logic [1:0][PairBits-1:0]          pair;
    logic [Operands-1:0][PairBits-1:0] shortened;
    logic [Left-1:0][PairBits-1:0]     left, left_q;
    for (genvar i = 0; i < Operands; i++) begin : gen_shortened
      assign shortened[i] = operands[i][PairBits-1:0];
    end
    if (PairBits > SumWidth) begin : gen_check
      $error("linear_sum: a sum below %0d times the modulus", Multiples);
    end
    carry_save #(.Operands(Operands), .Width(PairBits), .Levels(1)) u_left (
      .operands_i(shortened), .results_o(left)
    );
    always_ff @(posedge clk_i) left_q <= left;
    carry_save #(
      .Operands(Left), .Width(PairBits), .Levels(arith_pkg::compress_levels(Left))
    ) u_pair (
      .operands_i(left_q), .results_o(pair)
    );
    quotient_finish #(.Width(Width), .Modulus(Modulus), .Multiples(Multiples)) u_finish (
      .clk_i, .a_i(pair[0]), .b_i(pair[1]), .carry_i(1'b0), .result_o
    );
    logic unused_tops;
    assign operands_q  = '0;
    assign unused_tops = ^{operands, operands_q};
  end else begin : gen_tree
    logic [SumWidth-1:0] sum;
    adder_tree #(.Operands(Operands), .Width(SumWidth)) u_sum (
      .clk_i, .operands_i(operands_q), .sum_o(sum)
    );
    small_reduce #(
      .Width(Width), .InWidth(SumWidth), .Modulus(Modulus), .Multiples(Multiples)
    ) u_reduce (
      .clk_i, .value_i(sum), .result_o
    );
  end
endmodule
