// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_montgomery_step_proof: with any prime q = k * 2^17 + 1, the result for every value T is T
// minus a multiple of q, divided by 2^17 without a remainder, modulo 2^OutWidth: (T - (T mod 2^17)
// * q) / 2^17. For a T above -q it is exact, above -q, and not above T / 2^17. The result of two
// steps therefore lies in (-q, T / 2^34], as ckks_reduce requires. A T of 65 bits without a sign,
// whose result ckks_reduce reads without one, is a T of the other sign here.
//
// The proof only uses the two factors and the bound of the product (T mod 2^17) * -k.
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
  typedef logic signed [StepBits+PrimeBits:0] multiple_t;

  proof_reset u_reset (.rst_ni);

  logic signed [OutWidth-1:0] result;
  minus_t minus;
  assign minus = -minus_t'({1'b0, prime_i});
  ckks_montgomery_step #(.Width(Width)) u_dut (
    .clk_i, .minus_i(minus), .value_i, .value_o(result)
  );

  // (T mod 2^17) * -k, as an input: not below (2^17 - 1) * -k.
  multiple_t multiple_in, bound;
  assign multiple_in = multiple_t'($signed({1'b0, value_i[StepBits-1:0]})) * multiple_t'(minus);
  assign bound       = multiple_t'({1'b0, prime_i}) - multiple_t'({1'b0, prime_i, StepBits'(0)});
  always_comb assume (multiple_in <= 0 && multiple_in >= bound);

  // The value of the result, if it is above -q.
  logic signed [Width-1:0] value;
  prime_t                  prime;
  multiple_t               multiple;
  logic                    is_there;
  pipeline_delay #(.DataWidth(Width + PrimeBits + StepBits + PrimeBits + 1), .Stages(StepLatency)) u_in (
    .clk_i, .data_i({value_i, prime_i, multiple_in}), .data_o({value, prime, multiple})
  );
  valid_delay #(.Stages(StepLatency)) u_valid (
    .clk_i, .rst_ni, .valid_i(wide_t'(value_i) > -wide_t'({1'b0, prime_i, StepBits'(1)})),
    .valid_o(is_there)
  );

  logic was_q;  // a value went in
  valid_delay #(.Stages(StepLatency)) u_was (.clk_i, .rst_ni, .valid_i(1'b1), .valid_o(was_q));

  // 2^17 times the result, in two ways: low * -q is low * -k * 2^17 - low.
  wide_t taken, scaled, q;
  always_comb begin
    q      = wide_t'({1'b0, prime, StepBits'(1)});
    taken  = wide_t'(value) + (wide_t'(multiple) <<< StepBits) - wide_t'({1'b0, value[StepBits-1:0]});
    scaled = wide_t'(result) <<< StepBits;
    if (rst_ni) begin
      assert (taken[OutWidth+StepBits-1:0] == scaled[OutWidth+StepBits-1:0] || !was_q);
      if (is_there) begin
        assert (taken == scaled);
        assert (scaled <= wide_t'(value));
        assert (wide_t'(result) > -q);
        cover (result < 0);
        cover (result > 0);
      end
    end
  end
  logic unused;
  assign unused = Invariants;
endmodule
