// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_primes: delays the prime of the limb in a vector of ckks_reduce to each of its stages, for
// the steps negated. One such delay serves all lanes.
module ckks_primes
  import ckks_pkg::*;
#(
  parameter int unsigned Before = 1  // clocks from prime_i to the first step, at least 1
) (
  input  logic   clk_i,
  input  prime_t prime_i,
  output minus_t minus_first_o,
  output minus_t minus_second_o,
  output prime_t prime_correct_o
);
  minus_t minus_q;
  always_ff @(posedge clk_i) minus_q <= -minus_t'({1'b0, prime_i});
  pipeline_delay #(.DataWidth(PrimeBits + 1), .Stages(Before - 1)) u_first (
    .clk_i, .data_i(minus_q), .data_o(minus_first_o)
  );
  pipeline_delay #(.DataWidth(PrimeBits + 1), .Stages(SecondStep)) u_second (
    .clk_i, .data_i(minus_first_o), .data_o(minus_second_o)
  );
  pipeline_delay #(.DataWidth(PrimeBits), .Stages(Before + SecondStep + StepLatency)) u_correct (
    .clk_i, .data_i(prime_i), .data_o(prime_correct_o)
  );
endmodule
