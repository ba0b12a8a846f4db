// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// sum_top: bench top with adder trees, mod_add, small_reduce and linear_sum of both fields, and the
// linear_sum that folds.
// latency_o has the latency of each output by arith_pkg, in the order of the ports.
module sum_top #(
  parameter logic [26:0] Coefficients = '1  // of linear_sum
) (
  input  logic              clk_i,
  input  logic [8:0][299:0] operands_i,
  input  logic [255:0]      op0_i,
  input  logic [255:0]      op1_i,
  input  logic [255:0]      op2_i,
  input  logic [255:0]      const_i,
  input  logic signed [3:0] coef0_i,
  input  logic signed [3:0] coef1_i,
  input  logic signed [3:0] coef2_i,
  input  logic              subtract_i,
  input  logic [259:0]      fr_value_i,
  input  logic [259:0]      felt_value_i,
  output logic [131:0]      tree1_o,
  output logic [299:0]      tree3_o,
  output logic [299:0]      tree9_o,
  output logic [132:0]      add_o,
  output logic [299:0]      pair_o,
  output logic [255:0]      fr_add_o,
  output logic [255:0]      felt_add_o,
  output logic [255:0]      fr_reduce_o,
  output logic [255:0]      felt_reduce_o,
  output logic [255:0]      fr_linear_o,
  output logic [255:0]      felt_linear_o,
  output logic [255:0]      fold_linear_o,
  output logic [11:0][7:0]  latency_o
);
  localparam logic [255:0] Fr = arith_pkg::FrModulus;
  localparam logic [255:0] Felt = arith_pkg::FeltModulus;

  adder_tree #(.Operands(1), .Width(132)) u_tree1 (
    .clk_i, .operands_i(operands_i[0][131:0]), .sum_o(tree1_o)
  );
  adder_tree #(.Operands(3), .Width(300)) u_tree3 (
    .clk_i, .operands_i(operands_i[2:0]), .sum_o(tree3_o)
  );
  adder_tree #(.Operands(9), .Width(300)) u_tree9 (.clk_i, .operands_i, .sum_o(tree9_o));
  wide_add #(.Width(133)) u_add (
    .clk_i, .a_i(operands_i[0][132:0]), .b_i(operands_i[1][132:0]), .sum_o(add_o)
  );

  logic [299:0] pair_sum, pair_carry;
  compress #(.Operands(11), .Width(300)) u_compress (
    .clk_i, .operands_i({operands_i[1:0], operands_i}), .sum_o(pair_sum), .carry_o(pair_carry)
  );
  assign pair_o = pair_sum + pair_carry;

  mod_add #(.Modulus(Fr)) u_fr_add (
    .clk_i, .a_i(op0_i), .b_i(op1_i), .subtract_i, .result_o(fr_add_o)
  );
  mod_add #(.Modulus(Felt)) u_felt_add (
    .clk_i, .a_i(op0_i), .b_i(op1_i), .subtract_i, .result_o(felt_add_o)
  );
  small_reduce #(.Modulus(Fr), .Multiples(9)) u_fr_reduce (
    .clk_i, .value_i(fr_value_i), .result_o(fr_reduce_o)
  );
  small_reduce #(.Modulus(Felt), .Multiples(25)) u_felt_reduce (
    .clk_i, .value_i(felt_value_i), .result_o(felt_reduce_o)
  );
  linear_sum #(.Coefficients(Coefficients), .Modulus(Fr)) u_fr_linear (
    .clk_i, .op0_i, .op1_i, .op2_i, .const_i, .coef0_i, .coef1_i, .coef2_i,
    .result_o(fr_linear_o)
  );
  linear_sum #(.Coefficients(Coefficients), .Modulus(Felt)) u_felt_linear (
    .clk_i, .op0_i, .op1_i, .op2_i, .const_i, .coef0_i, .coef1_i, .coef2_i,
    .result_o(felt_linear_o)
  );

  linear_sum #(
    .Coefficients(Coefficients), .Modulus(arith_pkg::Secp256k1Modulus), .Folds(1'b1)
  ) u_fold_linear (
    .clk_i, .op0_i, .op1_i, .op2_i, .const_i, .coef0_i, .coef1_i, .coef2_i,
    .result_o(fold_linear_o)
  );

  assign latency_o = {
    8'(arith_pkg::SavedSumLatency),
    8'(arith_pkg::linear_sum_latency()), 8'(arith_pkg::linear_sum_latency()),
    8'(arith_pkg::small_reduce_latency(256)), 8'(arith_pkg::small_reduce_latency(256)),
    8'(arith_pkg::ModAddLatency), 8'(arith_pkg::ModAddLatency),
    8'(arith_pkg::compress_latency(11)), 8'(arith_pkg::adder_tree_latency(2, 133)),
    8'(arith_pkg::adder_tree_latency(9, 300)), 8'(arith_pkg::adder_tree_latency(3, 300)),
    8'(arith_pkg::adder_tree_latency(1, 132))
  };
endmodule
