// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// fold_finish_proof: the result is a_i + b_i, less 0, 1 or 2 times the modulus, and below it, for
// every sum below 3 times the modulus.
module fold_finish_proof #(
  parameter int unsigned Width = 16,
  parameter logic [Width-1:0] Modulus = Width'((1 << Width) - 3),
  parameter bit Invariants = 1'b1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width+1:0] a_i,
  input logic [Width+1:0] b_i
);
  localparam int unsigned SumBits = Width + 3;
  localparam logic [SumBits-1:0] Once = SumBits'(Modulus);
  localparam logic [SumBits-1:0] Twice = Once << 1;

  proof_reset u_reset (.rst_ni);

  logic [Width-1:0] result;
  fold_finish #(.Width(Width), .Modulus(Modulus)) u_dut (.clk_i, .a_i, .b_i, .result_o(result));

  logic               valid;
  logic [SumBits-1:0] sum_i, sum;
  assign sum_i = SumBits'(a_i) + SumBits'(b_i);
  valid_delay #(.Stages(arith_pkg::FoldFinishLatency)) u_valid (
    .clk_i, .rst_ni, .valid_i(1'b1), .valid_o(valid)
  );
  pipeline_delay #(.DataWidth(SumBits), .Stages(arith_pkg::FoldFinishLatency)) u_sum (
    .clk_i, .data_i(sum_i), .data_o(sum)
  );

  always_comb begin
    assume (sum_i < Once + Twice);
    if (rst_ni && valid) begin
      assert (result < Modulus);
      assert (SumBits'(result) == sum - (sum >= Twice ? Twice : sum >= Once ? Once : '0));
      cover (sum == Twice);
    end
  end
  logic unused;
  assign unused = Invariants;
endmodule
