// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_primes: delays the prime of the limb in a vector of ckks_reduce to each of its stages. One
// such delay serves all lanes.
module ckks_primes
  import ckks_pkg::*;
#(
  parameter int unsigned Before = 0  // clocks from prime_i to the first step
) (
  input  logic   clk_i,
  input  prime_t prime_i,
  output prime_t prime_first_o,
  output prime_t prime_second_o,
  output prime_t prime_correct_o
);
  pipeline_delay #(.DataWidth(PrimeBits), .Stages(Before)) u_first (
    .clk_i, .data_i(prime_i), .data_o(prime_first_o)
  );
  pipeline_delay #(.DataWidth(PrimeBits), .Stages(StepLatency)) u_second (
    .clk_i, .data_i(prime_first_o), .data_o(prime_second_o)
  );
  pipeline_delay #(.DataWidth(PrimeBits), .Stages(StepLatency)) u_correct (
    .clk_i, .data_i(prime_second_o), .data_o(prime_correct_o)
  );
endmodule
