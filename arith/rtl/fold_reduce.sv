// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// fold_reduce: value_i mod Modulus, in [0, Modulus), for a Modulus = 2^Width - c with a short c
// that has few binary digits (secp256k1: c = 2^32 + 977, seven).
//
// value_i may be any integer below 2^(2*Width + ExtraBits). One value per clock,
// arith_pkg::fold_reduce_latency(Width, Modulus, ExtraBits) clocks. Computes low + c * high twice:
// the high part, shifted to each digit of c, is added to the low part in one carry-save tree. The
// result of the first fold is less than 2^(Width + ExtraBits + |c| + 1), that of the second less
// than 2^Width + 2^(ExtraBits + 2*|c| + 1) < 2 * Modulus. It is computed together with the same sum
// plus c, which is at least 2^Width exactly if the result must lose the modulus.
module fold_reduce #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus = arith_pkg::Secp256k1Modulus,
  parameter int unsigned ExtraBits = 4
) (
  input  logic                         clk_i,
  input  logic [2*Width+ExtraBits-1:0] value_i,
  output logic [Width-1:0]             result_o
);
  localparam arith_pkg::constant_t Full = arith_pkg::constant_t'(Modulus);
  localparam arith_pkg::constant_t Constant = arith_pkg::fold_constant(Width, Full);
  localparam int unsigned ConstantBits = arith_pkg::bit_length(Constant);
  localparam int unsigned Operands = arith_pkg::fold_operands(Width, Full);
  localparam int unsigned FirstWidth = arith_pkg::fold_width(Width, Full, ExtraBits);
  localparam int unsigned SecondWidth = Width + 1;

  if (ExtraBits + 2 * ConstantBits + 2 >= Width) begin : gen_check
    $error("fold_reduce: 2^%0d - Modulus has %0d bits", Width, ConstantBits);
  end

  logic [Operands-1:0][FirstWidth-1:0] first;
  logic [Operands-1:0][SecondWidth-1:0] second;
  logic [FirstWidth-1:0] first_sum;
  logic [SecondWidth-1:0] second_saved, second_carry, second_sum, second_plus;

  assign first[0]  = FirstWidth'(value_i[Width-1:0]);
  assign second[0] = SecondWidth'(first_sum[Width-1:0]);
  for (genvar i = 0; i < ConstantBits; i++) begin : gen_digit
    if (Constant[i]) begin : gen_one
      // The positions of operands: the lower digits, and the low part.
      localparam arith_pkg::constant_t Below = Constant & ((arith_pkg::constant_t'(1) << i) - 1);
      localparam int unsigned Index = $countones(Below) + 1;
      assign first[Index]  = FirstWidth'(value_i[2*Width+ExtraBits-1:Width]) << i;
      assign second[Index] = SecondWidth'(first_sum[FirstWidth-1:Width]) << i;
    end
  end

  adder_tree #(.Operands(Operands), .Width(FirstWidth)) u_first (
    .clk_i, .operands_i(first), .sum_o(first_sum)
  );
  compress #(.Operands(Operands), .Width(SecondWidth)) u_second (
    .clk_i, .operands_i(second), .sum_o(second_saved), .carry_o(second_carry)
  );
  adder_tree #(.Operands(2), .Width(SecondWidth)) u_sum (
    .clk_i, .operands_i({second_saved, second_carry}), .sum_o(second_sum)
  );
  adder_tree #(.Operands(3), .Width(SecondWidth)) u_plus (
    .clk_i, .operands_i({second_saved, second_carry, Constant[SecondWidth-1:0]}),
    .sum_o(second_plus)
  );

  logic unused_top;
  assign unused_top = second_sum[Width];
  always_ff @(posedge clk_i) begin
    result_o <= second_plus[Width] ? second_plus[Width-1:0] : second_sum[Width-1:0];
  end
endmodule
