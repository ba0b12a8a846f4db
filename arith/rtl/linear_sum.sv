// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// linear_sum: (coef0*op0 + coef1*op1 + coef2*op2 + const) mod Modulus, in [0, Modulus).
//
// Operands and constant lie in [0, Modulus), coefficients in -4..4. One sum a clock,
// arith_pkg::linear_sum_latency(Width) clocks. The sum is made positive by 12 * Modulus, so it lies
// in [0, 25 * Modulus), and is reduced once. A coefficient's product is two vectors, one for its
// low bit and one for the bits above; it is negative by inverting both, and 2 in the correction.
module linear_sum #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus = arith_pkg::FrModulus,
  parameter int unsigned CoefBits = 4
) (
  input  logic                       clk_i,
  input  logic [Width-1:0]           op0_i,
  input  logic [Width-1:0]           op1_i,
  input  logic [Width-1:0]           op2_i,
  input  logic [Width-1:0]           const_i,
  input  logic signed [CoefBits-1:0] coef0_i,
  input  logic signed [CoefBits-1:0] coef1_i,
  input  logic signed [CoefBits-1:0] coef2_i,
  output logic [Width-1:0]           result_o
);
  localparam int unsigned Terms = 3;
  localparam int unsigned Largest = 4;
  localparam int unsigned Offset = Terms * Largest;
  localparam int unsigned Multiples = 2 * Offset + 1;
  localparam int unsigned SumWidth = Width + 5;
  localparam int unsigned Operands = 2 * Terms + 2;
  localparam logic [SumWidth-1:0] OffsetValue = SumWidth'(Modulus) * SumWidth'(Offset);

  if (CoefBits < 4) begin : gen_check
    $error("linear_sum: CoefBits is %0d; -4..4 needs 4", CoefBits);
  end

  logic [Terms-1:0][Width-1:0] op;
  logic signed [Terms-1:0][CoefBits-1:0] coef;
  logic [Terms-1:0] negative;
  logic [Operands-1:0][SumWidth-1:0] operands, operands_q;
  logic [SumWidth-1:0] correction, sum;

  assign op   = {op2_i, op1_i, op0_i};
  assign coef = {coef2_i, coef1_i, coef0_i};

  for (genvar i = 0; i < Terms; i++) begin : gen_term
    logic [CoefBits-1:0] magnitude;
    logic [SumWidth-1:0] low, high;
    logic unused_magnitude;

    assign negative[i] = coef[i][CoefBits-1];
    assign magnitude   = negative[i] ? -coef[i] : coef[i];
    assign unused_magnitude = ^magnitude;
    assign low  = magnitude[0] ? SumWidth'(op[i]) : '0;
    assign high = magnitude[2] ? SumWidth'(op[i]) << 2
                : magnitude[1] ? SumWidth'(op[i]) << 1 : '0;
    assign operands[2*i]   = low ^ {SumWidth{negative[i]}};
    assign operands[2*i+1] = high ^ {SumWidth{negative[i]}};
  end

  // The correction takes one of four constants.
  always_comb begin
    unique case ($countones(negative))
      0:       correction = OffsetValue;
      1:       correction = OffsetValue + SumWidth'(2);
      2:       correction = OffsetValue + SumWidth'(4);
      default: correction = OffsetValue + SumWidth'(6);
    endcase
  end
  assign operands[2*Terms]   = SumWidth'(const_i);
  assign operands[2*Terms+1] = correction;

  always_ff @(posedge clk_i) operands_q <= operands;

  adder_tree #(.Operands(Operands), .Width(SumWidth)) u_sum (
    .clk_i, .operands_i(operands_q), .sum_o(sum)
  );
  small_reduce #(
    .Width(Width), .InWidth(SumWidth), .Modulus(Modulus), .Multiples(Multiples)
  ) u_reduce (
    .clk_i, .value_i(sum), .result_o
  );
endmodule
