// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// quotient_finish_proof: the result is the sum modulo Modulus, for every sum below Multiples *
// Modulus. The sum may wrap only if it is at least 2^Shift, as the module's head says.
module quotient_finish_proof #(
  parameter int unsigned Width = 12,
  parameter logic [Width-1:0] Modulus = Width'(3329),
  parameter int unsigned Multiples = 6,
  parameter bit Invariants = 1'b1,
  localparam int unsigned InBits = arith_pkg::bit_length(arith_pkg::constant_t'(Modulus) *
                                                         arith_pkg::constant_t'(Multiples))
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [InBits-1:0] a_i,
  input logic [InBits-1:0] b_i,
  input logic              carry_i
);
  localparam int unsigned Shift = arith_pkg::bit_length(arith_pkg::constant_t'(Modulus)) - 2;
  localparam int unsigned Clocks = arith_pkg::QuotientFinishLatency;
  typedef logic [InBits-1:0] sum_t;

  proof_reset u_reset (.rst_ni);

  logic [Width-1:0] result;
  quotient_finish #(.Width(Width), .Modulus(Modulus), .Multiples(Multiples)) u_dut (
    .clk_i, .a_i, .b_i, .carry_i, .result_o(result)
  );

  logic            valid, has_wrapped;
  sum_t            sum_i, sum, residue;
  assign {has_wrapped, sum_i} = {1'b0, a_i} + {1'b0, b_i} + (InBits + 1)'(carry_i);
  valid_delay #(.Stages(Clocks)) u_valid (.clk_i, .rst_ni, .valid_i(1'b1), .valid_o(valid));
  pipeline_delay #(.DataWidth(InBits), .Stages(Clocks)) u_sum (
    .clk_i, .data_i(sum_i), .data_o(sum)
  );

  always_comb begin
    assume ((InBits + 1)'(sum_i) < (InBits + 1)'(Modulus) * (InBits + 1)'(Multiples));
    assume (!has_wrapped || sum_i >= sum_t'(1) << Shift);
    residue = sum;
    for (int unsigned i = Multiples - 1; i > 0; i--) begin
      if (sum >= sum_t'(Modulus) * sum_t'(i) && residue == sum) begin
        residue = sum - sum_t'(Modulus) * sum_t'(i);
      end
    end
    if (rst_ni && valid) begin
      assert (result < Modulus);
      assert (sum_t'(result) == residue);
      cover (sum == sum_t'(Modulus) * sum_t'(Multiples - 1) && result == '0);
    end
  end
  logic unused;
  assign unused = Invariants;
endmodule
