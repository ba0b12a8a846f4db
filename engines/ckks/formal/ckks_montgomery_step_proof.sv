// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_montgomery_step_proof: with any prime q = k * 2^17 + 1, the result for every value T above
// -q is T minus a multiple of q, divided by 2^17 without a remainder: (T - (T mod 2^17) * q) /
// 2^17. It is also above -q, and not above T / 2^17. The result of two steps therefore lies in (-q,
// T / 2^34], as ckks_reduce requires.
//
// The proof only uses the two factors and the bound of the product (T mod 2^17) * k.
module ckks_montgomery_step_proof
  import ckks_pkg::*;
#(
  parameter int unsigned Width = 61,
  parameter bit          Invariants = 1'b1
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input prime_t                  prime_i,
  input logic signed [Width-1:0] value_i
);
  localparam int unsigned OutWidth = arith_pkg::maximum(Width - StepBits, ResidueBits + 1);
  typedef logic signed [Width+StepBits-1:0]  wide_t;
  typedef logic [StepBits+PrimeBits-1:0]     multiple_t;

  proof_reset u_reset (.rst_ni);

  logic signed [OutWidth-1:0] result;
  ckks_montgomery_step #(.Width(Width)) u_dut (
    .clk_i, .prime_i, .value_i, .value_o(result)
  );

  // (T mod 2^17) * k, as an input: below 2^17 * k.
  multiple_t multiple_in;
  assign multiple_in = multiple_t'(value_i[StepBits-1:0]) * multiple_t'(prime_i);
  always_comb assume (multiple_in <= {prime_i, StepBits'(0)} - multiple_t'(prime_i));

  // The value of the result, if it is above -q.
  logic signed [Width-1:0] value;
  prime_t                  prime;
  multiple_t               multiple;
  logic                    is_there;
  pipeline_delay #(.DataWidth(Width + PrimeBits + StepBits + PrimeBits), .Stages(StepLatency)) u_in (
    .clk_i, .data_i({value_i, prime_i, multiple_in}), .data_o({value, prime, multiple})
  );
  valid_delay #(.Stages(StepLatency)) u_valid (
    .clk_i, .rst_ni, .valid_i(wide_t'(value_i) > -wide_t'({1'b0, prime_i, StepBits'(1)})),
    .valid_o(is_there)
  );

  // 2^17 times the result, in two ways: low * q is low * k * 2^17 + low.
  wide_t taken, scaled, q;
  always_comb begin
    q      = wide_t'({1'b0, prime, StepBits'(1)});
    taken  = wide_t'(value) - wide_t'({1'b0, multiple, value[StepBits-1:0]});
    scaled = wide_t'(result) <<< StepBits;
    if (is_there && rst_ni) begin
      assert (taken == scaled);
      assert (scaled <= wide_t'(value));
      assert (wide_t'(result) > -q);
      cover (result < 0);
      cover (result > 0);
    end
  end
  logic unused;
  assign unused = Invariants;
endmodule
