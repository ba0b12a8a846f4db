// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// fold_finish: (a_i + b_i) mod Modulus, in [0, Modulus), for a_i + b_i < 3 * Modulus and a Modulus
// = 2^Width - c with a short c. One sum per clock, two clocks.
//
// With V = a_i + b_i: V + 2c has bit Width + 1 exactly if V is at least 2 * Modulus, and V + c is
// at least 2^Width exactly if V is at least the Modulus. The three sums are computed together.
module fold_finish #(
  parameter int unsigned Width = 256,
  parameter logic [Width-1:0] Modulus = arith_pkg::Secp256k1Modulus
) (
  input  logic             clk_i,
  input  logic [Width+1:0] a_i,
  input  logic [Width+1:0] b_i,
  output logic [Width-1:0] result_o
);
  localparam int unsigned SumBits = Width + 2;
  localparam arith_pkg::constant_t Constant =
      arith_pkg::fold_constant(Width, arith_pkg::constant_t'(Modulus));

  logic [2:0][SumBits-1:0] sum, sum_q;
  for (genvar k = 0; k < 3; k++) begin : gen_sum
    logic [1:0][SumBits-1:0] pair;
    if (k == 0) begin : gen_plain
      assign pair = {b_i, a_i};
    end else begin : gen_plus
      carry_save #(.Operands(3), .Width(SumBits), .Levels(1)) u_plus (
        .operands_i({SumBits'(Constant * k), b_i, a_i}), .results_o(pair)
      );
    end
    select_add #(.Width(SumBits), .Segment(arith_pkg::FinishChainWidth)) u_sum (
      .a_i(pair[0]), .b_i(pair[1]), .carry_i(1'b0), .sum_o(sum[k])
    );
  end
  always_ff @(posedge clk_i) begin
    sum_q    <= sum;
    result_o <= sum_q[2][Width+1] ? sum_q[2][Width-1:0]
              : sum_q[1][Width+1:Width] != '0 ? sum_q[1][Width-1:0] : sum_q[0][Width-1:0];
  end

  logic unused_tops;
  assign unused_tops = ^{sum_q[2][Width], sum_q[0][Width+1:Width]};
endmodule
